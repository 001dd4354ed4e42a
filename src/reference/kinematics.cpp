// Body poses and motions, from the root outwards.   [MF-3]

#include "reference/mechanics.hpp"

namespace flexor::reference {

namespace {

/// Spatial column of a rotation about the axis z through the point a.
Vector6 rotation_column(const Vector3& z, const Vector3& a) {
  Vector6 s;
  s << z, a.cross(z);
  return s;
}
Vector6 translation_column(const Vector3& z) {
  Vector6 s;
  s << Vector3::Zero(), z;
  return s;
}

/// Rate of a motion column that is carried along by a frame moving with `velocity`.
Vector6 carried_rate(const Vector6& velocity, const Vector6& column) {
  const Vector3 omega = velocity.head<3>(), v = velocity.tail<3>();
  const Vector3 angular = column.head<3>(), linear = column.tail<3>();
  Vector6 rate;
  rate << omega.cross(angular), omega.cross(linear) + v.cross(angular);
  return rate;
}

/// A frame on its way from the parent to the body.
struct Frame {
  Vector3 p = Vector3::Zero();
  UnitQuaternion R = UnitQuaternion::Identity();
  Vector6 velocity = Vector6::Zero();
  Vector6 acceleration = Vector6::Zero();
};

/// Moves the frame through one joint and fills the joint's motion columns.
void pass_joint(const JointDescription& joint, int first_q, int first_v, const VectorXd& q,
                const VectorXd& v, Frame& frame, Matrix6X& motion) {
  const Vector3 local_anchor = to_eigen(joint.pos);
  const Vector3 anchor = frame.p + frame.R * local_anchor;
  const Vector3 z = frame.R * to_eigen(joint.axis).normalized();
  const int count = qvel_count(joint.type);
  switch (joint.type) {
    case JointType::kHinge: {
      const Vector3 local_axis = to_eigen(joint.axis).normalized();
      frame.R = frame.R * exponential(local_axis * (q[first_q] - joint.ref));
      frame.p = anchor - frame.R * local_anchor;
      motion.col(first_v) = rotation_column(z, anchor);
      break;
    }
    case JointType::kSlide:
      frame.p += z * (q[first_q] - joint.ref);
      motion.col(first_v) = translation_column(z);
      break;
    case JointType::kBall: {
      frame.R = frame.R * quaternion_at(q, first_q);
      frame.p = anchor - frame.R * local_anchor;
      const Matrix3 axes = frame.R.toRotationMatrix();
      for (int k = 0; k < 3; ++k) motion.col(first_v + k) = rotation_column(axes.col(k), anchor);
      break;
    }
    case JointType::kFree: {
      frame.p = q.segment<3>(first_q);
      frame.R = quaternion_at(q, first_q + 3);
      const Matrix3 axes = frame.R.toRotationMatrix();
      for (int k = 0; k < 3; ++k) {
        motion.col(first_v + k) = translation_column(Vector3::Unit(k));
        motion.col(first_v + 3 + k) = rotation_column(axes.col(k), frame.p);
      }
      break;
    }
  }
  // Columns fixed to the frame before the joint (scalar, ball: also to the one after it) turn with
  // it. A free body's linear columns stand still in the world, its angular ones follow the body.
  const Vector6 before = frame.velocity;
  frame.velocity += motion.middleCols(first_v, count) * v.segment(first_v, count);
  if (joint.type == JointType::kFree) {
    const Vector6 spin = motion.middleCols(first_v + 3, 3) * v.segment(first_v + 3, 3);
    frame.acceleration += carried_rate(frame.velocity, spin);
  } else {
    const Vector6 own = motion.middleCols(first_v, count) * v.segment(first_v, count);
    frame.acceleration += carried_rate(before, own);
  }
}

}  // namespace

Kinematics kinematics(const Description& description, const Layout& layout, const VectorXd& q,
                      const VectorXd& v) {
  Kinematics kin;
  kin.motion = Matrix6X::Zero(6, layout.nv);
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const BodyDescription& body = description.bodies[b];
    const int parent = body.parent.index;
    Frame frame;
    if (parent >= 0) {
      frame = {kin.position[parent], kin.quaternion[parent], kin.velocity[parent],
               kin.acceleration[parent]};
    }
    frame.p += frame.R * to_eigen(body.pos);
    frame.R = frame.R * to_eigen(body.quat);
    for (const int j : layout.body_joints[b])
      pass_joint(description.joints[j], layout.joint_qpos[j], layout.joint_qvel[j], q, v, frame,
                 kin.motion);
    kin.position.push_back(frame.p);
    kin.quaternion.push_back(frame.R);
    kin.rotation.push_back(frame.R.toRotationMatrix());
    kin.velocity.push_back(frame.velocity);
    kin.acceleration.push_back(frame.acceleration);
  }
  return kin;
}

Kinematics kinematics(const Description& description, const VectorXd& q) {
  const Layout layout(description);
  return kinematics(description, layout, q, VectorXd::Zero(layout.nv));
}

Vector3 Kinematics::point(int body, const Vec3d& local) const {
  if (body < 0) return to_eigen(local);
  return position[body] + rotation[body] * to_eigen(local);
}
Vector3 Kinematics::direction(int body, const Vector3& local) const {
  return body < 0 ? local : Vector3(rotation[body] * local);
}
Vector3 Kinematics::point_velocity(int body, const Vector3& x) const {
  if (body < 0) return Vector3::Zero();
  return velocity[body].tail<3>() + velocity[body].head<3>().cross(x);
}
Vector3 Kinematics::point_acceleration(int body, const Vector3& x) const {
  if (body < 0) return Vector3::Zero();
  const Vector3 omega = velocity[body].head<3>();
  return acceleration[body].tail<3>() + acceleration[body].head<3>().cross(x) +
         omega.cross(point_velocity(body, x));
}

Matrix6X body_jacobian(const Layout& layout, const Kinematics& kin, int body) {
  Matrix6X jacobian = Matrix6X::Zero(6, layout.nv);
  for (int k = layout.last_dof(body); k >= 0; k = layout.dof_parent[k])
    jacobian.col(k) = kin.motion.col(k);
  return jacobian;
}

MatrixXd point_jacobian(const Layout& layout, const Kinematics& kin, int body,
                        const Vector3& point) {
  const Matrix6X jacobian = body_jacobian(layout, kin, body);
  return jacobian.bottomRows<3>() - skew(point) * jacobian.topRows<3>();
}

}  // namespace flexor::reference
