#pragma once
// The law of one rate: the sum of its rows' answers, a non-increasing piecewise linear function
// P = Phi(u) with vertical steps where rows are hard.   [P-52]

#include "flexor/rows/law_bounds.hpp"

namespace flexor {

/// Where a law stands: its rate, its impulse, and the piece they lie on.
enum PieceKind : int {
  kFlat,     ///< P = value
  kSloped,   ///< P = value - slope u
  kVertical  ///< u = value
};
template <class Real>
struct LawPoint {
  Real rate, impulse, kind, value, slope;
};

/// Impulses of one row just below and just above the rate x.
template <class Real>
struct RowStep {
  Real below, above;
};
template <class Real>
FLEXOR_INLINE RowStep<Real> row_step(const Row<Real>& row, const Real& x) {
  const Real zero(0), one(1);
  const auto hard = row.softness == zero;
  const Real below = select(x <= row.target, row.high, row.low);
  const Real above = select(x < row.target, row.high, row.low);
  if (all(hard)) return {below, above};
  const Real soft = clamp((row.target - x) / select(hard, one, row.softness), row.low, row.high);
  return {select(hard, below, soft), select(hard, above, soft)};
}

/// solve_law for a law of hard one-sided rows.   [P-53]
template <class Real>
FLEXOR_INLINE LawPoint<Real> solve_one_sided(const Real& lower, const Real& upper, const Real& u0,
                                             const Real& D) {
  const Real zero(0);
  const auto at_upper = u0 >= upper;
  const auto on = (u0 <= lower) | at_upper;
  const Real x = select(at_upper, upper, lower);
  return {select(on, x, u0), select(on, (x - u0) / D, zero),
          select(on, Real(static_cast<int>(kVertical)), zero), select(on, x, zero), zero};
}

/// The unique (u, P) with u = u0 + D P and P in Phi(u).   [P-53]
///
/// R(u) = u - u0 - D Phi(u) increases; the root lies at a breakpoint x with R(x-) <= 0 <= R(x+), or
/// in the linear piece between the last breakpoint below it and the first above it.
/// @param cells     rows first .. last - 1 of the plan, folded ones left out
/// @param D         > 0
template <class C>
FLEXOR_HD LawPoint<typename C::Real> solve_law(const C& cells, Index row_cell, Index first,
                                               Index last, const typename C::Real& u0,
                                               const typename C::Real& D) {
  using Real = typename C::Real;
  const Real zero(0), one(1), infinite = unbounded<Real>();
  Real lower = -infinite, upper = infinite, step_at = zero;
  auto on_step = one < zero;
  for (Index r = first; r < last; ++r) {
    const Row<Real> row = row_at(cells, row_cell + kRowCells * r);
    const auto live = (row.low < row.high) & (cells[row_cell + kRowCells * r + 4] == zero);
    if (!any(live)) continue;
    const auto hard = row.softness == zero;
    for (Index side = 0; side < 2; ++side) {
      // the row leaves its bound here; a hard row has one breakpoint, its target
      const Real bound = side == 0 ? row.high : row.low;
      const Real x = row.target - select(hard, zero, row.softness * select(hard, zero, bound));
      const auto counts = live & is_finite(x);
      if (side == 1 && all(hard | !live)) break;
      Real below = zero, above = zero;
      for (Index s = first; s < last; ++s) {
        const Index at = row_cell + kRowCells * s;
        const auto acts = cells[at + 4] == zero;
        if (!any(acts)) continue;
        const RowStep<Real> step = row_step(row_at(cells, at), x);
        below = below + select(acts, step.below, zero);
        above = above + select(acts, step.above, zero);
      }
      const Real r_below = (x - u0) - D * below, r_above = (x - u0) - D * above;
      const auto is_low = counts & (r_above < zero), is_high = counts & (r_below > zero);
      lower = select(is_low, max(lower, x), lower);
      upper = select(is_high, min(upper, x), upper);
      const auto steps = counts & (r_below <= zero) & (r_above >= zero) & (below > above);
      step_at = select(steps, x, step_at);
      on_step = on_step | steps;
    }
  }
  Real A = zero, K = zero;
  for (Index r = first; r < last; ++r) {
    const Index at = row_cell + kRowCells * r;
    const Row<Real> row = row_at(cells, at);
    const auto live = (row.low < row.high) & (cells[at + 4] == zero);
    if (!any(live)) continue;
    const auto hard = row.softness == zero;
    const Real g = select(hard, one, row.softness);
    const Real leaves_high =
        row.target - select(hard, zero, row.softness * select(hard, zero, row.high));
    const Real reaches_low =
        row.target - select(hard, zero, row.softness * select(hard, zero, row.low));
    const auto at_high = upper <= leaves_high;
    const auto at_low = andnot(lower >= reaches_low, at_high);
    Real kappa = one;
    if (!all(hard)) kappa = one / g;
    const auto sloped = andnot(live, hard | at_high | at_low);
    A = A + select(live,
                   select(at_high, row.high,
                          select(at_low, row.low, select(hard, zero, row.target * kappa))),
                   zero);
    K = K + select(sloped, kappa, zero);
  }
  LawPoint<Real> point;
  const Real inverse = one / (one + D * K);
  point.rate = select(on_step, step_at, (u0 + D * A) * inverse);
  point.impulse = select(on_step, (step_at - u0) / D, (A - K * u0) * inverse);
  point.kind = select(on_step, Real(static_cast<int>(kVertical)),
                      select(K > zero, Real(static_cast<int>(kSloped)), zero));
  point.value = select(on_step, step_at, A);
  point.slope = select(on_step, zero, K);
  return point;
}

/// Whether the law holds 0 at the rate u.
template <class C>
FLEXOR_HD Mask<typename C::Real> holds_zero(const C& cells, Index row_cell, Index first, Index last,
                                            const typename C::Real& u) {
  using Real = typename C::Real;
  const Real zero(0);
  auto holds = zero <= zero;
  for (Index r = first; r < last; ++r) {
    const Index at = row_cell + kRowCells * r;
    const Row<Real> row = row_at(cells, at);
    const auto rests =
        ((row.high == zero) | (u >= row.target)) & ((row.low == zero) | (u <= row.target));
    holds = holds & (rests | (cells[at + 4] != zero));
  }
  return holds;
}

}  // namespace flexor
