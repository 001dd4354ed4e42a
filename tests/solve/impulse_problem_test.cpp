// The batch's solvers on impulse problems posed directly: physics.md 18 cases 43, 45, 46, against
// the reference's exact solution, with one lane and with a team.

#include <gtest/gtest.h>

#include "flexor/model/builder.hpp"
#include "flexor/solve/solve.hpp"
#include "flexor/solve/split.hpp"
#include "model/compile_plan.hpp"
#include "support/problems.hpp"

namespace flexor {
namespace {

using reference::Problem;

/// nv sliders under T fixed tendons over all of them, every tendon row planned.
Model sliders(int nv, int tendons) {
  ModelBuilder builder("sliders", 1e-3);
  for (int i = 0; i < nv; ++i) {
    BodyDescription body;
    body.mass = 1;
    const int b = builder.add_body(body);
    JointDescription joint;
    joint.body = b;
    joint.type = JointType::kSlide;
    builder.add_joint(joint);
  }
  for (int t = 0; t < tendons; ++t) {
    TendonDescription tendon;
    tendon.type = TendonType::kFixed;
    for (int i = 0; i < nv; ++i) {
      PathElement element;
      element.type = ElementType::kJoint;
      element.joint = i;
      tendon.path.push_back(element);
    }
    builder.add_tendon(tendon);
  }
  return builder.finalize();
}

struct Answer {
  std::vector<double> velocity, impulse;  ///< impulse by planned row
  double status = 0, residual = 0;
};

/// The stages 9 and 10 on a problem whose laws are tendons: M~, v* = v_n, no other force.
template <class Team>
Answer solve(const Problem& problem, int method, const Team& team) {
  const int nv = static_cast<int>(problem.mass.rows()), T = problem.law_count;
  const Model model = sliders(nv, T);
  Plan plan = model.plan();
  plan_rows(plan, model.description(), [](ParameterKind kind, int, bool (*)(double)) {
    return info(kind).owner == Owner::kTendon;
  });
  const PlanView view = plan.view();
  const auto& cell = view.cell;
  std::vector<double> cells(cell.total, 0.0), shared(plan.scalar_count, 0.0), velocity(nv);
  const std::vector<int> slot(plan.scalar_count, -1);
  shared[view.constant(Constant::time_step, 0)] = 1e-3;
  for (int i = 0; i < nv; ++i) velocity[i] = problem.free_velocity[i];
  BatchView batch{};
  batch.field[static_cast<int>(Field::qvel)] = velocity.data();
  batch.world_stride = 1;
  batch.num_worlds = 1;

  for (int i = 0; i < nv; ++i) {
    for (int j = 0; j <= i; ++j) {
      cells[cell.matrix + view.row_address[i] + j] = problem.mass(i, j);
    }
  }
  if (nv & 1) cells[cell.matrix + view.row_address[nv] + nv] = 1;
  for (int r = 0; r < view.planned_count; ++r)
    put_row(WritableCells<double>{cells.data()}, cell.row + kRowCells * r, dead_row<double>());
  std::vector<int> planned_of;  // problem row -> planned row
  std::vector<int> next(T);
  for (int t = 0; t < T; ++t) next[t] = view.law_row_first[t];
  std::vector<LawBounds<double>> bounds(view.law_count);
  for (const reference::Row& row : problem.rows) {
    const int t = row.law, r = next[t]++;
    planned_of.push_back(r);
    double u = 0, W = 0, largest = 0;
    for (int i = 0; i < nv; ++i) {
      const double J = row.jacobian[i], term = J * J / problem.mass(i, i);
      cells[cell.jacobian + view.tendon_entry_first[t] + i] = J;
      u += J * problem.free_velocity[i];
      W += term;
      largest = std::max(largest, term);
    }
    cells[cell.length_rate + t] = u;
    cells[cell.response_diagonal + t] = W;
    const bool folded =
        row.is_unbounded() && row.softness > 0 && largest <= 1e6 * row.softness;  // [P-51]
    put_row(WritableCells<double>{cells.data()}, cell.row + kRowCells * r,
            Row<double>{row.target, row.softness, row.lower, row.upper});
    cells[cell.row + kRowCells * r + 4] = folded;
    bounds[t].add(Row<double>{row.target, row.softness, row.lower, row.upper}, folded);
    if (!folded) continue;
    cells[cell.fold_weight + t] += 1 / row.softness;
    cells[cell.fold_target + t] += row.target / row.softness;
  }
  for (int law = 0; law < view.law_count; ++law) {
    put_bounds(WritableCells<double>{cells.data()}, view, law, bounds[law]);
  }
  const Context<double, Team, Cells<double>> context{
      view, {shared.data(), slot.data(), nullptr}, batch, {method, 12, 1e-12, 1, 0, 0},
      team, Cells<double>{cells.data(), 1},        0,     true,
      false};
  FoldAndFactor::run(context);
  Solve::run(context);

  Answer answer;
  for (int i = 0; i < nv; ++i) answer.velocity.push_back(cells[cell.end_velocity + i]);
  std::vector<double> impulse(view.planned_count);
  for (int t = 0; t < T; ++t) {
    const WritableCells<double> w{cells.data()};
    split_law(context, w, t, tendon_rate(context, w, t, cell.end_velocity),
              [&](int r, double p) { impulse[r] = p; });
  }
  for (const int r : planned_of) answer.impulse.push_back(impulse[r]);
  answer.status = cells[cell.solver + 2];
  answer.residual = cells[cell.solver + 1];
  return answer;
}

class BatchSolver : public ::testing::TestWithParam<int> {};

TEST_P(BatchSolver, Case43AllRowsOfTwoTendons) {
  const Answer answer = solve(reference::case_43(), GetParam(), SerialTeam{});
  EXPECT_NEAR(answer.velocity[0], .401259418730, 1e-10);
  EXPECT_NEAR(answer.velocity[1], -.402518837460, 1e-10);
  const double expected[] = {-.0067, -.01404, .0392, -.003, -1.0670315823, .001, .3228966631};
  for (int r = 0; r < 7; ++r) EXPECT_NEAR(answer.impulse[r], expected[r], 1e-10) << r;
  EXPECT_EQ(answer.status, 0);
}

TEST_P(BatchSolver, Case45RedundantHardLocks) {
  Problem problem;
  problem.mass = reference::MatrixXd::Identity(2, 2);
  problem.free_velocity = reference::Vector2(1, 2);
  problem.law_count = 3;
  problem.rows = {reference::make_row(reference::Vector2(1, 0), 0, 0, -kInfinity, kInfinity, 0),
                  reference::make_row(reference::Vector2(2, 0), 0, 0, -kInfinity, kInfinity, 1),
                  reference::make_row(reference::Vector2(1, 0), 0, 0, -.25, .25, 2)};
  const Answer answer = solve(problem, GetParam(), SerialTeam{});
  EXPECT_NEAR(answer.velocity[0], 0, 1e-10);
  EXPECT_NEAR(answer.velocity[1], 2, 1e-10);
  EXPECT_NEAR(answer.impulse[0] + 2 * answer.impulse[1] + answer.impulse[2], -1, 1e-10);
}

TEST_P(BatchSolver, Case46RandomProblems) {
  reference::RandomProblems random(7);
  int capped = 0;
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random.next();
    const auto exact = reference::solve_exact(problem, reference::cold(problem));
    const Answer answer = solve(problem, GetParam(), SerialTeam{});
    capped += answer.status != 0;
    double worst = 0;
    for (std::size_t k = 0; k < answer.velocity.size(); ++k) {
      worst = std::max(worst, std::abs(answer.velocity[k] - exact.velocity[k]));
    }
    if (answer.status == 0) {
      EXPECT_LT(worst, 1e-9) << i;
    }
    const Answer team = solve(problem, GetParam(), HostTeam<8>{LaneOrder::kShuffled});
    EXPECT_EQ(answer.velocity, team.velocity) << i;  // bits
  }
  EXPECT_LE(capped, 3);  // of 300
}

INSTANTIATE_TEST_SUITE_P(Methods, BatchSolver, ::testing::Values(0, 1),
                         [](const auto& info) { return info.param ? "Jacobi" : "ActiveSet"; });

}  // namespace
}  // namespace flexor
