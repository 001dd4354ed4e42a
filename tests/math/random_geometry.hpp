#pragma once
// Random vectors and rotations, and flexor's geometry as Eigen's.

#include <Eigen/Dense>
#include <random>

#include "flexor/core/scalar.hpp"
#include "flexor/math/quaternion.hpp"
#include "flexor/math/vec3.hpp"

namespace flexor::tests {

using EVector = Eigen::Vector3d;
using EMatrix = Eigen::Matrix3d;

inline EVector eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline EMatrix eigen(const Mat3<double>& m) {
  EMatrix out;
  out << eigen(m.x), eigen(m.y), eigen(m.z);  // columns
  return out;
}
inline Eigen::Quaterniond eigen(const Quaternion<double>& q) { return {q.w, q.x, q.y, q.z}; }

struct RandomGeometry {
  std::mt19937 random{19};
  double number() { return std::normal_distribution<double>(0, 1)(random); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }
  Vec3<double> vector() { return {number(), number(), number()}; }
  Mat3<double> matrix() { return {vector(), vector(), vector()}; }
  Vec3<double> direction() {
    const Vec3<double> v = vector();
    return v * (1 / sqrt(dot(v, v)));
  }
  Quaternion<double> rotation() {
    return normalized(Quaternion<double>{number(), number(), number(), number()});
  }
};

}  // namespace flexor::tests
