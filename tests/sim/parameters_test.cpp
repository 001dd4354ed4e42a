// Parameters per world.   [E-2], [IA-4]

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include "flexor/core/status.hpp"
#include "flexor/flexor.hpp"
#include "sim_models.hpp"

namespace flexor {
namespace {

using testing::numbers;
using testing::rig;
using testing::suspended_load;

class Parameters : public testing::OnEachBackend {};
class ReferenceLength : public testing::OnEachBackend {};
FLEXOR_ON_EACH_BACKEND(Parameters);
FLEXOR_ON_EACH_BACKEND(ReferenceLength);

std::string refusal(Simulation& sim, const char* name, std::vector<double> values,
                    std::vector<long> worlds = {}) {
  try {
    sim.set_parameter(name, values, worlds);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_P(Parameters, OfEveryKindPromotedAtTheirNominalValuesChangeNoBit) {
  const Model model = rig().finalize();
  Simulation a(model, options(2)), b(model, options(2));
  const std::vector<long> second = {1};
  for (const Parameter& parameter : model.parameters()) {
    const std::size_t count = static_cast<std::size_t>(info(parameter.kind).count);
    const std::vector<double> nominal(
        model.nominal().begin() + parameter.address,
        model.nominal().begin() + parameter.address + static_cast<long>(count));
    b.set_parameter(parameter.name, nominal, second);
  }
  a.step(10), b.step(10);
  EXPECT_EQ(a.state_hash(), b.state_hash());
}

TEST_P(Parameters, PerWorldEqualAModelCompiledWithThem) {  // interface case 7
  Simulation batch(suspended_load().finalize(), options(3));
  batch.set_parameter("tendon/t/stiffness", std::vector<double>{250, 500, 1000});
  batch.set_parameter("site/ring/pos", std::vector<double>{0.1, 0, 0}, std::vector<long>{2});
  batch.step(200);
  for (int w = 0; w < 3; ++w) {
    ModelBuilder builder = suspended_load();
    builder.description().tendons[0].stiffness = 250 * (1 << w);
    if (w == 2) builder.description().sites[1].pos = {0.1, 0, 0};
    Simulation single(builder.finalize(), options(1));
    single.step(200);
    EXPECT_EQ(batch.state_hash()[w], single.state_hash()[0]) << "world " << w;
  }
}

/// Another legal value of a parameter of the rig.
std::vector<double> changed(const Parameter& parameter, std::vector<double> value) {
  const bool is_lower =
      parameter.name.ends_with("lower") || parameter.name.ends_with("lower_limit");
  for (double& x : value) switch (info(parameter.kind).legal) {
      case Legal::kFinite:
        x += 0.03;
        break;
      case Legal::kNonNegative:
        x = 1.2 * x + 0.01;
        break;
      case Legal::kPositive:
      case Legal::kInertia:
        x *= 1.2;
        break;
      case Legal::kPositiveInf:
        x = std::isinf(x) ? 3 : 1.2 * x;
        break;
      case Legal::kUnit:
        x = 0.5;
        break;
      case Legal::kBound:
        x = std::isinf(x) ? (is_lower ? -0.4 : 0.9) : 0.8 * x;
        break;
      case Legal::kSpringBound:
        x = 0.1;
        break;
      case Legal::kDirection:
      case Legal::kQuaternion:
        x += 0.2;
        break;
    }
  return value;
}

/// This version limits no ball joint and has no armature over guides.
bool is_simulated(const Parameter& parameter) {
  return parameter.name != "joint/shoulder/upper" && parameter.name != "tendon/wrap/armature";
}

/// The parameters that have to change together: a pair of spring bounds, or one.
std::vector<std::string> set_together(const Parameter& parameter) {
  if (info(parameter.kind).legal != Legal::kSpringBound) return {parameter.name};
  const std::string tendon = parameter.name.substr(0, parameter.name.rfind('/'));
  return {tendon + "/spring_lower", tendon + "/spring_upper"};
}

std::vector<double> nominal(const Model& model, const Parameter& parameter) {
  const auto first = model.nominal().begin() + parameter.address;
  return {first, first + info(parameter.kind).count};
}

/// 200 steps under random joint forces, the same in every world.
void move(Simulation& sim) {
  constexpr int kSteps = 200;
  const long nv = sim.model().nv();
  const RandomStream random{seed_for(3, 0), kRandomParameters};
  std::vector<float> narrow;
  std::vector<double> wide;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(kSteps * nv); ++i) {
    wide.push_back(random.uniform(i, -0.2, 0.2));
    narrow.push_back(static_cast<float>(wide.back()));
  }
  Rollout rollout;
  rollout.count = kSteps;
  const void* forces = sim.array(Field::joint_force).is_float
                           ? static_cast<const void*>(narrow.data())
                           : static_cast<const void*>(wide.data());
  rollout.commands = {{Field::joint_force, forces, true}};
  sim.rollout(rollout);
}

TEST_P(Parameters, AnyOnePerWorldEqualsAModelCompiledWithIt) {  // interface case 7
  const Model model = rig().finalize();
  std::vector<const Parameter*> tried;
  for (const Parameter& parameter : model.parameters())
    if (is_simulated(parameter)) tried.push_back(&parameter);
  EXPECT_GT(tried.size(), 80u);

  // world w has parameter w changed
  Simulation batch(model, options(static_cast<long>(tried.size())));
  for (std::size_t w = 0; w < tried.size(); ++w)
    for (const std::string& name : set_together(*tried[w]))
      batch.set_parameter(name, changed(*tried[w], nominal(model, *tried[w])),
                          std::vector<long>{static_cast<long>(w)});
  batch.reset();  // q of a free joint starts at the authored pose of its body
  move(batch);

  std::set<std::uint64_t> different;
  for (std::size_t w = 0; w < tried.size(); ++w) {
    std::vector<double> all = model.nominal();
    const std::vector<double> value = changed(*tried[w], nominal(model, *tried[w]));
    for (const std::string& name : set_together(*tried[w]))
      std::copy(value.begin(), value.end(), all.begin() + model.parameter(name).address);
    Simulation single(ModelBuilder(with_parameters(model, all)).finalize(), options(1));
    move(single);
    EXPECT_EQ(batch.state_hash()[w], single.state_hash()[0]) << tried[w]->name;
    EXPECT_EQ(numbers(batch, Field::tendon_force)[static_cast<long>(w)],
              numbers(single, Field::tendon_force)[0])
        << tried[w]->name;
    different.insert(batch.state_hash()[w]);
  }
  EXPECT_GT(different.size(), tried.size() / 2);  // most of them matter
}

TEST_P(Parameters, WrittenIntoTheirMemoryCountFromACommitOn) {
  const Model model = rig().finalize();
  Simulation by_set(model, options(3)), by_view(model, options(3));
  for (const Parameter& parameter : model.parameters()) {
    if (!is_simulated(parameter)) continue;
    const std::vector<double> value = changed(parameter, nominal(model, parameter));
    for (const std::string& name : set_together(parameter)) {
      by_set.set_parameter(name, value, std::vector<long>{1});
      const ArrayRef ref = by_view.parameter(name);
      EXPECT_EQ(ref.data, by_view.parameter(name).data);
      EXPECT_EQ(ref.shape().size(), value.size() == 1 ? 1u : 2u);
      EXPECT_STREQ(ref.unit, info(parameter.kind).unit);
      for (std::size_t c = 0; c < value.size(); ++c)
        testing::Numbers(ref, static_cast<int>(c))[1] = value[c];
    }
  }
  Simulation nominal_worlds(model, options(3));
  EXPECT_EQ(by_view.state_hash(), nominal_worlds.state_hash());
  by_view.commit(std::vector<long>{1, 2});
  by_set.commit();
  move(by_set), move(by_view);
  EXPECT_EQ(by_set.state_hash(), by_view.state_hash());
  EXPECT_THROW(by_view.commit(std::vector<long>{3}), ConfigError);
}

TEST_P(Parameters, WrittenOutOfRangeStopTheirWorldAlone) {
  Simulation sim(suspended_load().finalize(), options(3)),
      sound(suspended_load().finalize(), options(3));
  const auto written = sim.parameter("body/load/mass");
  testing::Numbers(written, 0)[1] = -1;
  sim.commit();
  EXPECT_EQ(testing::integers(sim, Field::status)[1], PARAMETER_INVALID);
  sim.step(3), sound.step(3);
  EXPECT_EQ(sim.state_hash()[0], sound.state_hash()[0]);
  EXPECT_EQ(sim.state_hash()[2], sound.state_hash()[2]);
  EXPECT_EQ(testing::integers(sim, Field::status)[1], PARAMETER_INVALID | FROZEN);
  EXPECT_EQ(sim.parameter_values("body/load/mass")[1], -1);
}

TEST_P(Parameters, ViewsOutliveTheSimulationByItsStorage) {
  std::shared_ptr<void> storage;
  ArrayRef ref;
  {
    Simulation sim(suspended_load().finalize(), options(3));
    ref = sim.parameter("tendon/t/stiffness");
    storage = sim.storage();
  }
  EXPECT_EQ(testing::Numbers(ref, 0)[2], 500.0);
}

TEST_P(Parameters, CapturedStepsAreStepsOfTheSimulationMoved) {
  Simulation first(suspended_load().finalize(), options(2)),
      other(suspended_load().finalize(), options(2));
  const std::function<void()> steps = first.capture(5);
  Simulation moved = std::move(first);
  moved.set_parameter("tendon/t/stiffness", std::vector<double>{100});
  other.set_parameter("tendon/t/stiffness", std::vector<double>{100});
  steps(), steps();
  other.step(10);
  other.synchronize();
  EXPECT_EQ(moved.state_hash(), other.state_hash());
  EXPECT_THROW(moved.capture(-1), ConfigError);
}

TEST_P(Parameters, OfOneWorldLeaveTheBitsOfTheOthers) {
  const Model model = rig().finalize();
  Simulation touched(model, options(3)), untouched(model, options(3));
  for (const Parameter& parameter : model.parameters()) {
    if (!is_simulated(parameter)) continue;
    if (info(parameter.kind).legal == Legal::kSpringBound) continue;
    const auto first = model.nominal().begin() + parameter.address;
    touched.set_parameter(parameter.name,
                          changed(parameter, {first, first + info(parameter.kind).count}),
                          std::vector<long>{1});
  }
  touched.step(10), untouched.step(10);
  EXPECT_EQ(touched.state_hash()[0], untouched.state_hash()[0]);
  EXPECT_NE(touched.state_hash()[1], untouched.state_hash()[1]);
  EXPECT_EQ(touched.state_hash()[2], untouched.state_hash()[2]);
}

TEST_P(Parameters, OutsideTheirRangeChangeNothing) {  // interface case 8
  Simulation sim(suspended_load().finalize(), options(3));
  const std::string text = refusal(sim, "tendon/t/stiffness", {1, -1, 2});
  for (const char* word : {"tendon/t/stiffness", "world 1", "-1", ">= 0"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_EQ(sim.parameter_values("tendon/t/stiffness"), (std::vector<double>{500, 500, 500}));

  EXPECT_NE(refusal(sim, "body/load/mass", {kNaN}), "accepted");
  EXPECT_NE(refusal(sim, "tendon/t/lower_limit", {3}, {4}), "accepted");  // no world 4
  EXPECT_EQ(refusal(sim, "tendon/t/upper_limit", {2}), "accepted");
  EXPECT_NE(refusal(sim, "tendon/t/lower_limit", {1, 2.5, 1}), "accepted");  // order
  EXPECT_EQ(sim.parameter_values("tendon/t/lower_limit"), std::vector<double>(3, -kInfinity));
  EXPECT_THROW(sim.set_parameter("tendon/t/stiffness", std::vector<double>{1, 2}), ShapeError);
  EXPECT_THROW(sim.set_parameter("body/load/pos", std::vector<double>{1, 2}), ShapeError);
}

TEST_P(Parameters, AnUnknownNameSuggestsTheNearest) {
  Simulation sim(suspended_load().finalize(), options(1));
  try {
    sim.set_parameter("tendon/t/stifness", std::vector<double>{1});
    FAIL() << "no error";
  } catch (const UnknownNameError& error) {
    EXPECT_NE(std::string(error.what()).find("tendon/t/stiffness"), std::string::npos)
        << error.what();
  }
}

TEST_P(Parameters, OneValueForAllStaysSharedAndReachesPromotedWorlds) {
  Simulation sim(suspended_load().finalize(), options(3));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{300});
  EXPECT_EQ(sim.parameter_values("tendon/t/stiffness"), (std::vector<double>{300, 300, 300}));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{400}, std::vector<long>{1});
  EXPECT_EQ(sim.parameter_values("tendon/t/stiffness"), (std::vector<double>{300, 400, 300}));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{200});
  EXPECT_EQ(sim.parameter_values("tendon/t/stiffness"), (std::vector<double>{200, 200, 200}));
}

TEST_P(Parameters, SpringBoundsBecomeNumbersInTwoCalls) {
  Simulation sim(suspended_load().finalize(), options(2));
  sim.set_parameter("tendon/t/spring_lower", std::vector<double>{0.9});
  sim.forward();  // no step: nothing is missing yet
  EXPECT_EQ(testing::integers(sim, Field::status)[0], 0);
  sim.set_parameter("tendon/t/spring_upper", std::vector<double>{0.95});
  sim.step();
  // spring force 500 (1 - 0.95) less its implicit part: it pulls
  EXPECT_LT(numbers(sim, Field::tendon_spring_force)[0], -20);
}

/// One spring bound a number, the other still automatic, in world 1 of 3.
Simulation half_bounded(const SimulationOptions& options) {
  Simulation sim(suspended_load().finalize(), options);
  sim.set_parameter("tendon/t/spring_lower", std::vector<double>{0.9}, std::vector<long>{1});
  return sim;
}

TEST_P(Parameters, HalfAPairOfSpringBoundsStopsItsWorldAlone) {
  SimulationOptions asked = options(3);
  for (const flexor::Guard guard : {flexor::Guard::kIgnore, flexor::Guard::kFreeze,
                                    flexor::Guard::kReset, flexor::Guard::kRaise}) {
    asked.guard = guard;
    Simulation sim = half_bounded(asked), sound(suspended_load().finalize(), asked);
    const auto before = sim.state_hash();
    if (guard == flexor::Guard::kRaise) {
      EXPECT_THROW(sim.step(3), SimulationError);
    } else {
      sim.step(3);
    }
    sound.step(guard == flexor::Guard::kRaise ? 1 : 3);
    EXPECT_EQ(sim.state_hash()[0], sound.state_hash()[0]);
    EXPECT_EQ(sim.state_hash()[2], sound.state_hash()[2]);
    const std::int32_t status = testing::integers(sim, Field::status)[1];
    EXPECT_EQ((status & PARAMETER_INVALID) != 0, guard != flexor::Guard::kReset);
    EXPECT_EQ((status & FROZEN) != 0, guard == flexor::Guard::kFreeze);
    EXPECT_EQ(sim.guard_resets()[1], guard == flexor::Guard::kReset ? 3 : 0);
    if (guard == flexor::Guard::kReset) {
      EXPECT_EQ(sim.state_hash()[1], before[1]);
    }
    if (guard == flexor::Guard::kIgnore) {  // it falls without its spring: v = -3 g h
      EXPECT_NEAR(numbers(sim, Field::qvel)[1], -3 * 9.81 * 0.002, 1e-6);
      EXPECT_EQ(numbers(sim, Field::tendon_passive_force)[1], 0);
    }

    // mended, it goes on
    sim.set_parameter("tendon/t/spring_upper", std::vector<double>{0.95}, std::vector<long>{1});
    sim.reset();
    sim.step();
    EXPECT_EQ(testing::integers(sim, Field::status)[1], 0);
    EXPECT_LT(numbers(sim, Field::tendon_spring_force)[1], -20);
  }
}

TEST_P(Parameters, HalfAPairOfSpringBoundsGoesThroughACheckpoint) {
  const testing::TemporaryFile file("half_bounded");
  Simulation sim = half_bounded(options(3)), loaded(suspended_load().finalize(), options(3));
  sim.step(2);
  sim.save(file.path);
  loaded.load_state(file.path);
  sim.step(2), loaded.step(2);
  EXPECT_EQ(sim.state_hash(), loaded.state_hash());
}

TEST(Precision, NumbersThatFloat32LosesAreRefusedByName) {
  const auto refuse = [](const ModelBuilder& builder) -> std::string {
    SimulationOptions options;
    options.precision = Precision::kFloat64;
    Simulation exact(builder.finalize(), options);  // float64 holds them all
    options.precision = Precision::kFloat32;
    try {
      Simulation sim(builder.finalize(), options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  ModelBuilder builder = suspended_load();
  builder.description().joints[0].armature = 1;  // so that the joint has inertia
  builder.description().bodies[0].mass = 1e-300;
  std::string text = refuse(builder);
  for (const char* word : {"precision", "float32", "body/load/mass", "1e-300", "becomes 0"})
    EXPECT_NE(text.find(word), std::string::npos) << text;

  const std::pair<double TendonDescription::*, const char*> kNumbers[] = {
      {&TendonDescription::stiffness, "tendon/t/stiffness"},
      {&TendonDescription::upper_limit, "tendon/t/upper_limit"},
      {&TendonDescription::friction_compliance, "tendon/t/friction_compliance"},
      {&TendonDescription::reference_length, "tendon/t/reference_length"}};
  for (const auto& [member, name] : kNumbers)
    for (const double value : {1e-60, 1e60}) {
      builder = suspended_load();
      builder.description().tendons[0].*member = value;
      text = refuse(builder);
      EXPECT_NE(text.find(name), std::string::npos) << text;
    }
  // a component beside larger ones may vanish: it is rounding, as in 1 + 1e-60
  builder = suspended_load();
  builder.description().sites[0].pos = {1e-60, 0, 2};
  EXPECT_EQ(refuse(builder), "accepted");

  SimulationOptions two;
  two.num_worlds = 2;
  Simulation sim(suspended_load().finalize(), two);
  for (const double value : {1e-60, 1e60}) {
    text = refusal(sim, "tendon/t/stiffness", {value});
    EXPECT_NE(text.find("float32"), std::string::npos) << text;
  }
  EXPECT_EQ(sim.parameter_values("tendon/t/stiffness"), (std::vector<double>{500, 500}));
}

TEST_P(ReferenceLength, FollowsGeometryOfTheWorldsTouchedAlone) {
  Simulation sim(suspended_load().finalize(), options(3));
  const testing::Numbers reference = numbers(sim, Field::reference_length);
  EXPECT_FLOAT_EQ(reference[0], 1);
  sim.set_parameter("site/ring/pos", std::vector<double>{0, 0, -0.5}, std::vector<long>{1});
  EXPECT_FLOAT_EQ(reference[1], 1);  // not before the commit
  sim.forward();
  EXPECT_FLOAT_EQ(reference[0], 1);
  EXPECT_FLOAT_EQ(reference[1], 1.5);
}

TEST_P(ReferenceLength, StaysWhereNoGeometryChanged) {
  Simulation sim(suspended_load().finalize(), options(2));
  numbers(sim, Field::reference_length)[0] = 0.8;
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{100});
  sim.forward();
  EXPECT_FLOAT_EQ(numbers(sim, Field::reference_length)[0], 0.8);
}

TEST_P(ReferenceLength, CapturedOrGivenIsNotMeasuredAgain) {
  Simulation sim(suspended_load().finalize(), options(2));
  numbers(sim, Field::qpos)[1] = -0.25;
  const std::vector<double> stale = {numbers(sim, Field::tendon_length)[0],
                                     numbers(sim, Field::tendon_length)[1]};
  sim.capture_reference();
  EXPECT_FLOAT_EQ(numbers(sim, Field::reference_length)[0], 1);
  EXPECT_FLOAT_EQ(numbers(sim, Field::reference_length)[1], 1.25);
  EXPECT_EQ(numbers(sim, Field::tendon_length)[1], stale[1]);  // read-outs are left alone
  sim.set_parameter("site/ring/pos", std::vector<double>{0, 0, -0.5});
  sim.forward();
  EXPECT_FLOAT_EQ(numbers(sim, Field::reference_length)[1], 1.25);

  ModelBuilder builder = suspended_load();
  builder.description().tendons[0].reference_length = 0.7;
  Simulation given(builder.finalize(), options(1));
  EXPECT_FLOAT_EQ(numbers(given, Field::reference_length)[0], 0.7);
  given.set_parameter("site/ring/pos", std::vector<double>{0, 0, -0.5});
  given.forward();
  EXPECT_FLOAT_EQ(numbers(given, Field::reference_length)[0], 0.7);
}

}  // namespace
}  // namespace flexor
