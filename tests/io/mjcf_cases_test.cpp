// Acceptance cases of models that concern reading, by their numbers: orientations
// [MF-13], vectors and numbers [MF-11], mass [MF-14], includes [MF-10], hostile bytes [MF-26].
#include <array>
#include <clocale>
#include <cmath>
#include <locale>
#include <numbers>

#include "io/mjcf_context.hpp"
#include "io/support.hpp"

namespace flexor::test {
namespace {

constexpr double kTolerance = 1e-8;  // of the cases
constexpr double kDegree = std::numbers::pi / 180;

void expect_quat(const Quatd& q, std::array<double, 4> expected) {
  EXPECT_NEAR(q.w, expected[0], kTolerance);
  EXPECT_NEAR(q.x, expected[1], kTolerance);
  EXPECT_NEAR(q.y, expected[2], kTolerance);
  EXPECT_NEAR(q.z, expected[3], kTolerance);
}

Quatd body_quat(const std::string& attributes, const std::string& compiler = "") {
  const auto loaded = load(world("<body " + attributes + "/>", compiler));
  EXPECT_TRUE(loaded.errors.empty());
  return loaded.description.bodies.at(0).quat;
}

// orientations, degrees, frames, replicates   [MF-13]
TEST(MjcfCase01, EulerAnglesFollowTheSequence) {
  expect_quat(body_quat("euler='30 40 50'"), {.785220715, .360042174, .196628226, .463826910});
  expect_quat(body_quat("euler='30 40 50'", "<compiler eulerseq='zyx'/>"),
              {.860042174, .303371774, .402198494, .080804689});
}

TEST(MjcfCase01, UpperCaseTurnsAboutFixedAxes) {
  // Rz(50) Ry(40) Rx(30) about fixed axes = moving axes in the reverse order
  const Quatd fixed = body_quat("euler='30 40 50'", "<compiler eulerseq='XYZ'/>");
  const Quatd moving = body_quat("euler='50 40 30'", "<compiler eulerseq='zyx'/>");
  expect_quat(fixed, {moving.w, moving.x, moving.y, moving.z});
}

TEST(MjcfCase02, OtherOrientations) {
  const double s = std::sqrt(0.5);
  expect_quat(body_quat("axisangle='0 0 1 90'"), {s, 0, 0, s});
  expect_quat(body_quat("xyaxes='0 1 0 1 0 0'"), {0, s, s, 0});
  expect_quat(body_quat("zaxis='0 0 -1'"), {0, 1, 0, 0});
}

TEST(MjcfCase02, TwoOrientationsAreAnError) {
  const auto loaded = load(world("<body euler='1 0 0' zaxis='0 0 1'/>"));
  EXPECT_EQ(error_codes(loaded), Codes{"exclusive-attributes"});
}

// classes and vectors   [MF-11], [MF-12]
TEST(MjcfCase03, ShorterVectorsKeepTheTailOfTheClass) {
  const auto loaded =
      load(world("<geom class='a' type='cylinder'/><geom class='a' size='.05'/><geom/>",
                 "<default><geom type='cylinder' size='.01 .02' friction='.5 .01 .002'/>"
                 "<default class='a'><geom size='.03' friction='.7'/></default></default>"));
  ASSERT_TRUE(loaded.errors.empty());
  const auto& geoms = loaded.description.geoms;
  EXPECT_DOUBLE_EQ(geoms[0].size.x, .03);
  EXPECT_DOUBLE_EQ(geoms[0].size.y, .02);
  EXPECT_DOUBLE_EQ(geoms[1].size.x, .05);
  EXPECT_DOUBLE_EQ(geoms[1].size.y, .02);
  EXPECT_DOUBLE_EQ(geoms[2].size.x, .01);
  EXPECT_DOUBLE_EQ(geoms[2].size.y, .02);
}

TEST(MjcfCase03, FrictionKeepsTheTailOfTheClass) {
  // friction has no home in the description yet: asked of the classes
  LoadOptions options;
  io::Findings findings(Strict::kTrue, {});
  io::Document document = io::read_document(
      world("<geom class='a' size='1'/><geom size='1'/>",
            "<default><geom friction='.5 .01 .002'/><default class='a'><geom friction='.7'/>"
            "</default></default>"),
      options, findings);
  io::check_schema(document, findings);
  const io::Classes classes(document, findings);
  const auto friction = [&](int nth) {
    int seen = 0;
    for (const io::Element& e : document.elements)
      if (e.name == "geom" && e.word->context == "body" && seen++ == nth)
        return io::to_numbers(
            classes.value(e, "geom", classes.class_of(e, io::Classes::kMain), "friction").words);
    return std::vector<double>();
  };
  EXPECT_EQ(friction(0), (std::vector<double>{.7, .01, .002}));
  EXPECT_EQ(friction(1), (std::vector<double>{.5, .01, .002}));
}

// mass and inertia   [MF-14]
TEST(MjcfCase04, MassAndMomentsOfPrimitives) {
  const auto loaded = load(
      world("<body><geom type='capsule' size='.045' fromto='0 0 0 .5 0 0'/></body>"
            "<body><geom type='box' size='.1 .2 .3' density='500'/></body>"
            "<body><geom type='cylinder' size='.1 .3'/></body><body><geom size='.1'/></body>"));
  ASSERT_TRUE(loaded.errors.empty());
  const auto& b = loaded.description.bodies;
  EXPECT_NEAR(b[0].mass, 3.562566069, kTolerance);
  EXPECT_NEAR(b[0].com.x, .25, kTolerance);
  EXPECT_NEAR(b[0].inertia[0], .003529803, kTolerance);
  EXPECT_NEAR(b[0].inertia[1], .095264554, kTolerance);
  EXPECT_NEAR(b[0].inertia[2], .095264554, kTolerance);
  EXPECT_NEAR(b[1].mass, 24, kTolerance);
  EXPECT_NEAR(b[1].inertia[0], 1.04, kTolerance);
  EXPECT_NEAR(b[1].inertia[1], .8, kTolerance);
  EXPECT_NEAR(b[1].inertia[2], .4, kTolerance);
  EXPECT_NEAR(b[2].mass, 18.849555922, kTolerance);
  EXPECT_NEAR(b[2].inertia[0], .612610567, kTolerance);
  EXPECT_NEAR(b[2].inertia[2], .094247780, kTolerance);
  EXPECT_NEAR(b[3].mass, 4.188790205, kTolerance);
  EXPECT_NEAR(b[3].inertia[0], .016755161, kTolerance);
}

TEST(MjcfCase04, GeomsAddByTheParallelAxisTheorem) {
  // two 1 kg spheres of radius .1 at y = +-.2, turned frames: i = .4 m r^2 = .004 each,
  // across the line + m d^2 = .04 each
  const auto loaded =
      load(world("<body><geom size='.1' mass='1' pos='0 .2 0' euler='10 20 30'/>"
                 "<geom size='.1' mass='1' pos='0 -.2 0'/></body>"));
  const auto& b = loaded.description.bodies[0];
  EXPECT_NEAR(b.mass, 2, kTolerance);
  EXPECT_NEAR(b.inertia[0], 2 * .044, kTolerance);
  EXPECT_NEAR(b.inertia[1], 2 * .004, kTolerance);
  EXPECT_NEAR(b.inertia[2], 2 * .044, kTolerance);
  EXPECT_NEAR(b.inertia[3], 0, kTolerance);
}

TEST(MjcfCase05, BoundsAndBalance) {
  const std::string bodies =
      "<body><inertial pos='0 0 0' mass='0' diaginertia='0 0 0'/></body>"
      "<body><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .5'/></body>";
  const auto loaded =
      load(world(bodies, "<compiler boundmass='.01' boundinertia='.002' balanceinertia='true'/>"));
  ASSERT_TRUE(loaded.errors.empty());
  const auto& b = loaded.description.bodies;
  EXPECT_NEAR(b[0].mass, .01, kTolerance);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(b[0].inertia[k], .002, kTolerance);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(b[1].inertia[k], .233333333, kTolerance);
  EXPECT_EQ(error_codes(load(world(bodies))), Codes{"bad-inertia"});
}

TEST(MjcfCase05, TotalMassScalesEverything) {
  const auto loaded =
      load(world("<body><geom size='.1' mass='1'/><body><geom size='.1' mass='3'/>"
                 "</body></body>",
                 "<compiler settotalmass='8'/>"));
  EXPECT_NEAR(loaded.description.bodies[0].mass, 2, kTolerance);
  EXPECT_NEAR(loaded.description.bodies[1].mass, 6, kTolerance);
  EXPECT_NEAR(loaded.description.bodies[1].inertia[0], .4 * 6 * .01, kTolerance);
}

TEST(MjcfCase06, RadiansAndJointOrder) {
  const auto loaded =
      load(world("<body pos='0 0 1'><joint axis='0 0 1' pos='.1 0 0' ref='.2'/>"
                 "<joint type='slide' axis='1 0 0'/><joint axis='0 1 0' pos='0 0 .2'/>"
                 "<geom size='.1'/><site name='s' pos='.3 .1 -.2'/></body>",
                 "<compiler angle='radian'/>"));
  ASSERT_TRUE(loaded.errors.empty());
  const auto& joints = loaded.description.joints;
  EXPECT_DOUBLE_EQ(joints[0].ref, .2);
  EXPECT_DOUBLE_EQ(joints[0].pos.x, .1);
  EXPECT_EQ(joints[1].type, JointType::kSlide);
  EXPECT_DOUBLE_EQ(joints[2].axis.y, 1);
}

TEST(MjcfCase07, AJointMayStandTwiceInAFixedTendon) {
  const auto loaded =
      load(world("<body><joint name='a' ref='30'/><geom size='.1'/><body><joint name='b'/>"
                 "<geom size='.1'/></body></body>",
                 "",
                 "<tendon><fixed><joint joint='a' coef='2'/><joint joint='b' coef='-3'/>"
                 "<joint joint='a' coef='1'/></fixed></tendon>"));
  ASSERT_TRUE(loaded.errors.empty());
  const auto& path = loaded.description.tendons[0].path;
  EXPECT_EQ(path[0].type, ElementType::kJoint);
  EXPECT_DOUBLE_EQ(path[0].coefficient, 2);
  EXPECT_DOUBLE_EQ(path[1].coefficient, -3);
  EXPECT_DOUBLE_EQ(path[2].coefficient, 1);
  EXPECT_NEAR(loaded.description.joints[0].ref, 30 * kDegree, 1e-15);
}

TEST(MjcfCase08, DegreesCountForHingesOnly) {
  const auto loaded = load(world(
      "<body><joint type='slide' range='0 60' ref='3' springref='2'/>"
      "<joint range='-30 60' ref='10' springref='20'/>"
      "<geom size='.1'/></body><body><joint type='ball' range='0 90'/><geom size='1'/></body>"));
  ASSERT_TRUE(loaded.errors.empty());
  const auto& slide = loaded.description.joints[0];
  EXPECT_DOUBLE_EQ(slide.lower, 0);
  EXPECT_DOUBLE_EQ(slide.upper, 60);
  EXPECT_DOUBLE_EQ(slide.ref, 3);
  EXPECT_DOUBLE_EQ(slide.rest, 2);
  const auto& hinge = loaded.description.joints[1];
  EXPECT_NEAR(hinge.lower, -.523598776, kTolerance);
  EXPECT_NEAR(hinge.upper, 1.047197551, kTolerance);
  EXPECT_NEAR(hinge.ref, .174532925, kTolerance);
  EXPECT_NEAR(hinge.rest, .349065850, kTolerance);
  EXPECT_NEAR(loaded.description.joints[2].upper, 90 * kDegree, 1e-12);
}

io::Loaded spring(const std::string& attributes) {
  return load(
      world("<site name='a'/><body pos='1 0 0'><joint type='slide'/><geom size='.1'/>"
            "<site name='b'/></body>",
            "",
            "<tendon><spatial stiffness='5' " + attributes +
                "><site site='a'/><site site='b'/></spatial></tendon>"));
}

TEST(MjcfCase09, SpringLengths) {
  const auto absent = spring("").description.tendons[0];
  EXPECT_TRUE(std::isnan(absent.spring_lower) && std::isnan(absent.spring_upper));
  EXPECT_TRUE(absent.is_spring_reference_from_rest);
  const auto single = spring("springlength='.3'").description.tendons[0];
  EXPECT_DOUBLE_EQ(single.spring_lower, .3);
  EXPECT_DOUBLE_EQ(single.spring_upper, .3);
  EXPECT_FALSE(single.is_spring_reference_from_rest);
  const auto pair = spring("springlength='.2 .4'").description.tendons[0];
  EXPECT_DOUBLE_EQ(pair.spring_lower, .2);
  EXPECT_DOUBLE_EQ(pair.spring_upper, .4);
  const auto literal = spring("springlength='-1 .4'");
  EXPECT_DOUBLE_EQ(literal.description.tendons[0].spring_lower, -1);
  EXPECT_EQ(warning_codes(literal), Codes{"springlength-sentinel"});
  EXPECT_EQ(error_codes(spring("springlength='.4 .2'")), Codes{"range-order"});
  EXPECT_TRUE(spring("springlength='-1 -1'").description.tendons[0].is_spring_reference_from_rest);
}

TEST(MjcfCase09, SpringLengthWithoutStiffnessIsInactive) {
  const auto loaded = spring("stiffness='0' springlength='.3'");
  EXPECT_EQ(error_codes(loaded), Codes{"duplicate-attribute"});
  const auto alone = load(world("<site name='a'/><site name='b' pos='1 0 0'/>", "",
                                "<tendon><spatial springlength='.3'><site site='a'/>"
                                "<site site='b'/></spatial></tendon>"));
  EXPECT_EQ(alone.report.ignored[static_cast<int>(IgnoredClass::kInactive)], 1);
}

TEST(MjcfCase11, ReplicateNamesAndPoses) {
  const auto eleven = load(world("<replicate count='11'><body name='b'/></replicate>"));
  ASSERT_EQ(eleven.description.bodies.size(), 11u);
  EXPECT_EQ(eleven.description.bodies[0].name, "b00");
  EXPECT_EQ(eleven.description.bodies[10].name, "b10");
  const auto nested = load(world(
      "<replicate count='2' offset='1 0 0'><replicate count='2' offset='0 1 0'><body name='b'/>"
      "</replicate></replicate>"));
  const auto& b = nested.description.bodies;
  ASSERT_EQ(b.size(), 4u);
  const std::array<const char*, 4> names = {"b00", "b10", "b01", "b11"};
  const std::array<std::array<double, 2>, 4> places = {{{0, 0}, {0, 1}, {1, 0}, {1, 1}}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(b[i].name, names[i]);
    EXPECT_NEAR(b[i].pos.x, places[i][0], kTolerance);
    EXPECT_NEAR(b[i].pos.y, places[i][1], kTolerance);
  }
}

TEST(MjcfCase11, ReplicateAccumulatesOffsetsAndTurnsByMultiples) {
  // values of MuJoCo 4.0.0 for the same document
  const auto loaded =
      load(world("<replicate count='3' euler='30 0 40' offset='0 1 0'>"
                 "<body pos='.5 0 0'/></replicate>"));
  const auto& b = loaded.description.bodies;
  EXPECT_NEAR(b[1].pos.x, 0.38302222, kTolerance);
  EXPECT_NEAR(b[1].pos.y, 1.2783352, 1e-7);
  EXPECT_NEAR(b[1].pos.z, 0.1606969, 1e-7);
  EXPECT_NEAR(b[2].pos.x, -0.55596352, kTolerance);
  EXPECT_NEAR(b[2].pos.y, 1.90961589, kTolerance);
  EXPECT_NEAR(b[2].pos.z, 0.80945649, kTolerance);
  expect_quat(b[2].quat, {0.66341395, 0.38302222, -0.3213938, 0.5566704});
}

TEST(MjcfCase11, TendonsFollowWhatTheyName) {
  const auto loaded = load(world(
      "<site name='fixed'/><replicate count='2' offset='1 0 0'><site name='p' pos='0 0 1'/>"
      "</replicate>",
      "", "<tendon><spatial name='t'><site site='fixed'/><site site='p'/></spatial></tendon>"));
  ASSERT_EQ(loaded.description.tendons.size(), 2u);
  EXPECT_EQ(loaded.description.tendons[1].name, "t1");
  EXPECT_EQ(loaded.description.tendons[1].path[0].site.name, "fixed");
  EXPECT_EQ(loaded.description.tendons[1].path[1].site.name, "p1");
}

const char* const kManyFaults =
    R"(<mujoco model="bad">
  <worldbody>
    <body name="a">
      <joint name="j" type="hing" axis="0 0 1"/>
      <geom name="g" type="box" size=".1 .1 .1"/>
      <site name="s" pos="0 0"/>
      <site name="s" pos="0 0 1"/>
    </body>
  </worldbody>
  <tendon>
    <spatial name="t" stifness="10" range=".7 .5">
      <site site="s"/>
      <geom geom="g" sidsite="x"/>
      <site site="q"/>
      <pulley divisor="0"/>
    </spatial>
  </tendon>
</mujoco>
)";

TEST(MjcfCase29, WhatTheLoaderFindsItself) {
  // duplicate-name, unknown-name and bad-divisor are found when the model is finalized
  const auto loaded = load(kManyFaults);
  EXPECT_EQ(errors(loaded),
            (Codes{"4:23 bad-keyword", "6:22 wrong-count", "11:23 unknown-attribute",
                   "11:37 range-order", "13:13 wrap-bad-type", "13:22 unknown-attribute"}));
  EXPECT_EQ(loaded.errors[0].hint, "did you mean 'hinge'?");
  EXPECT_EQ(loaded.errors[2].hint, "did you mean 'stiffness'?");
  EXPECT_EQ(loaded.errors[5].hint, "did you mean 'sidesite'?");
  EXPECT_EQ(binned(loaded.report), loaded.report.total);
}

// safety   [MF-26]
TEST(MjcfCase30, HostileBytes) {
  const Folder folder;
  std::string bomb = "<!DOCTYPE lolz [<!ENTITY l0 \"lol\">";
  for (int i = 1; i < 10; ++i) {
    bomb += "<!ENTITY l" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k) bomb += "&l" + std::to_string(i - 1) + ";";
    bomb += "\">";
  }
  bomb += "]><mujoco model=\"&l9;\"/>";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"<mujoco/><!DOCTYPE x>", "doctype"},
      {bomb, "doctype"},
      {std::string("\xFF\xFE<\0m\0", 6), "encoding"},
      {std::string("<mujoco/>\0", 10), "encoding"},
      {"<mujoco/><mujoco/>", "xml-syntax"},
      {"junk<mujoco/>", "stray-text"},
      {"<mujoco><worldbody></mujoco>", "xml-syntax"},
      {"<mujoco model=\"&nbsp;\"/>", "unknown-entity"},
      {"<mujoco model=\"a & b\"/>", "unknown-entity"},
      {"<mujoco model=\"&#0;\"/>", "unknown-entity"},
      {"<mujoco model=\"<\"/>", "xml-syntax"},
      {"<mujoco><![CDATA[x]]></mujoco>", "stray-text"},
      {"<?xml version=\"1.0\" encoding=\"latin-1\"?><mujoco/>", "encoding"},
      {"<mujoco><?php ?></mujoco>", "xml-syntax"},
      {"<mujoco model=\"\xC0\x80\"/>", "encoding"},
      {"<mujoco model>", "xml-syntax"},
      {"<mujoco", "xml-syntax"},
      {"", "xml-syntax"}};
  for (const auto& [text, code] : cases) {
    const std::string path = folder.write("case.xml", text);
    const double start = test::cpu_seconds();
    const auto loaded = load(path);
    const double seconds = test::cpu_seconds() - start;
    EXPECT_EQ(error_codes(loaded), Codes{code}) << text;
    EXPECT_LT(seconds, 1) << text;  // 10 ms each, ten times that under a sanitizer
  }
}

// the expanded document   [MF-10]
TEST(MjcfCase31, Includes) {
  const Folder folder;
  const std::string a = folder.write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
  folder.write("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
  auto loaded = load(a);
  ASSERT_EQ(error_codes(loaded), Codes{"include-cycle"});
  EXPECT_NE(loaded.errors[0].message.find("a.xml -> "), std::string::npos);
  EXPECT_NE(loaded.errors[0].message.find("b.xml -> "), std::string::npos);

  folder.write("c.xml", "<mujocoinclude/>");
  const std::string twice =
      folder.write("d.xml", "<mujoco><include file='c.xml'/><include file='./c.xml'/></mujoco>");
  EXPECT_EQ(error_codes(load(twice)), Codes{"include-repeated"});

  std::filesystem::create_symlink("c.xml", folder.path() / "link.xml");
  const std::string linked =
      folder.write("e.xml", "<mujoco><include file='c.xml'/><include file='link.xml'/></mujoco>");
  EXPECT_EQ(error_codes(load(linked)), Codes{"include-repeated"});

  const std::string outside =
      folder.write("f.xml", "<mujoco><include file='../../etc/passwd'/></mujoco>");
  LoadOptions inside;
  inside.paths = "inside";
  loaded = load(outside, inside);
  EXPECT_EQ(error_codes(loaded), Codes{"path-outside-root"});
  EXPECT_EQ(loaded.report.files.size(), 1u);  // never opened

  EXPECT_EQ(error_codes(load(folder.write("g.xml", "<mujoco><include/></mujoco>"))),
            Codes{"include-bad"});
  EXPECT_EQ(error_codes(load(folder.write("h.xml", "<mujoco><include file='no.xml'/></mujoco>"))),
            Codes{"file-not-found"});
  EXPECT_EQ(error_codes(load((folder.path() / "none.xml").string())), Codes{"file-not-found"});
  EXPECT_EQ(error_codes(load(folder.path().string())), Codes{"file-unreadable"});
}

TEST(MjcfCase31, IncludedChildrenStandWhereTheIncludeStood) {
  const Folder folder;
  const std::string main = folder.write(
      "main.xml",
      "<mujoco><worldbody><body name='a'><include file='parts/arm.xml'/></body><body name='c'/>"
      "</worldbody></mujoco>");
  folder.write("parts/arm.xml", "<any><body name='b'/><include file='more.xml'/></any>");
  folder.write("parts/more.xml", "<mujocoinclude model='x'><site name='s'/></mujocoinclude>");
  const auto loaded = load(main);
  ASSERT_TRUE(loaded.errors.empty());
  EXPECT_EQ(warning_codes(loaded), Codes{"include-bad"});  // the root 'any'
  ASSERT_EQ(loaded.description.bodies.size(), 3u);
  EXPECT_EQ(loaded.description.bodies[1].name, "b");
  EXPECT_EQ(loaded.description.bodies[1].parent.index, 0);
  EXPECT_EQ(loaded.description.sites[0].body.index, 0);
  EXPECT_EQ(loaded.report.files.size(), 3u);
  EXPECT_EQ(binned(loaded.report), loaded.report.total);
  EXPECT_EQ(loaded.report.total, 17);  // 10 elements with includes and roots, 7 attributes
}

TEST(MjcfCase31, TextInputOpensOnlyAssets) {
  const std::string text = "<mujoco><include file='part.xml'/></mujoco>";
  EXPECT_EQ(error_codes(load(text)), Codes{"file-not-found"});
  LoadOptions options;
  options.assets["part.xml"] = world("<body name='b'/>");
  const auto loaded = load(text, options);
  EXPECT_TRUE(loaded.errors.empty());
  EXPECT_EQ(loaded.description.bodies.size(), 1u);
}

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(MjcfCase32, DeepAndLargeDocuments) {
  const auto chain =
      load(world(repeated("<body><joint/><geom size='.1'/>", 300) + repeated("</body>", 300)));
  EXPECT_TRUE(chain.errors.empty());
  EXPECT_EQ(chain.description.joints.size(), 300u);

  const double start = test::cpu_seconds();
  const auto deep = load(world("<body><joint/><geom size='1'/>" + repeated("<body>", 9990) +
                               repeated("</body>", 9990) + "</body>"));
  EXPECT_TRUE(deep.errors.empty());
  EXPECT_EQ(deep.description.bodies.size(), 9991u);
  EXPECT_LT(test::cpu_seconds() - start, 20);

  EXPECT_EQ(error_codes(load(world(repeated("<body>", 10001) + repeated("</body>", 10001)))),
            Codes{"element-depth"});

  std::string wide = "<mujoco ";
  for (int i = 0; i < 1000000; ++i) wide += "a" + std::to_string(i) + "='' ";
  EXPECT_EQ(error_codes(load(wide + "/>")), Codes{"limit-exceeded"});
}

TEST(MjcfCase32, TwoMillionElements) {
  const auto many = load("<mujoco><custom>" + repeated("<text/>", 1999998) + "</custom></mujoco>");
  EXPECT_TRUE(many.errors.empty());
  EXPECT_EQ(many.report.total, 2000000);
  EXPECT_EQ(
      error_codes(load("<mujoco><custom>" + repeated("<text/>", 1999999) + "</custom></mujoco>")),
      Codes{"limit-exceeded"});
}

struct CommaDecimal : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

TEST(MjcfCase33, NumbersWhateverTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaDecimal));
  const std::string c_before = std::setlocale(LC_NUMERIC, nullptr);
  std::setlocale(LC_NUMERIC, "de_DE.UTF-8");  // where the system has it
  const auto mass = [](const std::string& value) {
    return load(world("<body><geom size='.1' mass='" + value + "'/></body>"));
  };
  EXPECT_EQ(error_codes(mass("1,5")), Codes{"bad-number"});
  EXPECT_EQ(error_codes(mass("0x10")), Codes{"bad-number"});
  EXPECT_EQ(error_codes(mass("1e999")), Codes{"not-finite"});
  EXPECT_EQ(error_codes(mass("nan")), Codes{"not-finite"});
  EXPECT_DOUBLE_EQ(mass(" 2 ").description.bodies[0].mass, 2);
  EXPECT_DOUBLE_EQ(mass("+3").description.bodies[0].mass, 3);
  EXPECT_DOUBLE_EQ(mass("2.5").description.bodies[0].mass, 2.5);
  std::setlocale(LC_NUMERIC, c_before.c_str());
  std::locale::global(before);
}

TEST(MjcfCase34, Leniencies) {
  const auto blank = load(
      "<mujoco>\n<worldbody>\n<body name='a'pos='0 0 1' nme='x'/>\n"
      "</worldbody></mujoco>");
  EXPECT_EQ(warning_codes(blank), Codes{"xml-leniency"});
  EXPECT_EQ(errors(blank), Codes{"3:27 unknown-attribute"});  // column of the file, not of the copy
  EXPECT_DOUBLE_EQ(blank.description.bodies[0].pos.z, 1);
  const auto dashes = load("<mujoco><!-- a -- b --><worldbody/></mujoco>");
  EXPECT_TRUE(dashes.errors.empty());
  EXPECT_EQ(warning_codes(dashes), Codes{"xml-leniency"});
  const auto stray = load("<mujoco><worldbody/> - <worldbody/></mujoco>");
  EXPECT_TRUE(stray.errors.empty());
  EXPECT_EQ(warning_codes(stray), Codes{"stray-text"});
}

TEST(MjcfCase34, ByteOrderMarkTakesNoColumn) {
  const Folder folder;
  const auto loaded =
      load(folder.write("bom.xml", "\xEF\xBB\xBF<mujoco modl='\xC3\xA4' x='1'></mujoco>"));
  EXPECT_EQ(errors(loaded), (Codes{"1:9 unknown-attribute", "1:18 unknown-attribute"}));
  EXPECT_EQ(loaded.report.files[0].bytes, 36);
}

TEST(MjcfCase35, AdhesionIsPhysics) {
  const std::string text =
      world("<body name='b'><joint name='j'/><geom size='.1'/></body>", "",
            "<actuator><motor joint='j'/><adhesion body='b' ctrlrange='0 1' gain='2'/>"
            "<motor joint='j'/></actuator>");
  EXPECT_EQ(error_codes(load(text)), Codes{"ignored-physics"});
  LoadOptions lenient;
  lenient.strict = Strict::kFalse;
  const auto loaded = load(text, lenient);
  EXPECT_TRUE(loaded.errors.empty());
  EXPECT_EQ(warning_codes(loaded), Codes{"ignored-physics"});
  int channels = 0;
  for (const InertElement& e : loaded.description.inert) channels += e.kind == "actuator";
  EXPECT_EQ(channels, 3);
  LoadOptions allowed;
  allowed.allow = {"ignored-physics"};
  EXPECT_TRUE(load(text, allowed).errors.empty());
}

TEST(MjcfCase37, ExactModeRefusesApproximations) {
  const std::string text = world(
      "<body><joint range='0 60' solimplimit='.95 .95 .1'/><geom size='.1' contype='0' "
      "conaffinity='0'/></body>");
  EXPECT_EQ(warning_codes(load(text)), Codes{"softness-mapped"});
  LoadOptions exact;
  exact.strict = Strict::kExact;
  EXPECT_EQ(error_codes(load(text, exact)), Codes{"softness-mapped"});
  exact.allow = {"softness-mapped"};
  EXPECT_TRUE(load(text, exact).errors.empty());
}

}  // namespace
}  // namespace flexor::test
