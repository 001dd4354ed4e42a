// Every check on names, bodies, joints [MF-3], sites, tendons and keyframes;
// one problem per fault [MF-7].

#include "model/problem_list.hpp"
#include "support/simple_models.hpp"

namespace flexor {
namespace {

using namespace test;

/// Codes after a change to the arm.
template <class Change>
std::string codes_after(Change&& change) {
  ModelBuilder builder = arm();
  change(builder.description());
  return codes(builder);
}

TEST(Checks, TheArmIsAModel) {
  const Model model = arm().finalize();
  EXPECT_EQ(model.nq(), 2);
  EXPECT_EQ(model.nv(), 2);
  EXPECT_EQ(model.report().format, "builder");
  EXPECT_TRUE(model.report().items.empty());
}

TEST(Checks, NamesAreUniquePerKind) {
  EXPECT_EQ(codes_after([](Description& d) { d.sites.push_back(site("u", "lower")); }),
            "duplicate-name");
  EXPECT_EQ(codes_after([](Description& d) { d.joints[1].name = "shoulder"; }), "duplicate-name");
  EXPECT_EQ(codes_after([](Description& d) {
              d.geoms.push_back(geom("u", "upper", GeomType::kSphere, {0.1, 0, 0}));
            }),
            "");  // another kind
}

TEST(Checks, NamesAreLegal) {
  const auto codes_for = [](std::string name) {
    return codes_after([&](Description& d) { d.sites[0].name = name; });
  };
  EXPECT_EQ(codes_for("tab\there"), "bad-name");
  EXPECT_EQ(codes_for("\xff"), "bad-name");
  EXPECT_EQ(codes_for("\xc0\xaf"), "bad-name");      // overlong
  EXPECT_EQ(codes_for("\xed\xa0\x80"), "bad-name");  // surrogate
  EXPECT_EQ(codes_for("\xc2\x85"), "bad-name");      // control character
  EXPECT_EQ(codes_for(std::string(1025, 'a')), "bad-name");
  EXPECT_EQ(codes_for(std::string(1024, 'a')), "");
  EXPECT_EQ(codes_for("Größe 手 \xf0\x9f\x99\x82"), "");
  EXPECT_EQ(codes_after([](Description& d) { d.bodies.push_back(body("world")); }), "bad-name");
}

TEST(Checks, MissingNamesBecomeTheNextFreeOne) {
  ModelBuilder builder("names");
  EXPECT_EQ(builder.add_body({}), 0);
  EXPECT_EQ(builder.description().bodies[0].name, "body_0");
  BodyDescription taken;
  taken.name = "body_2";
  builder.add_body(taken);
  builder.add_body({});
  EXPECT_EQ(builder.description().bodies[2].name, "body_3");

  ModelBuilder loaded = arm();
  for (SiteDescription& site : loaded.description().sites) site.name.clear();
  loaded.description().sites[3].name = "site_1";
  const Model model = loaded.finalize();
  EXPECT_EQ(model.names("site"),
            (std::vector<std::string>{"site_0", "site_2", "site_3", "site_1"}));
}

TEST(Checks, ReferencesSayWhatTheyWanted) {
  ModelBuilder builder = arm();
  builder.description().joints[1].body = Reference("loer");
  builder.description().bodies[1].parent = Reference("u");
  builder.description().sites[2].body = Reference(17);
  const auto problems = problems_of(builder);
  ASSERT_EQ(codes(problems), "unknown-name unknown-name unknown-name") << messages(problems);
  EXPECT_CONTAINS(problems[0].message, "no body named 'u'; a site has that name");
  EXPECT_CONTAINS(problems[1].message, "joint 'elbow': no body named 'loer'");
  EXPECT_EQ(problems[1].hint, "did you mean 'lower'?");
  EXPECT_CONTAINS(problems[2].message, "17");
}

TEST(Checks, ReferencesPointAtTheirOwnPlace) {
  ModelBuilder builder = arm();
  TendonDescription t = tendon("t", {via("w0"), via("q")});
  t.source = {"hand.xml", 11, 5};
  t.path[1].source = {"hand.xml", 14, 7};
  t.path[1].site.source = {"hand.xml", 14, 13};
  builder.description().tendons.push_back(t);
  const auto problems = problems_of(builder);
  ASSERT_EQ(codes(problems), "unknown-name");
  EXPECT_EQ(problems[0].source.line, 14);
  EXPECT_EQ(problems[0].source.column, 13);
}

TEST(Checks, BodiesMayComeInAnyOrder) {
  ModelBuilder builder("order");
  builder.add_body(body("c", "b", {0, 0, 1}));
  builder.add_body(body("a"));
  builder.add_body(body("d", "a"));
  builder.add_body(body("b", "a", {0, 1, 0}));
  for (const char* name : {"c", "d", "a", "b"}) builder.add_joint(joint(name, name));
  builder.add_site(site("s", "c"));
  builder.add_tendon(tendon("t", {via("s"), term("c"), via("s"), point("d", {1, 0, 0})}));
  builder.description().tendons[0].path = {via("s"), point("d", {1, 0, 0}), pulley(2), term("c")};
  const Model model = builder.finalize();
  // Ancestors of c first, then the rest in the order given.
  EXPECT_EQ(model.names("body"), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(model.names("joint"), (std::vector<std::string>{"a", "b", "c", "d"}));
  const Description& d = model.description();
  EXPECT_EQ(d.bodies[2].parent.index, 1);
  EXPECT_EQ(d.sites[0].body.index, 2);
  EXPECT_EQ(d.tendons[0].path[0].body.index, 2);
  EXPECT_EQ(d.tendons[0].path[1].body.index, 3);
  EXPECT_EQ(d.tendons[0].path[3].joint.index, 2);
}

TEST(Checks, CyclesOfParentsAreOneErrorEach) {
  ModelBuilder builder("cycle");
  builder.add_body(body("a", "c"));
  builder.add_body(body("b", "a"));
  builder.add_body(body("c", "b"));
  builder.add_body(body("tail", "c"));
  builder.add_body(body("self", "self"));
  const auto problems = problems_of(builder);
  ASSERT_EQ(codes(problems), "link-loop link-loop") << messages(problems);
  EXPECT_CONTAINS(problems[0].message, "body 'a'");
  EXPECT_CONTAINS(problems[1].message, "body 'self'");
}

TEST(Checks, DeepChainsNeedNoStack) {
  ModelBuilder builder("deep");
  std::vector<BodyDescription>& bodies = builder.description().bodies;
  const int count = 20'000;
  for (int i = 0; i < count; ++i) {
    BodyDescription link;
    link.mass = 1;
    link.parent = Reference(i + 1 < count ? i + 1 : kWorld);  // children first
    bodies.push_back(link);
  }
  bodies.back().inertia = {1, 1, 1, 0, 0, 0};
  JointDescription hinge;
  hinge.body = Reference(count - 1);
  builder.description().joints.push_back(hinge);
  const Model model = builder.finalize();
  EXPECT_EQ(model.nv(), 1);
  EXPECT_EQ(model.description().bodies[0].parent.index, kWorld);
  EXPECT_EQ(model.description().joints[0].body.index, 0);
}

TEST(Checks, MassAndInertia) {
  const auto codes_for = [](double mass, std::array<double, 6> inertia) {
    return codes_after([&](Description& d) {
      d.bodies[1].mass = mass;
      d.bodies[1].inertia = inertia;
    });
  };
  EXPECT_EQ(codes_for(-1, {1, 1, 1, 0, 0, 0}), "bad-inertia");
  EXPECT_EQ(codes_for(kNaN, {1, 1, 1, 0, 0, 0}), "bad-inertia");
  EXPECT_EQ(codes_for(1, {0.1, 0.1, 0.5, 0, 0, 0}), "bad-inertia");  // A + B < C
  EXPECT_EQ(codes_for(1, {-0.1, 1, 1, 0, 0, 0}), "bad-inertia");
  EXPECT_EQ(codes_for(1, {1, 1, 1, 2, 0, 0}), "bad-inertia");  // a negative moment
  EXPECT_EQ(codes_for(1, {1, 1, kInfinity, 0, 0, 0}), "bad-inertia");
  EXPECT_EQ(codes_for(1, {0.1, 0.1, 0.2, 0, 0, 0}), "");  // A + B = C: a thin ring
  EXPECT_EQ(codes_for(1, {0.1, 0.1, 0.2 * (1 + 5e-7), 0, 0, 0}), "");
  EXPECT_EQ(codes_for(1, {0, 0, 0, 0, 0, 0}), "massless-body");  // hinge through the point mass
}

TEST(Checks, MasslessBodiesAreNamed) {
  ModelBuilder builder("massless");
  builder.add_body(body("a"));
  builder.add_joint(joint("ja", "a"));
  BodyDescription empty;
  empty.name = "empty";
  empty.parent = Reference("a");
  builder.add_body(empty);
  builder.add_joint(joint("je", "empty"));
  // Two slides along one axis: only the sum of their coordinates has inertia.
  builder.add_body(body("b"));
  builder.add_joint(joint("jb", "b", JointType::kSlide));
  builder.add_joint(joint("jc", "b", JointType::kSlide));
  const auto problems = problems_of(builder);
  ASSERT_EQ(codes(problems), "massless-body massless-body") << messages(problems);
  EXPECT_CONTAINS(messages(problems), "joint 'je': body 'empty'");
  EXPECT_CONTAINS(messages(problems), "joint 'jb': body 'b'");

  builder.description().joints[1].armature = 1e-6;
  builder.description().joints[2].armature = 1e-3;
  EXPECT_EQ(codes(builder), "");
}

TEST(Checks, MasslessIsNotReportedBehindABrokenTree) {
  EXPECT_EQ(codes_after([](Description& d) {
              d.bodies[1].mass = -1;
              d.bodies[1].inertia = {};
            }),
            "bad-inertia");
}

TEST(Checks, FreeJointsStandAloneOnChildrenOfTheWorld) {
  ModelBuilder builder = arm();
  builder.add_body(body("ball"));
  builder.add_joint(joint("f", "ball", JointType::kFree));
  EXPECT_EQ(codes(builder), "");
  builder.add_joint(joint("g", "ball", JointType::kSlide));
  EXPECT_EQ(codes(builder), "bad-joint");
  EXPECT_EQ(codes_after([](Description& d) { d.joints[1].type = JointType::kFree; }), "bad-joint");
}

TEST(Checks, NothingTurnsBehindABall) {
  for (const JointType type : {JointType::kHinge, JointType::kBall, JointType::kSlide}) {
    ModelBuilder builder("ball");
    builder.add_body(body("b", "world", {1, 0, 0}));
    builder.add_joint(joint("first", "b", JointType::kBall));
    builder.add_joint(joint("second", "b", type));
    EXPECT_EQ(codes(builder), type == JointType::kSlide ? "" : "bad-joint");
  }
}

TEST(Checks, TheWorldHasNoJoints) {
  EXPECT_EQ(codes_after([](Description& d) { d.joints.push_back(joint("j", "world")); }),
            "bad-joint");
  EXPECT_EQ(codes_after([](Description& d) { d.joints.push_back(joint("j", "")); }),
            "missing-attribute");
}

TEST(Checks, PlanesDoNotMove) {
  const auto codes_for = [](const char* body) {
    return codes_after(
        [&](Description& d) { d.geoms.push_back(geom("p", body, GeomType::kPlane, {})); });
  };
  EXPECT_EQ(codes_for("world"), "");
  EXPECT_EQ(codes_for("lower"), "plane-on-moving-body");
}

TEST(Checks, JointNumbers) {
  const auto codes_for = [](auto member, double value) {
    return codes_after([&](Description& d) { d.joints[0].*member = value; });
  };
  using J = JointDescription;
  for (const auto member : {&J::damping, &J::friction, &J::friction_compliance, &J::armature,
                            &J::stiffness, &J::position_gain, &J::velocity_gain, &J::limit_margin,
                            &J::limit_compliance, &J::spring_time, &J::spring_damping_ratio}) {
    EXPECT_EQ(codes_for(member, -1), "out-of-range");
    EXPECT_EQ(codes_for(member, kNaN), "out-of-range");
    EXPECT_EQ(codes_for(member, kInfinity), "out-of-range");
    EXPECT_EQ(codes_for(member, 0.5), "");
  }
  for (const auto member : {&J::ref, &J::rest}) {
    EXPECT_EQ(codes_for(member, kInfinity), "out-of-range");
    EXPECT_EQ(codes_for(member, -1), "");
  }
  EXPECT_EQ(codes_for(&J::limit_correction, 1.1), "out-of-range");
  EXPECT_EQ(codes_for(&J::velocity_limit, 0), "out-of-range");
  EXPECT_EQ(codes_for(&J::velocity_limit, kInfinity), "");
  EXPECT_EQ(codes_for(&J::lower, kNaN), "out-of-range");
  EXPECT_EQ(codes_for(&J::effort_upper, kNaN), "out-of-range");
  EXPECT_EQ(codes_after([](Description& d) { d.joints[0].axis = {0, 0, 0}; }), "out-of-range");
  EXPECT_EQ(codes_after([](Description& d) { d.joints[0].axis = {0, 1e-200, 0}; }), "out-of-range");
  EXPECT_EQ(codes_after([](Description& d) { d.joints[0].axis = {0, 0, 250}; }), "");
}

TEST(Checks, JointBoundsAreOrdered) {
  const auto codes_for = [](double lower, double upper) {
    return codes_after([&](Description& d) {
      d.joints[0].lower = lower;
      d.joints[0].upper = upper;
    });
  };
  EXPECT_EQ(codes_for(1, 0), "range-order");
  EXPECT_EQ(codes_for(0, 0), "");  // a lock
  EXPECT_EQ(codes_for(-kInfinity, 0), "");
  EXPECT_EQ(codes_for(kInfinity, kInfinity), "out-of-range");
  EXPECT_EQ(codes_after([](Description& d) {
              d.joints[0].effort_lower = 2;
              d.joints[0].effort_upper = 1;
            }),
            "range-order");
}

TEST(Checks, BallAndFreeJointsRefuseWhatTheyCannotHave) {
  const auto codes_for = [](JointType type, auto member, double value) {
    ModelBuilder builder("one");
    builder.add_body(body("b", "world", {1, 0, 0}));
    JointDescription j = joint("j", "b", type);
    j.*member = value;
    builder.description().joints.push_back(j);
    return codes(builder);
  };
  using J = JointDescription;
  for (const auto member :
       {&J::damping, &J::armature, &J::stiffness, &J::position_gain, &J::velocity_gain}) {
    EXPECT_EQ(codes_for(JointType::kFree, member, 1), "out-of-range");
    EXPECT_EQ(codes_for(JointType::kBall, member, 1), "");
  }
  for (const JointType type : {JointType::kFree, JointType::kBall})
    for (const auto member : {&J::friction, &J::velocity_limit})
      EXPECT_EQ(codes_for(type, member, 1), "out-of-range");
  EXPECT_EQ(codes_for(JointType::kBall, &J::ref, 1), "out-of-range");
  EXPECT_EQ(codes_for(JointType::kBall, &J::upper, 0), "out-of-range");
  EXPECT_EQ(codes_for(JointType::kBall, &J::upper, 1), "");
  EXPECT_EQ(codes_for(JointType::kBall, &J::lower, -1), "out-of-range");
  EXPECT_EQ(codes_for(JointType::kFree, &J::upper, 1), "out-of-range");
}

TEST(Checks, TendonNumbers) {
  const auto codes_for = [](auto member, double value) {
    return codes_after([&](Description& d) {
      d.tendons.push_back(tendon("t", {via("w0"), via("u")}));
      d.tendons[0].*member = value;
    });
  };
  using T = TendonDescription;
  for (const auto member : {&T::stiffness, &T::damping, &T::limit_margin, &T::limit_compliance,
                            &T::friction_loss, &T::friction_compliance, &T::armature,
                            &T::activation_time, &T::position_gain, &T::velocity_gain}) {
    EXPECT_EQ(codes_for(member, -1), "out-of-range");
    EXPECT_EQ(codes_for(member, kNaN), "out-of-range");
    EXPECT_EQ(codes_for(member, kInfinity), "out-of-range");
    EXPECT_EQ(codes_for(member, 0.5), "");
  }
  for (const auto member :
       {&T::activation, &T::force, &T::target_length, &T::target_velocity, &T::reference_length})
    EXPECT_EQ(codes_for(member, kInfinity), "out-of-range");
  EXPECT_EQ(codes_for(&T::position_correction, -0.1), "out-of-range");
  EXPECT_EQ(codes_for(&T::width, 0), "out-of-range");
  EXPECT_EQ(codes_for(&T::spring_lower, 0.5), "out-of-range");  // one bound automatic, one not
}

TEST(Checks, TendonBoundsAreOrdered) {
  using T = TendonDescription;
  const auto codes_for = [](auto lower, auto upper, double a, double b, double margin = 0) {
    return codes_after([&](Description& d) {
      d.tendons.push_back(tendon("t", {via("w0"), via("u")}));
      d.tendons[0].*lower = a;
      d.tendons[0].*upper = b;
      d.tendons[0].limit_margin = margin;
    });
  };
  EXPECT_EQ(codes_for(&T::lower_limit, &T::upper_limit, 2, 1), "range-order");
  EXPECT_EQ(codes_for(&T::lower_limit, &T::upper_limit, 1, 1, 5), "");  // lock: no margin
  EXPECT_EQ(codes_for(&T::lower_limit, &T::upper_limit, 1, 2, 0.5), "");
  EXPECT_EQ(codes_for(&T::lower_limit, &T::upper_limit, 1, 2, 0.6), "out-of-range");
  EXPECT_EQ(codes_for(&T::lower_limit, &T::upper_limit, -kInfinity, -kInfinity), "out-of-range");
  EXPECT_EQ(codes_for(&T::spring_lower, &T::spring_upper, 0.4, 0.2), "range-order");
  EXPECT_EQ(codes_for(&T::spring_lower, &T::spring_upper, -kInfinity, 0.2), "");
  EXPECT_EQ(codes_for(&T::spring_lower, &T::spring_upper, kInfinity, kInfinity), "out-of-range");
  EXPECT_EQ(codes_for(&T::actuation_lower, &T::actuation_upper, 1, -1), "range-order");
  EXPECT_EQ(codes_for(&T::actuation_lower, &T::actuation_upper, 1, 2), "");  // without 0: legal
}

TEST(Checks, QuaternionsAreNormalisedAndZeroOnesRefused) {
  ModelBuilder builder = arm();
  builder.description().bodies[0].quat = {0, 0, 3, 4};
  const Model model = builder.finalize();
  EXPECT_EQ(model.description().bodies[0].quat.y, 0.6);
  EXPECT_EQ(model.description().bodies[0].quat.z, 0.8);
  EXPECT_EQ(codes_after([](Description& d) { d.bodies[0].quat = {0, 0, 0, 0}; }), "out-of-range");
  EXPECT_EQ(codes_after([](Description& d) {
              d.sites[0].quat = {0, 1e-10, 0, 0};
            }),
            "out-of-range");
  EXPECT_EQ(codes_after([](Description& d) { d.sites[0].pos.x = kNaN; }), "out-of-range");
}

TEST(Checks, KeyframesFitTheModel) {
  ModelBuilder builder("frames");
  builder.add_body(body("b"));
  builder.add_joint(joint("f", "b", JointType::kFree));
  builder.add_keyframe({"good", 0, {1, 2, 3, 0, 2, 0, 0}, {}, {}});
  const Model model = builder.finalize();
  EXPECT_EQ(model.description().keyframes[0].qpos[4], 1);
  builder.add_keyframe({"short", 0, {1, 2, 3}, {}, {}});
  builder.add_keyframe({"long", 0, {}, {1, 2, 3, 4, 5, 6, 7}, {}});
  builder.add_keyframe({"no direction", 0, {1, 2, 3, 0, 0, 0, 0}, {}, {}});
  EXPECT_EQ(codes(builder), "wrong-count wrong-count wrong-count");
}

TEST(Checks, AllProblemsComeInOneReport) {
  ModelBuilder builder = arm();
  for (int i = 0; i < 30; ++i) {
    SiteDescription bad = site("", "nowhere");
    bad.name = "s" + std::to_string(i);
    bad.source = {"many.xml", 40 - i, 3};
    builder.description().sites.push_back(bad);
  }
  try {
    builder.finalize();
    FAIL() << "30 problems made a model";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.problems().size(), 20u);
    EXPECT_CONTAINS(error.what(), "30 problems, the first 20 shown");
    EXPECT_EQ(error.problems()[0].source.line, 11);  // sorted by line
    EXPECT_EQ(error.problems()[19].source.line, 30);
  }
}

TEST(Checks, ProblemsOfTheLoaderStandAmongOurs) {
  ModelBuilder builder = arm();
  builder.description().joints[0].source = {"a.xml", 5, 1};
  builder.description().joints[0].damping = -1;
  FinalizeOptions options;
  Problem early, late;
  early.code = "unknown-attribute";
  early.source = {"a.xml", 2, 1};
  late.code = "bad-number";
  late.source = {"a.xml", 9, 1};
  options.problems = {late, early};
  try {
    builder.finalize(options);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(codes(error.problems()), "unknown-attribute out-of-range bad-number");
  }
}

TEST(Checks, TooLargeModelsAreRefused) {
  ModelBuilder builder("large");
  builder.description().sites.resize(200'001);
  EXPECT_EQ(codes(builder), "limit-exceeded");
}

}  // namespace
}  // namespace flexor
