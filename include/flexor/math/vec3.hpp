#pragma once
// Vectors and matrices of three-dimensional space, over any scalar or pack.

#include "flexor/core/config.hpp"

namespace flexor {

template <class Real>
struct Vec3 {
  Real x{}, y{}, z{};
};

template <class Real>
FLEXOR_INLINE Vec3<Real> operator+(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
FLEXOR_INLINE Vec3<Real> operator-(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
FLEXOR_INLINE Vec3<Real> operator-(const Vec3<Real>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class Real>
FLEXOR_INLINE Vec3<Real> operator*(const Vec3<Real>& a, const Real& s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class Real>
FLEXOR_INLINE Real dot(const Vec3<Real>& a, const Vec3<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
FLEXOR_INLINE Vec3<Real> cross(const Vec3<Real>& a, const Vec3<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Three columns: the axes of a frame seen from the frame it is expressed in.
template <class Real>
struct Mat3 {
  Vec3<Real> x, y, z;
};

template <class Real>
FLEXOR_INLINE Vec3<Real> operator*(const Mat3<Real>& m, const Vec3<Real>& v) {
  return m.x * v.x + m.y * v.y + m.z * v.z;
}
/// m^T v: components of v along the columns of m.
template <class Real>
FLEXOR_INLINE Vec3<Real> transposed_times(const Mat3<Real>& m, const Vec3<Real>& v) {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
template <class Real>
FLEXOR_INLINE Mat3<Real> operator*(const Mat3<Real>& a, const Mat3<Real>& b) {
  return {a * b.x, a * b.y, a * b.z};
}
template <class Real>
FLEXOR_INLINE Mat3<Real> identity3() {
  const Real one(1), zero(0);
  return {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
}

}  // namespace flexor
