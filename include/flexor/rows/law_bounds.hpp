#pragma once
// Laws that the solver need not read row by row.

#include "flexor/rows/row.hpp"

namespace flexor {

/// What the rows of a law amount to: hard one-sided rows leave P = 0 between two rates and hold the
/// rate at either end. Ordered from the general to the simple.
enum LawForm : int { kGeneralLaw, kOneSidedLaw, kEmptyLaw };

/// Gathered row by row.
template <class Real>
struct LawBounds {
  Real form = Real(static_cast<int>(kEmptyLaw));  ///< LawForm
  Real lower = -unbounded<Real>(), upper = unbounded<Real>();

  FLEXOR_INLINE void add(const Row<Real>& row, const Mask<Real>& is_folded) {
    const Real zero(0), infinite = unbounded<Real>();
    const auto live = andnot(row.low < row.high, is_folded);
    const auto pushes = live & (row.low == zero) & (row.high == infinite);
    const auto pulls = live & (row.high == zero) & (row.low == -infinite);
    const auto fits = (row.softness == zero) & (pushes | pulls);
    const Real allowed =
        select(fits, Real(static_cast<int>(kOneSidedLaw)), Real(static_cast<int>(kGeneralLaw)));
    form = select(live, min(form, allowed), form);
    lower = select(pushes, max(lower, row.target), lower);
    upper = select(pulls, min(upper, row.target), upper);
  }
};

template <class W>
FLEXOR_INLINE void put_bounds(const W& w, const PlanView& p, Index law,
                              const LawBounds<typename W::Real>& bounds) {
  w[p.cell.law_form + law] = bounds.form;
  w[p.cell.law_lower + law] = bounds.lower;
  w[p.cell.law_upper + law] = bounds.upper;
}

/// Whether the form is this one or a simpler one in all lanes.
template <class Real>
FLEXOR_INLINE bool all_have_form(const Real& form, LawForm least) {
  return all(form >= Real(static_cast<int>(least)));
}

}  // namespace flexor
