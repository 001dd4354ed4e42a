#pragma once
// The row: the only way anything acts on velocity after the free motion. A row sees one rate
// u = J v + o and answers with an impulse along J:
//
//   p = clamp((b - u)/g, lo, hi)   with target b, softness g >= 0, bounds     [P-39], [P-40]
//
// g = 0 is a hard row: hi while u < b, lo while u > b, anything between at u = b. So each row is a
// non-increasing law p(u). A row that does not act has lo = hi = 0.

#include "flexor/state/context.hpp"

namespace flexor {

template <class Real>
struct Row {
  Real target;     ///< b [m/s]
  Real softness;   ///< g [1/kg]
  Real low, high;  ///< bounds of the impulse [N s]
};

template <class Real>
FLEXOR_INLINE Row<Real> dead_row() {
  return {Real(0), Real(1), Real(0), Real(0)};
}
template <class Real>
FLEXOR_INLINE Row<Real> select(const Mask<Real>& m, const Row<Real>& a, const Row<Real>& b) {
  return {select(m, a.target, b.target), select(m, a.softness, b.softness), select(m, a.low, b.low),
          select(m, a.high, b.high)};
}
template <class Real>
FLEXOR_INLINE Real unbounded() {
  return Real(infinity(Scalar<Real>()));
}

template <class C>
FLEXOR_INLINE Row<typename C::Real> row_at(const C& cells, Index i) {
  const auto at = cells.from(i);
  return {at[0], at[1], at[2], at[3]};
}
template <class C>
FLEXOR_INLINE void put_row(const C& cells, Index i, const Row<typename C::Real>& row) {
  const auto at = cells.from(i);
  at[0] = row.target;
  at[1] = row.softness;
  at[2] = row.low;
  at[3] = row.high;
}

}  // namespace flexor
