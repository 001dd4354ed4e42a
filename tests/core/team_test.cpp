// Teams hand every index of a phase to exactly one lane, whatever their size and order, and cells
// lie where their stride says.

#include "flexor/core/team.hpp"

#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace flexor::tests {
namespace {

constexpr int kDeviceStride = 32;
constexpr double kUntouched = -1;

/// Checks a team that runs single() on one lane and each() on all.
template <class Team>
void expect_complete(const Team& team, int n) {
  std::vector<double> memory(static_cast<std::size_t>((n + 1) * kDeviceStride), kUntouched);
  const int world = 5;
  const Cells<double> cells{memory.data() + world, kDeviceStride};
  std::vector<int> visits(static_cast<std::size_t>(n), 0);
  team.each(cells, n, [&](const auto& w, int i) {
    ASSERT_GE(i, 0);
    ASSERT_LT(i, n);
    ++visits[static_cast<std::size_t>(i)];
    w[i] = 10 + i;
  });
  team.sync();
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(visits[static_cast<std::size_t>(i)], 1) << i << " of " << n;
    EXPECT_EQ(cells[i], 10 + i);
  }
  int singles = 0;
  team.single(cells, [&](const auto& w) {
    ++singles;
    w[n] = 77;
  });
  EXPECT_EQ(singles, 1);
  EXPECT_EQ(cells[n], 77);
  // the cells of the other worlds of the tile stay untouched
  for (std::size_t k = 0; k < memory.size(); ++k) {
    if (static_cast<int>(k) % kDeviceStride != world) {
      ASSERT_EQ(memory[k], kUntouched) << k;
    }
  }
}

template <class Team>
class TeamOfLanes : public ::testing::Test {};
using HostTeams = ::testing::Types<HostTeam<1>, HostTeam<8>, HostTeam<32>>;
TYPED_TEST_SUITE(TeamOfLanes, HostTeams);

TYPED_TEST(TeamOfLanes, visits_every_index_once_in_every_order) {
  for (const LaneOrder order : {LaneOrder::kForward, LaneOrder::kBackward, LaneOrder::kShuffled}) {
    for (const int n : {0, 1, 2, 7, 8, 9, 31, 32, 33, 100}) {
      TypeParam team;
      team.order = order;
      expect_complete(team, n);
    }
  }
}

TEST(Team, serial_visits_every_index_once) {
  for (const int n : {0, 1, 7, 33}) expect_complete(SerialTeam{}, n);
}

TEST(Team, serial_goes_in_ascending_order_over_dense_cells) {
  std::vector<double> memory(9, kUntouched);
  const DenseCells<double> cells{memory.data()};
  int next = 0;
  SerialTeam{}.each(cells, 8, [&](const auto& w, int i) {
    EXPECT_EQ(i, next++);
    w[i] = i;
  });
  for (int i = 0; i < 8; ++i) EXPECT_EQ(memory[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(memory[8], kUntouched);
}

template <int P>
std::vector<int> order_of(LaneOrder order) {
  HostTeam<P> team;
  team.order = order;
  std::vector<int> seen;
  double memory[P];
  team.each(Cells<double>{memory}, P, [&](const auto&, int i) { seen.push_back(i); });
  return seen;
}

TEST(Team, orders_differ_so_that_a_race_between_lanes_shows) {
  const auto forward = order_of<8>(LaneOrder::kForward), back = order_of<8>(LaneOrder::kBackward),
             shuffled = order_of<8>(LaneOrder::kShuffled);
  EXPECT_EQ(forward, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(back, (std::vector<int>{7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_NE(shuffled, forward);
  EXPECT_NE(shuffled, back);
  EXPECT_EQ(std::set<int>(shuffled.begin(), shuffled.end()).size(), 8u);
}

TEST(Cells, strided_cells_are_stride_apart_and_dense_cells_are_neighbours) {
  double memory[3 * kDeviceStride] = {};
  const Cells<double> strided{memory, kDeviceStride};
  writable(strided)[2] = 4;
  EXPECT_EQ(memory[2 * kDeviceStride], 4);
  EXPECT_EQ(&strided[1] - &strided[0], kDeviceStride);
  const DenseCells<double> dense{memory};
  writable(dense)[1] = 6;
  EXPECT_EQ(memory[1], 6);
  EXPECT_EQ(&dense[1] - &dense[0], 1);
}

}  // namespace
}  // namespace flexor::tests
