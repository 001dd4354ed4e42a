// Bits do not depend on how a world is computed: packs of the CPU backend, one scalar lane, teams
// of 1, 8 and 32 lanes visited forward, backward and shuffled; nor on what its cells held before,
// nor on neighbours that fail or stand frozen.   [E-5], [E-6], [E-9]

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "flexor/model/builder.hpp"
#include "support/random_model.hpp"
#include "support/stage_runner.hpp"

namespace flexor {
namespace {

constexpr int kWorlds = 7;
constexpr int kBroken = 3;  ///< starts with a velocity that is no number: fails in its first step
constexpr int kFrozen = 5;  ///< stands frozen from the start

Simulation simulation(const Model& model, Precision precision, Solver solver, Guard guard) {
  SimulationOptions options;
  options.num_worlds = kWorlds;
  options.precision = precision;
  options.num_threads = 1;
  options.inert = {"*"};
  options.solver = solver;
  options.guard = guard;
  return Simulation(model, options);
}

/// Every other model is pushed by body wrenches; the others never ask for the array.
bool uses_wrenches(unsigned seed) { return seed % 2 == 1; }

/// The state of the seed with small differences between worlds, and random drive forces.
template <class S>
void prepare(Simulation& sim, const support::State& state, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(-1, 1);
  const auto fill = [&](Field field, const std::vector<double>& values, double spread) {
    const ArrayRef ref = sim.array(field);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (int w = 0; w < kWorlds; ++w) {
        static_cast<S*>(ref.data)[i * ref.world_stride + w] =
            static_cast<S>(values[i] + spread * w * noise(random));
      }
    }
  };
  fill(Field::qpos, state.qpos, 1e-4);
  fill(Field::qvel, state.qvel, 1e-2);
  fill(Field::joint_force, state.joint_force, 1e-1);
  fill(Field::drive_force, std::vector<double>(sim.array(Field::drive_force).count, -2), 1);
  if (uses_wrenches(seed)) fill(Field::body_wrench, state.body_wrench, 1e-1);
  static_cast<S*>(sim.array(Field::qvel).data)[kBroken] = std::numeric_limits<S>::quiet_NaN();
  static_cast<std::int32_t*>(sim.array(Field::status).data)[kFrozen] = FROZEN;
}

/// Name of the first field whose bits differ between two simulations, else "". The broken world is
/// left out: its numbers are none, and what stands there afterwards is the simulation's to say.
std::string first_difference(const Simulation& a, const Simulation& b, unsigned seed) {
  for (int f = 0; f < kFieldCount; ++f) {
    const Field field = static_cast<Field>(f);
    const bool is_wrench = field == Field::body_wrench || field == Field::valid_body_wrench;
    if (is_wrench && !uses_wrenches(seed)) continue;
    const ArrayRef x = a.array(field), y = b.array(field);
    if (!x.data) continue;
    for (int c = 0; c < x.count * x.width; ++c) {
      for (int w = 0; w < kWorlds; ++w) {
        const std::size_t at = (static_cast<std::size_t>(c) * x.world_stride + w) * x.item_size();
        if (w == kBroken || std::memcmp(static_cast<char*>(x.data) + at,
                                        static_cast<char*>(y.data) + at, x.item_size()) == 0) {
          continue;
        }
        return std::string(info(field).name) + " " + std::to_string(c);
      }
    }
  }
  return "";
}

/// Packs against `team`, one world at a time.
template <class S, class Team>
void expect_equal_bits(unsigned seed, const Team& team, Solver solver,
                       Guard guard = Guard::kFreeze) {
  const Precision precision = sizeof(S) == 4 ? Precision::kFloat32 : Precision::kFloat64;
  const Description description = support::random_model(seed);
  const support::State state = support::random_state(description, seed);
  const Model model = ModelBuilder(description).finalize();
  Simulation packs = simulation(model, precision, solver, guard);
  Simulation lanes = simulation(model, precision, solver, guard);
  prepare<S>(packs, state, seed);
  prepare<S>(lanes, state, seed);
  support::StageRunner<S, Team> runner(lanes, team, uses_wrenches(seed));
  for (const int count : {1, 1, 2}) {
    packs.step(count);
    runner.step(count);
    ASSERT_EQ(first_difference(packs, lanes, seed), "") << "model " << seed;
  }
  const auto* status = static_cast<const std::int32_t*>(lanes.array(Field::status).data);
  const auto* steps = static_cast<const std::int64_t*>(lanes.array(Field::step_count).data);
  EXPECT_TRUE(status[kBroken] & NONFINITE_STATE) << seed;
  EXPECT_EQ((status[kBroken] & FROZEN) != 0, guard == Guard::kFreeze) << seed;
  EXPECT_EQ(status[kFrozen], FROZEN) << seed;
  EXPECT_EQ(steps[kFrozen], 0) << seed;
  EXPECT_EQ(steps[0], 4) << seed;
  EXPECT_EQ(status[0] & FROZEN, 0) << seed;
}

template <class S>
class Teams : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Teams, Scalars);

TYPED_TEST(Teams, OneScalarLaneEqualsPacks) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    expect_equal_bits<TypeParam>(seed, SerialTeam{}, Solver::kAuto);
  }
}

TYPED_TEST(Teams, WorldsThatFailAreStoredAsTheyAreWhereAsked) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    expect_equal_bits<TypeParam>(seed, SerialTeam{}, Solver::kAuto, Guard::kIgnore);
  }
}

TYPED_TEST(Teams, SizeAndOrderOfLanesDoNotMatter) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    expect_equal_bits<TypeParam>(seed, HostTeam<1>{}, Solver::kAuto);
    expect_equal_bits<TypeParam>(seed, HostTeam<8>{LaneOrder::kForward}, Solver::kAuto);
    expect_equal_bits<TypeParam>(seed, HostTeam<8>{LaneOrder::kBackward}, Solver::kJacobi);
    expect_equal_bits<TypeParam>(seed, HostTeam<32>{LaneOrder::kShuffled}, Solver::kAuto);
  }
}

/// The check can fail: a lane that misses a work item changes bits.
struct LossyTeam : HostTeam<8> {
  template <class CellsType, class F>
  void each(const CellsType& cells, int n, F f) const {
    HostTeam<8>::each(cells, n > 2 ? n - 1 : n, f);
  }
};

TEST(TeamsCheck, SeesALostWorkItem) {
  const Description description = support::random_model(3);
  const Model model = ModelBuilder(description).finalize();
  Simulation packs = simulation(model, Precision::kFloat64, Solver::kAuto, Guard::kFreeze);
  Simulation lanes = simulation(model, Precision::kFloat64, Solver::kAuto, Guard::kFreeze);
  prepare<double>(packs, support::random_state(description, 3), 3);
  prepare<double>(lanes, support::random_state(description, 3), 3);
  support::StageRunner<double, LossyTeam> runner(lanes, LossyTeam{}, uses_wrenches(3));
  packs.step(1);
  runner.step();
  EXPECT_NE(first_difference(packs, lanes, 3), "");
}

}  // namespace
}  // namespace flexor
