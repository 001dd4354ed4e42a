#include "reference/joint_terms.hpp"

#include <algorithm>

namespace flexor::reference {

ImplicitRule implicit_rule(JointImplicit option) {
  if (option == JointImplicit::kBackward) return {1, 1, 1};
  return {0.5, 0.25, 0};
}

namespace {

/// to (-) q_n over the joint's velocity entries: difference of scalars, rotation vector of
/// q_n^-1 to for ball joints. A free joint has no springs.
VectorXd position_error(JointType type, const VectorXd& to, int to_first, const VectorXd& q,
                        int first) {
  if (type == JointType::kBall)
    return rotation_vector(quaternion_at(q, first).conjugate() * quaternion_at(to, to_first));
  if (type == JointType::kFree) return VectorXd::Zero(6);
  return VectorXd::Constant(1, to[to_first] - q[first]);
}

VectorXd rest_configuration(const JointDescription& joint) {
  if (joint.type != JointType::kBall) return VectorXd::Constant(1, joint.rest);
  VectorXd rest(4);
  store_quaternion(rest, 0, to_eigen(joint.rest_quat));
  return rest;
}

}  // namespace

JointTerms joint_terms(const Description& description, const Layout& layout, const World& world) {
  const double h = description.options.timestep;
  const ImplicitRule rule = implicit_rule(description.options.joint_implicit);
  JointTerms terms;
  for (VectorXd* vector : {&terms.command, &terms.damping, &terms.spring, &terms.diagonal,
                           &terms.command_slope, &terms.damping_slope, &terms.spring_slope})
    vector->setZero(layout.nv);

  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const JointDescription& joint = description.joints[j];
    const int first_q = layout.joint_qpos[j], first = layout.joint_qvel[j];
    const int count = qvel_count(joint.type);
    const auto v = world.qvel.segment(first, count).array();
    const bool is_free = joint.type == JointType::kFree;
    const double k_p = is_free ? 0 : joint.position_gain;
    const double k_d = is_free ? 0 : joint.velocity_gain;
    const double k_s = is_free ? 0 : joint.stiffness;
    const double b = is_free ? 0 : joint.damping;

    const VectorXd to_target =
        position_error(joint.type, world.valid_joint_target_position, first_q, world.qpos, first_q);
    const VectorXd to_rest =
        position_error(joint.type, rest_configuration(joint), 0, world.qpos, first_q);
    const auto rate_error = world.valid_joint_target_velocity.segment(first, count).array() - v;
    terms.command.segment(first, count) =
        (world.valid_joint_force.segment(first, count).array() +
         k_p * (to_target.array() - rule.s * h * v) + k_d * rate_error)
            .max(joint.effort_lower)
            .min(joint.effort_upper);              // [P-5]
    terms.damping.segment(first, count) = -b * v;  // [P-6]
    terms.spring.segment(first, count) = k_s * (to_rest.array() - rule.s * h * v);
    terms.command_slope.segment(first, count).setConstant(rule.th * k_d + rule.ka * h * k_p);
    terms.damping_slope.segment(first, count).setConstant(rule.th * b);
    terms.spring_slope.segment(first, count).setConstant(rule.ka * h * k_s);
  }
  // w = th h (b + k_d) + ka h^2 (k_p + k_s)   [P-7]
  terms.diagonal = h * (terms.command_slope + terms.damping_slope + terms.spring_slope);
  return terms;
}

}  // namespace flexor::reference
