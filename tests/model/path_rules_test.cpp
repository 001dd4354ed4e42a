// Rules V1 to V10 : which paths are tendons, and what is said about the others.

#include <cmath>
#include <map>

#include "model/problem_list.hpp"
#include "support/simple_models.hpp"

namespace flexor {
namespace {

using namespace test;

/// Codes for the arm with one more tendon of this path.
std::string codes_for(std::vector<PathElement> path) {
  ModelBuilder builder = arm();
  builder.description().tendons.push_back(tendon("t", std::move(path)));
  return codes(builder);
}

/// Remarks on a model with this path.
std::string remarks_for(std::vector<PathElement> path) {
  ModelBuilder builder = arm();
  builder.description().tendons.push_back(tendon("t", std::move(path)));
  return remarks(builder.finalize());
}

// Routing case 42: one report with one line each, naming tendon and element.
TEST(PathRules, Case42ReportsEveryErrorOnce) {
  ModelBuilder builder = arm();
  builder.add_body(body("float", "world", {0, 0, 3}));
  builder.add_joint(joint("ball", "float", JointType::kBall));
  auto& tendons = builder.description().tendons;
  tendons.push_back(tendon("radius", {via("w0"), sphere("upper", {}, 0), via("u")}));
  tendons.push_back(tendon("divisor", {via("w0"), via("u"), pulley(0), via("w1"), via("u")}));
  tendons.push_back(tendon("ends with pulley", {via("w0"), via("u"), pulley(2)}));
  tendons.push_back(tendon("ends with guide", {via("w0"), via("u"), sphere("upper", {}, 0.1)}));
  tendons.push_back(tendon("guide at joint term",
                           {via("w0"), via("u"), sphere("upper", {}, 0.1), term("shoulder")}));
  tendons.push_back(tendon("ball term", {term("ball")}));
  tendons.push_back(tendon("site between terms", {term("shoulder"), via("u"), term("elbow")}));
  tendons.push_back(tendon("empty", {}));
  tendons.push_back(
      tendon("two pulleys", {via("w0"), via("u"), pulley(2), pulley(2), via("w1"), via("u")}));

  const std::vector<Problem> problems = problems_of(builder);
  std::map<std::string, std::vector<std::string>> by_tendon;
  for (const Problem& problem : problems) by_tendon[problem.name].push_back(problem.code);
  using List = std::vector<std::string>;
  EXPECT_EQ(by_tendon["radius"], List{"bad-radius"});
  EXPECT_EQ(by_tendon["divisor"], List{"bad-divisor"});
  EXPECT_EQ(by_tendon["ends with pulley"], List{"path-ends-with-pulley"});
  EXPECT_EQ(by_tendon["ends with guide"], List{"wrap-not-bracketed"});
  EXPECT_EQ(by_tendon["guide at joint term"], List{"wrap-not-bracketed"});
  EXPECT_EQ(by_tendon["ball term"], List{"joint-not-scalar"});
  EXPECT_EQ(by_tendon["site between terms"], List{"path-too-short"});
  EXPECT_EQ(by_tendon["empty"], List{"empty-path"});
  EXPECT_EQ(by_tendon["two pulleys"], List{"pulley-after-pulley"});
  EXPECT_EQ(problems.size(), 9u) << messages(problems);
  for (const Problem& problem : problems) {
    EXPECT_CONTAINS(problem.message, "tendon '" + problem.name + "'");
    if (problem.code != "empty-path") {
      EXPECT_CONTAINS(problem.message, "element ");
    }
  }
}

TEST(PathRules, LegalPathsMakeModels) {
  EXPECT_EQ(codes_for({via("w0"), via("u")}), "");
  EXPECT_EQ(codes_for({pulley(2), via("w0"), via("u")}), "");
  EXPECT_EQ(codes_for({via("w0"), via("u"), pulley(2), via("w1"), via("u")}), "");
  EXPECT_EQ(codes_for({via("w0"), sphere("upper", {}, 0.1), via("u")}), "");
  EXPECT_EQ(codes_for({term("shoulder", 0.02)}), "");
  EXPECT_EQ(codes_for({via("w0"), via("u"), term("elbow", 0.02), via("u"), via("w1")}), "");
  EXPECT_EQ(codes_for({via("w0"), via("u"), pulley(2), term("elbow", 0.02)}), "");
}

TEST(PathRules, V2EveryBranchHasTwoSitesOrAJointTerm) {
  EXPECT_EQ(codes_for({via("w0")}), "path-too-short");
  EXPECT_EQ(codes_for({via("w0"), pulley(2), via("w1"), via("u")}), "path-too-short");
  EXPECT_EQ(codes_for({via("w0"), pulley(2), via("w1")}), "path-too-short path-too-short");
}

TEST(PathRules, V3GuidesStandBetweenSites) {
  EXPECT_EQ(codes_for({sphere("upper", {}, 0.1)}), "wrap-not-bracketed");
  EXPECT_EQ(codes_for({sphere("upper", {}, 0.1), via("w0"), via("u")}), "wrap-not-bracketed");
  EXPECT_EQ(codes_for({via("w0"), sphere("upper", {}, 0.1), pulley(2), via("w1"), via("u")}),
            "wrap-not-bracketed");
  EXPECT_EQ(
      codes_for({via("w0"), sphere("upper", {}, 0.1), sphere("upper", {1, 0, 0}, 0.1), via("u")}),
      "wrap-not-bracketed");
}

TEST(PathRules, V5PulleysOpenBranches) {
  EXPECT_EQ(codes_for({pulley(2)}), "path-ends-with-pulley");
  EXPECT_EQ(codes_for({via("w0"), via("u"), pulley(2), pulley(2)}),
            "pulley-after-pulley path-ends-with-pulley");
}

TEST(PathRules, V6NumbersOfElements) {
  PathElement bad_axis = cylinder("upper", {}, 0.1, {0, 0, 0});
  EXPECT_EQ(codes_for({via("w0"), bad_axis, via("u")}), "out-of-range");
  PathElement bad_length = cylinder("upper", {}, 0.1);
  bad_length.half_length = 0;
  EXPECT_EQ(codes_for({via("w0"), bad_length, via("u")}), "out-of-range");
  EXPECT_EQ(codes_for({via("w0"), sphere("upper", {}, -1), via("u")}), "bad-radius");
  EXPECT_EQ(codes_for({via("w0"), sphere("upper", {}, kNaN), via("u")}), "bad-radius");
  EXPECT_EQ(codes_for({via("w0"), sphere("upper", {}, kInfinity), via("u")}), "bad-radius");
  EXPECT_EQ(codes_for({pulley(-2), via("w0"), via("u")}), "bad-divisor");
  EXPECT_EQ(codes_for({via("w0"), point("upper", {kNaN, 0, 0})}), "out-of-range");
  EXPECT_EQ(codes_for({term("shoulder", kInfinity)}), "out-of-range");
}

TEST(PathRules, V7JointTermsAreScalar) {
  ModelBuilder builder("free");
  builder.add_body(body("b"));
  builder.add_joint(joint("f", "b", JointType::kFree));
  TendonDescription fixed = tendon("t", {term("f")});
  fixed.type = TendonType::kFixed;
  builder.add_tendon(fixed);
  const auto problems = problems_of(builder);
  EXPECT_EQ(codes(problems), "joint-not-scalar");
  EXPECT_CONTAINS(problems.at(0).message, "is a free joint");
}

TEST(PathRules, V9NamesExistAndAreOfTheRightKind) {
  ModelBuilder builder = arm();
  builder.add_geom(geom("ball", "upper", GeomType::kSphere, {0.1, 0, 0}));
  auto& tendons = builder.description().tendons;
  tendons.push_back(tendon("a", {via("w0"), via("ball")}));
  tendons.push_back(tendon("b", {via("w00"), via("u")}));
  tendons.push_back(tendon("c", {via("w0"), point("uper", {})}));
  tendons.push_back(tendon("d", {term("elbov")}));
  tendons.push_back(tendon("e", {via("w0"), with_side(guide("ball"), "nowhere"), via("u")}));
  tendons.push_back(tendon("f", {via("w0"), guide("bal"), via("u")}));
  const auto problems = problems_of(builder);
  ASSERT_EQ(codes(problems),
            "unknown-name unknown-name unknown-name unknown-name unknown-name unknown-name")
      << messages(problems);
  EXPECT_CONTAINS(problems[0].message, "no site named 'ball'; a geom has that name");
  EXPECT_CONTAINS(problems[0].message, "tendon 'a', element 1");
  EXPECT_EQ(problems[1].hint, "did you mean 'w0'?");
  EXPECT_EQ(problems[2].hint, "did you mean 'upper'?");
  EXPECT_EQ(problems[3].hint, "did you mean 'elbow'?");
  EXPECT_CONTAINS(problems[4].message, "no site named 'nowhere'");
  EXPECT_EQ(problems[5].hint, "did you mean 'ball'?");
}

TEST(PathRules, NoStructureErrorsBehindBadElements) {
  // The unknown site would also make the path too short and leave the guide without brackets.
  EXPECT_EQ(codes_for({via("w0"), sphere("upper", {}, 0.1), via("nowhere"), pulley(0)}),
            "bad-divisor unknown-name");
}

TEST(PathRules, FixedTendonsHaveJointTermsOnly) {
  ModelBuilder builder = arm();
  TendonDescription fixed = tendon("t", {term("shoulder"), via("u")});
  fixed.type = TendonType::kFixed;
  builder.description().tendons.push_back(fixed);
  EXPECT_EQ(codes(builder), "misplaced-element");
}

TEST(PathRules, GuidesTakeTheirGeom) {
  ModelBuilder builder = arm();
  GeomDescription drum = geom("drum", "lower", GeomType::kCylinder, {0.05, 0.2, 0});
  drum.pos = {0.1, 0.2, 0.3};
  drum.quat = {std::sqrt(0.5), std::sqrt(0.5), 0, 0};  // quarter turn about x: z goes to -y
  builder.add_geom(drum);
  builder.add_geom(geom("box", "lower", GeomType::kBox, {0.1, 0.1, 0.1}));
  builder.add_tendon(tendon("t", {via("w0"), guide("drum"), via("u")}));
  const Model model = builder.finalize();
  const PathElement& element = model.description().tendons[0].path[1];
  EXPECT_EQ(element.type, ElementType::kCylinder);
  EXPECT_EQ(element.body.index, model.index("body", "lower"));
  EXPECT_EQ(element.radius, 0.05);
  EXPECT_EQ(element.pos.y, 0.2);
  EXPECT_NEAR(element.axis.x, 0, 1e-15);
  EXPECT_NEAR(element.axis.y, -1, 1e-15);
  EXPECT_NEAR(element.axis.z, 0, 1e-15);
  EXPECT_EQ(element.half_length, kInfinity);

  builder.description().tendons[0].path[1] = guide("box");
  const auto problems = problems_of(builder);
  EXPECT_EQ(codes(problems), "wrap-bad-type");
  EXPECT_CONTAINS(problems.at(0).message, "geom 'box' is a box; legal: sphere, cylinder");
}

TEST(PathRules, V10GuideClear) {
  // The line from (-1, 1) to (.5, .1) passes the origin at about 0.34 m.
  EXPECT_EQ(remarks_for({via("w0"), cylinder("upper", {}, 0.1), via("u")}), "guide-clear");
  EXPECT_EQ(remarks_for({via("w0"), cylinder("upper", {}, 0.4), via("u")}), "");
  EXPECT_EQ(remarks_for({via("w0"), with_side(cylinder("upper", {}, 0.1), "w1"), via("u")}), "");
}

TEST(PathRules, V10EndpointInside) {
  // u is 0.51 m from the axis.
  EXPECT_EQ(remarks_for({via("w0"), cylinder("upper", {}, 0.6), via("u")}), "endpoint-inside");
  // An interior guide does not mind.
  PathElement interior = cylinder("upper", {}, 0.6);
  interior.side_mode = SideMode::kInterior;
  EXPECT_EQ(remarks_for({via("w0"), interior, via("u")}), "");
}

TEST(PathRules, V10SideOnAxisAndInteriorTests) {
  PathElement drum = cylinder("world", {0, 0.5, -1}, 0.1);
  drum.has_side = true;
  drum.side_pos = {0, 0.5, 1};  // on the axis, two metres from the centre
  EXPECT_EQ(remarks_for({via("w0"), drum, via("u")}), "wrap-rule-differs");
  drum.side_mode = SideMode::kExterior;
  EXPECT_EQ(remarks_for({via("w0"), drum, via("u")}), "side-on-axis");
}

TEST(PathRules, V10RepeatedSiteAndStaticTendon) {
  EXPECT_EQ(remarks_for({via("w0"), point("world", {-1, 1, 0}), via("u")}), "repeated-site");
  EXPECT_EQ(remarks_for({via("w0"), via("w1")}), "static-tendon");
  EXPECT_EQ(remarks_for({term("shoulder", 0)}), "static-tendon");
}

TEST(PathRules, V10JointTermFar) {
  // The elbow joins upper and lower; w1 is on neither.
  EXPECT_EQ(remarks_for({via("w0"), via("w1"), term("elbow", 0.01)}), "joint-term-far");
  EXPECT_EQ(remarks_for({via("w0"), via("u"), term("elbow", 0.01), via("l"), via("w1")}), "");
}

}  // namespace
}  // namespace flexor
