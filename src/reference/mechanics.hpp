#pragma once
// Articulated dynamics of one world: poses, velocities, mass matrix, bias.   [P-1], [MF-3]
//
// Motions and forces are 6-vectors about the world origin, (angular, linear) and (moment, force):
// a body moving with (omega, v) carries the point x with v + omega x x. So a velocity coordinate
// is one column S, a revolute one (z, a x z) with a on the axis, a prismatic one (0, z).

#include <vector>

#include "reference/layout.hpp"

namespace flexor::reference {

/// Pose and motion of every body at (q, v).
struct Kinematics {
  std::vector<Vector3> position;           ///< [body] origin of the body frame [m]
  std::vector<UnitQuaternion> quaternion;  ///< [body] orientation
  std::vector<Matrix3> rotation;           ///< [body] the same as a matrix
  Matrix6X motion;                         ///< [dof] column S
  std::vector<Vector6> velocity;           ///< [body] (omega, v at the world origin)
  std::vector<Vector6> acceleration;       ///< [body] its time derivative at constant generalised
                                           ///< velocity, without gravity

  Vector3 point(int body, const Vec3d& local) const;  ///< body-fixed point in the world [m]
  Vector3 direction(int body, const Vector3& local) const;
  Vector3 point_velocity(int body, const Vector3& point) const;      ///< [m/s]
  Vector3 point_acceleration(int body, const Vector3& point) const;  ///< [m/s^2], as acceleration
};

Kinematics kinematics(const Description& description, const Layout& layout, const VectorXd& q,
                      const VectorXd& v);

/// 6 x nv: (omega, v at the world origin) of a body = J v.
Matrix6X body_jacobian(const Layout& layout, const Kinematics& kin, int body);
/// 3 x nv: velocity of a point fixed to a body = J v.
MatrixXd point_jacobian(const Layout& layout, const Kinematics& kin, int body,
                        const Vector3& point);

/// M(q) by composite rigid bodies, joint armature included.   [P-1], [P-2]
MatrixXd mass_matrix(const Description& description, const Layout& layout, const Kinematics& kin);

/// c(q, v) by recursive Newton-Euler with base acceleration -gravity: Coriolis and centrifugal
/// forces minus gravity minus gravity compensation.   [P-1], [MF-8]
VectorXd bias_force(const Description& description, const Layout& layout, const Kinematics& kin);

/// Generalised force of forces at the centres of mass and moments on the bodies (6 numbers each:
/// force, moment; world axes).
VectorXd applied_force(const Description& description, const Layout& layout, const Kinematics& kin,
                       const VectorXd& body_wrench);

/// tau = sum over bodies J_body^T wrench, for wrenches (moment about the world origin, force).
/// `wrench` is consumed: each body hands its own on to its parent.  
VectorXd project_wrenches(const Description& description, const Layout& layout,
                          const Kinematics& kin, std::vector<Vector6> wrench);

// The same from a configuration alone.
MatrixXd mass_matrix(const Description& description, const VectorXd& q);
Kinematics kinematics(const Description& description, const VectorXd& q);

}  // namespace flexor::reference
