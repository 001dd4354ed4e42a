#pragma once
// Every law stands on a piece (vertical u = value, sloped P = value - slope u, flat P = value).
// With the pieces known the solution is exact: one masked factorisation, and a Schur complement for
// the vertical tendon laws.   [P-80], [P-81]
//
//   M_A = M^ + sum over sloped of slope J J^T,  entries with a vertical joint law fixed at their
//   rate
//
// Laws: tendons 0 .. tendon_count - 1, then one per velocity coordinate (J a unit vector).

#include "flexor/solve/fold.hpp"
#include "flexor/solve/law.hpp"

namespace flexor {

template <class Real>
FLEXOR_INLINE Mask<Real> is_vertical(const Real& kind) {
  return kind == Real(static_cast<int>(kVertical));
}
template <class Real>
FLEXOR_INLINE Mask<Real> is_sloped(const Real& kind) {
  return kind == Real(static_cast<int>(kSloped));
}

template <class C>
FLEXOR_INLINE bool has_rows(const C& c, Index law) {
  return c.plan.law_row_first[law] < c.plan.law_row_first[law + 1];
}

/// Rate of a law at the velocity in cells v.
template <class C, class W>
FLEXOR_INLINE typename C::Real law_rate(const C& c, const W& w, Index law, Index v) {
  const Index t = c.plan.tendon_count;
  return law < t ? tendon_rate(c, w, law, v) : w[v + law - t];
}

/// Cells solution: the right side of the change of velocity, by one lane; entries with a vertical
/// joint law are marked held, at their change.
template <class C, class W>
FLEXOR_HD void right_side(const C& c, const W& w) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Index T = p.tendon_count, n = padded(p.nv);
  const Real zero(0), one(1);
  for (Index i = 0; i < n; ++i) w[cell.solution + i] = w[cell.right_side + i];
  add_tendon_impulses(c, w, cell.solution, [&](Index t) {
    const Real kind = w[cell.law_kind + t];
    return select(is_vertical(kind), zero,
                  w[cell.law_value + t] - w[cell.law_slope + t] * w[cell.length_rate + t]);
  });
  if (!p.has_joint_rows) return;
  for (Index i = 0; i < p.nv; ++i) {
    const auto held = is_vertical(w[cell.law_kind + T + i]);
    const Real value = w[cell.law_value + T + i], rate = c.load(Field::qvel, i);
    const Real push = value - w[cell.law_slope + T + i] * rate;
    w[cell.solution + i] = w[cell.solution + i] + select(held, zero, push);
    w[cell.held + i] = select(held, one, zero);
    w[cell.held_change + i] = value - rate;
  }
  if (p.nv & 1) w[cell.held + p.nv] = zero;
}

/// Solves for the pieces in law_kind, law_value, law_slope; writes end_velocity and law_impulse in
/// the lanes `chosen`.
template <class C>
FLEXOR_OUTLINE void solve_pieces(const C& c, const typename C::Mask& chosen) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Index T = p.tendon_count;
  const Real zero(0), one(1);
  // which kinds of pieces occur in any lane
  auto fixed = one < zero, sloped = fixed, step = fixed;
  for (Index i = 0; i < p.nv && p.has_joint_rows; ++i) {
    fixed = fixed | is_vertical(c.cells[cell.law_kind + T + i]);
    sloped = sloped | is_sloped(c.cells[cell.law_kind + T + i]);
  }
  for (Index t = 0; t < T; ++t) {
    sloped = sloped | is_sloped(c.cells[cell.law_kind + t]);
    step = step | is_vertical(c.cells[cell.law_kind + t]);
  }
  const bool has_fixed = any(fixed & chosen), has_sloped = any(sloped & chosen);
  const bool refactor = has_fixed || has_sloped;
  const Index u = refactor ? cell.active_factor : cell.factor;
  const Index pivot = refactor ? cell.active_inverse_pivot : cell.inverse_pivot;
  const HeldEntries entries{cell.held, cell.held_change, cell.reaction};

  if (has_sloped) {
    c.each(p.matrix_size,
           [&](const auto& w, Index i) { w[cell.active_factor + i] = w[cell.matrix + i]; });
    c.sync();
    add_outer_products(c, cell.active_factor, cell.law_slope);
    c.each(p.nv, [&](const auto& w, Index i) {
      const Index at = cell.active_factor + p.row_address[i] + i;
      w[at] = w[at] + w[cell.law_slope + T + i];
    });
    c.sync();
  }
  c.single([&](const auto& w) { right_side(c, w); });
  c.sync();
  const Index matrix = has_sloped ? cell.active_factor : cell.matrix;
  if (has_fixed) {
    factor_ldlt(c, entries, matrix, u, pivot, cell.factor_row);
  } else if (has_sloped) {
    factor_ldlt(c, FreeEntries{}, matrix, u, pivot, cell.factor_row);
  }
  c.single([&](const auto& w) {
    if (has_fixed) {
      solve_ldlt(c, w, entries, u, pivot, cell.solution, cell.impulse_sum);
    } else {
      solve_ldlt(c, w, FreeEntries{}, u, pivot, cell.solution, cell.impulse_sum);
    }
  });
  c.sync();

  if (any(step & chosen)) solve_steps(c, u, pivot, has_fixed);

  // velocity, and the impulses of all laws
  c.each(p.nv, [&](const auto& w, Index i) {
    Real v = c.load(Field::qvel, i) + w[cell.solution + i];
    if (p.has_joint_rows) {
      const auto held = is_vertical(w[cell.law_kind + T + i]);
      v = select(held, w[cell.law_value + T + i], v);
    }
    w[cell.end_velocity + i] = select(chosen, v, w[cell.end_velocity + i]);
  });
  c.sync();
  c.each(T, [&](const auto& w, Index t) {
    const Real kind = w[cell.law_kind + t];
    Real P = w[cell.law_value + t];
    if (any(is_sloped(kind))) {
      P = P - w[cell.law_slope + t] * tendon_rate(c, w, t, cell.end_velocity);
    }
    if (any(is_vertical(kind))) P = select(is_vertical(kind), w[cell.trial_impulse + t], P);
    w[cell.law_impulse + t] = select(chosen, P, w[cell.law_impulse + t]);
  });
  c.sync();
  if (!p.has_joint_rows) return;
  c.each(p.nv, [&](const auto& w, Index i) {
    const Index law = T + i;
    if (!has_rows(c, law)) return;
    Real P = w[cell.law_value + law] - w[cell.law_slope + law] * w[cell.end_velocity + i];
    if (has_fixed) P = select(w[cell.held + i] > zero, w[cell.reaction + i], P);
    w[cell.law_impulse + law] = select(chosen, P, w[cell.law_impulse + law]);
  });
  c.sync();
}

/// Vertical tendon laws: S p = b - J v_0, S = J M_A^-1 J^T, by LDL^T. A law that no free entry can
/// move, or that repeats others, has no pivot and leaves the set with p = 0.   [P-81]
template <class C>
FLEXOR_OUTLINE void solve_steps(const C& c, Index u, Index pivot, bool has_fixed) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const Index T = p.tendon_count, n = padded(p.nv), size = p.nv + 1, stride = 3 * size;
  const Real zero(0), one(1);
  const auto occurs = [&](Index t) { return any(is_vertical(c.cells[cell.law_kind + t])); };

  c.each(T, [&](const auto& w, Index t) {
    if (!any(is_vertical(w[cell.law_kind + t]))) return;
    const Index x = cell.response + t * stride;
    for (Index i = 0; i < n; ++i) w[x + i] = zero;
    p.visit_entries(t, [&](Index e, Index i) { w[x + i] = w[cell.jacobian + e]; });
    if (has_fixed) {
      solve_ldlt(c, w, HeldEntries{cell.held, -1, x + 2 * size}, u, pivot, x, x + size);
    } else {
      solve_ldlt(c, w, FreeEntries{}, u, pivot, x, x + size);
    }
  });
  c.sync();
  c.single([&](const auto& w) {
    const Index S = cell.schur, right = S + T * T, inverse = right + T, whole = inverse + T;
    const Real eps(static_cast<typename C::Scalar>(64) * kEpsilon<Real>);
    for (Index k = 0; k < T; ++k) {
      if (!occurs(k)) continue;
      const auto on = is_vertical(w[cell.law_kind + k]);
      for (Index l = 0; l <= k; ++l) {
        if (!occurs(l)) continue;
        const auto both = on & is_vertical(w[cell.law_kind + l]);
        const Real s = tendon_rate(c, w, k, cell.response + l * stride);
        w[S + k * T + l] = select(both, s, zero);
      }
      w[whole + k] = w[S + k * T + k];
      const Real rate = w[cell.length_rate + k] + tendon_rate(c, w, k, cell.solution);
      w[right + k] = select(on, w[cell.law_value + k] - rate, zero);
    }
    for (Index k = 0; k < T; ++k) {  // S = L D L^T, dropped pivots have inverse 0
      if (!occurs(k)) continue;
      Real d = w[S + k * T + k], r = w[right + k];
      for (Index l = 0; l < k; ++l) {
        if (!occurs(l)) continue;
        Real s = w[S + k * T + l];
        for (Index m = 0; m < l; ++m) {
          if (!occurs(m)) continue;
          s = s - w[S + k * T + m] * w[inverse + m] * w[S + l * T + m];
        }
        w[S + k * T + l] = s;
        const Real L = s * w[inverse + l];
        d = d - s * L;
        r = r - L * w[right + l];
      }
      // [P-44] on the free entries: what they give must stand above the rounding of the whole row
      const auto moves = w[whole + k] > eps * eps * w[cell.response_diagonal + k];
      const auto good = moves & (d > eps * w[whole + k]);
      w[inverse + k] = select(good, one / select(good, d, one), zero);
      w[right + k] = r;
    }
    for (Index k = T - 1; k >= 0; --k) {
      if (!occurs(k)) continue;
      Real x = w[right + k];
      for (Index l = k + 1; l < T; ++l) {
        if (occurs(l)) x = x - w[S + l * T + k] * w[cell.trial_impulse + l];
      }
      w[cell.trial_impulse + k] =
          select(is_vertical(w[cell.law_kind + k]), x * w[inverse + k], zero);
    }
    for (Index k = 0; k < T; ++k) {
      if (!occurs(k)) continue;
      const auto on = is_vertical(w[cell.law_kind + k]);
      const Real P = w[cell.trial_impulse + k];
      const Index x = cell.response + k * stride;
      for (Index i = 0; i < p.nv; ++i) {
        w[cell.solution + i] = w[cell.solution + i] + select(on, w[x + i] * P, zero);
        if (!has_fixed) continue;
        w[cell.reaction + i] = w[cell.reaction + i] + select(on, w[x + 2 * size + i] * P, zero);
      }
    }
  });
  c.sync();
}

}  // namespace flexor
