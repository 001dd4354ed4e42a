// The one list of parameters: every kind can be read and written, and nothing else moves.

#include "flexor/model/parameters.hpp"

#include <cmath>
#include <map>
#include <set>

#include "model/parameter_table.hpp"
#include "model/problem_list.hpp"
#include "support/simple_models.hpp"

namespace flexor {
namespace {

using namespace test;

/// A model in which every kind of parameter occurs.
Model model_with_all_kinds() {
  ModelBuilder builder = arm();
  builder.add_body(body("float", "world", {0, 0, 3}));
  builder.add_body(body("head", "float", {0, 0, 1}));
  builder.add_joint(joint("float_joint", "float", JointType::kFree));
  builder.add_joint(joint("neck", "head", JointType::kBall));
  PathElement drum = cylinder("upper", {0, 0, 0}, 0.05);
  drum.has_side = true;
  drum.side_body = Reference("world");
  drum.side_pos = {0, 0.3, 0};
  builder.add_tendon(tendon("t", {via("w0"), drum, point("upper", {0.5, 0, 0}), pulley(2), via("u"),
                                  with_side(sphere("lower", {}, 0.05), "w1"), via("l")}));
  builder.add_tendon(tendon("f", {term("shoulder", 0.02), term("elbow", -0.01)}));
  builder.description().tendons[1].type = TendonType::kFixed;
  return builder.finalize();
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// All numbers of the list in a description, one after the other.
std::vector<double> numbers_of(const Description& description) {
  return nominal_values(description);
}

TEST(Parameters, EveryKindOccursInTheTable) {
  std::set<ParameterKind> kinds;
  const Model model = model_with_all_kinds();
  for (const Parameter& parameter : model.parameters()) kinds.insert(parameter.kind);
  for (int k = 0; k < kParameterKindCount; ++k)
    EXPECT_TRUE(kinds.contains(static_cast<ParameterKind>(k))) << kParameterInfo[k].name;
}

TEST(Parameters, WritingOneChangesItsNumbersInTheDescriptionAndNoOthers) {
  const Model model = model_with_all_kinds();
  for (const Parameter& parameter : model.parameters()) {
    const int count = info(parameter.kind).count;
    std::vector<double> values = model.nominal();
    for (int i = 0; i < count; ++i) values[parameter.address + i] = 100 + i;
    const std::vector<double> written = numbers_of(with_parameters(model, values));
    ASSERT_EQ(written.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_TRUE(same(written[i], values[i])) << parameter.name << " moved address " << i;
  }
}

TEST(Parameters, NamesLeadToTheMembersTheyName) {
  const Model model = model_with_all_kinds();
  const auto with = [&](const char* name, std::vector<double> numbers) {
    const Parameter& parameter = model.parameter(name);
    std::vector<double> values = model.nominal();
    std::copy(numbers.begin(), numbers.end(), values.begin() + parameter.address);
    return with_parameters(model, values);
  };
  EXPECT_EQ(with("option/gravity", {1, 2, 3}).options.gravity.y, 2);
  EXPECT_EQ(with("body/lower/mass", {7}).bodies[1].mass, 7);
  EXPECT_EQ(with("body/lower/inertia", {1, 2, 3, 4, 5, 6}).bodies[1].inertia[5], 6);
  EXPECT_EQ(with("body/head/quat", {0, 1, 0, 0}).bodies[3].quat.x, 1);
  EXPECT_EQ(with("site/u/pos", {7, 8, 9}).sites[2].pos.z, 9);
  EXPECT_EQ(with("joint/elbow/damping", {7}).joints[1].damping, 7);
  EXPECT_EQ(with("joint/elbow/velocity_limit", {7}).joints[1].velocity_limit, 7);
  EXPECT_EQ(with("joint/neck/rest_quat", {0, 0, 0, 1}).joints[3].rest_quat.z, 1);
  EXPECT_EQ(with("tendon/f/stiffness", {7}).tendons[1].stiffness, 7);
  EXPECT_EQ(with("tendon/t/drive/activation_time", {7}).tendons[0].activation_time, 7);
  EXPECT_EQ(with("tendon/t/route/1/radius", {7}).tendons[0].path[1].radius, 7);
  EXPECT_EQ(with("tendon/t/route/1/side", {7, 8, 9}).tendons[0].path[1].side_pos.y, 8);
  EXPECT_EQ(with("tendon/t/route/2/pos", {7, 8, 9}).tendons[0].path[2].pos.y, 8);
  EXPECT_EQ(with("tendon/t/route/3/divisor", {7}).tendons[0].path[3].divisor, 7);
  EXPECT_EQ(with("tendon/f/route/1/coefficient", {7}).tendons[1].path[1].coefficient, 7);
}

TEST(Parameters, ElementsThatNameASiteAnswerWithTheSite) {
  const Model model = model_with_all_kinds();
  EXPECT_EQ(model.parameter("tendon/t/route/0/pos").name, "site/w0/pos");
  EXPECT_EQ(model.parameter("tendon/t/route/5/side").name, "site/w1/pos");
}

TEST(Parameters, OnlyWhatMakesSenseHasAName) {
  const Model model = model_with_all_kinds();
  std::set<std::string> names;
  for (const Parameter& parameter : model.parameters()) names.insert(parameter.name);
  for (const char* absent :
       {"tendon/t/route/0/radius", "tendon/t/route/5/axis", "tendon/t/route/5/half_length",
        "tendon/t/route/1/divisor", "tendon/t/route/1/coefficient", "joint/elbow/rest_quat",
        "joint/neck/friction", "joint/neck/lower", "joint/float_joint/damping",
        "joint/float_joint/axis"})
    EXPECT_FALSE(names.contains(absent)) << absent;
  for (const char* present : {"tendon/t/route/5/radius", "joint/neck/upper", "joint/neck/damping"})
    EXPECT_TRUE(names.contains(present)) << present;
}

TEST(Parameters, AddressesDoNotOverlap) {
  const Model model = model_with_all_kinds();
  std::map<int, std::string> owner;
  for (const Parameter& parameter : model.parameters())
    for (int i = 0; i < info(parameter.kind).count; ++i) {
      const int address = parameter.address + i;
      EXPECT_LT(address, static_cast<int>(model.nominal().size()));
      EXPECT_TRUE(owner.emplace(address, parameter.name).second)
          << parameter.name << " and " << owner[address];
    }
  for (const Parameter& parameter : model.parameters())
    EXPECT_EQ(parameter.address, parameter_offset(model.description(), parameter.kind) +
                                     parameter.element * info(parameter.kind).count);
}

TEST(Parameters, UnknownNamesGetTheNearestOne) {
  const Model model = model_with_all_kinds();
  EXPECT_CONTAINS(message_of<UnknownNameError>([&] { model.parameter("tendon/t/stifness"); }),
                  "no parameter named 'tendon/t/stifness'; did you mean 'tendon/t/stiffness'?");
  EXPECT_CONTAINS(message_of<UnknownNameError>([&] { model.index("joint", "elbov"); }),
                  "no joint named 'elbov'; did you mean 'elbow'?");
  EXPECT_CONTAINS(message_of<ConfigError>([&] { model.names("joints"); }), "did you mean 'joint'?");
  EXPECT_EQ(model.index("joint", "elbow"), 1);
}

TEST(Parameters, LegalRanges) {
  const auto is_legal = [](Legal legal, std::vector<double> values) {
    return illegal_reason(legal, values).empty();
  };
  EXPECT_TRUE(is_legal(Legal::kFinite, {-1, 0, 1}));
  EXPECT_FALSE(is_legal(Legal::kFinite, {0, kInfinity}));
  EXPECT_TRUE(is_legal(Legal::kNonNegative, {0}));
  EXPECT_FALSE(is_legal(Legal::kNonNegative, {-1e-300}));
  EXPECT_FALSE(is_legal(Legal::kPositive, {0}));
  EXPECT_FALSE(is_legal(Legal::kPositive, {kInfinity}));
  EXPECT_TRUE(is_legal(Legal::kPositiveInf, {kInfinity}));
  EXPECT_FALSE(is_legal(Legal::kPositiveInf, {kNaN}));
  EXPECT_TRUE(is_legal(Legal::kUnit, {1}));
  EXPECT_FALSE(is_legal(Legal::kUnit, {1.0000001}));
  EXPECT_FALSE(is_legal(Legal::kUnit, {kNaN}));
  EXPECT_TRUE(is_legal(Legal::kBound, {-kInfinity}));
  EXPECT_FALSE(is_legal(Legal::kBound, {kNaN}));
  EXPECT_TRUE(is_legal(Legal::kSpringBound, {kNaN}));
  EXPECT_FALSE(is_legal(Legal::kDirection, {0, 0, 0}));
  EXPECT_TRUE(is_legal(Legal::kDirection, {0, 0, -3}));
  EXPECT_FALSE(is_legal(Legal::kQuaternion, {0, 0, 0, 1e-10}));
  EXPECT_TRUE(is_legal(Legal::kQuaternion, {0, 0, 0, 1e-9}));
  EXPECT_FALSE(is_legal(Legal::kInertia, {1, 1, 3, 0, 0, 0}));
  EXPECT_TRUE(is_legal(Legal::kInertia, {1, 1, 2, 0, 0, 0}));
  EXPECT_CONTAINS(illegal_reason(Legal::kUnit, std::vector<double>{2}), "0 to 1");
}

TEST(Parameters, PairsOfBoundsKeepTheirOrder) {
  const Model model = model_with_all_kinds();
  const auto reason = [&](const char* name, std::map<ParameterKind, double> values) {
    return illegal_pair_reason(model.description(), model.parameter(name),
                               [&](ParameterKind kind) { return values.at(kind); });
  };
  using K = ParameterKind;
  EXPECT_EQ(reason("joint/elbow/lower", {{K::joint_lower, 0}, {K::joint_upper, 1}}), "");
  EXPECT_CONTAINS(reason("joint/elbow/lower", {{K::joint_lower, 2}, {K::joint_upper, 1}}),
                  "lower <= upper");
  EXPECT_CONTAINS(reason("joint/elbow/upper", {{K::joint_lower, 2}, {K::joint_upper, 1}}),
                  "lower <= upper");
  EXPECT_CONTAINS(reason("tendon/t/limit_margin", {{K::tendon_lower_limit, 0},
                                                   {K::tendon_upper_limit, 1},
                                                   {K::tendon_limit_margin, 0.6}}),
                  "limit_margin 0.6");
  EXPECT_EQ(reason("tendon/t/spring_lower",
                   {{K::tendon_spring_lower, 0.1}, {K::tendon_spring_upper, kNaN}}),
            "");
  EXPECT_CONTAINS(reason("tendon/t/spring_lower",
                         {{K::tendon_spring_lower, 0.3}, {K::tendon_spring_upper, 0.2}}),
                  "spring_lower <= spring_upper");
  EXPECT_CONTAINS(reason("joint/neck/upper", {{K::joint_upper, 0}}), "cone angle > 0");
  EXPECT_EQ(reason("joint/elbow/damping", {}), "");
}

TEST(Parameters, SlicesAndReferenceConfiguration) {
  ModelBuilder builder = arm();
  builder.description().joints[1].ref = 0.25;
  BodyDescription drone = body("drone", "world", {1, 2, 3});
  drone.quat = {0, 0, 0, 2};
  builder.add_body(drone);
  builder.add_body(body("head", "drone", {0, 0, 1}));
  builder.add_joint(joint("neck", "head", JointType::kBall));
  builder.add_joint(joint("root", "drone", JointType::kFree));
  const Model model = builder.finalize();
  // Joints follow their bodies: shoulder, elbow, root, neck.   [MF-4]
  EXPECT_EQ(model.names("joint"), (std::vector<std::string>{"shoulder", "elbow", "root", "neck"}));
  EXPECT_EQ(model.nq(), 13);
  EXPECT_EQ(model.nv(), 11);
  EXPECT_EQ(model.qpos_slice(2).first, 2);
  EXPECT_EQ(model.qpos_slice(2).count, 7);
  EXPECT_EQ(model.qpos_slice(3).first, 9);
  EXPECT_EQ(model.qvel_slice(3).first, 8);
  EXPECT_EQ(model.qvel_slice(3).count, 3);
  EXPECT_EQ(model.qpos0(), (std::vector<double>{0, 0.25, 1, 2, 3, 0, 0, 0, 1, 1, 0, 0, 0}));
}

}  // namespace
}  // namespace flexor
