// Parameters per world.   [E-2], [IA-4]

#include <gtest/gtest.h>

#include <cmath>

#include "sim_models.hpp"

namespace flexor {
namespace {

using testing::numbers;
using testing::reference_options;
using testing::rig;
using testing::suspended_load;

std::string refusal(Simulation& sim, const char* name, std::vector<double> values,
                    std::vector<long> worlds = {}) {
  try {
    sim.set_parameter(name, values, worlds);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Parameters, OfEveryKindPromotedAtTheirNominalValuesChangeNoBit) {
  const Model model = rig().finalize();
  Simulation a(model, reference_options(2)), b(model, reference_options(2));
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

TEST(Parameters, PerWorldEqualAModelCompiledWithThem) {  // interfaces.md 10, case 7
  Simulation batch(suspended_load().finalize(), reference_options(3));
  batch.set_parameter("tendon/t/stiffness", std::vector<double>{250, 500, 1000});
  batch.set_parameter("site/ring/pos", std::vector<double>{0.1, 0, 0}, std::vector<long>{2});
  batch.step(200);
  for (int w = 0; w < 3; ++w) {
    ModelBuilder builder = suspended_load();
    builder.description().tendons[0].stiffness = 250 * (1 << w);
    if (w == 2) builder.description().sites[1].pos = {0.1, 0, 0};
    Simulation single(builder.finalize(), reference_options(1));
    single.step(200);
    EXPECT_EQ(batch.state_hash()[w], single.state_hash()[0]) << "world " << w;
  }
}

TEST(Parameters, OutsideTheirRangeChangeNothing) {  // interfaces.md 10, case 8
  Simulation sim(suspended_load().finalize(), reference_options(3));
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

TEST(Parameters, AnUnknownNameSuggestsTheNearest) {
  Simulation sim(suspended_load().finalize(), reference_options(1));
  try {
    sim.set_parameter("tendon/t/stifness", std::vector<double>{1});
    FAIL() << "no error";
  } catch (const UnknownNameError& error) {
    EXPECT_NE(std::string(error.what()).find("tendon/t/stiffness"), std::string::npos)
        << error.what();
  }
}

TEST(Parameters, OneValueForAllStaysSharedAndReachesPromotedWorlds) {
  Simulation sim(suspended_load().finalize(), reference_options(3));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{300});
  EXPECT_EQ(sim.parameter("tendon/t/stiffness"), (std::vector<double>{300, 300, 300}));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{400}, std::vector<long>{1});
  EXPECT_EQ(sim.parameter("tendon/t/stiffness"), (std::vector<double>{300, 400, 300}));
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{200});
  EXPECT_EQ(sim.parameter("tendon/t/stiffness"), (std::vector<double>{200, 200, 200}));
}

TEST(Parameters, SpringBoundsBecomeNumbersInTwoCalls) {
  Simulation sim(suspended_load().finalize(), reference_options(2));
  sim.set_parameter("tendon/t/spring_lower", std::vector<double>{0.9});
  const auto before = sim.state_hash();
  EXPECT_THROW(sim.step(), ParameterError);
  EXPECT_EQ(sim.state_hash(), before);
  sim.set_parameter("tendon/t/spring_upper", std::vector<double>{0.95});
  sim.step();
  // spring force 500 (1 - 0.95) less its implicit part: it pulls
  EXPECT_LT(numbers(sim, Field::tendon_spring_force)[0], -20);
}

TEST(ReferenceLength, FollowsGeometryOfTheWorldsTouchedAlone) {
  Simulation sim(suspended_load().finalize(), reference_options(3));
  const double* reference = numbers(sim, Field::reference_length);
  EXPECT_DOUBLE_EQ(reference[0], 1);
  sim.set_parameter("site/ring/pos", std::vector<double>{0, 0, -0.5}, std::vector<long>{1});
  EXPECT_DOUBLE_EQ(reference[1], 1);  // not before the commit
  sim.forward();
  EXPECT_DOUBLE_EQ(reference[0], 1);
  EXPECT_DOUBLE_EQ(reference[1], 1.5);
}

TEST(ReferenceLength, StaysWhereNoGeometryChanged) {
  Simulation sim(suspended_load().finalize(), reference_options(2));
  numbers(sim, Field::reference_length)[0] = 0.8;
  sim.set_parameter("tendon/t/stiffness", std::vector<double>{100});
  sim.forward();
  EXPECT_EQ(numbers(sim, Field::reference_length)[0], 0.8);
}

TEST(ReferenceLength, CapturedOrGivenIsNotMeasuredAgain) {
  Simulation sim(suspended_load().finalize(), reference_options(2));
  numbers(sim, Field::qpos)[1] = -0.25;
  const std::vector<double> stale = {numbers(sim, Field::tendon_length)[0],
                                     numbers(sim, Field::tendon_length)[1]};
  sim.capture_reference();
  EXPECT_DOUBLE_EQ(numbers(sim, Field::reference_length)[0], 1);
  EXPECT_DOUBLE_EQ(numbers(sim, Field::reference_length)[1], 1.25);
  EXPECT_EQ(numbers(sim, Field::tendon_length)[1], stale[1]);  // read-outs are left alone
  sim.set_parameter("site/ring/pos", std::vector<double>{0, 0, -0.5});
  sim.forward();
  EXPECT_DOUBLE_EQ(numbers(sim, Field::reference_length)[1], 1.25);

  ModelBuilder builder = suspended_load();
  builder.description().tendons[0].reference_length = 0.7;
  Simulation given(builder.finalize(), reference_options(1));
  EXPECT_EQ(numbers(given, Field::reference_length)[0], 0.7);
  given.set_parameter("site/ring/pos", std::vector<double>{0, 0, -0.5});
  given.forward();
  EXPECT_EQ(numbers(given, Field::reference_length)[0], 0.7);
}

}  // namespace
}  // namespace flexor
