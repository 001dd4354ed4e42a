#pragma once
// Method B: all laws from one velocity, scaled by row sums, which converges whatever the rows.
//
// clang-format off
//   P_i <- solve_law(Phi_i, (A P + c)_i - D_i P_i, D_i),  D_i = sum_j |A_ij|,  A = J M^^-1 J^T   [P-55]
//   Z = P_k + ((t_{k-1} - 1)/t_k)(P_k - P_{k-1}),  t_k = (1 + sqrt(1 + 4 t_{k-1}^2))/2           [P-56]
//   restart t = 1 when sum D (Z - P_new)(P_new - P_old) > 0
// clang-format on
//
// A round is 4 accelerated updates, a residual test and at most 3 polish steps: solve the pieces
// the laws stand on exactly, keep the result if the residual falls.   [P-57]-[P-59], [E-8]

#include "flexor/solve/active_set.hpp"

namespace flexor {

/// solution <- M^^-1 sum_j J_j^T x_j for law cells x.
template <class C>
FLEXOR_OUTLINE void respond(const C& c, Index x) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  c.single([&](const auto& w) {
    for (Index i = 0; i < padded(p.nv); ++i) w[cell.solution + i] = Real(0);
    add_tendon_impulses(c, w, cell.solution, [&](Index t) { return w[x + t]; });
    for (Index i = 0; i < p.nv; ++i) {
      if (acts(c, p.tendon_count + i)) {
        w[cell.solution + i] = w[cell.solution + i] + w[x + p.tendon_count + i];
      }
    }
    solve_ldlt(c, w, FreeEntries{}, cell.factor, cell.inverse_pivot, cell.solution,
               cell.impulse_sum);
  });
  c.sync();
}

/// Row sums D_i over the live laws of each lane.
template <class C>
FLEXOR_OUTLINE void row_sums(const C& c) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0), one(1);
  c.each(p.law_count, [&](const auto& w, Index law) {
    w[cell.law_row_sum + law] = zero;
    w[cell.trial_impulse + law] = zero;
    w[cell.law_flag + law] = select(has_live_row(c, law), one, zero);
  });
  c.sync();
  for (Index j = 0; j < p.law_count; ++j) {
    const auto live = c.cells[cell.law_flag + j] != zero;
    if (!any(live)) continue;
    c.single([&](const auto& w) { w[cell.trial_impulse + j] = one; });
    c.sync();
    respond(c, cell.trial_impulse);
    c.single([&](const auto& w) { w[cell.trial_impulse + j] = zero; });
    c.each(p.law_count, [&](const auto& w, Index i) {
      if (!acts(c, i)) return;
      const Real a = abs(law_rate(c, w, i, cell.solution));
      w[cell.law_row_sum + i] = w[cell.law_row_sum + i] + select(live, a, zero);
    });
    c.sync();
  }
  c.each(p.law_count, [&](const auto& w, Index i) {
    const Real D = w[cell.law_row_sum + i];
    w[cell.law_row_sum + i] = select(D > zero, D, one);
  });
  c.sync();
}

/// trial_impulse <- one update of all laws from the impulses in cells x, with rates there; returns
/// the residual max D |P_new - x|. With `keep`, the pieces are kept for the polish.
template <class C>
FLEXOR_OUTLINE typename C::Real jacobi_update(const C& c, Index x, bool keep,
                                              const typename C::Mask& chosen) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  respond(c, x);
  c.each(p.law_count, [&](const auto& w, Index i) {
    if (!acts(c, i)) return;
    const Real u = law_rate(c, w, i, cell.free_velocity) + law_rate(c, w, i, cell.solution);
    const Real P = w[x + i], D = w[cell.law_row_sum + i];
    const LawPoint<Real> point = update_law(c, w, i, u, P, D);
    w[cell.trial_impulse + i] = point.impulse;
    w[cell.law_residual + i] = D * abs(point.impulse - P);
    if (keep) {
      w[cell.law_kind + i] = select(chosen, point.kind, w[cell.law_kind + i]);
      w[cell.law_value + i] = select(chosen, point.value, w[cell.law_value + i]);
      w[cell.law_slope + i] = select(chosen, point.slope, w[cell.law_slope + i]);
    }
  });
  c.sync();
  return verdict(c).residual;
}

/// Runs on the lanes `chosen`; returns those that did not converge.
template <class C>
FLEXOR_OUTLINE typename C::Mask jacobi(const C& c, const typename C::Mask& chosen, Index rounds,
                                       const typename C::Real& tolerance,
                                       typename C::Real& iterations, typename C::Real& residual) {
  using Real = typename C::Real;
  using S = typename C::Scalar;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Real zero(0), one(1);
  row_sums(c);
  // law_step holds the last P, law_rate the extrapolated Z; both begin at law_start
  auto busy = chosen;
  c.each(p.law_count, [&](const auto& w, Index i) {
    w[cell.law_step + i] = w[cell.law_start + i];
    w[cell.law_rate + i] = w[cell.law_start + i];
    w[cell.law_impulse + i] = select(chosen, zero, w[cell.law_impulse + i]);
  });
  c.sync();
  Real t = one;
  constexpr int kLastResort = 500;  // rounds without polish after the others
  // Where the least residual falls by less than 1 % in so many rounds, those that are left would
  // not get there either: most often hard rows that no motion can meet, whose impulses grow for
  // ever.
  constexpr int kStandstill = 64;
  Real least = unbounded<Real>(), idle = zero;  // least residual, rounds since it fell
  auto given_up = one < zero;
  for (Index round = 0; round < rounds + kLastResort && any(busy); ++round) {
    Real rho = zero;
    for (Index n = 0; n < 4; ++n) {
      rho = jacobi_update(c, cell.law_rate, false, busy);
      Real turn = zero;
      for (Index i = 0; i < p.law_count; ++i) {
        if (!acts(c, i)) continue;
        const Real fresh = c.cells[cell.trial_impulse + i];
        turn = turn + c.cells[cell.law_row_sum + i] * (c.cells[cell.law_rate + i] - fresh) *
                          (fresh - c.cells[cell.law_step + i]);
      }
      const Real from = select(turn > zero, one, t);
      const Real next = (one + sqrt(one + Real(S(4)) * from * from)) * Real(S(0.5));
      const Real k = (from - one) / next;
      t = next;
      c.each(p.law_count, [&](const auto& w, Index i) {
        if (!acts(c, i)) return;
        const Real fresh = w[cell.trial_impulse + i];
        w[cell.law_rate + i] = fresh + k * (fresh - w[cell.law_step + i]);
        w[cell.law_step + i] = fresh;
      });
      c.sync();
    }
    rho = jacobi_update(c, cell.law_step, true, busy);
    iterations = iterations + select(busy, one, zero);
    if (round < rounds) {
      auto polishing = busy & (rho > tolerance);
      for (Index n = 0; n < 3 && any(polishing); ++n) {
        solve_pieces(c, polishing);  // law_impulse: candidate
        const Real after = jacobi_update(c, cell.law_impulse, true, polishing);
        const auto better = polishing & (after < rho);
        c.each(p.law_count, [&](const auto& w, Index i) {
          const Real P = w[cell.law_impulse + i];
          w[cell.law_step + i] = select(better, P, w[cell.law_step + i]);
          w[cell.law_rate + i] = select(better, P, w[cell.law_rate + i]);
        });
        c.sync();
        t = select(better, one, t);
        rho = select(better, after, rho);
        polishing = better & (rho > tolerance);
      }
    }
    // impulses and velocity of the lanes as they stand
    respond(c, cell.law_step);
    c.each(p.law_count, [&](const auto& w, Index i) {
      w[cell.law_impulse + i] = select(busy, w[cell.law_step + i], w[cell.law_impulse + i]);
    });
    c.each(p.nv, [&](const auto& w, Index i) {
      w[cell.end_velocity + i] =
          select(busy, w[cell.free_velocity + i] + w[cell.solution + i], w[cell.end_velocity + i]);
    });
    c.sync();
    residual = select(busy, rho, residual);
    const auto falls = rho < least * Real(S(0.99));
    least = select(falls, rho, least);
    idle = select(falls, zero, idle + one);
    busy = busy & (rho > tolerance);
    given_up = given_up | (busy & (idle >= Real(S(kStandstill))));
    busy = andnot(busy, given_up);
  }
  return busy | given_up;
}

}  // namespace flexor
