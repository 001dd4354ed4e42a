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
FLEXOR_INLINE bool acts(const C& c, Index law) {
  return !all_have_form(c.cells[c.plan.cell.law_form + law], kEmptyLaw);
}

/// Lanes in which some row of a law acts.
template <class C>
FLEXOR_INLINE typename C::Mask has_live_row(const C& c, Index law) {
  return c.cells[c.plan.cell.law_form + law] < typename C::Real(static_cast<int>(kEmptyLaw));
}

/// Lanes in which a law is made of hard one-sided rows.
template <class C>
FLEXOR_INLINE typename C::Mask is_one_sided(const C& c, Index law) {
  return c.cells[c.plan.cell.law_form + law] == typename C::Real(static_cast<int>(kOneSidedLaw));
}

/// Point of law i for the step D, from rate u and impulse P.
template <class C, class W>
FLEXOR_INLINE LawPoint<typename C::Real> update_law(const C& c, const W& w, Index law,
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
FLEXOR_INLINE typename C::Mask holds_zero(const C& c, const W& w, Index law,
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
  c.each(p.law_count, [&](const auto& w, Index law) {
    w[cell.law_impulse + law] = zero;
    w[cell.law_start + law] = zero;
    w[cell.law_kind + law] = zero;
    w[cell.law_value + law] = zero;
    w[cell.law_slope + law] = zero;
    w[cell.law_flag + law] = zero;
    w[cell.law_residual + law] = zero;
    if (!acts(c, law)) return;
    const Index i = law - p.tendon_count;
    const Real W =
        i < 0 ? w[cell.response_diagonal + law] : one / w[cell.matrix + p.row_address[i] + i];
    w[cell.law_step + law] = select(W > zero, W, one);
  });
  c.sync();
}

/// Over all laws: lanes in which one changed its piece, the largest residual, and the largest rate
/// that a vertical piece asks for.
template <class Real>
struct Verdict {
  Mask<Real> changed;
  Real residual;
  Real rate;
};
template <class C>
FLEXOR_INLINE Verdict<typename C::Real> verdict(const C& c) {
  using Real = typename C::Real;
  const Real zero(0);
  Verdict<Real> all{zero > zero, zero, zero};
  for (Index law = 0; law < c.plan.law_count; ++law) {
    const auto steps = is_vertical(c.cells[c.plan.cell.law_kind + law]);
    all.rate = max(all.rate, select(steps, abs(c.cells[c.plan.cell.law_value + law]), zero));
    all.changed = all.changed | (c.cells[c.plan.cell.law_flag + law] != zero);
    all.residual = max(all.residual, c.cells[c.plan.cell.law_residual + law]);
  }
  return all;
}

/// New pieces of the lanes `busy` at end_velocity; law_flag 1 where a piece changed, law_residual
/// D |P_new - P|, at least a hundredth of its rounding: beside an impulse without bounds no error
/// of the rate is seen.   [P-82]
template <class C>
FLEXOR_OUTLINE void update_pieces(const C& c, const typename C::Mask& busy) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0), one(1);
  c.each(p.law_count, [&](const auto& w, Index law) {
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
    const Real unseen = Real(static_cast<typename C::Scalar>(0.01) * kEpsilon<Real>) * D * abs(P);
    w[cell.law_residual + law] =
        select(busy, max(D * abs(point.impulse - P), unseen), w[cell.law_residual + law]);
    w[cell.law_kind + law] = select(busy, point.kind, kind);
    w[cell.law_value + law] = select(busy, point.value, value);
    w[cell.law_slope + law] = select(busy, point.slope, slope);
  });
  c.sync();
}

/// law_start <- law_impulse in the lanes where their residual is the least so far.
template <class C>
FLEXOR_INLINE void keep_best(const C& c, const typename C::Mask& busy,
                             const typename C::Real& residual, typename C::Real& least) {
  const auto& cell = c.plan.cell;
  const auto better = busy & (residual < least);
  least = select(better, residual, least);
  c.each(c.plan.law_count, [&](const auto& w, Index law) {
    w[cell.law_start + law] = select(better, w[cell.law_impulse + law], w[cell.law_start + law]);
  });
  c.sync();
}

/// law_start <- the impulse that every law carried in the last step, in the lanes `chosen`; folded
/// rows left out, those of a tendon or of a law that is not one-sided clamped to their present
/// bounds.
template <class C>
FLEXOR_OUTLINE void load_last_impulses(const C& c, const typename C::Mask& chosen) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0);
  c.each(p.law_count, [&](const auto& w, Index law) {
    Real P = zero;
    if (acts(c, law)) {
      // the rows of a one-sided joint law need not have been written
      const bool is_tendon = law < p.tendon_count;
      const bool are_written = is_tendon || !all_have_form(w[cell.law_form + law], kOneSidedLaw);
      for (Index r = p.law_row_first[law]; r < p.law_row_first[law + 1]; ++r) {
        const Index at = cell.row + kRowCells * r;
        Real last = c.load(Field::row_impulse, p.planned_slot[r]);
        if (are_written) {
          const Row<Real> row = row_at(w, at);
          const auto live = (w[at + 4] == zero) & (row.low < row.high);
          const Real now = select(live, clamp(last, row.low, row.high), zero);
          last = is_tendon ? now : select(is_one_sided(c, law), last, now);
        }
        P = P + last;
      }
      P = select(has_live_row(c, law), P, zero);
    }
    w[cell.law_start + law] = select(chosen, P, w[cell.law_start + law]);
  });
  c.sync();
}

/// Pieces of the last step in the lanes `steady`, whose commands are those of the last step: a
/// one-sided law that carried an impulse stands on its step again, all else is flat. Lanes in which
/// no law did keep the pieces of the free velocity.   [P-82]
template <class C>
FLEXOR_OUTLINE void start_from_last(const C& c, const typename C::Mask& steady) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0);
  load_last_impulses(c, steady);
  auto stands = zero > zero;
  for (Index law = 0; law < p.law_count; ++law) {
    stands = stands | ((c.cells[cell.law_start + law] != zero) & is_one_sided(c, law));
  }
  const auto warm = steady & stands;
  if (!any(warm)) return;
  c.each(p.law_count, [&](const auto& w, Index law) {
    const Real P = w[cell.law_start + law];
    const auto on = warm & (P != zero) & is_one_sided(c, law);
    const Real at = select(P > zero, w[cell.law_lower + law], w[cell.law_upper + law]);
    const auto stays = on & is_finite(at);
    w[cell.law_kind + law] = select(stays, Real(static_cast<int>(kVertical)),
                                    select(warm, zero, w[cell.law_kind + law]));
    w[cell.law_value + law] = select(stays, at, select(warm, zero, w[cell.law_value + law]));
    w[cell.law_slope + law] = select(warm, zero, w[cell.law_slope + law]);
  });
  c.sync();
}

/// Runs on the lanes `chosen` from the pieces as they stand; returns those that did not converge,
/// with their impulses of least residual in law_start [P-83]. iterations and residual are updated
/// per lane.
template <class C>
FLEXOR_OUTLINE typename C::Mask active_set(const C& c, const typename C::Mask& chosen, Index cap,
                                           const typename C::Real& scale,
                                           typename C::Real& iterations,
                                           typename C::Real& residual) {
  using Real = typename C::Real;
  // what the last factorisation may leave, relative to the rates
  const Real rounding(by_precision<Real>(2e-5, 1e-10));
  // a fixed point is one, whatever its pieces: redundant rows may change them for ever   [P-57]
  const Real tolerance(static_cast<typename C::Scalar>(c.settings.tolerance));
  constexpr int kUsual = 4;  // iterations after which the best impulses are kept for method B
  auto busy = chosen;
  Real least = unbounded<Real>();
  for (Index n = 0; n < cap && any(busy); ++n) {
    if (n >= kUsual) keep_best(c, busy, residual, least);
    solve_pieces(c, busy);
    iterations = iterations + select(busy, Real(1), Real(0));
    update_pieces(c, busy);
    const Verdict<Real> now = verdict(c);
    residual = select(busy, now.residual, residual);
    const Real size = max(scale, now.rate), fixed = n < kUsual ? tolerance : rounding;
    busy =
        busy & ((now.changed & (now.residual > fixed * size)) | (now.residual > rounding * size));
  }
  return busy;
}

}  // namespace flexor
