// Mass matrix and bias force.   [P-1], [P-2], [MF-8]

#include "reference/mechanics.hpp"

namespace flexor::reference {

namespace {

/// Inertia of a body about the world origin: force = I acceleration for (angular, linear) motions.
Matrix6 spatial_inertia(const BodyDescription& body, const Vector3& com, const Matrix3& rotation) {
  const auto& i = body.inertia;
  Matrix3 local;
  local << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  const Matrix3 c = skew(com);
  Matrix6 inertia;
  inertia.topLeftCorner<3, 3>() =
      rotation * local * rotation.transpose() + body.mass * c * c.transpose();
  inertia.topRightCorner<3, 3>() = body.mass * c;
  inertia.bottomLeftCorner<3, 3>() = body.mass * c.transpose();
  inertia.bottomRightCorner<3, 3>() = body.mass * Matrix3::Identity();
  return inertia;
}

Matrix6 spatial_inertia(const Description& description, const Kinematics& kin, int b) {
  const BodyDescription& body = description.bodies[b];
  return spatial_inertia(body, kin.point(b, body.com), kin.rotation[b]);
}

/// Wrench (moment about the world origin, force) of a force acting at a point.
Vector6 wrench_at(const Vector3& point, const Vector3& force) {
  Vector6 wrench;
  wrench << point.cross(force), force;
  return wrench;
}

/// Rate of the momentum (angular, linear) carried along by a frame moving with `velocity`.
Vector6 carried_momentum_rate(const Vector6& velocity, const Vector6& momentum) {
  const Vector3 omega = velocity.head<3>(), v = velocity.tail<3>();
  const Vector3 angular = momentum.head<3>(), linear = momentum.tail<3>();
  Vector6 rate;
  rate << omega.cross(angular) + v.cross(linear), omega.cross(linear);
  return rate;
}

}  // namespace

MatrixXd mass_matrix(const Description& description, const Layout& layout, const Kinematics& kin) {
  const int body_count = static_cast<int>(description.bodies.size());
  std::vector<Matrix6> composite(body_count);
  for (int b = 0; b < body_count; ++b) composite[b] = spatial_inertia(description, kin, b);
  for (int b = body_count - 1; b >= 0; --b) {
    const int parent = description.bodies[b].parent.index;
    if (parent >= 0) composite[parent] += composite[b];
  }
  MatrixXd M = MatrixXd::Zero(layout.nv, layout.nv);
  for (int k = 0; k < layout.nv; ++k) {
    const Vector6 force = composite[layout.dof_body[k]] * kin.motion.col(k);
    for (int i = k; i >= 0; i = layout.dof_parent[i])
      M(i, k) = M(k, i) = kin.motion.col(i).dot(force);
    M(k, k) += description.joints[layout.dof_joint[k]].armature;  // [P-2]
  }
  return M;
}

MatrixXd mass_matrix(const Description& description, const VectorXd& q) {
  return mass_matrix(description, Layout(description), kinematics(description, q));
}

VectorXd bias_force(const Description& description, const Layout& layout, const Kinematics& kin) {
  const Vector3 gravity = to_eigen(description.options.gravity);
  std::vector<Vector6> wrench;
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const BodyDescription& body = description.bodies[b];
    const Matrix6 inertia = spatial_inertia(description, kin, static_cast<int>(b));
    Vector6 acceleration = kin.acceleration[b];
    acceleration.tail<3>() -= gravity;
    Vector6 force =
        inertia * acceleration + carried_momentum_rate(kin.velocity[b], inertia * kin.velocity[b]);
    const Vector3 com = kin.point(static_cast<int>(b), body.com);
    force -= wrench_at(com, -body.gravity_compensation * body.mass * gravity);  // [MF-8]
    wrench.push_back(force);
  }
  return project_wrenches(description, layout, kin, std::move(wrench));
}

VectorXd applied_force(const Description& description, const Layout& layout, const Kinematics& kin,
                       const VectorXd& body_wrench) {
  std::vector<Vector6> wrench;
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const Vector3 com = kin.point(static_cast<int>(b), description.bodies[b].com);
    const Vector3 force = body_wrench.segment<3>(6 * b);
    const Vector3 moment = body_wrench.segment<3>(6 * b + 3);
    Vector6 own = wrench_at(com, force);
    own.head<3>() += moment;
    wrench.push_back(own);
  }
  return project_wrenches(description, layout, kin, std::move(wrench));
}

VectorXd project_wrenches(const Description& description, const Layout& layout,
                          const Kinematics& kin, std::vector<Vector6> wrench) {
  VectorXd tau = VectorXd::Zero(layout.nv);
  for (int b = static_cast<int>(description.bodies.size()) - 1; b >= 0; --b) {
    const int parent = description.bodies[b].parent.index;
    for (int k = layout.last_dof(b); k >= 0 && layout.dof_body[k] == b; k = layout.dof_parent[k])
      tau[k] = kin.motion.col(k).dot(wrench[b]);
    if (parent >= 0) wrench[parent] += wrench[b];
  }
  return tau;
}

}  // namespace flexor::reference
