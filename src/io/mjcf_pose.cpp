#include "io/mjcf_pose.hpp"

#include <algorithm>
#include <cmath>

namespace flexor::io {

double norm(const Vec3d& v) { return std::sqrt(dot(v, v)); }

Vec3d rotate(const Quatd& quat, const Vec3d& v) { return to_matrix(quat) * v; }

Pose operator*(const Pose& a, const Pose& b) {
  return {a.pos + rotate(a.quat, b.pos), unit(a.quat * b.quat)};
}

Quatd unit(const Quatd& quat) {
  const double length =
      std::sqrt(quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z);
  if (!(length >= 1e-9)) return {0, 0, 0, 0};
  return {quat.w / length, quat.x / length, quat.y / length, quat.z / length};
}

Quatd from_axis_angle(const Vec3d& axis, double angle) {
  const double length = norm(axis);
  if (!(length >= 1e-9)) return {0, 0, 0, 0};
  const double s = std::sin(angle / 2) / length;
  return {std::cos(angle / 2), axis.x * s, axis.y * s, axis.z * s};
}

Quatd from_euler(const std::array<double, 3>& angles, std::string_view sequence) {
  Quatd quat;
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = sequence[i];
    const bool is_fixed = letter >= 'X' && letter <= 'Z';
    const int axis = letter - (is_fixed ? 'X' : 'x');
    const Vec3d direction{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    const Quatd turn = from_axis_angle(direction, angles[i]);
    quat = is_fixed ? turn * quat : quat * turn;
  }
  return unit(quat);
}

Quatd from_xy_axes(const Vec3d& x_axis, const Vec3d& y_axis) {
  const double x_length = norm(x_axis);
  if (!(x_length >= 1e-9)) return {0, 0, 0, 0};
  const Vec3d x = x_axis * (1 / x_length);
  const Vec3d across = y_axis - x * dot(x, y_axis);
  const double y_length = norm(across);
  if (!(y_length >= 1e-9)) return {0, 0, 0, 0};
  const Vec3d y = across * (1 / y_length);
  const Vec3d z = cross(x, y);
  // Quaternion of the matrix with columns x, y, z, by its largest component.
  const std::array<double, 4> squares = {1 + x.x + y.y + z.z, 1 + x.x - y.y - z.z,
                                         1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z};
  const auto largest = std::max_element(squares.begin(), squares.end()) - squares.begin();
  const double twice = std::sqrt(squares[static_cast<std::size_t>(largest)]);  // 2 |component|
  const double s = 0.5 / twice;
  switch (largest) {
    case 0:
      return unit({twice / 2, (y.z - z.y) * s, (z.x - x.z) * s, (x.y - y.x) * s});
    case 1:
      return unit({(y.z - z.y) * s, twice / 2, (x.y + y.x) * s, (z.x + x.z) * s});
    case 2:
      return unit({(z.x - x.z) * s, (x.y + y.x) * s, twice / 2, (y.z + z.y) * s});
    default:
      return unit({(x.y - y.x) * s, (z.x + x.z) * s, (y.z + z.y) * s, twice / 2});
  }
}

Quatd from_z_axis(const Vec3d& axis) {
  const double length = norm(axis);
  if (!(length >= 1e-9)) return {0, 0, 0, 0};
  const Vec3d z = axis * (1 / length);
  const double sine = std::sqrt(z.x * z.x + z.y * z.y);  // |(0, 0, 1) x z|
  if (sine < 1e-10) return z.z > 0 ? Quatd{} : Quatd{0, 1, 0, 0};
  return from_axis_angle({-z.y, z.x, 0}, std::atan2(sine, z.z));
}

}  // namespace flexor::io
