#pragma once
// Value, first and second derivative along one parameter: Taylor arithmetic of order 2, in which
// the curvature of a route's length along the motion is evaluated.
//
//   (a b)''   = a'' b + 2 a' b' + a b''
//   (a / b)'' = (a'' - 2 q' b' - q b'') / b,   q = a / b
//   f(a)''    = f'(a) a'' + f''(a) a'^2
//
// The value of every operation is that of the plain operation, bit for bit; comparisons look at
// values only, so that a route computed in jets takes the branches of the plain route.
// It serves the curvature of guides: end points enter as p, p', p'' in the guide frame.  

#include "flexor/math/functions.hpp"

namespace flexor {

template <class Real>
struct Jet2 {
  Real value{}, first{}, second{};

  Jet2() = default;
  /// A constant, from whatever makes a Real.
  template <class U>
  requires requires(const U& u) { Real(u); }
  FLEXOR_INLINE explicit Jet2(const U& constant) : value(constant) {}
  FLEXOR_INLINE Jet2(const Real& a, const Real& da, const Real& dda)
      : value(a), first(da), second(dda) {}

  FLEXOR_INLINE Jet2& operator+=(const Jet2& b) { return *this = *this + b; }
  FLEXOR_INLINE Jet2& operator-=(const Jet2& b) { return *this = *this - b; }
  FLEXOR_INLINE Jet2& operator*=(const Jet2& b) { return *this = *this * b; }
};

template <class Real>
struct Lanes<Jet2<Real>> {
  using Scalar = flexor::Scalar<Real>;
  using Mask = flexor::Mask<Real>;
  using Bits = flexor::Bits<Real>;
  static constexpr int count = Lanes<Real>::count;
};

#define FLEXOR_JET      \
  template <class Real> \
  FLEXOR_INLINE

FLEXOR_JET Jet2<Real> operator+(const Jet2<Real>& a, const Jet2<Real>& b) {
  return {a.value + b.value, a.first + b.first, a.second + b.second};
}
FLEXOR_JET Jet2<Real> operator-(const Jet2<Real>& a, const Jet2<Real>& b) {
  return {a.value - b.value, a.first - b.first, a.second - b.second};
}
FLEXOR_JET Jet2<Real> operator-(const Jet2<Real>& a) { return {-a.value, -a.first, -a.second}; }
FLEXOR_JET Jet2<Real> operator*(const Jet2<Real>& a, const Jet2<Real>& b) {
  return {a.value * b.value, a.first * b.value + a.value * b.first,
          a.second * b.value + Real(2) * (a.first * b.first) + a.value * b.second};
}
FLEXOR_JET Jet2<Real> operator/(const Jet2<Real>& a, const Jet2<Real>& b) {
  const Real q = a.value / b.value;
  const Real dq = (a.first - q * b.first) / b.value;
  return {q, dq, (a.second - Real(2) * (dq * b.first) - q * b.second) / b.value};
}

FLEXOR_JET Mask<Real> operator<(const Jet2<Real>& a, const Jet2<Real>& b) {
  return a.value < b.value;
}
FLEXOR_JET Mask<Real> operator<=(const Jet2<Real>& a, const Jet2<Real>& b) {
  return a.value <= b.value;
}
FLEXOR_JET Mask<Real> operator>(const Jet2<Real>& a, const Jet2<Real>& b) {
  return a.value > b.value;
}
FLEXOR_JET Mask<Real> operator>=(const Jet2<Real>& a, const Jet2<Real>& b) {
  return a.value >= b.value;
}
FLEXOR_JET Mask<Real> operator==(const Jet2<Real>& a, const Jet2<Real>& b) {
  return a.value == b.value;
}
FLEXOR_JET Mask<Real> operator!=(const Jet2<Real>& a, const Jet2<Real>& b) {
  return a.value != b.value;
}
/// Value and derivatives are all finite.
FLEXOR_JET Mask<Real> is_finite(const Jet2<Real>& a) {
  return is_finite(a.value) & is_finite(a.first) & is_finite(a.second);
}

/// The chosen side with its derivatives. The other side may be NaN.
template <class M, class Real>
FLEXOR_INLINE Jet2<Real> select(const M& m, const Jet2<Real>& a, const Jet2<Real>& b) {
  return {select(m, a.value, b.value), select(m, a.first, b.first), select(m, a.second, b.second)};
}
FLEXOR_JET Jet2<Real> min(const Jet2<Real>& a, const Jet2<Real>& b) { return select(a < b, a, b); }
FLEXOR_JET Jet2<Real> max(const Jet2<Real>& a, const Jet2<Real>& b) { return select(a > b, a, b); }
/// Derivatives at 0 are those of a itself.
FLEXOR_JET Jet2<Real> abs(const Jet2<Real>& a) {
  const auto negative = a.value < Real(0);
  return {abs(a.value), select(negative, -a.first, a.first), select(negative, -a.second, a.second)};
}

/// For a > 0; the derivatives at 0 are not finite.
FLEXOR_JET Jet2<Real> sqrt(const Jet2<Real>& a) {
  const Real s = sqrt(a.value), two_s = Real(2) * s;
  const Real ds = a.first / two_s;
  return {s, ds, (a.second - Real(2) * (ds * ds)) / two_s};
}

FLEXOR_JET void sincos(const Jet2<Real>& x, Jet2<Real>& s, Jet2<Real>& c) {
  const Jet2<Real> a = x;  // s or c may be x
  Real sine, cosine;
  sincos(a.value, sine, cosine);
  const Real square = a.first * a.first;
  s = {sine, cosine * a.first, cosine * a.second - sine * square};
  c = {cosine, -(sine * a.first), -(sine * a.second) - cosine * square};
}

/// Angle of (x, y); the derivatives at (0, 0) are not finite.
///   r^2 = x^2 + y^2,  angle' = (x y' - y x') / r^2,
///   angle'' = (x y'' - y x'' - angle' (r^2)') / r^2
FLEXOR_JET Jet2<Real> atan2(const Jet2<Real>& y, const Jet2<Real>& x) {
  const Real r2 = x.value * x.value + y.value * y.value;
  const Real rate = (x.value * y.first - y.value * x.first) / r2;
  const Real r2_rate = Real(2) * (x.value * x.first + y.value * y.first);
  return {atan2(y.value, x.value), rate,
          (x.value * y.second - y.value * x.second - rate * r2_rate) / r2};
}
#undef FLEXOR_JET

}  // namespace flexor
