// Suggestions, numbers, scan positions, SHA-256, problem text [MF-24], report [MF-25].
#include <cmath>

#include "flexor/io/suggest.hpp"
#include "io/numbers.hpp"
#include "io/scan.hpp"
#include "io/sha256.hpp"
#include "io/support.hpp"

namespace flexor::test {
namespace {

TEST(Suggestion, EditDistanceCountsTranspositionsOnce) {
  EXPECT_EQ(edit_distance("hing", "hinge"), 1);
  EXPECT_EQ(edit_distance("site", "stie"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(Suggestion, StaysWithinAThirdOfTheLength) {
  const Codes legal = {"stiffness", "damping", "range"};
  EXPECT_EQ(nearest_names("stifness", legal), Codes{"stiffness"});
  EXPECT_EQ(nearest_names("xyz", legal), Codes{});
  EXPECT_EQ(suggest("rnage", legal), "did you mean 'range'?");
  EXPECT_EQ(suggest("qqqqqq", legal), "");
  EXPECT_EQ(suggest(std::string(65, 'a'), {std::string(64, 'a')}), "");
}

TEST(Suggestion, BestFirst) {
  EXPECT_EQ(nearest_names("tip_1", {"tip_22", "tip_2", "tip_11"}, 3), (Codes{"tip_2", "tip_11"}));
}

TEST(Numbers, FollowFromChars) {
  using io::NumberState;
  EXPECT_EQ(io::parse_number("1e400").state, NumberState::kOverflow);
  EXPECT_EQ(io::parse_number("0.0001e400").state, NumberState::kOverflow);
  EXPECT_EQ(io::parse_number("1e99999999999999999999").state, NumberState::kOverflow);
  EXPECT_EQ(io::parse_number("1e-400").state, NumberState::kFinite);
  EXPECT_EQ(io::parse_number("1e-400").value, 0);
  EXPECT_EQ(io::parse_number("1e-99999999999999999999").value, 0);
  EXPECT_EQ(io::parse_number("-inf").value, -HUGE_VAL);
  EXPECT_EQ(io::parse_number("NaN").state, NumberState::kNaN);
  EXPECT_EQ(io::parse_number(".5").value, .5);
  EXPECT_EQ(io::parse_number("5.").value, 5);
  for (const char* bad : {"", "+", "-", "+-1", "++1", "1e", "1f", "0x1p3", "1,5", "1 2", "infx"})
    EXPECT_EQ(io::parse_number(bad).state, NumberState::kMalformed) << bad;
}

TEST(Scan, MapsOffsetsBackOverInsertedBlanks) {
  const std::string text = "<a x='1'y='2'z='3'><b w='4'/></a>";
  const auto scan = io::scan_xml(text);
  ASSERT_TRUE(scan.is_well_formed);
  EXPECT_EQ(scan.text, "<a x='1' y='2' z='3'><b w='4'/></a>");
  EXPECT_EQ(scan.inserted.size(), 2u);
  EXPECT_EQ(io::original_offset(scan.inserted, scan.text.find("<b")), text.find("<b"));
  EXPECT_EQ(io::attribute_offset(text, 0, 2), text.find('z'));
  EXPECT_EQ(scan.element_count, 2u);
}

TEST(Scan, EveryDuplicateIsReported) {
  std::string text = "<a";
  for (int i = 0; i < 40; ++i) text += " a" + std::to_string(i % 30) + "=''";
  const auto scan = io::scan_xml(text + "/>");
  EXPECT_TRUE(scan.is_well_formed);
  EXPECT_EQ(scan.findings.size(), 10u);
  for (const auto& found : scan.findings) EXPECT_EQ(found.code, "duplicate-attribute");
}

TEST(Sha256, KnownValues) {
  // FIPS 180-4 examples
  EXPECT_EQ(io::sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(io::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(io::sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ProblemText, HasTheFormOfTheSpecification) {
  Problem problem;
  problem.code = "unknown-name";
  problem.message = "no site named 'if_tip2'";
  problem.source = {"hand.xml", 41, 13};
  problem.element = "site";
  problem.attribute = "site";
  problem.hint = "did you mean 'if_tip'?";
  EXPECT_EQ(to_text(problem, "      <site site=\"if_tip2\"/>"),
            "hand.xml:41:13: error: no site named 'if_tip2' [unknown-name]\n"
            "   41 |       <site site=\"if_tip2\"/>\n"
            "      |             ^~~~\n"
            "      = help: did you mean 'if_tip'?");
}

TEST(ProblemText, NamesTheIncludingFile) {
  const Folder folder;
  const std::string main =
      folder.write("scene.xml", "<mujoco>\n  <include file='part.xml'/>\n</mujoco>");
  folder.write("part.xml", "<mujoco>\n\t<compilr/>\n</mujoco>");
  const auto loaded = load(main);
  const std::string text = io::problems_text(loaded.document, loaded.errors, 0);
  EXPECT_NE(text.find("part.xml:2:2: error: unknown element 'compilr' in 'mujoco'"),
            std::string::npos);
  EXPECT_NE(text.find("did you mean 'compiler'?"), std::string::npos);
  EXPECT_NE(text.find("= note: included from " + main + ":2:3"), std::string::npos);
}

TEST(ProblemText, ShowsAtMostWhatIsAsked) {
  std::string content;
  for (int i = 0; i < 30; ++i) content += "<bdy/>";
  const auto loaded = load(world(content));
  ASSERT_EQ(loaded.errors.size(), 30u);
  const std::string text = io::problems_text(loaded.document, loaded.errors, 20);
  EXPECT_NE(text.find("30 errors, 10 of them not shown"), std::string::npos);
}

TEST(Report, WarningsOfOneKindAreGrouped) {
  std::string content;
  for (int i = 0; i < 39; ++i)
    content +=
        "<body><joint range='0 1' solreflimit='.03 1'/><geom size='.1' contype='0' "
        "conaffinity='0'/></body>";
  const auto loaded = load(world(content));
  ASSERT_EQ(warning_codes(loaded), Codes{"softness-mapped"});
  for (const ReportItem& item : loaded.report.items) {
    if (item.problem.code != "softness-mapped") continue;
    EXPECT_EQ(item.problem.count, 39);
    EXPECT_EQ(item.places.size(), 10u);
  }
  EXPECT_EQ(loaded.report.approximated, 39);
}

// machine report   [MF-25]
TEST(Report, JsonIsWellFormedAndComplete) {
  const auto loaded =
      load(world("<body name='a\"b'><joint/><geom size='.1' rgba='1 0 0 1'/></body>",
                 "<option integrator='RK4'/>"));
  const std::string json = to_json(loaded.report);
  int depth = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"' && (i == 0 || json[i - 1] != '\\')) is_in_text = !is_in_text;
    if (is_in_text) continue;
    depth += json[i] == '{' || json[i] == '[';
    depth -= json[i] == '}' || json[i] == ']';
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_FALSE(is_in_text);
  for (const char* part : {"\"report_version\": 1", "\"format\": \"mjcf\"", "\"ok\": true",
                           "\"strict\": \"true\"", "\"nv\": 1", "\"approximated\": 1",
                           "\"visual\": 1", "\"code\": \"integrator\"", "\"sha256\": \""})
    EXPECT_NE(json.find(part), std::string::npos) << part;
}

TEST(LoadOptions, IllegalValuesNameTheLegalSet) {
  LoadOptions options;
  options.softness = "soft";
  try {
    load("<mujoco/>", options);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("'written', 'hard', 'all'"), std::string::npos);
  }
  options = {};
  options.format = "urdf";
  EXPECT_THROW(load("<mujoco/>", options), ConfigError);
}

TEST(LoadOptions, OtherRootsAreRefused) {
  EXPECT_EQ(error_codes(load("<robot name='r'/>")), Codes{"unknown-format"});
  const auto include = load("<mujocoinclude/>");
  EXPECT_EQ(include.errors.at(0).hint, "load the file that includes this one");
}

Description arm() {
  return load(world("<site name='s'/><body name='a/b'><joint name='j' damping='1'/>"
                    "<geom name='g' size='.1'/><site name='t' pos='1 0 0'/></body>",
                    "",
                    "<tendon><spatial name='x'><site site='s'/><geom geom='g'/>"
                    "<site site='t'/></spatial></tendon>"))
      .description;
}

// nominal values by the one list of parameters   [E-2]
TEST(Overrides, ReachEveryOwner) {
  Description d = arm();
  io::apply_overrides(d, {{"option/gravity", {0, 0, -1}},
                          {"body/a/b/mass", {7}},
                          {"joint/j/damping", {3}},
                          {"site/t/pos", {1, 2, 3}},
                          {"tendon/x/stiffness", {50}},
                          {"tendon/x/route/1/radius", {.2}},
                          {"tendon/x/route/0/pos", {4, 5, 6}}});
  EXPECT_EQ(d.options.gravity.z, -1);
  EXPECT_EQ(d.bodies[0].mass, 7);
  EXPECT_EQ(d.joints[0].damping, 3);
  EXPECT_EQ(d.sites[1].pos.y, 2);
  EXPECT_EQ(d.tendons[0].stiffness, 50);
  EXPECT_EQ(d.tendons[0].path[1].radius, .2);
  EXPECT_FALSE(d.tendons[0].path[1].geom.is_set());
  EXPECT_EQ(d.geoms[0].size.x, .1);  // and its other guides
  EXPECT_EQ(d.sites[0].pos.z, 6);
}

// else the loader would measure it at the rest of the joints, which an absent springlength asks for
TEST(Overrides, ASpringReferenceGivenIsKept) {
  Description d = arm();
  ASSERT_TRUE(d.tendons[0].is_spring_reference_from_rest);
  io::apply_overrides(d, {{"tendon/x/spring_lower", {.7}}, {"tendon/x/spring_upper", {.8}}});
  const Description built = ModelBuilder(d).finalize().description();
  EXPECT_EQ(built.tendons[0].spring_lower, .7);
  EXPECT_EQ(built.tendons[0].spring_upper, .8);
}

TEST(Overrides, UnknownNamesAndWrongCounts) {
  Description d = arm();
  EXPECT_THROW(io::apply_overrides(d, {{"joint/j/dampin", {3}}}), UnknownNameError);
  EXPECT_THROW(io::apply_overrides(d, {{"joint/k/damping", {3}}}), UnknownNameError);
  EXPECT_THROW(io::apply_overrides(d, {{"jint/j/damping", {3}}}), UnknownNameError);
  EXPECT_THROW(io::apply_overrides(d, {{"tendon/x/route/3/pos", {3}}}), UnknownNameError);
  EXPECT_THROW(io::apply_overrides(d, {{"joint/j/damping", {3, 4}}}), ConfigError);
}

}  // namespace
}  // namespace flexor::test
