#pragma once
// Runs the stages on a simulation's own arrays with scalar arithmetic and any team, one world at a
// time with cells 32 apart as on a device: what the CPU backend's packs and the kernels must equal
// bit for bit.

#include <vector>

#include "cpu/constant_table.hpp"
#include "flexor/sim/simulation.hpp"
#include "flexor/step/step.hpp"
#include "model/compile_plan.hpp"

namespace flexor::support {

template <class S, class Team>
class StageRunner {
 public:
  StageRunner(Simulation& sim, const Team& team)
      : sim_(sim), team_(team), topology_(sim.model().description()), plan_(sim.model().plan()) {
    const Model& model = sim.model();
    raw_.shared = model.nominal();
    for (double& x : raw_.shared) x = static_cast<S>(x);
    raw_.per_world.resize(raw_.shared.size());
    plan_rows(
        plan_, model.description(), [&](ParameterKind kind, int element, bool (*test)(double)) {
          const int first = plan_.parameter_offset[static_cast<int>(kind)] + element * width(kind);
          for (int i = first; i < first + width(kind); ++i) {
            if (test(raw_.shared[i])) return true;
          }
          return false;
        });
    for (int f = 0; f < kFieldCount; ++f) {
      if (info(static_cast<Field>(f)).name == std::string("body_wrench") ||
          info(static_cast<Field>(f)).name == std::string("valid_body_wrench")) {
        continue;
      }
      const ArrayRef ref = sim.array(static_cast<Field>(f));
      batch_.field[f] = ref.data;
      batch_.world_stride = ref.world_stride;
      batch_.num_worlds = ref.num_worlds;
    }
    constants_.commit(topology_, plan_, raw_, batch_.num_worlds, batch_.world_stride, nullptr);
    view_ = plan_.view();
    cells_.assign(static_cast<std::size_t>(plan_.cell.total) * 32, S(0));
  }

  /// No shortcut flags are set: the general text must give the bits of the shortcuts.
  void step() {
    for (long w = 0; w < batch_.num_worlds; ++w) run_step(context(w));
  }
  void refresh() {
    for (long w = 0; w < batch_.num_worlds; ++w) run_refresh(context(w));
  }

 private:
  Context<S, Team, Cells<S>> context(long w) {
    const auto* status = static_cast<std::int32_t*>(batch_.field[static_cast<int>(Field::status)]);
    const bool is_float = sizeof(S) == 4;
    const int method = sim_.options().solver == Solver::kJacobi;
    return {view_,  {constants_.shared(), constants_.slot(), constants_.per_world()},
            batch_, {method, 12, is_float ? 1e-6 : 1e-10, 1, 0},
            team_,  Cells<S>{cells_.data() + w % 32, 32},
            w,      !(status[w] & FROZEN),
            false};
  }

  Simulation& sim_;
  Team team_;
  Topology topology_;
  Plan plan_;
  PlanView view_{};
  RawParameters raw_;
  BatchView batch_{};
  ConstantTable<S> constants_;
  std::vector<S> cells_;
};

}  // namespace flexor::support
