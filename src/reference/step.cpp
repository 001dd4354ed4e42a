// One step of one world, stage by stage.

#include <algorithm>

#include "flexor/core/status.hpp"
#include "reference/joint_terms.hpp"
#include "reference/report.hpp"
#include "reference/route.hpp"
#include "reference/rows.hpp"
#include "reference/world.hpp"

namespace flexor::reference {

Stepper::Stepper(const Description& description, Solver solver, int iterations, double tolerance,
                 bool warm_start)
    : description_(description),
      layout_(description_),
      solver_(solver == Solver::kAuto ? Solver::kExact : solver),
      warm_start_(warm_start) {
  switch (solver_) {
    case Solver::kGaussSeidel:
    case Solver::kGaussSeidelBlocks:
      options_ = kSweepDefaults;
      break;
    case Solver::kExact:
      options_ = kExactDefaults;
      break;
    default:
      throw ConfigError(
          "solver: the reference path has \"exact\", \"gauss_seidel_blocks\" and \"gauss_seidel\"");
  }
  if (iterations > 0) options_.iterations = iterations;
  if (tolerance > 0) options_.tolerance = tolerance;
}

Solution Stepper::solve(const Problem& problem, const VectorXd& start) const {
  switch (solver_) {
    case Solver::kGaussSeidel:
      return solve_gauss_seidel(problem, start, options_);
    case Solver::kGaussSeidelBlocks:
      return solve_gauss_seidel_blocks(problem, start, options_);
    default:
      return solve_exact(problem, start, options_);
  }
}

namespace {

/// The last finite value of every command entry stays in force.
void check_commands(World& world) {
  const auto check = [&world](const VectorXd& command, VectorXd& valid) {
    for (Eigen::Index i = 0; i < command.size(); ++i) {
      if (std::isfinite(command[i])) {
        valid[i] = command[i];
      } else {
        world.status |= NONFINITE_COMMAND;
      }
    }
  };
#define X(name, group, type, index, width, unit, meaning) check(world.name, world.valid_##name);
  FLEXOR_COMMANDS(X)
#undef X
}

/// a_+ = u + (a_n - u) exp(-h/tau); a disabled tendon keeps its activation.   [P-25]
void advance_activation(const Description& description, World& world) {
  const double h = description.options.timestep;
  for (std::size_t t = 0; t < description.tendons.size(); ++t) {
    if (!world.tendon_enabled[t]) continue;
    const double tau = description.tendons[t].activation_time, u = world.valid_drive_force[t];
    double& a = world.activation[t];
    a = tau > 0 ? u + (a - u) * std::exp(-h / tau) : u;
  }
}

/// q_+ = q_n (+) h v_+: scalars add, quaternions turn in the child's frame.   [P-4]
VectorXd integrate(const Description& description, const Layout& layout, const VectorXd& q,
                   const VectorXd& v, double h) {
  VectorXd next = q;
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const int i = layout.joint_qpos[j], k = layout.joint_qvel[j];
    const auto turn = [&](int quaternion, int rate) {
      const UnitQuaternion step = exponential(h * v.segment<3>(rate));
      store_quaternion(next, quaternion, (quaternion_at(q, quaternion) * step).normalized());
    };
    switch (description.joints[j].type) {
      case JointType::kHinge:
      case JointType::kSlide:
        next[i] += h * v[k];
        break;
      case JointType::kBall:
        turn(i, k);
        break;
      case JointType::kFree:
        next.segment<3>(i) += h * v.segment<3>(k);
        turn(i + 3, k + 3);
        break;
    }
  }
  return next;
}

bool is_factorable(const MatrixXd& M) {
  if (M.rows() == 0) return true;
  return M.allFinite() && Eigen::LLT<MatrixXd>(M).info() == Eigen::Success;
}

/// Numbers whose squares are infinite count as that.
bool is_finite_state(const World& world) {
  return world.qpos.array().square().allFinite() && world.qvel.array().square().allFinite() &&
         world.activation.allFinite() && world.reference_length.allFinite() &&
         world.row_impulse.allFinite();
}

/// Impulses of the rows in the last step.
VectorXd stored_impulses(const VectorXd& row_impulse, const std::vector<int>& slots) {
  VectorXd start(slots.size());
  for (std::size_t r = 0; r < slots.size(); ++r) start[r] = row_impulse[slots[r]];
  return start;
}

}  // namespace

void Stepper::step(World& world) const {
  const double h = description_.options.timestep;
  const Kinematics kin = kinematics(description_, layout_, world.qpos, world.qvel);  // 1
  MatrixXd M = reference::mass_matrix(description_, layout_, kin);                   // 3
  const VectorXd c = reference::bias_force(description_, layout_, kin);
  std::vector<TendonRoute> routes;  // 4
  for (std::size_t t = 0; t < description_.tendons.size(); ++t) {
    routes.push_back(
        route_tendon(description_, layout_, kin, world.qpos, world.qvel, static_cast<int>(t)));
    world.status |= world_status(routes.back().status);
  }
  check_commands(world);                                               // 6
  const JointTerms terms = joint_terms(description_, layout_, world);  // 5, 7
  M.diagonal() += terms.diagonal;                                      // [P-7]
  const bool is_finite = is_finite_state(world);
  if (!is_finite) world.status |= NONFINITE_STATE;
  if (!is_factorable(M)) {  // the world stays where it is   [P-3]
    if (is_finite) world.status |= SINGULAR_MASS;
    world.solver_status = kNonfinite;
    return;
  }
  advance_activation(description_, world);
  const VectorXd tau = terms.command + terms.damping + terms.spring +
                       applied_force(description_, layout_, kin, world.valid_body_wrench);  // [P-6]

  Problem problem;  // 8
  problem.mass = M;
  problem.free_velocity = world.qvel;
  if (layout_.nv > 0) problem.free_velocity += h * Eigen::LLT<MatrixXd>(M).solve(tau - c);  // [P-8]
  RowList list = assemble_rows(description_, layout_, world, routes, M.diagonal());
  world.status |= list.status;
  problem.rows = std::move(list.rows);
  problem.law_count = static_cast<int>(description_.tendons.size()) + layout_.nv;
  VectorXd start = VectorXd::Zero(problem.rows.size());
  if (warm_start_) start = stored_impulses(world.row_impulse, list.slots);
  const Solution solution = solve(problem, start);  // 9, 10

  write_step_report({description_, layout_, routes, terms, list.slots, solution}, world);  // 11
  world.qpos = integrate(description_, layout_, world.qpos, solution.velocity, h);         // 12
  world.qvel = solution.velocity;
  world.time += h;
  ++world.step_count;
  if (!is_finite || !is_finite_state(world)) {
    world.status |= NONFINITE_STATE;
    world.solver_status = kNonfinite;
  }
}

void Stepper::refresh(World& world) const { write_geometry_report(description_, layout_, world); }

MatrixXd Stepper::mass_matrix(const World& world) const {
  return reference::mass_matrix(description_, layout_,
                                kinematics(description_, layout_, world.qpos, world.qvel));
}

VectorXd Stepper::bias_force(const World& world) const {
  return reference::bias_force(description_, layout_,
                               kinematics(description_, layout_, world.qpos, world.qvel));
}

}  // namespace flexor::reference
