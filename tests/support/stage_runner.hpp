#pragma once
// Runs the stages on a simulation's own arrays with scalar arithmetic and any team, one world at a
// time with cells 32 apart as on a device: what the CPU backend's packs and the kernels must equal
// bit for bit. Cells are NaN before every step and every refresh: a stage that reads what no stage
// before it wrote shows.

#include <limits>
#include <vector>

#include "cpu/constant_table.hpp"
#include "flexor/sim/simulation.hpp"
#include "flexor/step/step.hpp"
#include "model/compile_plan.hpp"

namespace flexor::support {

template <class Real, class Team, class CellsType = Cells<Real>>
class StageRunner {
 public:
  using S = Scalar<Real>;

  /// @param uses_wrenches  whether the array of body wrenches has been asked for
  StageRunner(Simulation& sim, const Team& team, bool uses_wrenches = false)
      : team_(team), topology_(sim.model().description()), plan_(sim.model().plan()) {
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
      const Field field = static_cast<Field>(f);
      const bool is_wrench = field == Field::body_wrench || field == Field::valid_body_wrench;
      if (is_wrench && !uses_wrenches) continue;  // asking for it would switch it on
      const ArrayRef ref = sim.array(field);
      batch_.field[f] = ref.data;
      batch_.world_stride = ref.world_stride;
      batch_.num_worlds = ref.num_worlds;
    }
    constants_.commit(topology_, plan_, raw_, batch_.num_worlds, batch_.world_stride, nullptr);
    view_ = plan_.view();
    cells_.resize(static_cast<std::size_t>(plan_.cell.total) * 32);
    const SimulationOptions& options = sim.options();
    settings_.method = options.solver == Solver::kJacobi;
    settings_.iterations = options.iterations;
    settings_.tolerance = options.tolerance;
    settings_.freeze = options.guard == Guard::kFreeze;
    settings_.ignore = options.guard == Guard::kIgnore;
    settings_.warm_start = options.warm_start;
  }

  /// `count` steps and a refresh of the worlds that are not frozen when it begins.
  /// No shortcut flags are set: the general text must give the bits of the shortcuts.
  void step(int count = 1) {
    for (long w = 0; w < batch_.num_worlds; ++w) {
      const bool asked = !is_frozen(w);
      for (int n = 0; n < count; ++n) run_step(context(w, !is_frozen(w)));
      run_refresh(context(w, asked));
    }
  }

  /// The same for one step of the worlds that are not frozen, stage by stage:
  /// visit.template operator()<Stage>(context), which runs it.
  template <class Visit>
  void walk(Visit visit) {
    for (long w = 0; w < batch_.num_worlds; ++w) {
      if (is_frozen(w)) continue;
      const auto c = context(w, true);
      visit_step([&]<class Stage>() { visit.template operator()<Stage>(c); });
      visit_refresh([&]<class Stage>() { visit.template operator()<Stage>(c); });
    }
  }

 private:
  bool is_frozen(long w) const {
    return static_cast<std::int32_t*>(batch_.field[static_cast<int>(Field::status)])[w] & FROZEN;
  }
  Context<Real, Team, CellsType> context(long w, bool is_active) {
    const CellsType cells{cells_.data() + w % 32, 32};
    for (int i = 0; i < plan_.cell.total; ++i) {
      writable(cells)[i] = Real(std::numeric_limits<S>::quiet_NaN());
    }
    return {view_,  {constants_.shared(), constants_.slot(), constants_.per_world()},
            batch_, settings_,
            team_,  cells,
            w,      is_active,
            false};
  }

  Team team_;
  Topology topology_;
  Plan plan_;
  PlanView view_{};
  RawParameters raw_;
  BatchView batch_{};
  SolverSettings settings_{};
  ConstantTable<S> constants_;
  std::vector<Real> cells_;
};

}  // namespace flexor::support
