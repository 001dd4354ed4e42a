#pragma once
// A = L D L^T of a symmetric positive definite matrix in a block envelope: rows come in pairs that
// share their first stored column (even), an odd size is padded with a unit row. Stored is U = L D,
// and the inverse pivots:
//
//   U_ij = A_ij - sum_{k<j} U_ik L_jk,  L_jk = U_jk / d_k,  d_j = U_jj
//
// Left-looking by pairs of columns with a 2 x 2 register tile; no square root stands on the chain
// of pivots. A and U may be the same cells (A is read before it is overwritten). Every element is
// summed in ascending k, so that the bits do not depend on the team.

#include "flexor/state/context.hpp"

namespace flexor {

FLEXOR_INLINE int padded(int n) { return n + (n & 1); }

/// A as it stands in the cells of a matrix.
struct AllEntries {
  int matrix;
  template <class W>
  FLEXOR_INLINE typename W::Real operator()(const W& w, int i, int j, int row) const {
    (void)i;
    return w[matrix + row + j];
  }
};

/// A with the rows and columns of entries that are held masked to the identity; cells held [padded
/// n]: 1 where an entry is held, else 0.
struct FreeEntries {
  int matrix, held;
  template <class W>
  FLEXOR_INLINE typename W::Real operator()(const W& w, int i, int j, int row) const {
    using Real = typename W::Real;
    const Real zero(0);
    const auto masked = (w[held + i] + w[held + j]) > zero;
    return select(masked, i == j ? Real(1) : zero, w[matrix + row + j]);
  }
};

/// Cells: u the factor, inverse_pivot [padded n], scratch [2 (n + 2)]; entry(w, i, j, row address)
/// reads A.
template <class C, class Entry>
FLEXOR_OUTLINE void factor_ldlt(const C& c, const Entry& entry, int u, int inverse_pivot,
                                int scratch) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const int n = padded(p.nv), s0 = scratch, s1 = scratch + p.nv + 2;
  for (int J = 0; J < n; J += 2) {
    const int first = p.row_first[J];
    const int r0 = p.row_address[J], r1 = p.row_address[J + 1];
    c.single([&](const auto& w) {  // rows J of L, and the pivots
      Real d0 = entry(w, J, J, r0), d10 = entry(w, J + 1, J, r1), d1 = entry(w, J + 1, J + 1, r1);
      const auto row0 = w.from(u + r0), row1 = w.from(u + r1), inverse = w.from(inverse_pivot);
      const auto l0 = w.from(s0), l1 = w.from(s1);
      for (int k = first; k < J; ++k) {
        const Real u0 = row0[k], u1 = row1[k], inverse_k = inverse[k];
        const Real scaled0 = u0 * inverse_k, scaled1 = u1 * inverse_k;
        l0[k] = scaled0;
        l1[k] = scaled1;
        d0 -= u0 * scaled0;
        d10 -= u1 * scaled0;
        d1 -= u1 * scaled1;
      }
      const Real inverse0 = Real(1) / d0;
      const Real l = d10 * inverse0;
      row1[J] = d10;
      l1[J] = l;
      inverse[J] = inverse0;
      inverse[J + 1] = Real(1) / (d1 - d10 * l);
    });
    c.sync();
    c.each((n - J - 2) / 2, [&](const auto& w, int i) {
      const int I = J + 2 + 2 * i;
      int k = p.row_first[I];
      if (k > J) return;
      k = k > first ? k : first;
      const int q0 = p.row_address[I], q1 = p.row_address[I + 1];
      Real t00 = entry(w, I, J, q0), t01 = entry(w, I, J + 1, q0);
      Real t10 = entry(w, I + 1, J, q1), t11 = entry(w, I + 1, J + 1, q1);
      const auto row0 = w.from(u + q0), row1 = w.from(u + q1), left0 = w.from(s0),
                 left1 = w.from(s1);
      for (; k < J; ++k) {
        const Real u0 = row0[k], u1 = row1[k], l0 = left0[k], l1 = left1[k];
        t00 -= u0 * l0;
        t01 -= u0 * l1;
        t10 -= u1 * l0;
        t11 -= u1 * l1;
      }
      const Real l = left1[J];
      row0[J] = t00;
      row0[J + 1] = t01 - t00 * l;
      row1[J] = t10;
      row1[J + 1] = t11 - t10 * l;
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
  const auto at = w.from(x), inverse = w.from(inverse_pivot), total = w.from(sum);
  for (int I = 0; I < n; I += 2) {  // z = D^-1 L^-1 x
    const auto row0 = w.from(u + p.row_address[I]), row1 = w.from(u + p.row_address[I + 1]);
    Real t0 = at[I], t1 = at[I + 1];
    for (int k = p.row_first[I]; k < I; ++k) {
      const Real z = at[k];
      t0 -= row0[k] * z;
      t1 -= row1[k] * z;
    }
    t0 = t0 * inverse[I];
    t1 -= row1[I] * t0;
    at[I] = t0;
    at[I + 1] = t1 * inverse[I + 1];
    total[I] = Real(0);
    total[I + 1] = Real(0);
  }
  for (int I = n - 2; I >= 0; I -= 2) {  // x_k = z_k - (sum_{i>k} U_ik x_i) / d_k
    const auto row0 = w.from(u + p.row_address[I]), row1 = w.from(u + p.row_address[I + 1]);
    const Real x1 = at[I + 1] - inverse[I + 1] * total[I + 1];
    const Real x0 = at[I] - inverse[I] * (total[I] + row1[I] * x1);
    at[I] = x0;
    at[I + 1] = x1;
    for (int k = p.row_first[I]; k < I; ++k) total[k] = total[k] + row0[k] * x0 + row1[k] * x1;
  }
}

/// y <- y - A x for cells x, y [padded n]; an odd size has x = 0 in its last entry.
template <class C, class W>
FLEXOR_INLINE void subtract_product(const C& c, const W& w, int matrix, int x, int y) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const auto from = w.from(x), to = w.from(y);
  for (int I = 0; I < padded(p.nv); I += 2) {
    const auto row0 = w.from(matrix + p.row_address[I]);
    const auto row1 = w.from(matrix + p.row_address[I + 1]);
    const Real x0 = from[I], x1 = from[I + 1];
    Real t0 = to[I], t1 = to[I + 1];
    for (int k = p.row_first[I]; k < I; ++k) {
      const Real a0 = row0[k], a1 = row1[k], z = from[k];
      t0 -= a0 * z;
      t1 -= a1 * z;
      to[k] = to[k] - (a0 * x0 + a1 * x1);
    }
    to[I] = t0 - (row0[I] * x0 + row1[I] * x1);
    to[I + 1] = t1 - (row1[I] * x0 + row1[I + 1] * x1);
  }
}

}  // namespace flexor
