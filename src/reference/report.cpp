#include "reference/report.hpp"

#include "flexor/core/status.hpp"
#include "reference/rows.hpp"

namespace flexor::reference {

int world_status(int route_status) {
  int status = 0;
  if (route_status & (COLLAPSED | PLANE_DEGENERATE)) status |= ROUTE_DEGENERATE;
  if (route_status & ENDPOINT_INSIDE) status |= ROUTE_ENDPOINT_INSIDE;
  if (route_status & SIDE_AMBIGUOUS) status |= ROUTE_SIDE_AMBIGUOUS;
  if (route_status & NOT_MINIMUM) status |= ROUTE_NOT_MINIMUM;
  if (route_status & OFF_END) status |= ROUTE_OFF_END;
  if (route_status & NONFINITE) status |= NONFINITE_STATE;
  return status;
}

namespace {

void report_tendon(const StepResult& result, int t, World& world) {
  const double h = result.description.options.timestep;
  const TendonDescription& tendon = result.description.tendons[t];
  const TendonRoute& route = result.routes[t];
  const double rate = route.jacobian.dot(result.solution.velocity);
  world.tendon_solved_velocity[t] = rate;
  world.tendon_length_end[t] = route.length + h * rate;

  const auto force = [&](TendonRow row) { return world.row_impulse[tendon_slot(t, row)] / h; };
  world.tendon_passive_force[t] = force(TendonRow::kPassive);
  world.tendon_drive_force[t] = force(TendonRow::kDrive);
  world.tendon_armature_force[t] = force(TendonRow::kArmature);
  world.tendon_friction_force[t] = force(TendonRow::kFriction);
  world.tendon_lower_force[t] = force(TendonRow::kLower);
  world.tendon_upper_force[t] = force(TendonRow::kUpper);
  world.tendon_limit_force[t] = world.tendon_lower_force[t] + world.tendon_upper_force[t];
  world.tendon_force[t] = world.tendon_passive_force[t] + world.tendon_drive_force[t] +
                          world.tendon_armature_force[t] + world.tendon_friction_force[t] +
                          world.tendon_limit_force[t];
  world.tendon_tension[t] = -world.tendon_force[t];
  for (std::size_t b = 0; b < route.branch_divisor.size(); ++b)
    world.branch_tension[result.layout.tendon_branch[t] + b] =
        world.tendon_tension[t] / route.branch_divisor[b];  // [P-29]

  world.tendon_spring_force[t] = world.tendon_damper_force[t] = 0;
  if (!world.tendon_enabled[t]) return;
  const auto [e, k_a] = tendon_spring(tendon, world.reference_length[t], route.length);
  world.tendon_spring_force[t] = -k_a * (e + h * rate);  // [P-24]
  world.tendon_damper_force[t] = -tendon.damping * rate;

  const Drive drive = tendon_drive(world, t, route.length, h);
  const double demand = drive.demand - drive.gain * rate;
  if (drive.is_valid && (demand < tendon.actuation_lower || demand > tendon.actuation_upper))
    world.status |= TENSION_SATURATED;
}

void report_joints(const StepResult& result, World& world) {
  const double h = result.description.options.timestep;
  const int tendon_count = static_cast<int>(result.description.tendons.size());
  const JointTerms& terms = result.terms;
  const VectorXd dv = result.solution.velocity - world.qvel;
  world.joint_command_torque = terms.command - terms.command_slope.cwiseProduct(dv);  // [P-9]
  world.joint_damping_torque = terms.damping - terms.damping_slope.cwiseProduct(dv);
  world.joint_spring_torque = terms.spring - terms.spring_slope.cwiseProduct(dv);
  for (int k = 0; k < result.layout.nv; ++k) {
    const auto force = [&](JointRow row) {
      return world.row_impulse[joint_slot(tendon_count, k, row)] / h;
    };
    world.joint_friction_torque[k] = force(JointRow::kFriction);
    world.joint_limit_torque[k] = force(JointRow::kLower) + force(JointRow::kUpper) +
                                  force(JointRow::kVelocityLower) + force(JointRow::kVelocityUpper);
  }
}

}  // namespace

void write_step_report(const StepResult& result, World& world) {
  const Solution& solution = result.solution;
  world.row_impulse.setZero();
  for (std::size_t r = 0; r < result.slots.size(); ++r)
    world.row_impulse[result.slots[r]] = solution.impulse[r];
  world.solver_iterations = solution.iterations;
  world.solver_residual = solution.residual;
  world.solver_status = solution.status;
  if (solution.status == kIterationLimit) world.status |= NOT_CONVERGED;
  if (solution.has_unsatisfiable_row) world.status |= UNSATISFIABLE_ROW;
  for (std::size_t t = 0; t < result.routes.size(); ++t)
    report_tendon(result, static_cast<int>(t), world);
  report_joints(result, world);
}

namespace {

/// Of the two quaternions of a rotation the one with w > 0; for half a turn (w = 0) the one whose
/// largest component is positive.
UnitQuaternion with_positive_scalar(const UnitQuaternion& Q) {
  Eigen::Index largest = 0;
  Q.vec().cwiseAbs().maxCoeff(&largest);
  const bool is_flipped = Q.w() < 0 || (Q.w() == 0 && Q.vec()[largest] < 0);
  return is_flipped ? UnitQuaternion(-Q.coeffs()) : Q;
}

}  // namespace

void write_geometry_report(const Description& description, const Layout& layout, World& world) {
  const Kinematics kin = kinematics(description, layout, world.qpos, world.qvel);
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    world.body_position.segment<3>(3 * b) = kin.position[b];
    store_quaternion(world.body_quaternion, static_cast<int>(4 * b),
                     with_positive_scalar(kin.quaternion[b]));
    world.body_velocity.segment<3>(6 * b) =
        kin.point_velocity(static_cast<int>(b), kin.position[b]);
    world.body_velocity.segment<3>(6 * b + 3) = kin.velocity[b].head<3>();
  }
  for (std::size_t s = 0; s < description.sites.size(); ++s) {
    const SiteDescription& site = description.sites[s];
    world.site_position.segment<3>(3 * s) = kin.point(site.body.index, site.pos);
  }
  for (std::size_t t = 0; t < description.tendons.size(); ++t) {
    const TendonDescription& tendon = description.tendons[t];
    const TendonRoute route =
        route_tendon(description, layout, kin, world.qpos, world.qvel, static_cast<int>(t));
    world.tendon_length[t] = route.length;
    world.tendon_velocity[t] = route.rate;
    world.tendon_jacobian.segment(t * layout.nv, layout.nv) = route.jacobian;
    world.tendon_curvature[t] = tendon.armature > 0 ? route.curvature : 0;
    world.tendon_route_status[t] = route.status;
    const double e = tendon_spring(tendon, world.reference_length[t], route.length).extension;
    world.tendon_potential_energy[t] = tendon.stiffness > 0 ? tendon.stiffness * e * e / 2 : 0;
    world.tendon_kinetic_energy[t] = tendon.armature * route.rate * route.rate / 2;
    for (std::size_t b = 0; b < route.branch_length.size(); ++b)
      world.branch_length[layout.tendon_branch[t] + b] = route.branch_length[b];
  }
}

}  // namespace flexor::reference
