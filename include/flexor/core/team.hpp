#pragma once
// The lanes that share one world. Work is split by each(n, f) or given to one lane by single(f),
// and joined by sync(); between two syncs a phase may not read what another lane writes. Code
// outside runs on every lane. f gets writable cells (and the index). Sums are made by one lane in
// the order of the index, so that no result depends on the number of lanes.   [E-5]

#include "flexor/core/workspace.hpp"

namespace flexor {

/// One lane does everything.
struct SerialTeam {
  template <class CellsType, class F>
  FLEXOR_INLINE void each(const CellsType& cells, Index n, F f) const {
    auto w = writable(cells);
    for (Index i = 0; i < n; ++i) f(w, i);
  }
  template <class CellsType, class F>
  FLEXOR_INLINE void single(const CellsType& cells, F f) const {
    f(writable(cells));
  }
  FLEXOR_INLINE void sync() const {}
};

/// P lanes emulated one after the other, in a chosen order, for tests.
enum class LaneOrder { kForward, kBackward, kShuffled };

template <int P>
struct HostTeam {
  LaneOrder order = LaneOrder::kForward;
  int single_lane = 0;
  FLEXOR_HD int lane(int k) const {
    if (order == LaneOrder::kBackward) return P - 1 - k;
    if (order == LaneOrder::kShuffled) return (k * 5 + 3) % P;  // 5 is coprime to 1, 8, 32
    return k;
  }
  template <class CellsType, class F>
  void each(const CellsType& cells, int n, F f) const {
    for (int k = 0; k < P; ++k) {
      auto w = writable(cells);
      for (int i = lane(k); i < n; i += P) f(w, i);
    }
  }
  template <class CellsType, class F>
  void single(const CellsType& cells, F f) const {
    f(writable(cells));
  }
  void sync() const {}
};

#ifdef __CUDACC__
/// P lanes of a block; thread = lane * 32 + world.
template <int P>
struct DeviceTeam {
  int lane;
  template <class CellsType, class F>
  __host__ __device__ void each(const CellsType& cells, int n, F f) const {
    auto w = writable(cells);
    for (int i = lane; i < n; i += P) f(w, i);
  }
  template <class CellsType, class F>
  __host__ __device__ void single(const CellsType& cells, F f) const {
    if (lane == 0) f(writable(cells));
  }
  __host__ __device__ void sync() const {
#ifdef __CUDA_ARCH__
    if constexpr (P > 1) __syncthreads();
#endif
  }
};
#endif

}  // namespace flexor
