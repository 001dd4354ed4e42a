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

/// Second moment about the origin of a body with inertia (i: xx yy zz xy xz yz in axes R about its
/// centre c) and mass m.
template <class Real>
FLEXOR_INLINE Inertia<Real> inertia_about_origin(const Mat3<Real>& R, const Vec3<Real>& c,
                                                 const Real& m, const Vec3<Real>& diagonal,
                                                 const Vec3<Real>& products, bool is_diagonal) {
  // R i R^T by columns a = R i (i symmetric)
  Vec3<Real> ax = R.x * diagonal.x, ay = R.y * diagonal.y, az = R.z * diagonal.z;
  if (!is_diagonal) {
    ax = ax + R.y * products.x + R.z * products.y;
    ay = ay + R.x * products.x + R.z * products.z;
    az = az + R.x * products.y + R.y * products.z;
  }
  const Vec3<Real> mc = c * m;
  Inertia<Real> I;
  I.mass = m;
  I.first = mc;
  I.xx = ax.x * R.x.x + ay.x * R.y.x + az.x * R.z.x + mc.y * c.y + mc.z * c.z;
  I.yy = ax.y * R.x.y + ay.y * R.y.y + az.y * R.z.y + mc.x * c.x + mc.z * c.z;
  I.zz = ax.z * R.x.z + ay.z * R.y.z + az.z * R.z.z + mc.x * c.x + mc.y * c.y;
  I.xy = ax.x * R.x.y + ay.x * R.y.y + az.x * R.z.y - mc.x * c.y;
  I.xz = ax.x * R.x.z + ay.x * R.y.z + az.x * R.z.z - mc.x * c.z;
  I.yz = ax.y * R.x.z + ay.y * R.y.z + az.y * R.z.z - mc.y * c.z;
  return I;
}

}  // namespace flexor
