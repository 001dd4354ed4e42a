#pragma once
// Spatial vectors about one fixed point, world axes: a motion is (angular velocity, velocity of the
// body-fixed point that passes the origin), a force is (moment about the origin, force), an inertia
// is (mass, first moment, second moment about the origin).

#include "flexor/math/vec3.hpp"

namespace flexor {

template <class Real>
struct Motion {
  Vec3<Real> angular, linear;
};
template <class Real>
struct Force {
  Vec3<Real> moment, force;
};

template <class Real>
FLEXOR_INLINE Motion<Real> operator+(const Motion<Real>& a, const Motion<Real>& b) {
  return {a.angular + b.angular, a.linear + b.linear};
}
template <class Real>
FLEXOR_INLINE Motion<Real> operator*(const Motion<Real>& a, const Real& s) {
  return {a.angular * s, a.linear * s};
}
template <class Real>
FLEXOR_INLINE Force<Real> operator+(const Force<Real>& a, const Force<Real>& b) {
  return {a.moment + b.moment, a.force + b.force};
}
/// Power of a force on a motion.
template <class Real>
FLEXOR_INLINE Real dot(const Motion<Real>& m, const Force<Real>& f) {
  return dot(m.angular, f.moment) + dot(m.linear, f.force);
}
/// Rate of a motion vector b that is fixed in a body moving with a.
template <class Real>
FLEXOR_INLINE Motion<Real> cross(const Motion<Real>& a, const Motion<Real>& b) {
  return {cross(a.angular, b.angular), cross(a.angular, b.linear) + cross(a.linear, b.angular)};
}
/// Rate of a force vector b that is fixed in a body moving with a.
template <class Real>
FLEXOR_INLINE Force<Real> cross(const Motion<Real>& a, const Force<Real>& b) {
  return {cross(a.angular, b.moment) + cross(a.linear, b.force), cross(a.angular, b.force)};
}

/// Symmetric second moment: xx yy zz xy xz yz.
template <class Real>
struct Inertia {
  Real mass;
  Vec3<Real> first;
  Real xx, yy, zz, xy, xz, yz;
};

template <class Real>
FLEXOR_INLINE Force<Real> operator*(const Inertia<Real>& I, const Motion<Real>& m) {
  const Vec3<Real>& w = m.angular;
  const Vec3<Real> turned{I.xx * w.x + I.xy * w.y + I.xz * w.z,
                          I.xy * w.x + I.yy * w.y + I.yz * w.z,
                          I.xz * w.x + I.yz * w.y + I.zz * w.z};
  return {turned + cross(I.first, m.linear), m.linear * I.mass - cross(I.first, w)};
}

/// Symmetric 3 x 3 matrix.
template <class Real>
struct Symmetric3 {
  Real xx, yy, zz, xy, xz, yz;
};
template <class Real>
FLEXOR_INLINE Vec3<Real> operator*(const Symmetric3<Real>& A, const Vec3<Real>& v) {
  return {A.xx * v.x + A.xy * v.y + A.xz * v.z, A.xy * v.x + A.yy * v.y + A.yz * v.z,
          A.xz * v.x + A.yz * v.y + A.zz * v.z};
}

/// R i R^T for an inertia i: xx yy zz and, unless it is diagonal, xy xz yz.
template <class Real>
FLEXOR_INLINE Symmetric3<Real> turned_inertia(const Mat3<Real>& R, const Vec3<Real>& diagonal,
                                              const Vec3<Real>& products, bool is_diagonal) {
  // by columns a = R i (i symmetric)
  Vec3<Real> ax = R.x * diagonal.x, ay = R.y * diagonal.y, az = R.z * diagonal.z;
  if (!is_diagonal) {
    ax = ax + R.y * products.x + R.z * products.y;
    ay = ay + R.x * products.x + R.z * products.z;
    az = az + R.x * products.y + R.y * products.z;
  }
  return {ax.x * R.x.x + ay.x * R.y.x + az.x * R.z.x, ax.y * R.x.y + ay.y * R.y.y + az.y * R.z.y,
          ax.z * R.x.z + ay.z * R.y.z + az.z * R.z.z, ax.x * R.x.y + ay.x * R.y.y + az.x * R.z.y,
          ax.x * R.x.z + ay.x * R.y.z + az.x * R.z.z, ax.y * R.x.z + ay.y * R.y.z + az.y * R.z.z};
}

/// Inertia about the origin of a body with inertia i about its centre c and mass m.
template <class Real>
FLEXOR_INLINE Inertia<Real> inertia_about_origin(const Symmetric3<Real>& i, const Vec3<Real>& c,
                                                 const Real& m) {
  const Vec3<Real> mc = c * m;
  return {m,
          mc,
          i.xx + mc.y * c.y + mc.z * c.z,
          i.yy + mc.x * c.x + mc.z * c.z,
          i.zz + mc.x * c.x + mc.y * c.y,
          i.xy - mc.x * c.y,
          i.xz - mc.x * c.z,
          i.yz - mc.y * c.z};
}

/// Force, and moment about the origin, that the motion of a body asks for: I a + v x* I v, by its
/// centre c, where it takes the fewest operations.
/// @param i  inertia about the centre, world axes
template <class Real>
FLEXOR_INLINE Force<Real> inertial_force(const Symmetric3<Real>& i, const Vec3<Real>& c,
                                         const Real& m, const Motion<Real>& v,
                                         const Motion<Real>& a) {
  const Vec3<Real> velocity = v.linear + cross(v.angular, c);
  const Vec3<Real> force = (a.linear + cross(a.angular, c) + cross(v.angular, velocity)) * m;
  return {i * a.angular + cross(v.angular, i * v.angular) + cross(c, force), force};
}

}  // namespace flexor
