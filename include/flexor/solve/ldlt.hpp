#pragma once
// A = L D L^T of a symmetric positive definite matrix in a block envelope: rows come in pairs that
// share their first stored column (even), an odd size is padded with a unit row. Stored is U = L D,
// and the inverse pivots:
//
//   U_ij = A_ij - sum_{k<j} U_ik L_jk,  L_jk = U_jk / d_k,  d_j = U_jj
//
// Left-looking by pairs of columns with a 2 x 2 register tile; no square root stands on the chain
// of pivots. A and U may be the same cells. Every element is summed in ascending k, so that the
// bits do not depend on the team.

#include "flexor/state/context.hpp"

namespace flexor {

FLEXOR_INLINE int padded(int n) { return n + (n & 1); }

/// Cells: a the matrix, u the factor, inverse_pivot [padded n], scratch [2 (n + 2)].
template <class C>
FLEXOR_OUTLINE void factor_ldlt(const C& c, int a, int u, int inverse_pivot, int scratch) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const int n = padded(p.nv), s0 = scratch, s1 = scratch + p.nv + 2;
  for (int J = 0; J < n; J += 2) {
    const int first = p.row_first[J];
    const int r0 = p.row_address[J], r1 = p.row_address[J + 1];
    c.each(J - first, [&](const auto& w, int i) {
      const int k = first + i;
      w[s0 + k] = w[u + r0 + k] * w[inverse_pivot + k];
      w[s1 + k] = w[u + r1 + k] * w[inverse_pivot + k];
    });
    c.sync();
    c.single([&](const auto& w) {
      Real d0 = w[a + r0 + J], d10 = w[a + r1 + J], d1 = w[a + r1 + J + 1];
      for (int k = first; k < J; ++k) {
        d0 -= w[u + r0 + k] * w[s0 + k];
        d10 -= w[u + r1 + k] * w[s0 + k];
        d1 -= w[u + r1 + k] * w[s1 + k];
      }
      const Real inverse0 = Real(1) / d0;
      const Real l = d10 * inverse0;
      w[u + r1 + J] = d10;
      w[s1 + J] = l;
      w[inverse_pivot + J] = inverse0;
      w[inverse_pivot + J + 1] = Real(1) / (d1 - d10 * l);
    });
    c.sync();
    c.each((n - J - 2) / 2, [&](const auto& w, int i) {
      const int I = J + 2 + 2 * i;
      int k = p.row_first[I];
      if (k > J) return;
      k = k > first ? k : first;
      const int q0 = p.row_address[I], q1 = p.row_address[I + 1];
      Real t00 = w[a + q0 + J], t01 = w[a + q0 + J + 1];
      Real t10 = w[a + q1 + J], t11 = w[a + q1 + J + 1];
      for (; k < J; ++k) {
        const Real u0 = w[u + q0 + k], u1 = w[u + q1 + k], l0 = w[s0 + k], l1 = w[s1 + k];
        t00 -= u0 * l0;
        t01 -= u0 * l1;
        t10 -= u1 * l0;
        t11 -= u1 * l1;
      }
      const Real l = w[s1 + J];
      w[u + q0 + J] = t00;
      w[u + q0 + J + 1] = t01 - t00 * l;
      w[u + q1 + J] = t10;
      w[u + q1 + J + 1] = t11 - t10 * l;
    });
    c.sync();
  }
}

/// x <- A^-1 x for cells x [padded n], by one lane; sum: scratch [padded n].
template <class C, class W>
FLEXOR_OUTLINE void solve_ldlt(const C& c, const W& w, int u, int inverse_pivot, int x, int sum) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const int n = padded(p.nv);
  for (int I = 0; I < n; I += 2) {  // z = D^-1 L^-1 x
    const int r0 = u + p.row_address[I], r1 = u + p.row_address[I + 1];
    Real t0 = w[x + I], t1 = w[x + I + 1];
    for (int k = p.row_first[I]; k < I; ++k) {
      const Real z = w[x + k];
      t0 -= w[r0 + k] * z;
      t1 -= w[r1 + k] * z;
    }
    t0 = t0 * w[inverse_pivot + I];
    t1 -= w[r1 + I] * t0;
    w[x + I] = t0;
    w[x + I + 1] = t1 * w[inverse_pivot + I + 1];
    w[sum + I] = Real(0);
    w[sum + I + 1] = Real(0);
  }
  for (int I = n - 2; I >= 0; I -= 2) {  // x_k = z_k - (sum_{i>k} U_ik x_i) / d_k
    const int r0 = u + p.row_address[I], r1 = u + p.row_address[I + 1];
    const Real x1 = w[x + I + 1] - w[inverse_pivot + I + 1] * w[sum + I + 1];
    const Real x0 = w[x + I] - w[inverse_pivot + I] * (w[sum + I] + w[r1 + I] * x1);
    w[x + I] = x0;
    w[x + I + 1] = x1;
    for (int k = p.row_first[I]; k < I; ++k) {
      w[sum + k] = w[sum + k] + w[r0 + k] * x0 + w[r1 + k] * x1;
    }
  }
}

}  // namespace flexor
