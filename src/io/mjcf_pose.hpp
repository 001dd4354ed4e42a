#pragma once
// Positions and the five ways to say an orientation.   [MF-13]

#include <array>
#include <string_view>
#include <vector>

#include "flexor/model/description.hpp"

namespace flexor::io {

/// Frame B seen from A: x_A = pos + R(quat) x_B.
struct Pose {
  Vec3d pos;
  Quatd quat;
};

double norm(const Vec3d& v);
Vec3d rotate(const Quatd& quat, const Vec3d& v);
Pose operator*(const Pose& a, const Pose& b);

/// Unit quaternion; norm below 1e-9 gives w = 0, x = y = z = 0 (the caller reports it).
Quatd unit(const Quatd& quat);
inline bool is_null(const Quatd& q) { return q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0; }

/// Turn by `angle` [rad] about an axis of any length.
Quatd from_axis_angle(const Vec3d& axis, double angle);
/// Euler angles [rad]: lower case turns about moving axes (q = q1 q2 q3), upper case about fixed
/// ones (q = q3 q2 q1); each letter acts on what stands before it.
Quatd from_euler(const std::array<double, 3>& angles, std::string_view sequence);
/// x axis along x, y made orthogonal to it; null if they do not span a plane.
Quatd from_xy_axes(const Vec3d& x, const Vec3d& y);
/// Smallest turn that takes (0, 0, 1) to `axis`; a half turn about x if it points down.
Quatd from_z_axis(const Vec3d& axis);

}  // namespace flexor::io
