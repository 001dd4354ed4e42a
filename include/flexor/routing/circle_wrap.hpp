#pragma once
// The circle kernel: a path round a circle of radius r about the origin, from a to b, in sense
// sigma (+1: counter-clockwise), plane geometry and nothing else. It is told the distances of a and
// b from the centre, X = a x b and D = a . b.
//
//   t^2 = (rho - r)(rho + r)                                                       
//   phi0 = atan2(sigma X c - D e, D c + sigma X e),  c = r^2 - t_a t_b, e = r (t_a + t_b)  
//   s = t_a + r phi + t_b                                                          
//
// phi is signed: phi <= 0 means that the straight segment already lies on that side.

#include "flexor/core/scalar.hpp"
#include "flexor/math/functions.hpp"

namespace flexor {

template <class Real>
struct CircleWrap {
  Real tangent_a, tangent_b;  ///< t_a, t_b, lengths of the free pieces
  Real arc;                   ///< phi, turn from A to B in sense sigma
};

/// Free length from a point at distance rho to a circle of radius r, squared.  
template <class Real>
FLEXOR_INLINE Real tangent_squared(const Real& rho, const Real& r) {
  return (rho - r) * (rho + r);
}

/// @param is_aligned    a and b on one ray                                        rule 3
/// @param is_full_turn  aligned lanes that go once round (sigma = +1 there)
template <class Real>
FLEXOR_INLINE CircleWrap<Real> wrap_circle(const Real& tangent2_a, const Real& tangent2_b,
                                           const Real& r, const Real& X, const Real& D,
                                           const Real& sigma, const Mask<Real>& is_aligned,
                                           const Mask<Real>& is_full_turn) {
  using S = Scalar<Real>;
  const Real zero(S(0)), two_pi(S(6.28318530717958647692));
  CircleWrap<Real> w;
  w.tangent_a = sqrt(max(tangent2_a, zero));
  w.tangent_b = sqrt(max(tangent2_b, zero));
  const Real c = r * r - w.tangent_a * w.tangent_b;
  const Real e = r * (w.tangent_a + w.tangent_b);
  const Real sX = sigma * X;
  const Real phi0 = atan2(sX * c - D * e, D * c + sX * e);
  const auto near_zero = (D < zero) & (phi0 > Real(S(-1.57079632679489661923)));
  const Real long_way =  // rule 2
      select(phi0 >= zero, phi0, select(near_zero, zero, phi0 + two_pi));
  const auto short_way = andnot((sX >= zero) | is_aligned, is_full_turn);
  w.arc = select(short_way, phi0, long_way);
  return w;
}

/// Whether a and b lie on one ray from the centre.  
template <class Real>
FLEXOR_INLINE Mask<Real> on_one_ray(const Real& rho_a, const Real& rho_b, const Real& X,
                                    const Real& D) {
  using S = Scalar<Real>;
  return (D > Real(S(0))) & (abs(X) <= Real(S(4) * kEpsilon<Real>) * rho_a * rho_b);
}

/// Rounding of a choice of side, relative.
template <class Real>
FLEXOR_INLINE Real side_tolerance() {
  return Real(by_precision<Real>(1e-5, 1e-9));
}

/// Which way round, and whether the segment has reached the side site (planar side vector sd).
template <class Real>
struct SideChoice {
  Real sense;             ///< sigma
  Mask<Real> is_reached;  ///< straight, whatever the sense   [R-64]
  Mask<Real> is_ambiguous;
};

template <class Real>
struct Vec2 {
  Real x, y;
};
template <class Real>
FLEXOR_INLINE Real cross2(const Vec2<Real>& a, const Vec2<Real>& b) {
  return a.x * b.y - a.y * b.x;
}
template <class Real>
FLEXOR_INLINE Real dot2(const Vec2<Real>& a, const Vec2<Real>& b) {
  return a.x * b.x + a.y * b.y;
}

/// Exterior side: and sigma = sign of sd x (b_hat - a_hat)  .
template <class Real>
FLEXOR_INLINE SideChoice<Real> choose_side(const Vec2<Real>& a, const Vec2<Real>& b,
                                           const Vec2<Real>& direction_a,
                                           const Vec2<Real>& direction_b, const Real& rho_a,
                                           const Real& rho_b, const Real& r, const Real& X,
                                           const Vec2<Real>& sd) {
  using S = Scalar<Real>;
  const Real zero(S(0)), one(S(1));
  const Vec2<Real> f{b.x - a.x, b.y - a.y};
  const Real af = dot2(a, f), bf = dot2(b, f), ff = dot2(f, f);
  const Real sa = dot2(sd, a), sb = dot2(sd, b), sf = cross2(sd, f);
  const auto at_a = af >= zero;
  const auto at_b = andnot(bf <= zero, at_a);
  const auto foot = !(at_a | at_b);
  const auto misses = at_a | at_b | (X * X > r * r * ff);
  const auto faces = (at_a & (sa >= zero)) | (at_b & (sb >= zero)) | (foot & (X * sf >= zero));
  const Real turn =
      cross2(sd, Vec2<Real>{direction_b.x - direction_a.x, direction_b.y - direction_a.y});
  SideChoice<Real> choice;
  choice.sense = select(turn < zero, -one, one);
  choice.is_reached = misses & faces;
  const Real side = side_tolerance<Real>() * sqrt(dot2(sd, sd));
  // |sd . m| <= side |m| at the closest point m of the segment; at its foot both are multiplied by
  // |f|^2, where |m| = |X|/|f|
  const Real sm = select(at_a, sa, select(at_b, sb, X * sf));
  const Real m = select(at_a, rho_a, select(at_b, rho_b, abs(X) * sqrt(ff)));
  choice.is_ambiguous =
      (andnot(abs(turn) <= side, choice.is_reached)) | (misses & (abs(sm) <= side * m));
  return choice;
}

}  // namespace flexor
