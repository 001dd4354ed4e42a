// The stages over tiles of worlds, compiled once per instruction set (FLEXOR_ISA,
// FLEXOR_PACK_BYTES) and scalar type: isa/tile_float.cpp, isa/tile_double.cpp. No container, no std
// algorithm: a weak symbol compiled here must never serve another ISA.

#include <time.h>

#include "cpu/tile_kernels.hpp"
#include "flexor/core/pack.hpp"
#include "flexor/step/step.hpp"

#define FLEXOR_TEXT2(x) #x
#define FLEXOR_TEXT(x) FLEXOR_TEXT2(x)

namespace flexor {
namespace FLEXOR_ISA {
namespace {

// FLEXOR_PACK_BYTES = 0: tiles of one world, plain numbers.
template <class S>
#if FLEXOR_PACK_BYTES == 0
using TilePack = S;
#else
using TilePack = Pack<S, FLEXOR_PACK_BYTES / static_cast<int>(sizeof(S))>;
#endif

template <class S>
using TileContext = Context<TilePack<S>, SerialTeam, DenseCells<TilePack<S>>>;

/// Lanes that are worlds of the batch, in the mask, and not frozen.
template <class S>
Mask<TilePack<S>> active_lanes(const TileJob& job, long world) {
  constexpr int N = Lanes<TilePack<S>>::count;
  const auto* status =
      static_cast<const std::int32_t*>(job.batch->field[static_cast<int>(Field::status)]);
  std::uint8_t flags[N];
  for (int i = 0; i < N; ++i) {
    const long w = world + i;
    flags[i] = w < job.batch->num_worlds && (!job.mask || job.mask[w]) && !(status[w] & FROZEN);
  }
  return load_flags(flags, TilePack<S>());
}

template <class S>
TileContext<S> context_of(const TileJob& job, long world) {
  return {*job.plan,
          {static_cast<const S*>(job.shared), job.slot, static_cast<const S*>(job.per_world)},
          *job.batch,
          job.settings,
          SerialTeam{},
          DenseCells<TilePack<S>>{static_cast<TilePack<S>*>(job.workspace)},
          world,
          active_lanes<S>(job, world),
          false};
}

template <class S>
void step(const TileJob& job) {
  constexpr int N = Lanes<TilePack<S>>::count;
  for (long tile = job.first_tile; tile < job.last_tile; ++tile) {
    TileContext<S> context = context_of<S>(job, tile * N);
    if (!any(context.active)) continue;
    const auto asked = context.active;
    for (int n = 0; n < job.count; ++n) {
      run_step(context);
      // without a refresh the G arrays show the start of the last step, whose cells still stand
      if (!job.refresh && n == job.count - 1) StoreGeometry::run(context);
      context.active = active_lanes<S>(job, tile * N);
    }
    if (job.refresh) {
      context.active = asked;  // a world that has just been frozen is shown where it stands
      run_refresh(context);
    }
  }
}

template <class S>
void measure_references(const TileJob& job) {
  constexpr int N = Lanes<TilePack<S>>::count;
  for (long tile = job.first_tile; tile < job.last_tile; ++tile) {
    TileContext<S> context = context_of<S>(job, tile * N);
    context.at_reference = true;
    Kinematics::run(context);
    Route::run(context);
    StoreReference::run(context, job.wanted);
  }
}

template <class S>
void dynamics(const TileJob& job) {
  constexpr int N = Lanes<TilePack<S>>::count;
  const PlanView& p = *job.plan;
  for (long tile = job.first_tile; tile < job.last_tile; ++tile) {
    TileContext<S> context = context_of<S>(job, tile * N);
    Kinematics::run(context);
    InertiaAndBias::run(context);
    const auto write = [&](double* out, long size, long at, const TilePack<S>& value) {
      S lanes[N];
      store(lanes, value);
      for (int i = 0; i < N && tile * N + i < job.batch->num_worlds; ++i) {
        out[(tile * N + i) * size + at] = lanes[i];
      }
    };
    for (int i = 0; i < p.nv; ++i) {
      if (job.bias) write(job.bias, p.nv, i, context.cells[p.cell.bias + i]);
      for (int j = 0; job.mass_matrix && j <= i; ++j) {
        const TilePack<S> m = j < p.row_first[i]
                                  ? TilePack<S>(0)
                                  : context.cells[p.cell.matrix + p.row_address[i] + j];
        write(job.mass_matrix, static_cast<long>(p.nv) * p.nv, static_cast<long>(i) * p.nv + j, m);
        write(job.mass_matrix, static_cast<long>(p.nv) * p.nv, static_cast<long>(j) * p.nv + i, m);
      }
    }
  }
}

inline double seconds_now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class S>
void profile(const TileJob& job, double* seconds) {
  constexpr int N = Lanes<TilePack<S>>::count;
  for (long tile = job.first_tile; tile < job.last_tile; ++tile) {
    const TileContext<S> context = context_of<S>(job, tile * N);
    int stage = 0;
    double last = seconds_now();
    const auto run = [&]<class Stage>() {
      Stage::run(context);
      const double now = seconds_now();
      seconds[stage++] += now - last;
      last = now;
    };
    visit_step(run);
    visit_refresh(run);
  }
}

template <class S>
constexpr TileKernels kKernels{FLEXOR_TEXT(FLEXOR_ISA),
                               Lanes<TilePack<S>>::count,
                               static_cast<int>(sizeof(TilePack<S>)),
                               step<S>,
                               measure_references<S>,
                               dynamics<S>,
                               profile<S>};

}  // namespace

}  // namespace FLEXOR_ISA
}  // namespace flexor
