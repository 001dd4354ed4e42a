#pragma once
// A kernel that runs a list of stages over tiles of 32 worlds, one lane a world, with its workspace
// in global memory as [tile][cell][32]. No formula stands here: stages come from include/flexor.

#include "flexor/core/team.hpp"
#include "flexor/step/step.hpp"
#include "thread_place.hpp"

namespace flexor {

/// Arguments of a stage kernel, in device memory but for the counts.
template <class Scalar>
struct KernelArguments {
  const PlanView* plan;
  ConstantsView<Scalar> constants;
  BatchView batch;
  SolverSettings settings;
  const std::uint8_t* mask;  ///< [num_worlds] or null
  Scalar* workspace;         ///< [tile][cell][32]
};

/// What one thread does: the stages of the list, in order.
template <int P, class Scalar, class... Stages>
FLEXOR_HD void run_stages(const KernelArguments<Scalar>& a, const ThreadPlace& place) {
  const long world = place.tile * kTileWorlds + place.world;
  const auto* status =
      static_cast<const std::int32_t*>(a.batch.field[static_cast<int>(Field::status)]);
  const bool active =
      world < a.batch.num_worlds && (!a.mask || a.mask[world]) && !(status[world] & FROZEN);
  Scalar* base = a.workspace + first_cell(place, a.plan->cell.total);
  const Context<Scalar, DeviceTeam<P>, Cells<Scalar>> context{*a.plan,
                                                              a.constants,
                                                              a.batch,
                                                              a.settings,
                                                              DeviceTeam<P>{place.lane},
                                                              Cells<Scalar>{base, kTileWorlds},
                                                              world,
                                                              active,
                                                              false};
  (Stages::run(context), ...);
}

template <int P, class Scalar, class... Stages>
__global__ void __launch_bounds__(P* kTileWorlds)
    stage_kernel(const KernelArguments<Scalar> arguments) {
  run_stages<P, Scalar, Stages...>(arguments, thread_place(blockIdx.x, threadIdx.x));
}

/// Instantiates the kernels of one stage group for both precisions.
#define FLEXOR_STAGE_GROUP(...)                                                         \
  template __global__ void stage_kernel<1, float, __VA_ARGS__>(KernelArguments<float>); \
  template __global__ void stage_kernel<1, double, __VA_ARGS__>(KernelArguments<double>);

}  // namespace flexor
