#pragma once
// Rows without bounds and with softness are folded into the dynamics, exactly:
//
// clang-format off
//   M^ = M~ + sum J^T J/g,   M^ (v^ - v_n) = h (tau - c) + sum J^T ((b - u_n)/g + constant impulses)
// clang-format on
//
// with u_n = J v_n, from M^ v^ = M~ v* + sum J^T b/g [P-51], M~ v* = M~ v_n + h (tau - c) [P-8].
// Everything is solved for the change of velocity: in float32 its digits are those that count.

#include "flexor/solve/ldlt.hpp"

namespace flexor {

/// matrix += sum of weight_t J_t^T J_t over K tendons of one pattern, in one pass.
template <int K, class C>
FLEXOR_HD void add_outer_products(const C& c, Index matrix, Index weight, const int* tendons) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const Index entries = p.tendon_entry_first[tendons[0]];
  const Index count = p.tendon_entry_first[tendons[0] + 1] - entries;
  c.each(count, [&](const auto& w, Index i) {
    const auto row = w.from(matrix + p.row_address[p.entry_dof[entries + i]]);
    const auto J = w.from(p.cell.jacobian);
    const int *dofs = p.entry_dof + entries, *first = p.tendon_entry_first;
    const Index J0 = first[tendons[0]], J1 = first[tendons[K > 1]],
                J2 = first[tendons[2 * (K > 2)]];
    const Real a0 = w[weight + tendons[0]] * J[J0 + i];
    const Real a1 = K > 1 ? w[weight + tendons[K > 1]] * J[J1 + i] : a0;
    const Real a2 = K > 2 ? w[weight + tendons[2 * (K > 2)]] * J[J2 + i] : a0;
    const auto l0 = J.from(J0), l1 = J.from(J1), l2 = J.from(J2);
    const auto add = [&](Real& sum, Index j) {
      sum = sum + a0 * l0[j];
      if constexpr (K > 1) sum = sum + a1 * l1[j];
      if constexpr (K > 2) sum = sum + a2 * l2[j];
    };
    if (dofs[i] - dofs[0] == i) {
      const auto columns = row.from(dofs[0]);
      for (Index j = 0; j <= i; ++j) add(columns[j], j);
    } else {
      for (Index j = 0; j <= i; ++j) add(row[dofs[j]], j);
    }
  });
  c.sync();
}

/// matrix += sum over tendons of weight_t J_t^T J_t, for the cells `weight` [tendon].
template <class C>
FLEXOR_HD void add_outer_products(const C& c, Index matrix, Index weight) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  for (Index group = 0; group < p.fold_count; ++group) {
    const Index last = p.fold_first[group + 1];
    auto used = Real(0) > Real(0);
    for (Index n = p.fold_first[group]; n < last; ++n) {
      used = used | (c.cells[weight + p.fold_tendons[n]] != Real(0));
    }
    if (!any(used)) continue;
    Index n = p.fold_first[group];
    for (; n + 2 < last; n += 3) add_outer_products<3>(c, matrix, weight, p.fold_tendons + n);
    if (n + 2 == last) add_outer_products<2>(c, matrix, weight, p.fold_tendons + n);
    if (n + 1 == last) add_outer_products<1>(c, matrix, weight, p.fold_tendons + n);
  }
}

/// x += sum over tendons of coefficient(t) J_t, by one lane, in order.   [E-6]
template <class C, class W, class Coefficient>
FLEXOR_INLINE void add_tendon_impulses(const C& c, const W& w, Index x, Coefficient coefficient) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  for (Index t = 0; t < p.tendon_count; ++t) {
    const Real k = coefficient(t);
    const auto J = w.from(p.cell.jacobian), sum = w.from(x);
    p.visit_entries(t, [&](Index e, Index i) { sum[i] = sum[i] + k * J[e]; });
  }
}

/// J_t x for cells x [nv].
template <class C, class W>
FLEXOR_INLINE typename C::Real tendon_rate(const C& c, const W& w, Index t, Index x) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  Real u(0);
  const auto J = w.from(p.cell.jacobian), v = w.from(x);
  p.visit_entries(t, [&](Index e, Index i) { u = u + J[e] * v[i]; });
  return u;
}

struct FoldAndFactor {
  static constexpr StageInfo info{"fold_and_factor", "M^, its factor, free velocity v^"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const auto& cell = p.cell;
    add_outer_products(c, cell.matrix, cell.fold_weight);
    factor_ldlt(c, FreeEntries{}, cell.matrix, cell.factor, cell.inverse_pivot, cell.factor_row);
    c.single([&](const auto& w) {
      const Real h = c.time_step();
      for (Index i = 0; i < p.nv; ++i) {
        w[cell.right_side + i] = h * (w[cell.torque + i] - w[cell.bias + i]);
      }
      if (p.nv & 1) w[cell.right_side + p.nv] = Real(0);
      add_tendon_impulses(c, w, cell.right_side, [&](Index t) {
        return (w[cell.fold_target + t] - w[cell.fold_weight + t] * w[cell.length_rate + t]) +
               w[cell.constant_impulse + t];
      });
      for (Index i = 0; i < padded(p.nv); ++i) w[cell.solution + i] = w[cell.right_side + i];
      solve_ldlt(c, w, FreeEntries{}, cell.factor, cell.inverse_pivot, cell.solution,
                 cell.impulse_sum);
      auto ok = Real(0) <= Real(0);  // every pivot is positive   [P-3]
      for (Index i = 0; i < p.nv; ++i) {
        ok = ok & (w[cell.inverse_pivot + i] > Real(0)) & is_finite(w[cell.inverse_pivot + i]);
        w[cell.free_velocity + i] = c.load(Field::qvel, i) + w[cell.solution + i];
      }
      w[cell.solver + 3] = select(ok, Real(1), Real(0));
    });
    c.sync();
  }
};

}  // namespace flexor
