// Where the threads of a stage kernel stand: every lane of every world once, neighbours in a warp
// on neighbouring worlds, no two worlds on one cell.

#include "kernels/thread_place.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

namespace flexor {
namespace {

TEST(ThreadPlace, EveryLaneOfEveryWorldHasOneThread) {
  constexpr int kBlocks = 3;
  for (const int lanes : {1, 8, 32}) {
    std::set<std::tuple<long, int, int>> places;
    for (int block = 0; block < kBlocks; ++block) {
      for (int thread = 0; thread < lanes * kTileWorlds; ++thread) {
        const ThreadPlace at = thread_place(block, thread);
        EXPECT_TRUE(at.tile == block && at.lane >= 0 && at.lane < lanes);
        EXPECT_TRUE(at.world >= 0 && at.world < kTileWorlds);
        places.insert({at.tile, at.lane, at.world});
      }
    }
    EXPECT_EQ(places.size(), std::size_t(kBlocks) * lanes * kTileWorlds);
  }
}

TEST(ThreadPlace, AWarpIsOneLaneOfNeighbouringWorlds) {
  for (int thread = 0; thread < 8 * kTileWorlds; ++thread) {
    if (thread % kTileWorlds == 0) continue;
    const ThreadPlace before = thread_place(2, thread - 1), at = thread_place(2, thread);
    EXPECT_EQ(at.lane, before.lane);
    EXPECT_EQ(at.world, before.world + 1);
    EXPECT_EQ(first_cell(at, 100), first_cell(before, 100) + 1);
  }
}

TEST(ThreadPlace, WorldsShareNoCell) {
  constexpr int kCells = 7, kTiles = 3;
  std::set<long> used;
  for (int block = 0; block < kTiles; ++block) {
    for (int thread = 0; thread < kTileWorlds; ++thread) {
      for (int i = 0; i < kCells; ++i) {
        used.insert(first_cell(thread_place(block, thread), kCells) + long{i} * kTileWorlds);
      }
    }
  }
  EXPECT_EQ(used.size(), std::size_t(kTiles) * kCells * kTileWorlds);
  EXPECT_EQ(*used.rbegin(), long(used.size()) - 1);  // no gaps
  // lanes of one world share its cells
  EXPECT_EQ(first_cell(thread_place(1, 5), kCells), first_cell(thread_place(1, 5 + 96), kCells));
}

}  // namespace
}  // namespace flexor
