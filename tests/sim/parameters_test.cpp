// Parameters per world.   [E-2], [IA-4]

#include <gtest/gtest.h>

#include <cmath>

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

TEST_P(Parameters, PerWorldEqualAModelCompiledWithThem) {  // interfaces.md 10, case 7
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

TEST_P(Parameters, AnyOnePerWorldEqualsAModelCompiledWithIt) {  // interfaces.md 10, case 7
  const Model model = rig().finalize();
  int tried = 0;
  for (const Parameter& parameter : model.parameters()) {
    if (!is_simulated(parameter)) continue;
    // q of a free joint starts at the authored pose of its body
    if (parameter.name == "body/base/pos" || parameter.name == "body/base/quat") continue;
    std::vector<double> all = model.nominal();
    const long count = info(parameter.kind).count;
    std::vector<std::string> names = {parameter.name};
    if (info(parameter.kind).legal == Legal::kSpringBound) {
      const std::string tendon = parameter.name.substr(0, parameter.name.rfind('/'));
      names = {tendon + "/spring_lower", tendon + "/spring_upper"};
    }
    const auto first = all.begin() + parameter.address;
    const std::vector<double> value = changed(parameter, {first, first + count});
    for (const std::string& name : names)
      std::copy(value.begin(), value.end(), all.begin() + model.parameter(name).address);

    Simulation batch(model, options(2));
    for (const std::string& name : names) batch.set_parameter(name, value, std::vector<long>{1});
    Simulation single(ModelBuilder(with_parameters(model, all)).finalize(), options(1));
    for (Simulation* sim : {&batch, &single})
      for (int d = 0; d < 10; ++d)
        numbers(*sim, Field::qvel, d)[sim == &batch ? 1 : 0] = 0.2 - 0.05 * d;
    batch.step(4), single.step(4);
    EXPECT_EQ(batch.state_hash()[1], single.state_hash()[0]) << parameter.name;
    EXPECT_EQ(numbers(batch, Field::tendon_force)[1], numbers(single, Field::tendon_force)[0])
        << parameter.name;
    ++tried;
  }
  EXPECT_GT(tried, 80);
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

TEST_P(Parameters, OutsideTheirRangeChangeNothing) {  // interfaces.md 10, case 8
  Simulation sim(suspended_load().finalize(), options(3));
  const std::string text = refusal(sim, "tendon/t/stiffness", {1, -1, 2});
  for (const char* word : {"tendon/t/stiffness", "world 1", "-1", ">= 0"})
    EXPECT_NE(text.find(word), std::string::npos) << text;
  EXPECT_EQ(sim.parameter("tendon/t/stiffness"), (std::vector<double>{500, 500, 500}));

  EXPECT_NE(refusal(sim, "body/load/mass", {kNaN}), "accepted");
  EXPECT_NE(refusal(sim, "tendon/t/lower_limit", {3}, {4}), "accepted");  // no world 4
  EXPECT_EQ(refusal(sim, "tendon/t/upper_limit", {2}), "accepted");
  EXPECT_NE(refusal(sim, "tendon/t/lower_limit", {1, 2.5, 1}), "accepted");  // order
  EXPECT_EQ(sim.parameter("tendon/t/lower_limit"), std::vector<double>(3, -kInfinity));
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
  EXPECT_EQ(sim.parameter("tendon/t/stiffness"), (std::vector<double>{300, 300, 300}));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{400}, std::vector<long>{1});
  EXPECT_EQ(sim.parameter("tendon/t/stiffness"), (std::vector<double>{300, 400, 300}));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{200});
  EXPECT_EQ(sim.parameter("tendon/t/stiffness"), (std::vector<double>{200, 200, 200}));
}

TEST_P(Parameters, SpringBoundsBecomeNumbersInTwoCalls) {
  Simulation sim(suspended_load().finalize(), options(2));
  sim.set_parameter("tendon/t/spring_lower", std::vector<double>{0.9});
  const auto before = sim.state_hash();
  EXPECT_THROW(sim.step(), ParameterError);
  EXPECT_EQ(sim.state_hash(), before);
  sim.set_parameter("tendon/t/spring_upper", std::vector<double>{0.95});
  sim.step();
  // spring force 500 (1 - 0.95) less its implicit part: it pulls
  EXPECT_LT(numbers(sim, Field::tendon_spring_force)[0], -20);
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
