// Steps, masks, resets and guards of a batch.   [IA-3], [IA-5], [IA-8]

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "flexor/core/status.hpp"
#include "sim/state_hash.hpp"
#include "sim_models.hpp"

namespace flexor {
namespace {

using testing::integers;
using testing::numbers;
using testing::rig;
using testing::suspended_load;
using testing::TemporaryFile;

class StateHash : public testing::OnEachBackend {};
class Step : public testing::OnEachBackend {};
class Dynamics : public testing::OnEachBackend {};
class Reset : public testing::OnEachBackend {};
class ClearStatus : public testing::OnEachBackend {};
class Guards : public testing::OnEachBackend {};
class Commands : public testing::OnEachBackend {};
class Concurrency : public testing::OnEachBackend {};
FLEXOR_ON_EACH_BACKEND(StateHash);
FLEXOR_ON_EACH_BACKEND(Step);
FLEXOR_ON_EACH_BACKEND(Dynamics);
FLEXOR_ON_EACH_BACKEND(Reset);
FLEXOR_ON_EACH_BACKEND(ClearStatus);
FLEXOR_ON_EACH_BACKEND(Guards);
FLEXOR_ON_EACH_BACKEND(Commands);
FLEXOR_ON_EACH_BACKEND(Concurrency);

using Mask = std::vector<std::uint8_t>;

/// Different worlds, so that mixing them up shows.
void stir(Simulation& sim) {
  for (int w = 0; w < sim.options().num_worlds; ++w)
    for (int d = 0; d < sim.model().nv(); ++d)
      numbers(sim, Field::qvel, d)[w] = 0.1 * std::sin(1.0 + w + 3 * d);
}

std::vector<double> read_outs(const Simulation& sim, FieldGroup group) {
  std::vector<double> all;
  testing::visit_reals(sim, [&](Field field, const testing::Numbers& column) {
    if (info(field).group != group) return;
    for (long w = 0; w < sim.options().num_worlds; ++w) all.push_back(column[w]);
  });
  return all;
}

TEST(Fnv1a, Case14IsTheKnownFunction) {
  EXPECT_EQ(fnv1a("", 0), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("a", 1), 0xaf63dc4c8601ec8cu);
}

TEST_P(StateHash, SeesEveryStateFieldOfItsWorldAlone) {
  const Simulation sim(rig().finalize(), options(3));
  const auto before = sim.state_hash();
  EXPECT_EQ(before[0], before[2]);
  for (int f = 0; f < kFieldCount; ++f) {
    const Field field = static_cast<Field>(f);
    const ArrayRef ref = sim.array(field);
    if (ref.data == nullptr) continue;
    // flip a bit of the last component of world 1
    const long last = ref.count * ref.width - 1;
    auto* byte =
        static_cast<unsigned char*>(ref.data) + (last * ref.world_stride + 1) * ref.item_size();
    *byte ^= 1;
    const auto after = sim.state_hash();
    *byte ^= 1;
    EXPECT_EQ(after[0], before[0]);
    EXPECT_EQ(after[1] != before[1], info(field).group == FieldGroup::kState) << info(field).name;
  }
}

TEST_P(Step, TwoAtOnceAreTwo) {  // interface case 4
  for (const flexor::Guard guard : {flexor::Guard::kIgnore, flexor::Guard::kFreeze,
                                    flexor::Guard::kReset, flexor::Guard::kRaise}) {
    SimulationOptions asked = options(3);
    asked.guard = guard;
    Simulation a(rig().finalize(), asked), b(rig().finalize(), asked);
    stir(a), stir(b);
    a.step(2);
    b.step(), b.step();
    EXPECT_EQ(a.state_hash(), b.state_hash());
    EXPECT_EQ(read_outs(a, FieldGroup::kGeometry), read_outs(b, FieldGroup::kGeometry));
    EXPECT_EQ(read_outs(a, FieldGroup::kStep), read_outs(b, FieldGroup::kStep));
  }
}

TEST_P(Step, ForwardIsIdempotentAndWritesGeometryAlone) {
  Simulation sim(rig().finalize(), options(2));
  stir(sim);
  sim.step();
  const auto state = sim.state_hash();
  const auto geometry = read_outs(sim, FieldGroup::kGeometry);
  const auto step = read_outs(sim, FieldGroup::kStep);
  sim.forward();
  EXPECT_EQ(sim.state_hash(), state);
  EXPECT_EQ(read_outs(sim, FieldGroup::kGeometry), geometry);
  EXPECT_EQ(read_outs(sim, FieldGroup::kStep), step);
}

TEST_P(Step, WithoutRefreshLeavesGeometryAtTheStartOfTheLastStep) {
  Simulation a(rig().finalize(), options(1)), b(rig().finalize(), options(1));
  stir(a), stir(b);
  a.step(3, {}, false);
  b.step(2);
  EXPECT_EQ(read_outs(a, FieldGroup::kGeometry), read_outs(b, FieldGroup::kGeometry));
}

TEST_P(Step, Case9MaskedWorldsKeepEveryBit) {
  const Model model = rig().finalize();
  Simulation all(model, options(10)), some(model, options(10));
  stir(all), stir(some);
  const auto before = some.state_hash();
  Mask mask(10, 0);
  for (const int w : {1, 4, 7}) mask[w] = 1;
  all.step(3);
  some.step(3, mask);
  for (int w = 0; w < 10; ++w)
    EXPECT_EQ(some.state_hash()[w], mask[w] ? all.state_hash()[w] : before[w]);
  const auto after = some.state_hash();
  some.step(3, Mask(10, 0));
  EXPECT_EQ(some.state_hash(), after);
  EXPECT_THROW(some.step(1, Mask(9, 1)), ShapeError);
  EXPECT_THROW(some.step(-1), ConfigError);
}

TEST_P(Step, ARowOfABatchIsABatchOfOne) {
  Simulation batch(rig().finalize(), options(5));
  stir(batch);
  Simulation one(rig().finalize(), options(1));
  for (int d = 0; d < 10; ++d) numbers(one, Field::qvel, d)[0] = numbers(batch, Field::qvel, d)[3];
  batch.step(5), one.step(5);
  EXPECT_EQ(batch.state_hash()[3], one.state_hash()[0]);
}

TEST_P(Step, SuspendedLoadComesToRest) {  // interface cases 5 and 6
  SimulationOptions asked = options(4);
  Simulation sim(suspended_load().finalize(), asked);
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{500, 250, 500, 1000});
  numbers(sim, Field::drive_force)[0] = -2;
  sim.step(3000);
  // statics: spring force = weight less the drive's pull; float32: 1e-6 m of the stiffest is 1e-3 N
  const double length_tolerance = is_float() ? 2e-6 : 1e-6;
  const double force_tolerance = is_float() ? 2e-3 : 1e-5;
  const double expected[4] = {1.01562, 1.03924, 1.01962, 1.00981};
  for (int w = 0; w < 4; ++w) {
    EXPECT_NEAR(numbers(sim, Field::tendon_length)[w], expected[w], length_tolerance);
    EXPECT_NEAR(numbers(sim, Field::tendon_tension)[w], 9.81, force_tolerance);
  }
  EXPECT_NEAR(numbers(sim, Field::tendon_drive_force)[0], -2, 1e-6);
  EXPECT_NEAR(numbers(sim, Field::tendon_passive_force)[0], -7.81, force_tolerance);
}

TEST_P(Dynamics, AreThoseOfTheLoad) {
  Simulation sim(suspended_load().finalize(), options(2));
  sim.set_parameter("body/load/mass", std::vector<double>{1, 3});
  EXPECT_EQ(sim.mass_matrix(), (std::vector<double>{1, 3}));
  EXPECT_NEAR(sim.bias_force()[1], 3 * 9.81, is_float() ? 1e-5 : 1e-12);  // minus gravity's force
}

TEST_P(Reset, Case9PutsMaskedWorldsBackAndLeavesTheOthers) {
  const Model model = rig().finalize();
  Simulation sim(model, options(6)), fresh(model, options(6));
  stir(sim);
  numbers(sim, Field::drive_force)[2] = -4;
  numbers(sim, Field::body_wrench, 7)[2] = 1;
  sim.step(4);
  const auto before = sim.state_hash();
  sim.reset(Mask{0, 0, 1, 0, 1, 0});
  for (const int w : {0, 1, 3, 5}) EXPECT_EQ(sim.state_hash()[w], before[w]);
  for (const int w : {2, 4}) EXPECT_EQ(sim.state_hash()[w], fresh.state_hash()[w]);
  std::vector<double> expected;  // commands and read-outs, too
  testing::visit_reals(fresh, [&](Field, const testing::Numbers& c) { expected.push_back(c[2]); });
  std::size_t at = 0;
  testing::visit_reals(sim, [&](Field field, const testing::Numbers& column) {
    EXPECT_EQ(column[2], expected[at++]) << info(field).name;
  });
}

TEST_P(Reset, KeepsParametersAndReferenceLengths) {
  Simulation sim(suspended_load().finalize(), options(1));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{9});
  numbers(sim, Field::reference_length)[0] = 0.75;
  sim.step();
  sim.reset();
  EXPECT_EQ(sim.parameter_values("tendon/t/stiffness")[0], 9);
  EXPECT_EQ(numbers(sim, Field::reference_length)[0], 0.75);
}

TEST_P(Reset, TakesAKeyframeOrRows) {
  Simulation sim(rig().finalize(), options(3));
  sim.reset({}, 0);
  EXPECT_FLOAT_EQ(numbers(sim, Field::qpos, 11)[1], 0.3);
  EXPECT_FLOAT_EQ(numbers(sim, Field::qvel, 4)[2], 0.1);

  std::vector<double> rows(2 * 12, 0.0);
  for (int row = 0; row < 2; ++row) rows[row * 12 + 3] = 2, rows[row * 12 + 7] = 1;
  rows[12 + 11] = 0.25;
  sim.reset(Mask{1, 0, 1}, -1, rows);
  EXPECT_EQ(numbers(sim, Field::qpos, 3)[0], 1);  // normalised
  EXPECT_EQ(numbers(sim, Field::qpos, 11)[2], 0.25);
  EXPECT_FLOAT_EQ(numbers(sim, Field::qpos, 11)[1], 0.3);
  EXPECT_EQ(numbers(sim, Field::qvel, 4)[2], 0);

  const auto before = sim.state_hash();
  EXPECT_THROW(sim.reset({}, 1), ConfigError);
  EXPECT_THROW(sim.reset({}, -1, std::vector<double>(13)), ShapeError);
  EXPECT_THROW(sim.reset({}, -1, std::vector<double>(12, 0.0)), ConfigError);  // null quaternion
  rows[0] = kNaN;
  EXPECT_THROW(sim.reset(Mask{1, 0, 1}, -1, rows), ConfigError);
  EXPECT_THROW(sim.reset(Mask{1, 0}), ShapeError);
  EXPECT_EQ(sim.state_hash(), before);
}

TEST_P(ClearStatus, TouchesTheMaskAlone) {
  Simulation sim(suspended_load().finalize(), options(2));
  integers(sim, Field::status)[0] = integers(sim, Field::status)[1] = NOT_CONVERGED;
  sim.clear_status(Mask{0, 1});
  EXPECT_EQ(integers(sim, Field::status)[0], NOT_CONVERGED);
  EXPECT_EQ(integers(sim, Field::status)[1], 0);
}

TEST_P(Guards, Case12FreezesAFaultyWorldAlone) {
  const Model model = rig().finalize();
  Simulation sim(model, options(64)), sound(model, options(64));
  stir(sim), stir(sound);
  sim.step(2), sound.step(2);
  numbers(sim, Field::qvel, 9)[7] = kNaN;
  sim.step(3), sound.step(3);
  for (int w = 0; w < 64; ++w) {
    if (w == 7) continue;
    EXPECT_EQ(sim.state_hash()[w], sound.state_hash()[w]);
    EXPECT_EQ(integers(sim, Field::status)[w], integers(sound, Field::status)[w]);
  }
  EXPECT_TRUE(integers(sim, Field::status)[7] & NONFINITE_STATE);
  EXPECT_TRUE(integers(sim, Field::status)[7] & FROZEN);
  testing::visit_reals(sim, [&](Field field, const testing::Numbers& column) {
    EXPECT_TRUE(std::isfinite(column[7])) << info(field).name;
  });
  const auto frozen = sim.state_hash()[7];
  sim.step(5);
  EXPECT_EQ(sim.state_hash()[7], frozen);
  sim.reset(Mask(64, 1));
  EXPECT_EQ(integers(sim, Field::status)[7], 0);
  sim.step();
  EXPECT_EQ(integers(sim, Field::step_count)[2 * 7], 1);  // low half of the counter
}

TEST_P(Guards, ResetsAFaultyWorldAndGoesOn) {
  SimulationOptions asked = options(3);
  asked.guard = flexor::Guard::kReset;
  const Model model = rig().finalize();
  Simulation sim(model, asked), fresh(model, asked);
  numbers(sim, Field::qvel, 2)[1] = kNaN;
  sim.step(3);  // the first step fails and resets, two follow
  fresh.step(2);
  EXPECT_EQ(sim.state_hash()[1], fresh.state_hash()[1]);
  EXPECT_EQ(integers(sim, Field::status)[1] & NONFINITE_STATE, 0);
}

TEST_P(Guards, RaisesNamingTheWorlds) {
  SimulationOptions asked = options(3);
  asked.guard = flexor::Guard::kRaise;
  Simulation sim(rig().finalize(), asked);
  numbers(sim, Field::qvel, 2)[1] = kInfinity;
  try {
    sim.step(4);
    FAIL() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("1 (NONFINITE_STATE"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(integers(sim, Field::step_count)[0], 1);  // the step was finished
}

TEST_P(Guards, IgnoreSetsBitsOnly) {
  SimulationOptions asked = options(2);
  asked.guard = flexor::Guard::kIgnore;
  Simulation sim(rig().finalize(), asked);
  numbers(sim, Field::qvel, 2)[1] = kNaN;
  sim.step(2);
  EXPECT_TRUE(integers(sim, Field::status)[1] & NONFINITE_STATE);
  EXPECT_FALSE(integers(sim, Field::status)[1] & FROZEN);
  EXPECT_EQ(integers(sim, Field::status)[0], 0);
}

/// A slide without mass: its inertia is the armature alone, which world 1 loses.
Simulation with_singular_world(SimulationOptions asked) {
  ModelBuilder builder = suspended_load();
  builder.description().bodies[0].mass = 0;
  builder.description().bodies[0].inertia = {};
  builder.description().joints[0].armature = 1;
  Simulation sim(builder.finalize(), asked);
  sim.set_parameter("joint/lift/armature", std::vector<double>{0}, std::vector<long>{1});
  sim.set_parameter("tendon/t/damping", std::vector<double>{0});
  return sim;
}

TEST_P(Guards, IgnoreLeavesAWorldThatCannotBeFactoredWhereItIs) {
  SimulationOptions asked = options(3);
  asked.guard = flexor::Guard::kIgnore;
  Simulation sim = with_singular_world(asked);
  for (int w = 0; w < 3; ++w) {
    numbers(sim, Field::qpos)[w] = 0.1;
    numbers(sim, Field::qvel)[w] = 0.25;
  }
  sim.step(2);
  EXPECT_EQ(integers(sim, Field::status)[1], SINGULAR_MASS);
  EXPECT_EQ(numbers(sim, Field::qpos)[1], is_float() ? 0.1f : 0.1);
  EXPECT_EQ(numbers(sim, Field::qvel)[1], 0.25);
  EXPECT_EQ(numbers(sim, Field::time)[1], 0);
  for (const int w : {0, 2}) {
    EXPECT_EQ(integers(sim, Field::status)[w], 0);
    EXPECT_NE(numbers(sim, Field::qvel)[w], 0.25);
    EXPECT_GT(numbers(sim, Field::time)[w], 0);
  }
}

TEST_P(Guards, SeeEveryStateThatIsNoNumber) {
  const Model model = rig().finalize();
  for (const Field field : {Field::time, Field::qpos, Field::qvel, Field::activation,
                            Field::reference_length, Field::row_impulse})
    for (const double value : {kNaN, kInfinity})
      for (const flexor::Guard guard : {flexor::Guard::kIgnore, flexor::Guard::kFreeze,
                                        flexor::Guard::kReset, flexor::Guard::kRaise}) {
        SimulationOptions asked = options(3);
        asked.guard = guard;
        Simulation sim(model, asked), sound(model, asked);
        const ArrayRef array = sim.array(field);
        const int last = array.count * array.width - 1;
        numbers(sim, field, last)[1] = value;
        SCOPED_TRACE(std::string(info(field).name) + " " + std::to_string(value) + ", guard " +
                     std::to_string(static_cast<int>(guard)));
        if (guard == flexor::Guard::kRaise) {
          EXPECT_THROW(sim.step(), SimulationError);
        } else {
          sim.step();
        }
        sound.step();
        EXPECT_EQ(sim.state_hash()[0], sound.state_hash()[0]);
        EXPECT_EQ(sim.state_hash()[2], sound.state_hash()[2]);
        const int status = integers(sim, Field::status)[1];
        const bool is_reset = guard == flexor::Guard::kReset;
        EXPECT_EQ((status & NONFINITE_STATE) != 0, !is_reset);
        EXPECT_EQ((status & FROZEN) != 0, guard == flexor::Guard::kFreeze);
        EXPECT_EQ(sim.guard_resets(), (std::vector<std::int64_t>{0, is_reset, 0}));
        if (guard != flexor::Guard::kFreeze) continue;
        EXPECT_TRUE(std::isfinite(numbers(sim, field, last)[1]));
      }
}

TEST_P(Commands, OfEveryArrayAreJudgedWhetherAStageReadsThemOrNot) {
  const Model model = suspended_load().finalize();  // no servo, no drive with gains
#define X(name, group, type, index, width, unit, meaning)                           \
  {                                                                                 \
    Simulation sim(model, options(2));                                              \
    numbers(sim, Field::name)[1] = kNaN;                                            \
    sim.step();                                                                     \
    EXPECT_EQ(integers(sim, Field::status)[0], 0) << #name;                         \
    EXPECT_EQ(integers(sim, Field::status)[1], NONFINITE_COMMAND) << #name;         \
    EXPECT_TRUE(std::isfinite(numbers(sim, Field::valid_##name)[1])) << #name;      \
    EXPECT_EQ(numbers(sim, Field::qpos)[0], numbers(sim, Field::qpos)[1]) << #name; \
  }
  FLEXOR_COMMANDS(X)
#undef X
}

TEST_P(Commands, ANonFiniteOneFallsBackOnTheLastFinite) {
  const Model model = suspended_load().finalize();
  Simulation sim(model, options(2)), steady(model, options(2));
  for (Simulation* s : {&sim, &steady}) {
    numbers(*s, Field::drive_force)[0] = -3;
    s->step();
  }
  numbers(sim, Field::drive_force)[0] = kNaN;
  sim.step(), steady.step();
  EXPECT_EQ(integers(sim, Field::status)[0], NONFINITE_COMMAND);
  EXPECT_EQ(numbers(sim, Field::qpos)[0], numbers(steady, Field::qpos)[0]);
  EXPECT_EQ(integers(sim, Field::status)[1], 0);
}

TEST_P(Reset, RefusesRowsThatThePrecisionCannotHold) {
  Simulation sim(suspended_load().finalize(), options(2));
  const auto before = sim.state_hash();
  const std::vector<double> huge = {1e39};
  if (is_float()) {
    EXPECT_THROW(sim.reset({}, -1, huge), ConfigError);
    EXPECT_THROW(sim.reset({}, -1, {}, huge), ConfigError);
    EXPECT_EQ(sim.state_hash(), before);
  } else {
    sim.reset({}, -1, huge);
    EXPECT_EQ(numbers(sim, Field::qpos)[1], 1e39);
  }
}

TEST_P(Reset, StartsAFreeJointAtThePoseOfItsBodyInThatWorld) {
  Simulation sim(rig().finalize(), options(3));
  sim.set_parameter("body/base/pos", std::vector<double>{1, 2, 3}, std::vector<long>{1});
  sim.set_parameter("body/base/quat", std::vector<double>{0, 0, 0, 2}, std::vector<long>{2});
  sim.reset();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(numbers(sim, Field::qpos, i)[1], 1 + i);
    EXPECT_EQ(numbers(sim, Field::qpos, i)[2], numbers(sim, Field::qpos, i)[0]);
  }
  EXPECT_EQ(numbers(sim, Field::qpos, 3)[1], 1);
  EXPECT_EQ(numbers(sim, Field::qpos, 3)[2], 0);
  EXPECT_EQ(numbers(sim, Field::qpos, 6)[2], 1);
}

TEST_P(Step, CountsOfAProfileStartAtOne) {
  Simulation sim(suspended_load().finalize(), options(2));
  EXPECT_THROW(sim.profile(0), ConfigError);
  EXPECT_THROW(sim.profile(-3), ConfigError);
  EXPECT_EQ(integers(sim, Field::status)[0], 0);
}

TEST_P(Concurrency, ASecondCallIsRefusedAtOnce) {  // interface case 13
  Simulation sim(rig().finalize(), options(64));
  std::atomic<bool> is_done = false;
  std::atomic<long> refused = 0;
  std::thread other([&] {
    while (!is_done) {
      try {
        sim.clear_status();
      } catch (const ConcurrencyError&) {
        ++refused;
      }
    }
  });
  long stepped = 0;
  while (stepped < 20 || refused == 0) try {
      sim.step();
      ++stepped;
    } catch (const ConcurrencyError&) {
    }
  is_done = true;
  other.join();
  EXPECT_GT(refused, 0);
}

TEST_P(Concurrency, EveryCallIsRefusedWhileOneRuns) {
  SimulationOptions asked = options(2);
  asked.history = 1;
  Simulation sim(rig().finalize(), asked);
  const TemporaryFile file("concurrency");
  const Snapshot snapshot = sim.state();
  const std::vector<long> one = {0}, other = {1};
  const std::vector<std::function<void()>> calls = {
      [&] { sim.step(); },
      [&] { sim.forward(); },
      [&] { sim.rollout({}); },
      [&] { sim.reset(); },
      [&] { sim.clear_status(); },
      [&] { sim.array(Field::body_wrench); },
      [&] { sim.set_parameter("tendon/cord/stiffness", std::vector<double>{1}); },
      [&] { sim.commit(); },
      [&] { sim.parameter("tendon/cord/stiffness"); },
      [&] { sim.parameter_values("tendon/cord/stiffness"); },
      [&] { sim.is_per_world("tendon/cord/stiffness"); },
      [&] { sim.capture()(); },
      [&] { sim.synchronize(); },
      [&] { sim.capture_reference(); },
      [&] { sim.mass_matrix(); },
      [&] { sim.bias_force(); },
      [&] { sim.body_jacobian(0); },
      [&] { sim.site_jacobian(0); },
      [&] { sim.state(); },
      [&] { sim.set_state(snapshot); },
      [&] { sim.clone_worlds(one, other); },
      [&] { sim.save(file.path); },
      [&] { sim.dump(one, file.path); },
      [&] { sim.load_state(file.path); },
      [&] { sim.state_hash(); },
      [&] { sim.guard_resets(); },
      [&] { sim.profile(1); },
      [&] { sim.memory(); },
  };
  int between = 0;
  Rollout rollout;
  rollout.count = 2;
  rollout.between_steps = [&] {
    ++between;
    for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_THROW(calls[i](), ConcurrencyError) << i;
  };
  sim.rollout(rollout);
  EXPECT_EQ(between, 1);
}

TEST_P(Concurrency, SimulationsRunSideBySide) {  // and share their model
  const Model model = rig().finalize();
  std::vector<std::unique_ptr<Simulation>> sims;
  for (int i = 0; i < 3; ++i) {
    SimulationOptions threaded = options(64);
    threaded.num_threads = 2;
    sims.push_back(std::make_unique<Simulation>(model, threaded));
  }
  std::vector<std::thread> users;
  for (const auto& sim : {sims[0].get(), sims[1].get()}) {
    users.emplace_back([sim] {
      for (int n = 0; n < 20; ++n) sim->step(2);
    });
  }
  for (std::thread& user : users) user.join();
  sims[2]->step(40);
  EXPECT_EQ(sims[0]->state_hash(), sims[2]->state_hash());
  EXPECT_EQ(sims[1]->state_hash(), sims[2]->state_hash());
}

TEST_P(Concurrency, ModelsAndSimulationsAreMadeSideBySide) {
  std::vector<std::uint64_t> hashes[3];
  const auto make_and_step = [&](int user) {
    Simulation sim(rig().finalize(), options(8));
    sim.step(3);
    hashes[user] = sim.state_hash();
  };
  std::thread first(make_and_step, 0), second(make_and_step, 1);
  first.join();
  second.join();
  make_and_step(2);
  EXPECT_EQ(hashes[0], hashes[2]);
  EXPECT_EQ(hashes[1], hashes[2]);
}

}  // namespace
}  // namespace flexor
