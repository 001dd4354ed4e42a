#pragma once
// Bounds of a length or joint coordinate. Predictive: they cap the closing speed at gap/h, and a
// violated one asks for beta times the violation per step.
//
//   lower: b = -eta(g) g/h, p in [0, inf)   upper: b = +eta(g) g/h, p in (-inf, 0]
//   g = distance to the bound less margin, eta(g) = beta if g < 0 else 1      [P-31], [P-32],
//   [P-11] equal finite bounds are a lock: b = beta (bound - l)/h, unbounded         [P-33]

#include "flexor/rows/law_bounds.hpp"

namespace flexor {

template <class Real>
struct Limits {
  Real lower, upper;  ///< targets b; a lock uses the upper slot
  Real softness;
  Mask<Real> has_lower, has_upper, is_lock;
  Mask<Real> is_conflicting;  ///< crossed hard targets, both set to their mean   [P-35]

  FLEXOR_INLINE Row<Real> lower_row() const {
    const Row<Real> row{lower, softness, Real(0), unbounded<Real>()};
    return select(has_lower, row, dead_row<Real>());
  }
  FLEXOR_INLINE Row<Real> upper_row() const {
    const Real infinite = unbounded<Real>();
    const Row<Real> row{upper, softness, -infinite, select(is_lock, infinite, Real(0))};
    return select(has_upper | is_lock, row, dead_row<Real>());
  }
};

/// @param above       coordinate minus lower bound; +inf without one
/// @param below       upper bound minus coordinate; +inf without one
/// @param is_lock     bounds equal and finite
/// @param correction  beta
template <class Real>
FLEXOR_INLINE Limits<Real> position_limits(const Real& above, const Real& below,
                                           const Mask<Real>& is_lock, const Real& margin,
                                           const Real& compliance, const Real& correction,
                                           const Real& inverse_h) {
  const Real zero(0), one(1), infinite = unbounded<Real>();
  const Real gap_low = above - margin, gap_up = below - margin;
  Limits<Real> limits;
  limits.softness = compliance * inverse_h * inverse_h;
  limits.is_lock = is_lock;
  limits.has_lower = andnot(above < infinite, is_lock);
  limits.has_upper = andnot(below < infinite, is_lock);
  limits.lower = -(select(gap_low < zero, correction, one) * gap_low * inverse_h);
  limits.upper = select(gap_up < zero, correction, one) * gap_up * inverse_h;
  limits.is_conflicting = limits.has_lower & limits.has_upper & (limits.lower > limits.upper) &
                          (limits.softness == zero);
  if (any(limits.is_conflicting)) {
    const Real mean = (limits.lower + limits.upper) * Real(static_cast<Scalar<Real>>(0.5));
    limits.lower = select(limits.is_conflicting, mean, limits.lower);
    limits.upper = select(limits.is_conflicting, mean, limits.upper);
  }
  if (any(is_lock)) limits.upper = select(is_lock, correction * below * inverse_h, limits.upper);
  return limits;
}

/// Of a law that has these limits and no other rows.
template <class Real>
FLEXOR_INLINE LawBounds<Real> law_bounds(const Limits<Real>& limits) {
  const Real infinite = unbounded<Real>();
  const Real fits =
      select(andnot(limits.softness == Real(0), limits.is_lock),
             Real(static_cast<int>(kOneSidedLaw)), Real(static_cast<int>(kGeneralLaw)));
  return {select(limits.has_lower | limits.has_upper | limits.is_lock, fits,
                 Real(static_cast<int>(kEmptyLaw))),
          select(limits.has_lower, limits.lower, -infinite),
          select(limits.has_upper, limits.upper, infinite)};
}

/// Velocity limit L: b = -L with p >= 0, b = +L with p <= 0.   [P-12]
template <class Real>
FLEXOR_INLINE Limits<Real> velocity_limits(const Real& limit) {
  const Real zero(0);
  const auto has = limit<unbounded<Real>(), never = zero> zero;
  return {-limit, limit, zero, has, has, never, never};
}

}  // namespace flexor
