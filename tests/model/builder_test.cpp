// Manners of the builder: arguments are checked at once, options by name, and the builder stays
// usable after an error. Options by name [IA-10], identity of a model [IA-1].

#include <bit>
#include <cstdint>

#include "model/problem_list.hpp"
#include "support/simple_models.hpp"

namespace flexor {
namespace {

using namespace test;

TEST(Builder, ChecksArgumentsAtOnceAndStaysUnchanged) {
  ModelBuilder builder = arm();
  BodyDescription heavy = body("heavy");
  heavy.mass = -1;
  const std::string text = message_of<ModelError>([&] { builder.add_body(heavy); });
  EXPECT_CONTAINS(text, "body 'heavy': mass -1; legal: finite, >= 0 [bad-inertia]");
  EXPECT_EQ(builder.description().bodies.size(), 2u);

  EXPECT_THROW(builder.add_joint(joint("j", "")), ModelError);
  EXPECT_THROW(builder.add_site(site("s", "upper", {kNaN, 0, 0})), ModelError);
  EXPECT_THROW(builder.add_geom(geom("g", "upper", GeomType::kSphere, {kNaN, 0, 0})), ModelError);
  EXPECT_THROW(builder.add_tendon(tendon("t", {})), ModelError);
  EXPECT_THROW(builder.add_tendon(tendon("t", {via("u"), pulley(0)})), ModelError);
  EXPECT_THROW(builder.add_keyframe({"k", 0, {kNaN}, {}, {}}), ModelError);
  EXPECT_EQ(codes(builder), "");
}

TEST(Builder, ReportsAllArgumentsOfOneCall) {
  JointDescription bad = joint("j", "upper");
  bad.damping = -1;
  bad.lower = 2;
  bad.upper = 1;
  ModelBuilder builder = arm();
  try {
    builder.add_joint(bad);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(codes(error.problems()), "out-of-range range-order");
  }
}

TEST(Builder, StaysUsableAfterFinalizeFails) {
  ModelBuilder builder = arm();
  builder.description().sites[0].body = Reference("nowhere");
  EXPECT_THROW(builder.finalize(), ModelError);
  EXPECT_THROW(builder.finalize(), ModelError);
  builder.description().sites[0].body = Reference("upper");
  EXPECT_EQ(builder.finalize().nv(), 2);
}

TEST(Builder, OptionsByName) {
  ModelBuilder builder("options");
  builder.set_option("timestep", 0.001);
  builder.set_option("gravity", Vec3d{0, -9.81, 0});
  builder.set_option("joint_implicit", "backward");
  builder.set_option("hard_row_softness", 1e-6);
  const OptionsDescription& options = builder.description().options;
  EXPECT_EQ(options.timestep, 0.001);
  EXPECT_EQ(options.gravity.y, -9.81);
  EXPECT_EQ(options.joint_implicit, JointImplicit::kBackward);
  EXPECT_EQ(options.hard_row_softness, 1e-6);
  builder.set_option("timestep", "0.004");
  builder.set_option("gravity", "0 0 -1.62");
  EXPECT_EQ(options.timestep, 0.004);
  EXPECT_EQ(options.gravity.z, -1.62);
}

TEST(Builder, OptionsOutsideTheirRangeAreRefused) {
  ModelBuilder builder("options");
  for (const double h : {0.0, 1e-7, 0.2, -1.0, double(kNaN), double(kInfinity)})
    EXPECT_THROW(builder.set_option("timestep", h), ConfigError) << h;
  EXPECT_THROW(ModelBuilder("m", 0.5), ConfigError);
  EXPECT_THROW(builder.set_option("timestep", "fast"), ConfigError);
  EXPECT_THROW(builder.set_option("timestep", "1e-3 1e-3"), ConfigError);
  EXPECT_THROW(builder.set_option("gravity", Vec3d{0, 0, kNaN}), ConfigError);
  EXPECT_THROW(builder.set_option("gravity", -9.81), ConfigError);
  EXPECT_THROW(builder.set_option("hard_row_softness", -1.0), ConfigError);
  EXPECT_CONTAINS(message_of<ConfigError>([&] { builder.set_option("joint_implicit", "euler"); }),
                  "joint_implicit: euler; legal: trapezoid, backward");
  EXPECT_EQ(builder.description().options.timestep, 0.002);
}

TEST(Builder, ChoicesOfLaterVersionsAreNamedAsSuch) {
  ModelBuilder builder("options");
  builder.set_option("compat", "flexor");
  builder.set_option("contact_margin", 0.01);
  builder.set_option("contact_margin", "1e-2");
  builder.set_option("collide_parent", "false");
  EXPECT_CONTAINS(message_of<ConfigError>([&] { builder.set_option("compat", "mujoco"); }),
                  "this version does not have 'mujoco'; legal: flexor");
  EXPECT_THROW(builder.set_option("contact_margin", 0.02), ConfigError);
  EXPECT_CONTAINS(message_of<ConfigError>([&] { builder.set_option("time_step", 0.01); }),
                  "no model option named 'time_step'; did you mean 'timestep'?");
}

TEST(Builder, BadOptionsOfALoaderAreFoundByFinalize) {
  ModelBuilder builder = arm();
  builder.description().options.timestep = 1;
  EXPECT_EQ(codes(builder), "out-of-range");
}

TEST(Builder, AModelCanBeBuiltAgainFromItsDescription) {
  ModelBuilder builder = arm();
  builder.add_geom(geom("drum", "upper", GeomType::kCylinder, {0.05, 0.2, 0}));
  builder.add_tendon(tendon("t", {via("w0"), guide("drum"), via("u"), pulley(2), term("elbow")}));
  builder.description().bodies[0].quat = {0.3, 0.4, 0.5, 0.6};
  const Model model = builder.finalize();
  const Model again = ModelBuilder(model.description()).finalize();
  EXPECT_EQ(model_hash(model), model_hash(again));
  ASSERT_EQ(model.nominal().size(), again.nominal().size());
  for (std::size_t i = 0; i < model.nominal().size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(model.nominal()[i]),
              std::bit_cast<std::uint64_t>(again.nominal()[i]));
}

TEST(Builder, HashFollowsEveryNumberButNotTheSource) {
  ModelBuilder builder = arm();
  const std::string hash = model_hash(builder.finalize());
  EXPECT_EQ(hash.size(), 32u);
  EXPECT_EQ(hash, model_hash(builder.finalize()));
  builder.description().joints[0].source = {"elsewhere.xml", 3, 4};
  EXPECT_EQ(hash, model_hash(builder.finalize()));
  builder.description().joints[0].damping = 1e-300;
  EXPECT_NE(hash, model_hash(builder.finalize()));
  builder.description().joints[0].damping = 0;
  builder.description().sites[0].name = "other";
  EXPECT_NE(hash, model_hash(builder.finalize()));
}

}  // namespace
}  // namespace flexor
