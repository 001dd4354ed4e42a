// Public models beside the project: counts, masses, bins. Cases 10, 12, 16-19, 23, 38.
#include <map>

#include "io/support.hpp"

namespace flexor::test {
namespace {

class PublicModel : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = shared_folder();
    if (folder_.empty()) GTEST_SKIP() << "no public models beside the project (FLEXOR_SHARED)";
  }
  io::Loaded load_public(const std::string& name, const LoadOptions& options = {}) const {
    return load((folder_ / "models" / name).string(), options);
  }
  static double count(const io::Loaded& loaded, const std::string& name) {
    for (const auto& [key, value] : loaded.report.counts)
      if (key == name) return value;
    ADD_FAILURE() << "no count " << name;
    return -1;
  }
  static std::string contacts(const io::Loaded& loaded) {
    for (const InertElement& e : loaded.description.inert)
      if (e.kind == "contact") return e.name;
    return "none";
  }
  std::filesystem::path folder_;
};

using MjcfCase10 = PublicModel;
TEST_F(MjcfCase10, SpringReferences) {
  const auto zero = load_public("mujoco/ten_J0.xml");
  ASSERT_TRUE(zero.errors.empty());
  EXPECT_NEAR(zero.description.joints[0].rest, 1.5707963267948966, 1e-12);
  EXPECT_EQ(zero.description.joints[0].stiffness, 100);
  EXPECT_EQ(zero.description.keyframes[0].qpos, std::vector<double>{1});
  const auto one = load_public("mujoco/ten_J1.xml");
  EXPECT_EQ(one.description.keyframes[0].qpos, (std::vector<double>{-1, 0}));
  EXPECT_EQ(one.description.options.gravity.z, 0);
  EXPECT_TRUE(one.description.tendons[0].is_spring_reference_from_rest);
}

using MjcfCase12 = PublicModel;
TEST_F(MjcfCase12, ReplicateTendon) {
  const auto loaded = load_public("mujoco/replicate_tendon.xml");
  ASSERT_TRUE(loaded.errors.empty());
  EXPECT_EQ(count(loaded, "nq"), 259);
  EXPECT_EQ(count(loaded, "nv"), 222);
  EXPECT_EQ(count(loaded, "joints"), 37);
  EXPECT_EQ(count(loaded, "tendons"), 19);
  EXPECT_EQ(count(loaded, "path_elements"), 56);
  const auto& tendons = loaded.description.tendons;
  EXPECT_EQ(tendons[0].spring_upper, .5);
  EXPECT_EQ(tendons[0].stiffness, 1e4);
  for (std::size_t i = 1; i < 19; ++i) EXPECT_EQ(tendons[i].upper_limit, .5);
  EXPECT_EQ(tendons[18].path[2].site.name, "b17");
}

using MjcfCase16 = PublicModel;
TEST_F(MjcfCase16, Arm26) {
  const auto loaded = load_public("mujoco/arm26.xml");
  ASSERT_TRUE(loaded.errors.empty());
  EXPECT_EQ(count(loaded, "nv"), 2);
  EXPECT_EQ(count(loaded, "tendons"), 6);
  EXPECT_EQ(count(loaded, "path_elements"), 22);
  EXPECT_EQ(count(loaded, "guides"), 8);
  EXPECT_EQ(count(loaded, "actuators"), 6);
  EXPECT_NEAR(count(loaded, "moving_mass"), 5.666385953, 1e-8);
  ASSERT_EQ(warning_codes(loaded), Codes{"substitute-shape"});
  for (const ReportItem& item : loaded.report.items)
    EXPECT_TRUE(item.problem.code != "substitute-shape" || item.problem.count == 2);
  int sides = 0;
  for (const TendonDescription& t : loaded.description.tendons)
    for (const PathElement& e : t.path) sides += e.has_side;
  EXPECT_EQ(sides, 4);
}

using MjcfCase17 = PublicModel;
TEST_F(MjcfCase17, FingerExtensor) {
  const auto loaded = load_public("mujoco/finger_extensor.xml");
  ASSERT_TRUE(loaded.errors.empty());
  EXPECT_EQ(loaded.description.joints[0].upper, 60);
  EXPECT_EQ(count(loaded, "path_elements"), 14);
  EXPECT_EQ(count(loaded, "pulleys"), 2);
  EXPECT_NEAR(count(loaded, "moving_mass"), .926769833, 1e-8);
}

using MjcfCase18 = PublicModel;
TEST_F(MjcfCase18, Fingers) {
  for (const char* name :
       {"myo_sim/finger/myofinger_v0.xml", "myo_sim/finger/motorfinger_v0.xml"}) {
    const auto loaded = load_public(name);
    ASSERT_TRUE(loaded.errors.empty()) << name;
    EXPECT_EQ(count(loaded, "nv"), 4);
    EXPECT_EQ(count(loaded, "tendons"), 5);
    EXPECT_EQ(count(loaded, "path_elements"), 35);
    EXPECT_EQ(count(loaded, "guides"), 11);
    EXPECT_NEAR(count(loaded, "moving_mass"), .331727051, 1e-8);
    EXPECT_EQ(loaded.report.files.size(), 2u);
    const Codes codes = warning_codes(loaded);
    EXPECT_NE(std::find(codes.begin(), codes.end(), "softness-mapped"), codes.end());
    EXPECT_TRUE(loaded.description.joints[0].limit_softness.is_written);
  }
}

using MjcfCase19 = PublicModel;
TEST_F(MjcfCase19, Elbow) {
  const auto loaded = load_public("myo_sim/elbow/myoelbow_1dof6muscles.xml");
  ASSERT_TRUE(loaded.errors.empty());
  EXPECT_EQ(count(loaded, "nv"), 1);
  EXPECT_NEAR(count(loaded, "moving_mass"), 1.534315, 1e-8);
  int inactive = 0;
  for (const ReportItem& item : loaded.report.items)
    if (item.problem.attribute == "springlength") inactive += item.problem.count;
  EXPECT_EQ(inactive, 6);
}

using MjcfCase23 = PublicModel;
TEST_F(MjcfCase23, HumanoidCandidatePairs) {
  const auto loaded = load_public("mujoco/humanoid.xml");
  ASSERT_TRUE(loaded.errors.empty());
  EXPECT_EQ(contacts(loaded), "159 candidate pairs");
  EXPECT_EQ(loaded.description.tendons[0].lower_limit, -.3);
  EXPECT_EQ(loaded.description.tendons[1].upper_limit, 2);
  EXPECT_EQ(loaded.description.keyframes.size(), 4u);
}

/// Elements and attributes of a text, counted without a parser: tags that open with a letter, and
/// '=' before a quote inside tags. Comments are skipped.
long count_words(const std::string& text) {
  long words = 0;
  bool is_in_tag = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 4, "<!--") == 0) {
      i = text.find("-->", i) + 2;
    } else if (text[i] == '<') {
      is_in_tag = std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0;
      words += is_in_tag;
    } else if (text[i] == '>') {
      is_in_tag = false;
    } else if (is_in_tag && (text[i] == '"' || text[i] == '\'')) {
      ++words;
      i = text.find(text[i], i + 1);
    }
  }
  return words;
}

// every element and attribute in exactly one bin   [MF-1]
using MjcfCase38 = PublicModel;
TEST_F(MjcfCase38, EveryWordOfEveryPublicFileIsInOneBin) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "models")) {
    if (entry.path().extension() != ".xml") continue;
    for (const Strict strict : {Strict::kTrue, Strict::kFalse, Strict::kExact}) {
      LoadOptions options;
      options.strict = strict;
      const auto loaded = load(entry.path().string(), options);
      if (!loaded.is_read) continue;  // fragments that only make sense when included
      ++files;
      EXPECT_EQ(binned(loaded.report), loaded.report.total) << entry.path();
      long words = 0;
      for (const ReportFile& file : loaded.report.files) words += count_words(read_file(file.path));
      EXPECT_EQ(loaded.report.total, words) << entry.path();
    }
  }
  EXPECT_GE(files, 3 * 20);
}

TEST(MjcfCase38Bins, SmallDocuments) {
  const std::vector<std::string> documents = {
      "<mujoco/>",
      world("<body pos='0 0 1'><joint tpye='hinge'/><geom size='1' size='2'/></body>"),
      world("<flexcomp name='f'><edge damping='1'/><what/></flexcomp>"),
      world("", "<visual><rgba fog='1 0 0 1' nothing='1'/></visual><statistic center='0 0 0'/>"),
      world("", "<default><default class='a'><joint range='1'/></default></default>"),
      world("",
            "<extension><plugin plugin='x'><instance name='i'><config key='k' value='v'/>"
            "</instance></plugin></extension>"),
      "<mujoco><option><flag contact='maybe'/></option><size njmax='1' memory='2'/></mujoco>",
      world("", "",
            "<sensor><user dim='3'/><plugin plugin='p'><config key='a' value='b'/></plugin>"
            "</sensor><keyframe><key qpos='1' plastic='1'/></keyframe>")};
  for (const std::string& text : documents) {
    const auto loaded = load(text);
    EXPECT_EQ(binned(loaded.report), loaded.report.total) << text;
    EXPECT_EQ(loaded.report.total, count_words(text)) << text;
  }
}

}  // namespace
}  // namespace flexor::test
