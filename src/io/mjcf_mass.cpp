#include "io/mjcf_mass.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flexor::io {

namespace {

constexpr double kPi = std::numbers::pi;

}  // namespace

double volume(GeomType type, const Vec3d& s) {
  switch (type) {
    case GeomType::kSphere:
      return 4.0 / 3 * kPi * s.x * s.x * s.x;
    case GeomType::kCapsule:
      return kPi * s.x * s.x * (2 * s.y + 4.0 / 3 * s.x);
    case GeomType::kCylinder:
      return kPi * s.x * s.x * 2 * s.y;
    case GeomType::kBox:
      return 8 * s.x * s.y * s.z;
    case GeomType::kEllipsoid:
      return 4.0 / 3 * kPi * s.x * s.y * s.z;
    default:
      return 0;
  }
}

double area(GeomType type, const Vec3d& s) {
  switch (type) {
    case GeomType::kSphere:
      return 4 * kPi * s.x * s.x;
    case GeomType::kCapsule:
      return 4 * kPi * s.x * (s.x + s.y);
    case GeomType::kCylinder:
      return 2 * kPi * s.x * (s.x + 2 * s.y);
    case GeomType::kBox:
      return 8 * (s.x * s.y + s.y * s.z + s.z * s.x);
    case GeomType::kEllipsoid: {
      constexpr double p = 1.6075;
      const double a = std::pow(s.x, p), b = std::pow(s.y, p), c = std::pow(s.z, p);
      return 4 * kPi * std::pow((a * b + b * c + c * a) / 3, 1 / p);
    }
    default:
      return 0;
  }
}

Vec3d moments(GeomType type, const Vec3d& s, double mass) {
  switch (type) {
    case GeomType::kSphere: {
      const double i = 0.4 * mass * s.x * s.x;
      return {i, i, i};
    }
    case GeomType::kCapsule: {
      // cylinder of length L = 2 s.y and two half spheres of radius r at its ends
      const double r = s.x, length = 2 * s.y;
      const double cylinder = mass * length / (length + 4.0 / 3 * r);
      const double spheres = mass - cylinder;
      const double across = cylinder * (r * r / 4 + length * length / 12) +
                            spheres * (0.4 * r * r + length * length / 4 + 3.0 / 8 * r * length);
      return {across, across, cylinder * r * r / 2 + 0.4 * spheres * r * r};
    }
    case GeomType::kCylinder: {
      const double across = mass * (s.x * s.x / 4 + s.y * s.y / 3);
      return {across, across, mass * s.x * s.x / 2};
    }
    case GeomType::kBox:
      return {mass / 3 * (s.y * s.y + s.z * s.z), mass / 3 * (s.z * s.z + s.x * s.x),
              mass / 3 * (s.x * s.x + s.y * s.y)};
    case GeomType::kEllipsoid:
      return {mass / 5 * (s.y * s.y + s.z * s.z), mass / 5 * (s.z * s.z + s.x * s.x),
              mass / 5 * (s.x * s.x + s.y * s.y)};
    default:
      return {};
  }
}

std::array<double, 6> from_principal(const PrincipalAxes& principal) {
  const auto& [x, y, z] = principal.axes;
  const Vec3d& m = principal.moments;
  const auto entry = [&](double xa, double xb, double ya, double yb, double za, double zb) {
    return xa * m.x * xb + ya * m.y * yb + za * m.z * zb;
  };
  return {entry(x.x, x.x, y.x, y.x, z.x, z.x), entry(x.y, x.y, y.y, y.y, z.y, z.y),
          entry(x.z, x.z, y.z, y.z, z.z, z.z), entry(x.x, x.y, y.x, y.y, z.x, z.y),
          entry(x.x, x.z, y.x, y.z, z.x, z.z), entry(x.y, x.z, y.y, y.z, z.y, z.z)};
}

std::array<double, 6> rotated_inertia(const Quatd& quat, const Vec3d& moments) {
  return from_principal({moments, to_matrix(quat)});
}

std::array<double, 6> rotated_inertia(const Quatd& quat, const std::array<double, 6>& i) {
  const Mat3<double> r = to_matrix(quat);
  const Mat3<double> matrix = {{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
  const Mat3<double> half = r * matrix;  // R I
  const Mat3<double> rows = {{r.x.x, r.y.x, r.z.x}, {r.x.y, r.y.y, r.z.y}, {r.x.z, r.y.z, r.z.z}};
  const Mat3<double> full = half * rows;  // R I R^T
  return {full.x.x, full.y.y, full.z.z, full.y.x, full.z.x, full.z.y};
}

MassProperties sum(const std::vector<MassProperties>& parts) {
  MassProperties total;
  for (const MassProperties& part : parts) {
    total.mass += part.mass;
    total.com = total.com + part.com * part.mass;
  }
  if (!(total.mass > 0)) return {total.mass, {}, {}};
  total.com = total.com * (1 / total.mass);
  for (const MassProperties& part : parts) {
    const Vec3d d = part.com - total.com;
    const std::array<double, 6> shift = {d.y * d.y + d.z * d.z,
                                         d.z * d.z + d.x * d.x,
                                         d.x * d.x + d.y * d.y,
                                         -d.x * d.y,
                                         -d.x * d.z,
                                         -d.y * d.z};
    for (std::size_t k = 0; k < 6; ++k) total.inertia[k] += part.inertia[k] + part.mass * shift[k];
  }
  return total;
}

PrincipalAxes principal_axes(const std::array<double, 6>& inertia) {
  double a[3][3] = {{inertia[0], inertia[3], inertia[4]},
                    {inertia[3], inertia[1], inertia[5]},
                    {inertia[4], inertia[5], inertia[2]}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  constexpr int kSweeps = 30;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        if (a[p][q] == 0) continue;
        const double angle = 0.5 * std::atan2(2 * a[p][q], a[q][q] - a[p][p]);
        const double c = std::cos(angle), s = std::sin(angle);
        for (int k = 0; k < 3; ++k) {
          const double kp = a[k][p], kq = a[k][q];
          a[k][p] = c * kp - s * kq;
          a[k][q] = s * kp + c * kq;
          const double vp = v[k][p], vq = v[k][q];
          v[k][p] = c * vp - s * vq;
          v[k][q] = s * vp + c * vq;
        }
        for (int k = 0; k < 3; ++k) {
          const double pk = a[p][k], qk = a[q][k];
          a[p][k] = c * pk - s * qk;
          a[q][k] = s * pk + c * qk;
        }
        a[p][q] = a[q][p] = 0;
      }
    }
  }
  return {{a[0][0], a[1][1], a[2][2]},
          {{v[0][0], v[1][0], v[2][0]}, {v[0][1], v[1][1], v[2][1]}, {v[0][2], v[1][2], v[2][2]}}};
}

bool is_physical(const Vec3d& m) {
  constexpr double kRelative = 1e-6;
  const double sum = m.x + m.y + m.z;
  const double smallest = std::min({m.x, m.y, m.z}), largest = std::max({m.x, m.y, m.z});
  return smallest >= -kRelative * std::abs(largest) && sum - largest >= largest * (1 - kRelative);
}

}  // namespace flexor::io
