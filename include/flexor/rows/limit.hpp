#pragma once
// Bounds of a length or joint coordinate. Predictive: they cap the closing speed at gap/h, and a
// violated one asks for beta times the violation per step.
//
//   lower: b = -eta(g) g/h, p in [0, inf)   upper: b = +eta(g) g/h, p in (-inf, 0]
//   g = distance to the bound less margin, eta(g) = beta if g < 0 else 1      [P-31], [P-32],
//   [P-11] equal finite bounds are a lock: b = beta (bound - l)/h, unbounded         [P-33]

#include "flexor/rows/row.hpp"

namespace flexor {

template <class Real>
struct LimitRows {
  Row<Real> lower, upper;  ///< a lock uses the upper slot
  Mask<Real> is_lock;
  Mask<Real> is_conflicting;  ///< crossed hard targets, both set to their mean   [P-35]
};

/// @param above       coordinate minus lower bound; +inf without one
/// @param below       upper bound minus coordinate; +inf without one
/// @param is_lock     bounds equal and finite
/// @param correction  beta
template <class Real>
FLEXOR_INLINE LimitRows<Real> limit_rows(const Real& above, const Real& below,
                                         const Mask<Real>& is_lock, const Real& margin,
                                         const Real& compliance, const Real& correction,
                                         const Real& h) {
  const Real zero(0), one(1), inverse_h = Real(1) / h;
  const Real infinite = unbounded<Real>();
  const Real g = compliance * inverse_h * inverse_h;
  const Real gap_low = above - margin, gap_up = below - margin;
  const auto has_lower = andnot(above < infinite, is_lock);
  const auto has_upper = andnot(below < infinite, is_lock);
  Real b_low = -(select(gap_low < zero, correction, one) * gap_low * inverse_h);
  Real b_up = select(gap_up < zero, correction, one) * gap_up * inverse_h;
  LimitRows<Real> rows;
  rows.is_conflicting = has_lower & has_upper & (b_low > b_up) & (g == zero);
  const Real mean = (b_low + b_up) * Real(static_cast<Scalar<Real>>(0.5));
  b_low = select(rows.is_conflicting, mean, b_low);
  b_up = select(rows.is_conflicting, mean, b_up);
  rows.is_lock = is_lock;
  rows.lower = select(has_lower, Row<Real>{b_low, g, zero, infinite}, dead_row<Real>());
  rows.upper = select(has_upper, Row<Real>{b_up, g, -infinite, zero}, dead_row<Real>());
  const Row<Real> lock{correction * below * inverse_h, g, -infinite, infinite};
  rows.upper = select(is_lock, lock, rows.upper);
  return rows;
}

/// Velocity limit L: b = -L with p >= 0, b = +L with p <= 0.   [P-12]
template <class Real>
FLEXOR_INLINE LimitRows<Real> velocity_limit_rows(const Real& limit) {
  const Real zero(0), infinite = unbounded<Real>();
  const auto has = limit < infinite;
  LimitRows<Real> rows;
  rows.lower = select(has, Row<Real>{-limit, zero, zero, infinite}, dead_row<Real>());
  rows.upper = select(has, Row<Real>{limit, zero, -infinite, zero}, dead_row<Real>());
  rows.is_lock = rows.is_conflicting = zero > zero;
  return rows;
}

}  // namespace flexor
