#pragma once
// Which lane of which world a thread is.

#include "flexor/core/config.hpp"

namespace flexor {

inline constexpr int kTileWorlds = 32;

/// World and lane of a thread: thread = lane * 32 + world, so that neighbours are worlds.
struct ThreadPlace {
  long tile;
  int lane, world;
};
FLEXOR_INLINE ThreadPlace thread_place(int block, int thread) {
  return {block, thread / kTileWorlds, thread % kTileWorlds};
}

/// First cell of a world in a workspace [tile][cell][32] of `cells` cells a world.
FLEXOR_INLINE long first_cell(const ThreadPlace& place, int cells) {
  return place.tile * static_cast<long>(cells) * kTileWorlds + place.world;
}

}  // namespace flexor
