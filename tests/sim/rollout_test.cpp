// Rollouts against the loop they stand for.   [IA-11]

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "flexor/math/random.hpp"
#include "sim/sim_models.hpp"

namespace flexor {
namespace {

using testing::OnEachBackend;

constexpr long kWorlds = 33;
constexpr int kSteps = 50, kEvery = 5;

class RolloutOn : public OnEachBackend {
 protected:
  /// Random drive forces: [world][step][tendon], as bytes of the batch's scalar.
  std::vector<std::byte> forces(const Simulation& sim) const {
    const ArrayRef ref = sim.array(Field::drive_force);
    const std::size_t item = static_cast<std::size_t>(ref.item_size());
    std::vector<std::byte> bytes(static_cast<std::size_t>(kWorlds * kSteps * ref.count) * item);
    const RandomStream random{3, kRandomUser, 0, 0};
    for (std::uint32_t j = 0; j < bytes.size() / item; ++j) {
      const double force = random.uniform(j, -4, 0);
      const float rounded = static_cast<float>(force);
      if (is_float())
        std::memcpy(bytes.data() + j * item, &rounded, item);
      else
        std::memcpy(bytes.data() + j * item, &force, item);
    }
    return bytes;
  }
  static std::size_t row_bytes(const ArrayRef& ref) {
    return static_cast<std::size_t>(ref.count) * static_cast<std::size_t>(ref.width) *
           static_cast<std::size_t>(ref.item_size());
  }
  static std::byte* number(const ArrayRef& ref, long component, long world) {
    return static_cast<std::byte*>(ref.data) +
           (component * ref.world_stride + world) * ref.item_size();
  }
};

TEST_P(RolloutOn, Case55EqualsTheLoop) {
  Simulation sim(testing::rig().finalize(), options(kWorlds));
  Simulation loop(testing::rig().finalize(), options(kWorlds));
  const std::vector<std::byte> given = forces(sim);
  const Field fields[] = {Field::qpos, Field::tendon_tension, Field::site_position, Field::time};

  std::vector<std::vector<std::byte>> recorded, expected;
  Rollout rollout;
  rollout.count = kSteps, rollout.every = kEvery;
  rollout.commands = {{Field::drive_force, given.data(), false}};
  for (const Field field : fields) {
    recorded.emplace_back(row_bytes(sim.array(field)) * kWorlds * kSteps / kEvery, std::byte{0xFF});
    expected.push_back(recorded.back());
  }
  for (std::size_t f = 0; f < recorded.size(); ++f)
    rollout.record.push_back({fields[f], recorded[f].data()});
  sim.rollout(rollout);

  const ArrayRef force = loop.array(Field::drive_force);
  const std::size_t item = static_cast<std::size_t>(force.item_size());
  for (int i = 0; i < kSteps; ++i) {
    for (long w = 0; w < kWorlds; ++w)
      for (int t = 0; t < force.count; ++t)
        std::memcpy(
            number(force, t, w),
            given.data() + static_cast<std::size_t>((w * kSteps + i) * force.count + t) * item,
            item);
    loop.step();
    if ((i + 1) % kEvery != 0) continue;
    for (std::size_t f = 0; f < expected.size(); ++f) {
      const ArrayRef ref = loop.array(fields[f]);
      const long components = ref.count * ref.width, row = i / kEvery;
      for (long w = 0; w < kWorlds; ++w)
        for (long c = 0; c < components; ++c)
          std::memcpy(expected[f].data() +
                          static_cast<std::size_t>(
                              ((w * (kSteps / kEvery) + row) * components + c) * ref.item_size()),
                      number(ref, c, w), static_cast<std::size_t>(ref.item_size()));
    }
  }
  EXPECT_EQ(recorded, expected);
  EXPECT_EQ(sim.state_hash(), loop.state_hash());
}

TEST_P(RolloutOn, Case55RestoresStateAndCommands) {
  Simulation sim(testing::rig().finalize(), options(kWorlds));
  sim.step(3);
  const Snapshot before = sim.state();
  const std::vector<std::byte> given = forces(sim);
  std::vector<std::byte> tension(row_bytes(sim.array(Field::tendon_tension)) * kWorlds * kSteps),
      again = tension;
  Rollout rollout;
  rollout.count = kSteps;
  rollout.restore = true;
  rollout.commands = {{Field::drive_force, given.data(), false}};
  rollout.record = {{Field::tendon_tension, tension.data()}};
  sim.rollout(rollout);
  EXPECT_EQ(sim.state().field, before.field);
  rollout.record[0].data = again.data();
  sim.rollout(rollout);
  EXPECT_EQ(tension, again);

  int steps = 0;
  rollout.between_steps = [&] {
    if (++steps == 7) throw std::runtime_error("enough");
  };
  EXPECT_THROW(sim.rollout(rollout), std::runtime_error);
  EXPECT_EQ(steps, 7);
  EXPECT_EQ(sim.state().field, before.field);
}

TEST_P(RolloutOn, WritesOneWorldsCommandsIntoAll) {
  Simulation sim(testing::rig().finalize(), options(kWorlds));
  const std::vector<std::byte> given = forces(sim);
  Rollout rollout;
  rollout.count = kSteps;
  rollout.commands = {{Field::drive_force, given.data(), true}};
  sim.rollout(rollout);
  const std::vector<std::uint64_t> hashes = sim.state_hash();
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

TEST_P(RolloutOn, RefusesWhatItCannotDo) {
  SimulationOptions few = options(2);
  few.outputs = {};
  Simulation sim(testing::rig().finalize(), few);
  double number = 0;
  const auto refuse = [&](const Rollout& rollout) {
    EXPECT_THROW(sim.rollout(rollout), ConfigError);
  };
  Rollout rollout;
  rollout.count = -1;
  refuse(rollout);
  rollout.count = 1, rollout.every = 0;
  refuse(rollout);
  rollout.every = 1, rollout.commands = {{Field::qpos, &number, true}};
  refuse(rollout);
  rollout.commands.clear(), rollout.record = {{Field::tendon_length, &number}};
  refuse(rollout);
  EXPECT_EQ(*static_cast<std::int64_t*>(sim.array(Field::step_count).data), 0);
}

FLEXOR_ON_EACH_BACKEND(RolloutOn);

}  // namespace
}  // namespace flexor
