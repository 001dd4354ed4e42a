#pragma once
// Cells of the workspace of one tile: cell i of a world at base[i * stride] (stride 1 on the CPU,
// where a cell is a pack; 32 on a device, where neighbours are worlds).

#include "flexor/core/config.hpp"

namespace flexor {

template <class Real_>
struct Cells {
  using Real = Real_;
  Real* base;
  Index stride = 1;
  FLEXOR_INLINE const Real& operator[](Index i) const {
    return base[static_cast<long>(i) * stride];
  }
  /// The cells from i on.
  FLEXOR_INLINE Cells from(Index i) const { return {base + static_cast<long>(i) * stride, stride}; }
};

/// Writable cells: only what `each` and `single` hand to one lane.
template <class Real_>
struct WritableCells {
  using Real = Real_;
  Real* base;
  Index stride = 1;
  FLEXOR_INLINE Real& operator[](Index i) const { return base[static_cast<long>(i) * stride]; }
  FLEXOR_INLINE WritableCells from(Index i) const {
    return {base + static_cast<long>(i) * stride, stride};
  }
};

// A tile on the CPU has stride 1; saying so at compile time keeps multiplications out of loops.
template <class Real_>
struct DenseCells {
  using Real = Real_;
  Real* __restrict base;
  FLEXOR_INLINE const Real& operator[](Index i) const { return base[i]; }
  FLEXOR_INLINE DenseCells from(Index i) const { return {base + i}; }
};
template <class Real_>
struct WritableDenseCells {
  using Real = Real_;
  Real* __restrict base;
  FLEXOR_INLINE Real& operator[](Index i) const { return base[i]; }
  FLEXOR_INLINE WritableDenseCells from(Index i) const { return {base + i}; }
};

template <class Real>
FLEXOR_INLINE WritableCells<Real> writable(const Cells<Real>& c) {
  return {c.base, c.stride};
}
template <class Real>
FLEXOR_INLINE WritableDenseCells<Real> writable(const DenseCells<Real>& c) {
  return {c.base};
}

}  // namespace flexor
