// Numbers that finalize computes from the reference pose, softness by the response there [MF-6].

#include <cmath>

#include "model/problem_list.hpp"
#include "model/softness.hpp"
#include "support/simple_models.hpp"

namespace flexor {
namespace {

using namespace test;

constexpr double kRounding = 1e-12;

TEST(Derive, ReferenceLengthIsTheLengthAtTheReferencePose) {
  ModelBuilder builder = arm();
  builder.description().joints[0].ref = 0.7;  // the drawing stands, whatever ref says
  builder.add_tendon(tendon("straight", {via("w0"), via("u")}));
  TendonDescription given = tendon("given", {via("w0"), via("u")});
  given.reference_length = 0.3;
  builder.add_tendon(given);
  builder.add_tendon(tendon("pulley", {via("w0"), via("u"), pulley(2), via("w1"), via("u")}));
  TendonDescription fixed = tendon("fixed", {term("shoulder", 2), term("shoulder", 1)});
  fixed.type = TendonType::kFixed;
  builder.add_tendon(fixed);
  const Model model = builder.finalize();
  const double to_w0 = std::hypot(1.5, 0.9), to_w1 = std::hypot(1.5, 1.1);
  EXPECT_NEAR(model.reference_length(0), to_w0, kRounding);
  EXPECT_EQ(model.reference_length(1), 0.3);
  EXPECT_NEAR(model.reference_length(2), to_w0 + to_w1 / 2, kRounding);
  EXPECT_NEAR(model.reference_length(3), 3 * 0.7, kRounding);
}

// Model case 14: sphere of radius .1, density 1000 at x = .3 on a hinge, time constant .1,
// damping ratio .5.   [MF-15]
TEST(Derive, SpringDamper) {
  ModelBuilder builder("springdamper");
  BodyDescription ball;
  ball.name = "ball";
  ball.mass = 1000 * 4.0 / 3 * std::acos(-1.0) * 1e-3;
  ball.com = {0.3, 0, 0};
  const double own = 0.4 * ball.mass * 0.01;
  ball.inertia = {own, own, own, 0, 0, 0};
  builder.add_body(ball);
  JointDescription hinge = joint("hinge", "ball");
  hinge.spring_time = 0.1;
  hinge.spring_damping_ratio = 0.5;
  builder.add_joint(hinge);
  const JointDescription derived = builder.finalize().description().joints[0];
  EXPECT_NEAR(derived.stiffness, 157.4985117, 157.5e-6);
  EXPECT_NEAR(derived.damping, 7.874925585, 7.9e-6);
}

/// One kilogram on a slide with this softness on its limit and friction: W_ref = 1.
JointDescription soft_slide(Softness softness, double h) {
  ModelBuilder builder("soft", h);
  BodyDescription cart;
  cart.name = "cart";
  cart.mass = 1;
  builder.add_body(cart);
  JointDescription slide = joint("slide", "cart", JointType::kSlide);
  softness.is_written = true;
  slide.limit_softness = slide.friction_softness = softness;
  builder.add_joint(slide);
  return builder.finalize().description().joints[0];
}

// Model case 15.   [MF-18], [MF-19], [MF-20]
TEST(Derive, SoftnessOfLimits) {
  const JointDescription a = soft_slide({}, 0.002);
  EXPECT_NEAR(a.limit_correction, 0.045872552, 1e-9);
  EXPECT_NEAR(a.limit_compliance, 1.716979e-6, 1e-12);
  EXPECT_NEAR(a.friction_compliance, 2.111111e-6, 1e-12);
  // At rest beta x = c F: the kilogram sinks c g / beta past its limit.
  EXPECT_NEAR(a.limit_compliance / a.limit_correction * 9.81, 0.367182e-3, 1e-9);

  Softness direct;
  direct.solref[0] = -1000;
  direct.solref[1] = -20;
  const JointDescription b = soft_slide(direct, 0.002);
  EXPECT_NEAR(b.limit_correction, 0.089762443, 1e-9);
  EXPECT_NEAR(b.limit_compliance, 5.830224e-6, 1e-12);
  EXPECT_NEAR(b.limit_compliance / b.limit_correction * 9.81, 0.637176e-3, 1e-9);

  Softness idiom;
  idiom.solimp[0] = 0;
  idiom.solimp[1] = 0.99;
  idiom.solimp[2] = 0.01;
  const JointDescription c = soft_slide(idiom, 0.005);
  EXPECT_NEAR(c.limit_correction, 0.066206604, 1e-9);
  EXPECT_NEAR(c.limit_compliance, 3.609248e-5, 1e-11);
  EXPECT_NEAR(c.limit_compliance / c.limit_correction * 9.81, 5.347914e-3, 1e-8);
}

TEST(Derive, SoftnessIsMappedAgainForAnotherTimestep) {
  ModelBuilder builder("soft");
  builder.add_body(body("cart"));
  JointDescription slide = joint("slide", "cart", JointType::kSlide);
  slide.limit_softness.is_written = true;
  builder.add_joint(slide);
  const Model model = builder.finalize();
  ModelBuilder again(model.description());
  again.set_option("timestep", 0.004);
  builder.set_option("timestep", 0.004);
  EXPECT_EQ(model_hash(again.finalize()), model_hash(builder.finalize()));
}

TEST(Derive, TendonSoftnessScalesWithItsResponse) {
  // A tendon along a slide of mass 2: J = +-1, W = 1/2. Beside it the toggle: a tendon across the
  // slide moves nothing at the reference pose.
  ModelBuilder builder("tendon");
  BodyDescription cart = body("cart");
  cart.mass = 2;
  builder.add_body(cart);
  builder.add_joint(joint("slide", "cart", JointType::kSlide, {1, 0, 0}));
  TendonDescription along = tendon("along", {point("world", {-1, 0, 0}), point("cart", {})});
  along.limit_softness.is_written = along.friction_softness.is_written = true;
  TendonDescription across = along;
  across.name = "across";
  across.path[0].pos = {0, 1, 0};
  builder.add_tendon(along);
  builder.add_tendon(across);
  const Model model = builder.finalize();
  const TendonDescription &a = model.description().tendons[0], &b = model.description().tendons[1];
  EXPECT_NEAR(a.limit_compliance, 0.5 * 1.716979e-6, 1e-12);
  EXPECT_NEAR(a.position_correction, 0.045872552, 1e-9);
  EXPECT_NEAR(a.friction_compliance, 0.5 * 2.111111e-6, 1e-12);
  EXPECT_EQ(b.limit_compliance, 0);
  EXPECT_EQ(b.friction_compliance, 0);
  EXPECT_EQ(remarks(model), "no-reference-response");
}

TEST(Derive, UnderdampedSoftnessIsSaid) {
  ModelBuilder builder("soft");
  builder.add_body(body("cart"));
  JointDescription slide = joint("slide", "cart", JointType::kSlide);
  slide.limit_softness.is_written = true;
  slide.limit_softness.solref[1] = 0.5;
  builder.add_joint(slide);
  EXPECT_EQ(remarks(builder.finalize()), "underdamped-softness");
  builder.description().joints[0].limit_softness.solref[1] = -1;
  EXPECT_EQ(codes(builder), "unsupported-value");
}

TEST(Derive, SpringReferenceAtRest) {
  ModelBuilder builder("rest");
  builder.add_body(body("cart", "world", {1, 0, 0}));
  builder.add_body(body("other", "world", {0, 5, 0}));
  JointDescription slide = joint("slide", "cart", JointType::kSlide, {1, 0, 0});
  slide.ref = 0.2;
  slide.rest = 0.7;
  builder.add_joint(slide);
  JointDescription elsewhere = slide;
  elsewhere.name = "elsewhere";
  elsewhere.body = Reference("other");
  builder.add_joint(elsewhere);
  TendonDescription t = tendon("t", {point("world", {}), point("cart", {})});
  t.is_spring_reference_from_rest = true;
  builder.add_tendon(t);
  // Both ends on one body: no joint of this path rests elsewhere, the automatic value is kept.
  TendonDescription inner = tendon("inner", {point("cart", {}), point("cart", {0, 1, 0})});
  inner.is_spring_reference_from_rest = true;
  builder.add_tendon(inner);
  const Model model = builder.finalize();
  EXPECT_NEAR(model.reference_length(0), 1, kRounding);
  EXPECT_NEAR(model.description().tendons[0].spring_lower, 1.5, kRounding);
  EXPECT_NEAR(model.description().tendons[0].spring_upper, 1.5, kRounding);
  EXPECT_TRUE(std::isnan(model.description().tendons[1].spring_lower));
}

}  // namespace
}  // namespace flexor
