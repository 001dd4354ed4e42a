#pragma once
// The arrays of a batch and its table of constants as stages see them: plain pointers.

#include "flexor/state/fields.hpp"

namespace flexor {

/// Worlds from one component of a field to the next: the smallest odd multiple of 32 that holds
/// all, so that components do not fall on one cache set.   [E-1]
constexpr long world_stride(long num_worlds) {
  const long tiles = (num_worlds + 31) / 32;
  return 32 * (tiles | 1);
}

/// Component c of field f in world w: field[f] + (c * world_stride + w) * item size. Null if the
/// field is not kept.
struct BatchView {
  void* field[kFieldCount];
  long world_stride;
  long num_worlds;
};

/// Raw parameters and derived constants. Scalar i is shared (slot[i] < 0, value shared[i]) or per
/// world (per_world[slot[i] * world_stride + world]).
template <class Scalar>
struct ConstantsView {
  const Scalar* shared;
  const int* slot;
  const Scalar* per_world;
};

}  // namespace flexor
