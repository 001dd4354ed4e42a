// The arrays of a batch: addresses, strides, names, choice of read-outs.   [E-1], [IA-2]

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

#include "sim/batch.hpp"
#include "sim/options.hpp"
#include "sim_models.hpp"

namespace flexor {
namespace {

using testing::reference_options;
using testing::rig;

FieldSet everything() {
  FieldSet kept;
  kept.fill(true);
  return kept;
}

TEST(Stride, IsTheSmallestOddMultipleOf32ThatHoldsAllWorlds) {
  EXPECT_EQ(world_stride(1), 32);
  EXPECT_EQ(world_stride(32), 32);
  EXPECT_EQ(world_stride(33), 96);
  EXPECT_EQ(world_stride(96), 96);
  EXPECT_EQ(world_stride(97), 160);
  EXPECT_EQ(world_stride(1024), 1056);
}

TEST(Storage, BasesAreAlignedAndNeighboursStartInDifferentCacheSets) {
  const Batch batch(rig().finalize(), 100, true, everything());
  std::uintptr_t last_phase = 4096;
  visit_fields([&](Field field) {
    const auto base = reinterpret_cast<std::uintptr_t>(batch.array(field).data);
    EXPECT_EQ(base % 256, 0u) << info(field).name;
    EXPECT_NE(base % 4096, last_phase) << info(field).name;
    last_phase = base % 4096;
  });
}

TEST(Storage, FieldsDoNotOverlapAndKeepWhatIsWritten) {
  Batch batch(rig().finalize(), 5, false, everything());
  double mark = 0;
  visit_fields([&](Field field) {
    for (int c = 0; c < batch.components(field); ++c)
      batch.fill(field, c, 1 + int(mark++) % 200, nullptr);
  });
  double expected = 0;
  visit_fields([&](Field field) {
    for (int c = 0; c < batch.components(field); ++c, ++expected)
      for (const long w : {0L, 4L, 31L})
        EXPECT_EQ(batch.read(field, c, w), 1 + int(expected) % 200) << info(field).name;
  });
  EXPECT_GT(expected, 200);
}

TEST(Storage, EveryFieldHasItsComponents) {
  const Model model = rig().finalize();
  const Simulation sim(model, reference_options(3));
  ASSERT_EQ(model.nq(), 12);
  ASSERT_EQ(model.nv(), 10);
  const auto count = [&](Field field) { return sim.array(field).count; };
  EXPECT_EQ(count(Field::time), 1);
  EXPECT_EQ(count(Field::qpos), 12);
  EXPECT_EQ(count(Field::valid_joint_force), 10);
  EXPECT_EQ(count(Field::tendon_length), 3);
  EXPECT_EQ(count(Field::row_impulse), 6 * 3 + 5 * 10);
  EXPECT_EQ(count(Field::body_position), 3);
  EXPECT_EQ(sim.array(Field::body_position).width, 3);
  EXPECT_EQ(count(Field::tendon_jacobian), 3);
  EXPECT_EQ(sim.array(Field::tendon_jacobian).width, 10);
  EXPECT_EQ(count(Field::branch_length), 4);
  visit_fields([&](Field field) {
    const ArrayRef ref = sim.array(field);
    EXPECT_EQ(ref.world_stride, 32);
    EXPECT_EQ(ref.num_worlds, 3);
    EXPECT_GT(ref.count, 0) << info(field).name;
    EXPECT_EQ(ref.data == nullptr, field == Field::qpos_compensation) << info(field).name;
    const std::size_t names = sim.component_names(field).size();
    const bool is_per_world = info(field).index == FieldIndex::kWorldIndex;
    EXPECT_EQ(names, is_per_world ? 0 : static_cast<std::size_t>(ref.count)) << info(field).name;
  });
}

TEST(Storage, ComponentsAreNamedByElementCoordinateBranchAndRow) {
  const Simulation sim(rig().finalize(), reference_options(1));
  EXPECT_EQ(sim.component_names(Field::tendon_length),
            (std::vector<std::string>{"cord", "sum", "wrap"}));
  EXPECT_EQ(sim.component_names(Field::qpos)[0], "float/0");
  EXPECT_EQ(sim.component_names(Field::qpos)[7], "shoulder/0");
  EXPECT_EQ(sim.component_names(Field::qpos)[11], "wrist");
  EXPECT_EQ(sim.component_names(Field::qvel)[8], "shoulder/2");
  EXPECT_EQ(sim.component_names(Field::branch_length),
            (std::vector<std::string>{"cord/0", "cord/1", "sum/0", "wrap/0"}));
  EXPECT_EQ(sim.component_names(Field::row_impulse)[7], "sum/drive");
  EXPECT_EQ(sim.component_names(Field::row_impulse).back(), "wrist/velocity_upper");
  EXPECT_EQ(sim.component_names(Field::tendon_jacobian), sim.component_names(Field::tendon_length));
}

TEST(Storage, OutlivesTheSimulation) {
  std::shared_ptr<void> storage;
  double* qvel = nullptr;
  {
    const Simulation sim(rig().finalize(), reference_options(2));
    storage = sim.storage();
    qvel = static_cast<double*>(sim.array(Field::qvel).data);
  }
  qvel[1] = 7;
  EXPECT_EQ(qvel[1], 7);
}

TEST(Storage, PaddingWorldsHoldTheResetState) {
  const Model model = rig().finalize();
  const Simulation sim(model, reference_options(3));
  for (int c = 0; c < model.nq(); ++c)
    for (int w = 0; w < 32; ++w)
      EXPECT_EQ(testing::numbers(sim, Field::qpos, c)[w], model.qpos0()[c]);
  for (int w = 0; w < 32; ++w)
    EXPECT_EQ(testing::numbers(sim, Field::reference_length)[w],
              testing::numbers(sim, Field::reference_length)[0]);
}

TEST(Storage, TooManyWorldsAreOneClearError) {
  try {  // petabytes: refused before a page is touched
    const Batch batch(rig().finalize(), 1L << 40, false, everything());
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("num_worlds 1099511627776"), std::string::npos) << text;
    EXPECT_NE(text.find("bytes"), std::string::npos) << text;
  }
}

std::set<std::string> kept_read_outs(const std::vector<std::string>& outputs) {
  SimulationOptions options = reference_options(1);
  options.outputs = outputs;
  const Simulation sim(rig().finalize(), options);
  std::set<std::string> names;
  visit_fields([&](Field field) {
    if (is_read_out(field) && sim.array(field).data != nullptr) names.insert(info(field).name);
    if (!is_read_out(field) && field != Field::qpos_compensation) {
      EXPECT_NE(sim.array(field).data, nullptr) << info(field).name;
    }
  });
  return names;
}

TEST(Outputs, OnlyThoseAskedForAreAllocated) {
  EXPECT_EQ(kept_read_outs({}), std::set<std::string>{});
  EXPECT_EQ(kept_read_outs({"tendon_length", "solver_*"}),
            (std::set<std::string>{"tendon_length", "solver_iterations", "solver_status",
                                   "solver_residual"}));
  std::set<std::string> all;
  visit_fields([&](Field field) {
    if (is_read_out(field)) all.insert(info(field).name);
  });
  EXPECT_EQ(kept_read_outs({"all"}), all);
}

TEST(Outputs, AnUnknownNameIsRefusedWithTheNearest) {
  try {
    kept_read_outs({"tendon_lenght"});
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'tendon_length'"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(kept_read_outs({"qpos"}), ConfigError);
}

TEST(Outputs, AStepWithoutReadOutsGivesTheSameBits) {
  const Model model = rig().finalize();
  SimulationOptions few = reference_options(2);
  few.outputs = {};
  Simulation a(model, reference_options(2)), b(model, few);
  for (Simulation* sim : {&a, &b}) {
    testing::numbers(*sim, Field::qvel, 9)[1] = 0.5;
    sim->step(5);
  }
  EXPECT_EQ(a.state_hash(), b.state_hash());
}

TEST(Memory, CountsEachGroupOnce) {
  const Model model = testing::suspended_load().finalize();
  const Simulation sim(model, reference_options(1));
  // state: time, step_count 8 each, status 4; q, v 8; activation, reference 8; rows (6 + 5) 8;
  // commands: 5 drive, 3 joint, twice (with the last valid ones), one flag
  EXPECT_EQ(sim.memory().state, 8 + 8 + 4 + 8 * (2 + 2 + 11) + 2 * 8 * (5 + 3) + 1);
}

}  // namespace
}  // namespace flexor
