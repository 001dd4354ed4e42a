// One step of random models: `exact` against the optimality conditions and the other solvers.

#include "support/random_model.hpp"

#include <map>

#include "reference/joint_terms.hpp"
#include "reference/rows.hpp"
#include "reference/runner.hpp"

namespace flexor::reference {
namespace {

void put(VectorXd& to, const std::vector<double>& from) {
  to = Eigen::Map<const VectorXd>(from.data(), from.size());
}

World world_at(const Stepper& stepper, const support::State& state) {
  World world = stepper.initial_world();
  put(world.qpos, state.qpos);
  put(world.qvel, state.qvel);
  put(world.joint_force, state.joint_force);
  put(world.joint_target_position, state.joint_target_position);
  put(world.joint_target_velocity, state.joint_target_velocity);
  put(world.body_wrench, state.body_wrench);
  return world;
}

/// The problem that a step from this world solves, put together once more from its parts.
std::pair<Problem, std::vector<int>> problem_of(const Description& model, const World& before,
                                                const World& after) {
  const Layout layout(model);
  const double h = model.options.timestep;
  World world = before;
  world.activation = after.activation;
  const Kinematics kin = kinematics(model, layout, world.qpos, world.qvel);
  std::vector<TendonRoute> routes;
  for (std::size_t t = 0; t < model.tendons.size(); ++t)
    routes.push_back(route_tendon(model, layout, kin, world.qpos, world.qvel, static_cast<int>(t)));
  world.valid_joint_force = world.joint_force;
  world.valid_joint_target_position = world.joint_target_position;
  world.valid_joint_target_velocity = world.joint_target_velocity;
  const JointTerms terms = joint_terms(model, layout, world);
  Problem problem;
  problem.mass = mass_matrix(model, layout, kin) + MatrixXd(terms.diagonal.asDiagonal());
  problem.free_velocity =
      world.qvel +
      h * problem.mass.ldlt().solve(terms.command + terms.damping + terms.spring +
                                    applied_force(model, layout, kin, world.body_wrench) -
                                    bias_force(model, layout, kin));
  const RowList list = assemble_rows(model, layout, world, routes, problem.mass.diagonal());
  problem.rows = list.rows;
  problem.law_count = static_cast<int>(model.tendons.size()) + layout.nv;
  return {problem, list.slots};
}

TEST(RandomModels, ExactMeetsTheOptimalityConditions) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Description model = support::random_model(seed);
    const Stepper stepper(model);
    const World before = world_at(stepper, support::random_state(model, seed));
    World after = before;
    stepper.step(after);
    ASSERT_EQ(after.solver_status, kConverged) << seed;
    const auto [problem, slots] = problem_of(model, before, after);
    VectorXd impulse(slots.size());
    for (std::size_t r = 0; r < slots.size(); ++r) impulse[r] = after.row_impulse[slots[r]];
    const double scale = std::max(1.0, problem.free_velocity.lpNorm<Eigen::Infinity>());
    EXPECT_LT(optimality_violation(problem, after.qvel, impulse), 1e-10 * scale) << seed;
  }
}

TEST(RandomModels, BlocksReachTheExactVelocity) {
  int capped = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Description model = support::random_model(seed);
    const Stepper exact(model), blocks(model, Solver::kGaussSeidelBlocks, 100000, 1e-14);
    World a = world_at(exact, support::random_state(model, seed)), b = a;
    exact.step(a);
    blocks.step(b);
    if (b.solver_status != kConverged) {
      ++capped;
      continue;
    }
    const double scale = std::max(1.0, a.qvel.lpNorm<Eigen::Infinity>());
    EXPECT_LT((a.qvel - b.qvel).lpNorm<Eigen::Infinity>(), 1e-8 * scale) << seed;
  }
  EXPECT_LE(capped, 10);
}

TEST(RandomModels, CoverEveryKindOfThing) {
  std::map<std::string, int> seen;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Description model = support::random_model(seed);
    const support::State state = support::random_state(model, seed);
    const Stepper stepper(model);
    World world = world_at(stepper, state);
    stepper.step(world);
    for (const JointDescription& joint : model.joints)
      ++seen["joint type " + std::to_string(static_cast<int>(joint.type))];
    const Layout& layout = stepper.layout();
    const Kinematics kin = kinematics(model, layout, world.qpos, world.qvel);
    for (std::size_t t = 0; t < model.tendons.size(); ++t) {
      const TendonRoute route =
          route_tendon(model, layout, kin, world.qpos, world.qvel, static_cast<int>(t));
      seen["branches"] += route.branch_length.size() > 1;
      for (const GuideResult& guide : route.guides)
        ++seen["wrap mode " + std::to_string(static_cast<int>(guide.wrap.mode))];
      for (int row = 0; row < kTendonRowCount; ++row)
        seen["tendon row " + std::to_string(row)] +=
            world.row_impulse[kTendonRowCount * t + row] != 0;
    }
    for (int k = 0; k < layout.nv; ++k)
      for (int row = 0; row < kJointRowCount; ++row)
        seen["joint row " + std::to_string(row)] +=
            world.row_impulse[joint_slot(static_cast<int>(model.tendons.size()), k,
                                         static_cast<JointRow>(row))] != 0;
  }
  for (const auto& [what, count] : seen) EXPECT_GE(count, 10) << what;
  EXPECT_EQ(seen.size(), 4u + 1 + 3 + kTendonRowCount + kJointRowCount);
}

}  // namespace
}  // namespace flexor::reference
