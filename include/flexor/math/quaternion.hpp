#pragma once
// Unit quaternions (w, x, y, z), active rotations, Hamilton product.

#include "flexor/math/functions.hpp"
#include "flexor/math/vec3.hpp"

namespace flexor {

template <class Real>
struct Quaternion {
  Real w{Real(1)}, x{}, y{}, z{};
};

template <class Real>
FLEXOR_INLINE Quaternion<Real> operator*(const Quaternion<Real>& a, const Quaternion<Real>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class Real>
FLEXOR_INLINE Quaternion<Real> conjugate(const Quaternion<Real>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class Real>
FLEXOR_INLINE Quaternion<Real> normalized(const Quaternion<Real>& q) {
  const Real s = Real(1) / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}
/// Rotation matrix of a unit quaternion.
template <class Real>
FLEXOR_INLINE Mat3<Real> to_matrix(const Quaternion<Real>& q) {
  const Real one(1), two(2);
  const Real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
  const Real xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
  const Real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{one - two * (yy + zz), two * (xy + wz), two * (xz - wy)},
          {two * (xy - wz), one - two * (xx + zz), two * (yz + wx)},
          {two * (xz + wy), two * (yz - wx), one - two * (xx + yy)}};
}

/// Unit quaternion of a rotation matrix, by the largest of its four squared components.
template <class Real>
FLEXOR_INLINE Quaternion<Real> to_quaternion(const Mat3<Real>& m) {
  const Real one(1), zero(0);
  const Real a = m.x.x, b = m.y.y, c = m.z.z;
  const Real ww = one + a + b + c, xx = one + a - b - c, yy = one - a + b - c, zz = one - a - b + c;
  const Real wx = m.y.z - m.z.y, wy = m.z.x - m.x.z, wz = m.x.y - m.y.x;
  const Real xy = m.x.y + m.y.x, xz = m.x.z + m.z.x, yz = m.y.z + m.z.y;
  Quaternion<Real> q{ww, wx, wy, wz};
  Real best = ww;
  const auto take = [&](const Real& square, const Quaternion<Real>& candidate) {
    const auto better = square > best;
    q = {select(better, candidate.w, q.w), select(better, candidate.x, q.x),
         select(better, candidate.y, q.y), select(better, candidate.z, q.z)};
    best = max(best, square);
  };
  take(xx, {wx, xx, xy, xz});
  take(yy, {wy, xy, yy, yz});
  take(zz, {wz, xz, yz, zz});
  q = normalized(q);
  const auto flip = q.w < zero;
  return {select(flip, -q.w, q.w), select(flip, -q.x, q.x), select(flip, -q.y, q.y),
          select(flip, -q.z, q.z)};
}

/// Exp(f) = (cos(|f|/2), f sin(|f|/2)/|f|) of a rotation vector f [rad].   [P-4]
/// Below |f| = 1e-6 the series 1/2 - |f|^2/48 replaces sin(|f|/2)/|f|.
template <class Real>
FLEXOR_INLINE Quaternion<Real> exponential(const Vec3<Real>& f) {
  const Real angle2 = dot(f, f);
  const Real angle = sqrt(angle2);
  const auto tiny = angle < Real(1e-6);
  Real s, c;
  sincos(angle * Real(0.5), s, c);
  const Real k =
      select(tiny, Real(0.5) - angle2 * Real(1.0 / 48.0), s / select(tiny, Real(1), angle));
  return {c, f.x * k, f.y * k, f.z * k};
}

/// Rotation vector of a unit quaternion, length at most pi [rad].
template <class Real>
FLEXOR_INLINE Vec3<Real> rotation_vector(const Quaternion<Real>& q) {
  const Real s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  const auto flip = q.w < Real(0);
  const Real w = select(flip, -q.w, q.w);
  const auto tiny = s < Real(1e-9);
  const Real half = atan2(s, w);
  Real k = select(tiny, Real(2), Real(2) * half / select(tiny, Real(1), s));
  k = select(flip, -k, k);
  return {q.x * k, q.y * k, q.z * k};
}

}  // namespace flexor
