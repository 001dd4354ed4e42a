#pragma once
// A = L D L^T of a symmetric positive definite matrix in a block envelope: rows come in pairs that
// share their first stored column (even), an odd size is padded with a unit row. Stored is U = L D,
// and the inverse pivots:
//
//   U_ij = A_ij - sum_{k<j} U_ik L_jk,  L_jk = U_jk / d_k,  d_j = U_jj
//
// Left-looking by pairs of columns with a register tile of 4 x 2 or 2 x 2; no square root stands on
// the chain of pivots. A and U may be the same cells (A is read before it is overwritten). Every
// element is summed in ascending k, so that the bits do not depend on the team.

#include "flexor/state/context.hpp"

namespace flexor {

FLEXOR_INLINE Index padded(Index n) { return n + (n & 1); }

/// Every entry of x is free.
struct FreeEntries {
  template <class W, class Real>
  FLEXOR_INLINE Real inverse(const W& w, Index i, const Real& pivot) const {
    (void)w, (void)i;
    return Real(1) / pivot;
  }
  template <class W, class Real>
  FLEXOR_INLINE Real forward(const W& w, Index i, const Real& t, const Real& inverse) const {
    (void)w, (void)i;
    return t * inverse;
  }
  template <class W, class Real>
  FLEXOR_INLINE void backward(const W& w, Index i, const Real& x) const {
    (void)w, (void)i, (void)x;
  }
};

/// Entries that are held at a known x take no part in the elimination: their pivot has inverse 0,
/// and what is stored beside it is the Schur complement of the free entries before them. It gives
/// what the held entries are held with, A x - b.   [P-80]
struct HeldEntries {
  Index held;      ///< cells [padded n]: 1 where an entry is held, else 0
  Index known;     ///< cells [padded n]: x there; < 0: zero
  Index reaction;  ///< cells [padded n], written: A x - b where held, else rounding
  template <class W, class Real>
  FLEXOR_INLINE Real inverse(const W& w, Index i, const Real& pivot) const {
    return select(w[held + i] > Real(0), Real(0), Real(1) / pivot);
  }
  template <class W, class Real>
  FLEXOR_INLINE Real forward(const W& w, Index i, const Real& t, const Real& inverse) const {
    w[reaction + i] = t;
    return select(w[held + i] > Real(0), known < 0 ? Real(0) : w[known + i], t * inverse);
  }
  /// @param row  U x of the entries from i on
  template <class W, class Real>
  FLEXOR_INLINE void backward(const W& w, Index i, const Real& row) const {
    w[reaction + i] = row - w[reaction + i];
  }
};

/// Cells: A in matrix, u the factor, inverse_pivot [padded n], scratch [2 (n + 2)].
template <class C, class Entries>
FLEXOR_OUTLINE void factor_ldlt(const C& c, const Entries& entries, Index matrix, Index u,
                                Index inverse_pivot, Index scratch) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const Index n = padded(p.nv), s0 = scratch, s1 = scratch + p.nv + 2;
  for (Index J = 0; J < n; J += 2) {
    const Index first = p.row_first[J];
    const Index r0 = p.row_address[J], r1 = p.row_address[J + 1];
    c.single([&](const auto& w) {  // rows J of L, and the pivots
      Real d0 = w[matrix + r0 + J], d10 = w[matrix + r1 + J], d1 = w[matrix + r1 + J + 1];
      const auto row0 = w.from(u + r0), row1 = w.from(u + r1), inverse = w.from(inverse_pivot);
      const auto l0 = w.from(s0), l1 = w.from(s1);
      for (Index k = first; k < J; ++k) {
        const Real u0 = row0[k], u1 = row1[k], inverse_k = inverse[k];
        const Real scaled0 = u0 * inverse_k, scaled1 = u1 * inverse_k;
        l0[k] = scaled0;
        l1[k] = scaled1;
        d0 -= u0 * scaled0;
        d10 -= u1 * scaled0;
        d1 -= u1 * scaled1;
      }
      const Real inverse0 = entries.inverse(w, J, d0);
      const Real l = d10 * inverse0;
      d1 -= d10 * l;
      row0[J] = d0;
      row1[J] = d10;
      row1[J + 1] = d1;
      l1[J] = l;
      inverse[J] = inverse0;
      inverse[J + 1] = entries.inverse(w, J + 1, d1);
    });
    c.sync();
    const auto left0 = c.cells.from(s0), left1 = c.cells.from(s1);
    // columns J, J + 1 of 2 Pairs rows from I on, whose sums begin at column k
    const auto eliminate = [&]<int Pairs>(const auto& w, Index I, Index k) {
      constexpr int rows = 2 * Pairs;
      Real t[rows][2];
      decltype(w.from(0)) row[rows];
      for (Index r = 0; r < rows; ++r) {
        const auto A = w.from(matrix + p.row_address[I + r]);
        row[r] = w.from(u + p.row_address[I + r]);
        t[r][0] = A[J];
        t[r][1] = A[J + 1];
      }
      for (; k < J; ++k) {
        const Real l0 = left0[k], l1 = left1[k];
        for (Index r = 0; r < rows; ++r) {
          const Real x = row[r][k];
          t[r][0] -= x * l0;
          t[r][1] -= x * l1;
        }
      }
      const Real l = left1[J];
      for (Index r = 0; r < rows; ++r) {
        row[r][J] = t[r][0];
        row[r][J + 1] = t[r][1] - t[r][0] * l;
      }
    };
    const Index pairs = (n - J - 2) / 2;
    c.each((pairs + 1) / 2, [&](const auto& w, Index i) {
      const Index I = J + 2 + 4 * i;
      const auto begin = [&](Index row) {
        return p.row_first[row] > first ? p.row_first[row] : first;
      };
      const bool has_two = 2 * i + 1 < pairs;
      if (has_two && p.row_first[I] <= J && p.row_first[I + 2] <= J && begin(I) == begin(I + 2)) {
        eliminate.template operator()<2>(w, I, begin(I));
        return;
      }
      if (p.row_first[I] <= J) eliminate.template operator()<1>(w, I, begin(I));
      if (has_two && p.row_first[I + 2] <= J)
        eliminate.template operator()<1>(w, I + 2, begin(I + 2));
    });
    c.sync();
  }
}

/// x <- A^-1 x for cells x [padded n], by one lane; sum: scratch [padded n].
template <class C, class W, class Entries>
FLEXOR_OUTLINE void solve_ldlt(const C& c, const W& w, const Entries& entries, Index u,
                               Index inverse_pivot, Index x, Index sum) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const Index n = padded(p.nv);
  const auto at = w.from(x), inverse = w.from(inverse_pivot), total = w.from(sum);
  for (Index I = 0; I < n; I += 2) {  // z = D^-1 L^-1 x
    const auto row0 = w.from(u + p.row_address[I]), row1 = w.from(u + p.row_address[I + 1]);
    Real t0 = at[I], t1 = at[I + 1];
    for (Index k = p.row_first[I]; k < I; ++k) {
      const Real z = at[k];
      t0 -= row0[k] * z;
      t1 -= row1[k] * z;
    }
    const Real z0 = entries.forward(w, I, t0, inverse[I]);
    t1 -= row1[I] * z0;
    at[I] = z0;
    at[I + 1] = entries.forward(w, I + 1, t1, inverse[I + 1]);
    total[I] = Real(0);
    total[I + 1] = Real(0);
  }
  for (Index I = n - 2; I >= 0; I -= 2) {  // x_k = z_k - (sum_{i>k} U_ik x_i) / d_k
    const auto row0 = w.from(u + p.row_address[I]), row1 = w.from(u + p.row_address[I + 1]);
    const Real total1 = total[I + 1];
    const Real x1 = at[I + 1] - inverse[I + 1] * total1;
    const Real total0 = total[I] + row1[I] * x1;
    const Real x0 = at[I] - inverse[I] * total0;
    at[I] = x0;
    at[I + 1] = x1;
    entries.backward(w, I, row0[I] * x0 + total0);
    entries.backward(w, I + 1, row1[I + 1] * x1 + total1);
    for (Index k = p.row_first[I]; k < I; ++k) total[k] = total[k] + row0[k] * x0 + row1[k] * x1;
  }
}

}  // namespace flexor
