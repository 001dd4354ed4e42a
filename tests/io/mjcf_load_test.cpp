// load_model: what the loader and finalize find, together.
#include <cmath>

#include "flexor/io/mjcf.hpp"
#include "io/support.hpp"

namespace flexor::test {
namespace {

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

std::vector<std::string> problems_of(const std::string& text, const LoadOptions& options = {}) {
  std::vector<std::string> list;
  try {
    load_model(text, options);
  } catch (const ModelError& error) {
    for (const Problem& p : error.problems())
      list.push_back(std::to_string(p.source.line) + ":" + std::to_string(p.source.column) + " " +
                     p.code);
  }
  return list;
}

// all problems in one run, no cascades   [MF-7], [MF-24]
TEST(MjcfLoadCase29, AllNineProblemsInOrder) {
  EXPECT_EQ(problems_of(kManyFaults),
            (Codes{"4:23 bad-keyword", "6:22 wrong-count", "7:13 duplicate-name",
                   "11:23 unknown-attribute", "11:37 range-order", "13:13 wrap-bad-type",
                   "13:22 unknown-attribute", "14:13 unknown-name", "15:15 bad-divisor"}));
}

TEST(MjcfLoadCase29, TheTextShowsLinesAndTheExactCount) {
  LoadOptions options;
  options.max_problems = 4;
  try {
    load_model(kManyFaults, options);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.problems().size(), 4u);
    const std::string text = error.what();
    EXPECT_NE(text.find("<string>:4:23: error: "), std::string::npos);
    EXPECT_NE(text.find("    4 |       <joint name=\"j\" type=\"hing\" axis=\"0 0 1\"/>\n"
                        "      |                       ^~~~\n"
                        "      = help: did you mean 'hinge'?"),
              std::string::npos);
    EXPECT_NE(text.find("9 errors, 5 of them not shown"), std::string::npos);
  }
}

TEST(MjcfLoad, FinalizeProblemsPointAtTheAttribute) {
  EXPECT_EQ(
      problems_of("<mujoco>\n<worldbody><site name='a'/><site name='b' pos='1 0 0'/>\n"
                  "</worldbody><tendon>\n<spatial><site site='a'/><site site='c'/></spatial>\n"
                  "</tendon></mujoco>"),
      Codes{"4:32 unknown-name"});
}

TEST(MjcfLoad, GuidesWithoutASiteBetweenAreAnError) {
  EXPECT_EQ(problems_of(world("<site name='a'/><site name='b' pos='1 0 0'/><geom name='g' "
                              "size='.1' pos='.3 0 0'/><geom name='h' size='.1' pos='.6 0 0'/>",
                              "",
                              "<tendon>\n<spatial><site site='a'/><geom geom='g'/><geom geom='h'/>"
                              "<site site='b'/></spatial></tendon>"))
                .size(),
            1u);
}

TEST(MjcfLoad, OptionsAndOverridesComeBeforeCompilation) {
  LoadOptions options;
  options.options = {{"timestep", "0.004"}, {"gravity", "0 0 -1"}};
  options.overrides = {{"joint/j/damping", {.5}}};
  const Model model = load_model(
      world("<body><joint name='j'/><geom size='.1'/></body>", "<option timestep='.001'/>"),
      options);
  EXPECT_EQ(model.timestep(), .004);
  EXPECT_EQ(model.description().options.gravity.z, -1);
  EXPECT_EQ(model.description().joints[0].damping, .5);
  EXPECT_TRUE(model.report().ok);
}

TEST(MjcfLoad, ValidateNeverThrowsForProblems) {
  const Report bad = validate(kManyFaults);
  EXPECT_FALSE(bad.ok);
  long errors = 0;
  for (const ReportItem& item : bad.items) errors += item.problem.severity == Severity::kError;
  EXPECT_EQ(errors, 9);
  EXPECT_TRUE(validate(world("<body><joint/><geom size='1'/></body>")).ok);
  EXPECT_FALSE(validate("<robot/>").ok);
}

TEST(MjcfLoad, BuilderOfAFileCanBeEdited) {
  ModelBuilder builder = load_builder(world("<body name='b'><joint/><geom size='.1'/></body>"));
  SiteDescription site;
  site.name = "tip";
  site.body = "b";
  builder.add_site(site);
  EXPECT_EQ(builder.finalize().index("site", "tip"), 0);
  EXPECT_THROW(load_builder(kManyFaults), ModelError);
}

TEST(MjcfLoadCase07, FixedTendonAddsRepeatedJoints) {
  // q = ref = 30 degrees for a: l = (2 + 1) pi/6 - 3 * 0
  const Model model = load_model(
      world("<body><joint name='a' ref='30'/><geom size='.1'/><body><joint name='b'/>"
            "<geom size='.1'/></body></body>",
            "",
            "<tendon><fixed name='t'><joint joint='a' coef='2'/><joint joint='b' coef='-3'/>"
            "<joint joint='a' coef='1'/></fixed></tendon>"));
  EXPECT_NEAR(model.reference_length(0), 1.570796327, 1e-8);
}

TEST(MjcfLoadCase14, SpringDamper) {
  const Model model = load_model(world(
      "<body><joint name='j' axis='0 1 0' springdamper='.1 .5'/><geom size='.1' pos='.3 0 0'/>"
      "</body>"));
  EXPECT_NEAR(model.description().joints[0].stiffness / 157.4985117, 1, 1e-6);
  EXPECT_NEAR(model.description().joints[0].damping / 7.874925585, 1, 1e-6);
}

TEST(MjcfLoadCase32, LongTreesCompile) {
  std::string text, end;
  for (int i = 0; i < 300; ++i) {
    text += "<body pos='.1 0 0'><joint/><geom size='.05'/>";
    end += "</body>";
  }
  EXPECT_EQ(load_model(world(text + end)).nv(), 300);
  text = "<body><joint/><geom size='1'/>";
  end = "</body>";
  for (int i = 0; i < 9990; ++i) {
    text += "<body>";
    end += "</body>";
  }
  EXPECT_EQ(load_model(world(text + end)).nv(), 1);
}

class PublicModels : public ::testing::TestWithParam<const char*> {};

TEST_P(PublicModels, Compile) {
  const auto folder = shared_folder();
  if (folder.empty()) GTEST_SKIP() << "no public models beside the project (FLEXOR_SHARED)";
  const Model model = load_model((folder / "models" / GetParam()).string());
  EXPECT_GT(model.nv(), 0);
  EXPECT_TRUE(model.report().ok);
}

INSTANTIATE_TEST_SUITE_P(
    Strict, PublicModels,
    ::testing::Values("mujoco/arm26.xml", "mujoco/finger_extensor.xml", "mujoco/ten_J0.xml",
                      "mujoco/ten_J1.xml", "mujoco/ten_J2.xml", "mujoco/ten_J3.xml",
                      "mujoco/tendon_wrap_cylinder.xml", "mujoco/tendon_wrap_sphere.xml",
                      "mujoco/tendon_springlength.xml", "mujoco/tendon_force_clamp.xml",
                      "mujoco/humanoid.xml", "mujoco/replicate_tendon.xml",
                      "myo_sim/finger/finger_v0.xml", "myo_sim/finger/motorfinger_v0.xml",
                      "myo_sim/finger/myofinger_v0.xml",
                      "myo_sim/elbow/myoelbow_1dof6muscles.xml"));

TEST(MjcfLoadCase10, SpringLengthsAtTheSpringReferencePose) {
  const auto folder = shared_folder();
  if (folder.empty()) GTEST_SKIP() << "no public models beside the project (FLEXOR_SHARED)";
  const Model zero = load_model((folder / "models/mujoco/ten_J0.xml").string());
  EXPECT_NEAR(zero.reference_length(0), .5, 1e-8);
  const Model one = load_model((folder / "models/mujoco/ten_J1.xml").string());
  EXPECT_NEAR(one.reference_length(0), 1, 1e-8);
  EXPECT_NEAR(one.description().tendons[0].spring_upper, 1.414213562, 1e-8);
}

}  // namespace
}  // namespace flexor::test
