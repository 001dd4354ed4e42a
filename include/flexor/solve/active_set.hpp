#pragma once
// Method A: the pieces are found by Newton steps in velocity, then the answer is exact to rounding.
// All laws are updated at once from the velocity of the last step:
//
//   new piece of law i = piece on which solve_law(Phi_i, u_i - D_i P_i, D_i) lies,
//   D_i = 1/M^_jj for joint laws, W_d for tendons                                      [P-82]

#include "flexor/solve/pieces.hpp"

namespace flexor {

/// Whether a law has rows that act in some lane.
template <class C>
FLEXOR_INLINE bool acts(const C& c, int law) {
  return !all_have_form(c.cells[c.plan.cell.law_form + law], kEmptyLaw);
}

/// Lanes in which some row of a law acts.
template <class C>
FLEXOR_INLINE typename C::Mask has_live_row(const C& c, int law) {
  return c.cells[c.plan.cell.law_form + law] < typename C::Real(static_cast<int>(kEmptyLaw));
}

/// Point of law i for the step D, from rate u and impulse P.
template <class C, class W>
FLEXOR_INLINE LawPoint<typename C::Real> update_law(const C& c, const W& w, int law,
                                                    const typename C::Real& u,
                                                    const typename C::Real& P,
                                                    const typename C::Real& D) {
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const typename C::Real u0 = u - D * P;
  if (all_have_form(w[cell.law_form + law], kOneSidedLaw)) {
    return solve_one_sided(w[cell.law_lower + law], w[cell.law_upper + law], u0, D);
  }
  return solve_law(w, cell.row, p.law_row_first[law], p.law_row_first[law + 1], u0, D);
}

/// Whether the law holds 0 at the rate u.
template <class C, class W>
FLEXOR_INLINE typename C::Mask holds_zero(const C& c, const W& w, int law,
                                          const typename C::Real& u) {
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  if (all_have_form(w[cell.law_form + law], kOneSidedLaw)) {
    return (u >= w[cell.law_lower + law]) & (u <= w[cell.law_upper + law]);
  }
  return holds_zero(w, cell.row, p.law_row_first[law], p.law_row_first[law + 1], u);
}

/// Steps D of the method, and the start: every law flat at 0.
template <class C>
FLEXOR_HD void start_laws(const C& c) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0), one(1);
  c.each(p.law_count, [&](const auto& w, int law) {
    w[cell.law_impulse + law] = zero;
    w[cell.law_kind + law] = zero;
    w[cell.law_value + law] = zero;
    w[cell.law_slope + law] = zero;
    w[cell.law_flag + law] = zero;
    w[cell.law_residual + law] = zero;
    if (!acts(c, law)) return;
    const int i = law - p.tendon_count;
    const Real W =
        i < 0 ? w[cell.response_diagonal + law] : one / w[cell.matrix + p.row_address[i] + i];
    w[cell.law_step + law] = select(W > zero, W, one);
  });
  c.sync();
}

/// Over all laws: lanes in which one changed its piece, and the largest residual.
template <class Real>
struct Verdict {
  Mask<Real> changed;
  Real residual;
};
template <class C>
FLEXOR_INLINE Verdict<typename C::Real> verdict(const C& c) {
  using Real = typename C::Real;
  const Real zero(0);
  Verdict<Real> all{zero > zero, zero};
  for (int law = 0; law < c.plan.law_count; ++law) {
    all.changed = all.changed | (c.cells[c.plan.cell.law_flag + law] != zero);
    all.residual = max(all.residual, c.cells[c.plan.cell.law_residual + law]);
  }
  return all;
}

/// New pieces of the lanes `busy` at end_velocity; law_flag 1 where a piece changed, law_residual
/// D |P_new - P|.   [P-82]
template <class C>
FLEXOR_OUTLINE void update_pieces(const C& c, const typename C::Mask& busy) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0), one(1);
  c.each(p.law_count, [&](const auto& w, int law) {
    if (!acts(c, law)) return;
    const Real P = w[cell.law_impulse + law], D = w[cell.law_step + law];
    const Real u = law_rate(c, w, law, cell.end_velocity);
    const Real kind = w[cell.law_kind + law], value = w[cell.law_value + law];
    const Real slope = w[cell.law_slope + law];
    // a law at rest that holds 0 at its rate stays flat at 0
    const auto rests = (P == zero) & (kind == zero) & holds_zero(c, w, law, u);
    if (all(rests | !busy)) {
      w[cell.law_flag + law] = zero;
      w[cell.law_residual + law] = select(busy, zero, w[cell.law_residual + law]);
      return;
    }
    LawPoint<Real> point = update_law(c, w, law, u, P, D);
    point.impulse = select(rests, zero, point.impulse);
    point.kind = select(rests, zero, point.kind);
    point.value = select(rests, zero, point.value);
    point.slope = select(rests, zero, point.slope);
    const auto changed =
        busy & ((point.kind != kind) | (point.value != value) | (point.slope != slope));
    w[cell.law_flag + law] = select(changed, one, zero);
    w[cell.law_residual + law] =
        select(busy, D * abs(point.impulse - P), w[cell.law_residual + law]);
    w[cell.law_kind + law] = select(busy, point.kind, kind);
    w[cell.law_value + law] = select(busy, point.value, value);
    w[cell.law_slope + law] = select(busy, point.slope, slope);
  });
  c.sync();
}

/// Runs on the lanes `todo`, whose pieces stand at the free velocity; returns those that did not
/// converge. iterations and residual are updated per lane.
template <class C>
FLEXOR_OUTLINE typename C::Mask active_set(const C& c, const typename C::Mask& todo, int cap,
                                           const typename C::Real& scale,
                                           typename C::Real& iterations,
                                           typename C::Real& residual) {
  using Real = typename C::Real;
  // exact to rounding: what the last factorisation leaves
  const Real rounding = Real(by_precision<Real>(2e-5, 1e-10)) * scale;
  auto busy = todo;
  for (int n = 0; n < cap && any(busy); ++n) {
    solve_pieces(c, busy);
    iterations = iterations + select(busy, Real(1), Real(0));
    update_pieces(c, busy);
    const Verdict<Real> now = verdict(c);
    residual = select(busy, now.residual, residual);
    busy = busy & (now.changed | (now.residual > rounding));
  }
  return busy;
}

}  // namespace flexor
