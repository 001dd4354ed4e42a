#pragma once
// Method A: the pieces are found by Newton steps in velocity, then the answer is exact to rounding.
// All laws are updated at once from the velocity of the last step:
//
//   new piece of law i = piece on which solve_law(Phi_i, u_i - D_i P_i, D_i) lies,
//   D_i = 1/M^_jj for joint laws, W_d for tendons                                      [P-82]

#include "flexor/solve/pieces.hpp"

namespace flexor {

/// Point of law i for the step D, from rate u and impulse P.
template <class C, class W>
FLEXOR_INLINE LawPoint<typename C::Real> update_law(const C& c, const W& w, int law,
                                                    const typename C::Real& u,
                                                    const typename C::Real& P,
                                                    const typename C::Real& D) {
  const PlanView& p = c.plan;
  return solve_law(w, p.cell.row, p.law_row_first[law], p.law_row_first[law + 1], u - D * P, D);
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
    const int i = law - p.tendon_count;
    const Real W =
        i < 0 ? w[cell.response_diagonal + law] : one / w[cell.matrix + p.row_address[i] + i];
    w[cell.law_step + law] = select(W > zero, W, one);
  });
  c.sync();
}

/// Lanes whose law_flag cells are not all zero.
template <class C>
FLEXOR_INLINE typename C::Mask flagged(const C& c) {
  using Real = typename C::Real;
  auto mask = Real(0) > Real(0);
  for (int law = 0; law < c.plan.law_count; ++law) {
    if (has_rows(c, law)) mask = mask | (c.cells[c.plan.cell.law_flag + law] != Real(0));
  }
  return mask;
}

/// Largest D_i |P_i,new - P_i| (cells trial_impulse hold it), and max(1, max |c|).   [P-57]
template <class C>
FLEXOR_INLINE typename C::Real largest_residual(const C& c) {
  using Real = typename C::Real;
  Real rho(0);
  for (int law = 0; law < c.plan.law_count; ++law) {
    if (has_rows(c, law)) rho = max(rho, c.cells[c.plan.cell.best_impulse + law]);
  }
  return rho;
}

/// New pieces of the lanes `busy` at end_velocity; law_flag 1 where a piece changed, best_impulse
/// the residual D |P_new - P|.
template <class C>
FLEXOR_OUTLINE void update_pieces(const C& c, const typename C::Mask& busy) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0), one(1);
  c.each(p.law_count, [&](const auto& w, int law) {
    if (!has_rows(c, law)) return;
    const Real P = w[cell.law_impulse + law], D = w[cell.law_step + law];
    const Real u = law_rate(c, w, law, cell.end_velocity);
    // a law at rest that holds 0 at its rate stays flat at 0
    const auto rests = (P == zero) & (w[cell.law_kind + law] == zero) &
                       holds_zero(w, cell.row, p.law_row_first[law], p.law_row_first[law + 1], u);
    if (all(rests | !busy)) {
      w[cell.law_flag + law] = zero;
      w[cell.best_impulse + law] = select(busy, zero, w[cell.best_impulse + law]);
      return;
    }
    LawPoint<Real> point = update_law(c, w, law, u, P, D);
    point.impulse = select(rests, zero, point.impulse);
    point.kind = select(rests, zero, point.kind);
    point.value = select(rests, zero, point.value);
    point.slope = select(rests, zero, point.slope);
    const auto changed =
        busy & ((point.kind != w[cell.law_kind + law]) | (point.value != w[cell.law_value + law]) |
                (point.slope != w[cell.law_slope + law]));
    w[cell.law_flag + law] = select(changed, one, zero);
    w[cell.best_impulse + law] =
        select(busy, D * abs(point.impulse - P), w[cell.best_impulse + law]);
    w[cell.law_kind + law] = select(busy, point.kind, w[cell.law_kind + law]);
    w[cell.law_value + law] = select(busy, point.value, w[cell.law_value + law]);
    w[cell.law_slope + law] = select(busy, point.slope, w[cell.law_slope + law]);
  });
  c.sync();
}

/// Runs on the lanes `todo`; returns those that did not converge. iterations and residual are
/// updated per lane.
template <class C>
FLEXOR_OUTLINE typename C::Mask active_set(const C& c, const typename C::Mask& todo, int cap,
                                           const typename C::Real& scale,
                                           typename C::Real& iterations,
                                           typename C::Real& residual) {
  using Real = typename C::Real;
  // exact to rounding: what the last factorisation leaves
  const Real rounding = Real(by_precision<Real>(2e-5, 1e-10)) * scale;
  auto busy = todo;
  update_pieces(c, busy);
  for (int n = 0; n < cap && any(busy); ++n) {
    solve_pieces(c, busy);
    iterations = iterations + select(busy, Real(1), Real(0));
    update_pieces(c, busy);
    const Real rho = largest_residual(c);
    residual = select(busy, rho, residual);
    busy = busy & (flagged(c) | (rho > rounding));
  }
  return busy;
}

}  // namespace flexor
