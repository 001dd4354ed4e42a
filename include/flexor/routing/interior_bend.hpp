#pragma once
// Interior guide: the path must meet the disk, and touches it in one bend point z with equal angles
// i of incidence. Minimise |a - z| + |z - b| over the disk, by Newton's method on
//
//   chi(i) = x_a(i) + x_b(i) - theta,
//   q_a = sqrt(t_a^2 + r^2 C^2),  x_a = atan2(S t_a^2/(q_a + r C), C q_a + r S^2)   , [R-21]
//
// chi is increasing and convex and the start lies right of the root, so steps are monotone.

#include "flexor/routing/circle_wrap.hpp"

namespace flexor {

template <class Real>
struct Bend {
  Real cosine, sine;  ///< of the angle from a to z, towards b
};

/// Whether the segment meets the disk: then the route is straight.  
/// X is |a x b|.
template <class Real>
FLEXOR_INLINE Mask<Real> segment_meets_disk(const Real& tangent2_a, const Real& tangent2_b,
                                            const Real& r, const Real& X, const Real& D) {
  using S = Scalar<Real>;
  const Real zero(S(0));
  const Real ta = sqrt(max(tangent2_a, zero)), tb = sqrt(max(tangent2_b, zero));
  const Real c = r * r - ta * tb, e = r * (ta + tb);
  return (tangent2_a <= zero) | (tangent2_b <= zero) | (X * c - D * e >= zero);
}

template <class Real>
struct IncidenceTerm {
  Real re, im;  ///< rho e^(i x)
  Real slope;   ///< dx/di
};

template <class Real>
FLEXOR_INLINE IncidenceTerm<Real> incidence_term(const Real& tangent2, const Real& r, const Real& s,
                                                 const Real& c) {
  const Real q = sqrt(tangent2 + r * r * c * c);
  const Real k = tangent2 / (q + r * c);
  return {c * q + r * s * s, s * k, k / q};
}

/// @param needed  lanes that bend; the others get a harmless result
template <class Real>
FLEXOR_STAGE Bend<Real> bend_inside(const Real& tangent2_a, const Real& tangent2_b, const Real& r,
                                    const Real& X, const Real& D, const Mask<Real>& needed) {
  using S = Scalar<Real>;
  const Real zero(S(0)), one(S(1)), half_pi(S(1.57079632679489661923)), half(S(0.5));
  const Real t2a = select(needed, tangent2_a, one), t2b = select(needed, tangent2_b, one);
  const Real radius = select(needed, r, one);
  const Real theta = atan2(X, D);
  const Real alpha = atan2(sqrt(t2a), radius), beta = atan2(sqrt(t2b), radius);
  const Real slope0 =
      incidence_term(t2a, radius, zero, one).slope + incidence_term(t2b, radius, zero, one).slope;
  Real i = min(min(half_pi, half_pi - (alpha + beta - theta) * half), theta / slope0);
  i = max(i, zero);
  auto done = !needed;
  constexpr int kSteps = sizeof(S) == 4 ? 10 : 12;
  Real s, c;
  for (Index n = 0; n < kSteps; ++n) {
    sincos(i, s, c);
    const IncidenceTerm<Real> a = incidence_term(t2a, radius, s, c);
    const IncidenceTerm<Real> b = incidence_term(t2b, radius, s, c);
    const Real re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re;
    const Real chi = atan2(im * D - re * X, re * D + im * X);
    const Real next = clamp(i - chi / (a.slope + b.slope), zero, half_pi);
    done = done | (abs(next - i) <= Real(S(4) * kEpsilon<Real>));
    i = select(done, i, next);
    if (all(done)) break;
  }
  sincos(i, s, c);
  const IncidenceTerm<Real> a = incidence_term(t2a, radius, s, c);
  const Real scale = one / sqrt(a.re * a.re + a.im * a.im);
  return {a.re * scale, a.im * scale};
}

}  // namespace flexor
