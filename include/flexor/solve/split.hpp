#pragma once
// Which row of a law carries what: soft rows by their formula at the end rate, hard rows at their
// bound by the side the rate lies on, and what is left over the rows whose target is the vertical
// step, in the order friction, lower, upper or lock, each up to its bound.   [P-54]

#include "flexor/solve/pieces.hpp"

namespace flexor {

/// visit(planned row, impulse) for every planned row of a law, folded rows included:
/// p = (b - u)/g.   [P-51]
template <class C, class W, class Visit>
FLEXOR_INLINE void split_law(const C& c, const W& w, Index law, const typename C::Real& u,
                             Visit visit) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0), one(1), infinite = unbounded<Real>();
  const auto vertical = is_vertical(w[cell.law_kind + law]);
  const Real at_step = w[cell.law_value + law];
  const Index first = p.law_row_first[law], last = p.law_row_first[law + 1];
  Real left = w[cell.law_impulse + law];
  const auto own = [&](const Row<Real>& row) {  // impulse by the row's own law
    const auto hard = row.softness == zero;
    const Real soft = clamp((row.target - u) / select(hard, one, row.softness), row.low, row.high);
    const Real high = select(row.high == infinite, zero, row.high);
    const Real low = select(row.low == -infinite, zero, row.low);
    return select(hard, select(u < row.target, high, select(u > row.target, low, zero)), soft);
  };
  const auto shares = [&](const Row<Real>& row, Index at) {
    return vertical & (row.softness == zero) & (row.target == at_step) & (row.low < row.high) &
           (w[at + 4] == zero);
  };
  // the rows that act in a one-sided law carry nothing but what they share
  const bool is_one_sided = all_have_form(w[cell.law_form + law], kOneSidedLaw);
  for (Index r = first; r < last && !is_one_sided; ++r) {
    const Index at = cell.row + kRowCells * r;
    const Row<Real> row = row_at(w, at);
    const auto counts = andnot(w[at + 4] == zero, shares(row, at));
    left = left - select(counts, own(row), zero);
  }
  for (Index r = first; r < last; ++r) {
    const Index at = cell.row + kRowCells * r;
    const Row<Real> row = row_at(w, at);
    const auto shared = shares(row, at);
    const Real part = clamp(left, row.low, row.high);
    Real impulse = select(shared, part, zero);
    left = left - impulse;
    auto alone = andnot(row.low < row.high, shared);
    if (is_one_sided) alone = alone & (w[at + 4] != zero);
    if (any(alone)) impulse = select(alone, own(row), impulse);
    visit(r, impulse);
  }
}

}  // namespace flexor
