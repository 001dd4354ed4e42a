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
  return kind > Real(static_cast<Scalar<Real>>(1.5));
}
template <class Real>
FLEXOR_INLINE Mask<Real> is_sloped(const Real& kind) {
  return (kind > Real(static_cast<Scalar<Real>>(0.5))) &
         (kind < Real(static_cast<Scalar<Real>>(1.5)));
}

template <class C>
FLEXOR_INLINE bool has_rows(const C& c, int law) {
  return c.plan.law_row_first[law] < c.plan.law_row_first[law + 1];
}

/// Rate of a law at the velocity in cells v.
template <class C, class W>
FLEXOR_INLINE typename C::Real law_rate(const C& c, const W& w, int law, int v) {
  const int t = c.plan.tendon_count;
  return law < t ? tendon_rate(c, w, law, v) : w[v + law - t];
}

/// Sum over all stored j of A_ij x_j.
template <class C, class W>
FLEXOR_HD typename C::Real matrix_row_times(const C& c, const W& w, int matrix, int i, int x) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  Real sum(0);
  for (int j = p.row_first[i]; j <= i; ++j) {
    sum = sum + w[matrix + p.row_address[i] + j] * w[x + j];
  }
  for (int j = i + 1; j < p.nv; ++j) {
    if (p.row_first[j] <= i) sum = sum + w[matrix + p.row_address[j] + i] * w[x + j];
  }
  return sum;
}

/// x -= column j of A times a.
template <class C, class W>
FLEXOR_INLINE void subtract_column(const C& c, const W& w, int matrix, int j,
                                   const typename C::Real& a, int x) {
  const PlanView& p = c.plan;
  const int row = matrix + p.row_address[j];
  for (int i = p.row_first[j]; i <= j; ++i) w[x + i] = w[x + i] - w[row + i] * a;
  for (int i = j + 1; i < p.nv; ++i) {
    if (p.row_first[i] <= j) w[x + i] = w[x + i] - w[matrix + p.row_address[i] + j] * a;
  }
}

/// Solves for the pieces in law_kind, law_value, law_slope; writes end_velocity and law_impulse in
/// the lanes `todo`.
template <class C>
FLEXOR_OUTLINE void solve_pieces(const C& c, const typename C::Mask& todo) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const int T = p.tendon_count, n = padded(p.nv);
  const Real zero(0), one(1);

  // which kinds of pieces occur in any lane
  auto fixed = one < zero, sloped = fixed, step = fixed;
  for (int i = 0; i < p.nv && p.has_joint_rows; ++i) {
    fixed = fixed | is_vertical(c.cells[cell.law_kind + T + i]);
    sloped = sloped | is_sloped(c.cells[cell.law_kind + T + i]);
  }
  for (int t = 0; t < T; ++t) {
    sloped = sloped | is_sloped(c.cells[cell.law_kind + t]);
    step = step | is_vertical(c.cells[cell.law_kind + t]);
  }
  const bool refactor = any((fixed | sloped) & todo);
  const int u = refactor ? cell.active_factor : cell.factor;
  const int pivot = refactor ? cell.active_inverse_pivot : cell.inverse_pivot;

  const bool slopes = any(sloped & todo);
  // the matrix whose columns act on the right side: before entries are masked
  const int whole = slopes ? cell.active_factor : cell.matrix;
  if (refactor && slopes) {
    c.each(p.matrix_size,
           [&](const auto& w, int i) { w[cell.active_factor + i] = w[cell.matrix + i]; });
    c.sync();
    {
      add_outer_products(c, cell.active_factor, cell.law_slope);
      c.each(p.nv, [&](const auto& w, int i) {
        const int at = cell.active_factor + p.row_address[i] + i;
        w[at] = w[at] + w[cell.law_slope + T + i];
      });
      c.sync();
    }
  }

  // right side, and the change of velocity of fixed entries
  c.single([&](const auto& w) {
    for (int i = 0; i < n; ++i) w[cell.solution + i] = w[cell.right_side + i];
    add_tendon_impulses(c, w, cell.solution, [&](int t) {
      const Real kind = w[cell.law_kind + t];
      return select(is_vertical(kind), zero,
                    w[cell.law_value + t] - w[cell.law_slope + t] * w[cell.length_rate + t]);
    });
    if (!p.has_joint_rows) return;
    for (int i = 0; i < p.nv; ++i) {
      const int law = T + i;
      if (!has_rows(c, law)) continue;
      const auto held = is_vertical(w[cell.law_kind + law]);
      const Real push = w[cell.law_value + law] - w[cell.law_slope + law] * c.rate(i);
      w[cell.solution + i] = w[cell.solution + i] + select(held, zero, push);
    }
  });
  c.sync();
  if (any(fixed & todo)) {
    c.single([&](const auto& w) {
      for (int j = 0; j < p.nv; ++j) {
        const auto held = is_vertical(w[cell.law_kind + T + j]);
        const Real change = select(held, w[cell.law_value + T + j] - c.rate(j), zero);
        w[cell.impulse_sum + j] = change;
        if (any(held)) subtract_column(c, w, whole, j, change, cell.solution);
      }
      for (int i = 0; i < p.nv; ++i) {
        const auto held = is_vertical(w[cell.law_kind + T + i]);
        w[cell.solution + i] = select(held, w[cell.impulse_sum + i], w[cell.solution + i]);
      }
    });
    c.sync();
    c.each(n, [&](const auto& w, int i) {
      const int row = cell.active_factor + p.row_address[i], from = whole + p.row_address[i];
      if (i == p.nv) {  // the unit row of an odd size
        for (int j = p.row_first[i]; j <= i; ++j) w[row + j] = w[from + j];
        return;
      }
      const auto held_i = is_vertical(w[cell.law_kind + T + i]);
      for (int j = p.row_first[i]; j < i; ++j) {
        const auto held = held_i | is_vertical(w[cell.law_kind + T + j]);
        w[row + j] = select(held, zero, w[from + j]);
      }
      w[row + i] = select(held_i, one, w[from + i]);
    });
    c.sync();
  }
  if (refactor) factor_ldlt(c, u, u, pivot, cell.factor_row);
  c.single([&](const auto& w) { solve_ldlt(c, w, u, pivot, cell.solution, cell.impulse_sum); });
  c.sync();

  if (any(step & todo)) solve_steps(c, u, pivot, any(fixed & todo));

  // velocity, and the impulses of all laws
  c.each(p.nv, [&](const auto& w, int i) {
    Real v = c.rate(i) + w[cell.solution + i];
    if (p.has_joint_rows) {
      const auto held = is_vertical(w[cell.law_kind + T + i]);
      v = select(held, w[cell.law_value + T + i], v);
    }
    w[cell.end_velocity + i] = select(todo, v, w[cell.end_velocity + i]);
  });
  c.sync();
  c.each(T, [&](const auto& w, int t) {
    const Real kind = w[cell.law_kind + t];
    Real P = w[cell.law_value + t];
    if (any(is_sloped(kind))) {
      P = P - w[cell.law_slope + t] * tendon_rate(c, w, t, cell.end_velocity);
    }
    if (any(is_vertical(kind))) P = select(is_vertical(kind), w[cell.trial_impulse + t], P);
    w[cell.law_impulse + t] = select(todo, P, w[cell.law_impulse + t]);
  });
  c.sync();
  if (p.has_joint_rows) joint_impulses(c, todo, any(fixed & todo));
}

/// Vertical tendon laws: S p = b - J v_0, S = J M_A^-1 J^T, by LDL^T. A law that no free entry can
/// move, or that repeats others, has no pivot and leaves the set with p = 0.   [P-81]
template <class C>
FLEXOR_OUTLINE void solve_steps(const C& c, int u, int pivot, bool has_fixed) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const int T = p.tendon_count, n = padded(p.nv), stride = 2 * (p.nv + 1);
  const Real zero(0), one(1);
  const auto occurs = [&](int t) { return any(is_vertical(c.cells[cell.law_kind + t])); };

  c.each(T, [&](const auto& w, int t) {
    if (!any(is_vertical(w[cell.law_kind + t]))) return;
    const int x = cell.response + t * stride;
    for (int i = 0; i < n; ++i) w[x + i] = zero;
    for (int e = p.tendon_entry_first[t]; e < p.tendon_entry_first[t + 1]; ++e) {
      const int i = p.entry_dof[e];
      Real J = w[cell.jacobian + e];
      if (has_fixed) J = select(is_vertical(w[cell.law_kind + T + i]), zero, J);
      w[x + i] = J;
    }
    solve_ldlt(c, w, u, pivot, x, x + p.nv + 1);
  });
  c.sync();
  c.single([&](const auto& w) {
    const int S = cell.schur, right = S + T * T, inverse = right + T, size = inverse + T;
    const Real eps(static_cast<typename C::Scalar>(64) * kEpsilon<Real>);
    for (int k = 0; k < T; ++k) {
      if (!occurs(k)) continue;
      const auto on = is_vertical(w[cell.law_kind + k]);
      for (int l = 0; l <= k; ++l) {
        if (!occurs(l)) continue;
        const auto both = on & is_vertical(w[cell.law_kind + l]);
        const Real s = tendon_rate(c, w, k, cell.response + l * stride);
        w[S + k * T + l] = select(both, s, zero);
      }
      w[size + k] = w[S + k * T + k];
      const Real rate = w[cell.length_rate + k] + tendon_rate(c, w, k, cell.solution);
      w[right + k] = select(on, w[cell.law_value + k] - rate, zero);
    }
    for (int k = 0; k < T; ++k) {  // S = L D L^T, dropped pivots have inverse 0
      if (!occurs(k)) continue;
      Real d = w[S + k * T + k], r = w[right + k];
      for (int l = 0; l < k; ++l) {
        if (!occurs(l)) continue;
        Real s = w[S + k * T + l];
        for (int m = 0; m < l; ++m) {
          if (!occurs(m)) continue;
          s = s - w[S + k * T + m] * w[inverse + m] * w[S + l * T + m];
        }
        w[S + k * T + l] = s;
        const Real L = s * w[inverse + l];
        d = d - s * L;
        r = r - L * w[right + l];
      }
      // [P-44] on the free entries: what they give must stand above the rounding of the whole row
      const auto moves = w[size + k] > eps * eps * w[cell.response_diagonal + k];
      const auto good = moves & (d > eps * w[size + k]);
      w[inverse + k] = select(good, one / select(good, d, one), zero);
      w[right + k] = r;
    }
    for (int k = T - 1; k >= 0; --k) {
      if (!occurs(k)) continue;
      Real x = w[right + k];
      for (int l = k + 1; l < T; ++l) {
        if (occurs(l)) x = x - w[S + l * T + k] * w[cell.trial_impulse + l];
      }
      w[cell.trial_impulse + k] =
          select(is_vertical(w[cell.law_kind + k]), x * w[inverse + k], zero);
    }
    for (int k = 0; k < T; ++k) {
      if (!occurs(k)) continue;
      const auto on = is_vertical(w[cell.law_kind + k]);
      const Real P = w[cell.trial_impulse + k];
      for (int i = 0; i < p.nv; ++i) {
        const Real y = w[cell.response + k * stride + i] * P;
        w[cell.solution + i] = w[cell.solution + i] + select(on, y, zero);
      }
    }
  });
  c.sync();
}

/// Impulses of joint laws: by their pieces; of fixed entries what is left of their row.
template <class C>
FLEXOR_HD void joint_impulses(const C& c, const typename C::Mask& todo, bool has_fixed) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto& cell = p.cell;
  const int T = p.tendon_count;
  if (has_fixed) {
    c.single([&](const auto& w) {
      for (int i = 0; i < p.nv; ++i) {
        w[cell.impulse_sum + i] = w[cell.end_velocity + i] - c.rate(i);
        w[cell.solution + i] = w[cell.right_side + i];
      }
      add_tendon_impulses(c, w, cell.solution, [&](int t) { return w[cell.law_impulse + t]; });
    });
    c.sync();
  }
  c.each(p.nv, [&](const auto& w, int i) {
    const int law = T + i;
    if (!has_rows(c, law)) return;
    const auto held = is_vertical(w[cell.law_kind + law]);
    Real P = w[cell.law_value + law] - w[cell.law_slope + law] * w[cell.end_velocity + i];
    if (has_fixed && any(held)) {
      const Real left =
          matrix_row_times(c, w, cell.matrix, i, cell.impulse_sum) - w[cell.solution + i];
      P = select(held, left, P);
    }
    w[cell.law_impulse + law] = select(todo, P, w[cell.law_impulse + law]);
  });
  c.sync();
}

}  // namespace flexor
