#include "model/softness.hpp"

#include <algorithm>
#include <cmath>

namespace flexor {
namespace {

constexpr double kGravity = 9.81;  ///< the load at which the impedance is frozen [m/s^2]

double clip(double d) { return std::clamp(d, 0.0001, 0.9999); }

/// Reference acceleration of MuJoCo's row: a + b v + k r = -R f.   [MF-18]
struct ReferenceRow {
  double stiffness = 0;  ///< k(d) / d [1/s^2]: both forms of solref have k proportional to d
  double damping = 0;    ///< b [1/s]
  bool is_underdamped = false;
};

ReferenceRow read_solref(const Softness& softness, double h) {
  const double dm = clip(softness.solimp[1]);
  const double first = softness.solref[0], second = softness.solref[1];
  ReferenceRow row;
  if (first > 0) {
    const double T = std::max(first, 2 * h), z = second;  // refsafe
    row.stiffness = 1 / (dm * dm * T * T * z * z);
    row.damping = 2 / (dm * T);
    row.is_underdamped = z < 1;
  } else {
    const double K = -first, B = -second;
    row.stiffness = K / (dm * dm);
    row.damping = B / dm;
    row.is_underdamped = B * B < 4 * K;
  }
  return row;
}

/// d* = d(r*), r* the root of r k(d(r)) d(r)/(1 - d(r)) = one g.   [MF-18]
double impedance_under_load(const Softness& softness, double stiffness) {
  const double width = std::max(softness.solimp[2], 1e-15);
  const auto load = [&](double r) {
    const double d = impedance(softness, r);
    return r * stiffness * d * d / (1 - d);
  };
  double low = 0, high = width;
  while (load(high) < kGravity && high < 1e30) high *= 2;
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (load(middle) < kGravity ? low : high) = middle;
  }
  return impedance(softness, high);
}

}  // namespace

double impedance(const Softness& softness, double r) {
  const double d0 = clip(softness.solimp[0]), dm = clip(softness.solimp[1]);
  const double width = std::max(softness.solimp[2], 1e-15);
  const double midpoint = clip(softness.solimp[3]), power = std::max(softness.solimp[4], 1.0);
  const double x = std::min(std::abs(r) / width, 1.0);
  double y = x;
  if (x < 1 && power != 1)
    y = x <= midpoint ? std::pow(x, power) / std::pow(midpoint, power - 1)
                      : 1 - std::pow(1 - x, power) / std::pow(1 - midpoint, power - 1);
  return d0 + y * (dm - d0);
}

MappedLimit map_limit(const Softness& softness, double h, double W_ref) {
  const ReferenceRow row = read_solref(softness, h);
  const double d = impedance_under_load(softness, row.stiffness);
  const double k = d * row.stiffness, b = row.damping;
  MappedLimit mapped;
  mapped.is_underdamped = row.is_underdamped;
  mapped.position_correction = h * k / (b + h * k);
  // beta W (1 - d)/(d k) with beta/k = h/(b + h k), which also holds at k = 0.   [MF-19]
  mapped.compliance = h / (b + h * k) * W_ref * (1 - d) / d;
  return mapped;
}

double map_friction(const Softness& softness, double h, double W_ref) {
  const double d0 = clip(softness.solimp[0]);
  const double b = read_solref(softness, h).damping;
  return b > 0 ? h * W_ref * (1 - d0) / (d0 * b) : 0;  // [MF-20]
}

}  // namespace flexor
