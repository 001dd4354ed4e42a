#pragma once
// Eigen types of the reference path, and the quaternion maps it needs.
// The reference path is a plain float64 implementation of the specification, one world at a time.
// It exists to be read and to check the batch, never to be fast.

#include <Eigen/Dense>
#include <cmath>

#include "flexor/model/description.hpp"

namespace flexor::reference {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using UnitQuaternion = Eigen::Quaterniond;

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

inline Vector3 to_eigen(const Vec3d& v) { return {v.x, v.y, v.z}; }
inline UnitQuaternion to_eigen(const Quatd& q) {
  return UnitQuaternion(q.w, q.x, q.y, q.z).normalized();
}

/// Matrix of the cross product: skew(a) b = a x b.
inline Matrix3 skew(const Vector3& a) {
  Matrix3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

/// Unit quaternion stored as (w, x, y, z) from entry `first` of q on.
/// NaN of a quaternion of zeros, which is no orientation.
inline UnitQuaternion quaternion_at(const VectorXd& q, int first) {
  const Eigen::Vector4d unit = q.segment<4>(first) / q.segment<4>(first).norm();
  return UnitQuaternion(unit[0], unit[1], unit[2], unit[3]);
}
inline void store_quaternion(VectorXd& q, int first, const UnitQuaternion& value) {
  q.segment<4>(first) << value.w(), value.x(), value.y(), value.z();
}

/// Exp(f) = (cos(|f|/2), f sin(|f|/2)/|f|) of a rotation vector [rad].   [P-4]
inline UnitQuaternion exponential(const Vector3& f) {
  const double angle = f.norm();
  const double k = angle < 1e-6 ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
  return UnitQuaternion(std::cos(angle / 2), k * f.x(), k * f.y(), k * f.z());
}

/// Rotation vector of a quaternion, length at most pi [rad]; the inverse of `exponential`.
inline Vector3 rotation_vector(const UnitQuaternion& q) {
  const double sign = q.w() < 0 ? -1 : 1;
  const double s = q.vec().norm();
  if (s < 1e-9) return sign * 2 * q.vec();
  return sign * 2 * std::atan2(s, sign * q.w()) / s * q.vec();
}

}  // namespace flexor::reference
