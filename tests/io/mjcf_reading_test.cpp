// What the MJCF reader does with single words, beside the numbered cases: classes [MF-12], contacts
// [MF-16], bins [MF-1].
#include <cmath>

#include "io/mjcf_vocabulary.hpp"
#include "io/support.hpp"

namespace flexor::test {
namespace {

std::string limited(const std::string& attributes, const std::string& before = "") {
  return world("<body><joint " + attributes +
                   "/><geom size='.1' contype='0' conaffinity='0'/>"
                   "</body>",
               before);
}

// limited and range   [MF-16]
TEST(MjcfLimits, AutoFollowsTheRange) {
  EXPECT_TRUE(std::isinf(load(limited("")).description.joints[0].upper));
  EXPECT_FALSE(std::isinf(load(limited("range='0 1'")).description.joints[0].upper));
  EXPECT_TRUE(std::isinf(load(limited("range='0 1' limited='false'")).description.joints[0].upper));
}

TEST(MjcfLimits, RangeWithoutAutolimitsMustSayLimited) {
  const std::string off = "<compiler autolimits='false'/>";
  EXPECT_EQ(error_codes(load(limited("range='0 1'", off))), Codes{"autolimits"});
  EXPECT_TRUE(load(limited("range='0 1' limited='true'", off)).errors.empty());
}

TEST(MjcfLimits, OrderAndLocks) {
  EXPECT_EQ(error_codes(load(limited("range='2 1'"))), Codes{"range-order"});
  EXPECT_EQ(error_codes(load(limited("range='1 1'"))), Codes{"range-order"});
  const auto lock = load(limited("range='1 1' limited='true' type='slide'"));
  EXPECT_TRUE(lock.errors.empty());
  EXPECT_EQ(lock.description.joints[0].lower, lock.description.joints[0].upper);
  EXPECT_EQ(error_codes(load(limited("type='ball' range='1 2'"))), Codes{"out-of-range"});
}

TEST(MjcfFlags, RemoveRowsAndTerms) {
  const auto loaded = load(world(
      "<body><joint range='0 1' frictionloss='1' damping='2' stiffness='3'/><geom "
      "size='.1'/></body>"
      "<geom size='.1'/>",
      "<option><flag limit='disable' frictionloss='disable' spring='disable' damper='disable' "
      "gravity='disable' contact='disable'/></option>"));
  const auto& joint = loaded.description.joints[0];
  EXPECT_TRUE(std::isinf(joint.upper));
  EXPECT_EQ(joint.friction, 0);
  EXPECT_EQ(joint.damping, 0);
  EXPECT_EQ(joint.stiffness, 0);
  EXPECT_EQ(loaded.description.options.gravity.z, 0);
  EXPECT_TRUE(loaded.description.inert.empty());
}

TEST(MjcfFlags, LegacyPassiveIsSpringAndDamper) {
  const auto loaded =
      load(limited("damping='2' stiffness='3'", "<option><flag passive='disable'/></option>"));
  EXPECT_EQ(loaded.description.joints[0].damping, 0);
  EXPECT_EQ(loaded.description.joints[0].stiffness, 0);
  EXPECT_EQ(warning_codes(loaded), Codes{"legacy-attribute"});
}

// which numbers are mapped   [MF-18]
TEST(MjcfSoftness, KeepsTheWrittenNumbers) {
  const auto written = load(limited("range='0 1' solreflimit='.03'")).description.joints[0];
  EXPECT_TRUE(written.limit_softness.is_written);
  EXPECT_EQ(written.limit_softness.solref[0], .03);
  EXPECT_EQ(written.limit_softness.solref[1], 1);
  EXPECT_EQ(written.limit_softness.solimp[0], .9);
  EXPECT_FALSE(load(limited("range='0 1'")).description.joints[0].limit_softness.is_written);
  LoadOptions options;
  options.softness = "all";
  EXPECT_TRUE(
      load(limited("range='0 1'"), options).description.joints[0].limit_softness.is_written);
  options.softness = "hard";
  EXPECT_FALSE(load(limited("range='0 1' solreflimit='.03 1'"), options)
                   .description.joints[0]
                   .limit_softness.is_written);
}

TEST(MjcfSoftness, MixedSignsAndRinging) {
  EXPECT_EQ(error_codes(load(limited("range='0 1' solreflimit='.03 -1'"))),
            Codes{"unsupported-value"});
  EXPECT_EQ(warning_codes(load(limited("range='0 1' solreflimit='.03 .5'"))),
            Codes{"underdamped-softness"});
  EXPECT_EQ(warning_codes(load(limited("range='0 1' solreflimit='-1000 -20'"))),
            Codes{"underdamped-softness"});
}

TEST(MjcfSoftness, WithoutRefsafeTheDirectFormKeepsShortTimes) {
  const auto joint = load(limited("range='0 1' solreflimit='.001 2'",
                                  "<option><flag refsafe='disable'/></option>"))
                         .description.joints[0];
  EXPECT_DOUBLE_EQ(joint.limit_softness.solref[0], -1 / (.001 * .001 * 4));
  EXPECT_DOUBLE_EQ(joint.limit_softness.solref[1], -2000);
}

TEST(MjcfJoints, PhysicsThatIsLeftOutIsAnError) {
  EXPECT_EQ(error_codes(load(limited("type='ball' frictionloss='1'"))), Codes{"ignored-physics"});
  EXPECT_EQ(error_codes(load(limited("type='free' damping='1'"))), Codes{"ignored-physics"});
  EXPECT_EQ(error_codes(load(limited("springyield='1'"))), Codes{"ignored-physics"});
  EXPECT_EQ(error_codes(load(limited("stiffness='1 2'"))), Codes{"unsupported-value"});
  const auto none = load(limited("springyield='0' actuatorgravcomp='false' stiffness='1 0'"));
  EXPECT_TRUE(none.errors.empty());
  EXPECT_EQ(none.report.ignored[static_cast<int>(IgnoredClass::kInactive)], 2);
}

TEST(MjcfJoints, FreejointTakesNoClassValues) {
  const auto loaded =
      load(world("<body><freejoint/><geom size='.1'/></body>",
                 "<default><joint damping='3' limited='true' range='0 1'/></default>"));
  EXPECT_TRUE(loaded.errors.empty());
  EXPECT_EQ(loaded.description.joints[0].damping, 0);
}

TEST(MjcfJoints, NumberedBodyByBody) {
  const auto loaded =
      load(world("<body name='a'><body name='b'><joint name='jb'/><geom size='1'/>"
                 "</body><joint name='ja'/><geom size='1'/></body>"));
  EXPECT_EQ(loaded.description.joints[0].name, "ja");
  EXPECT_EQ(loaded.description.joints[1].name, "jb");
}

TEST(MjcfClasses, NearestClassWinsWhateverTheOrder) {
  const auto loaded = load(world(
      "<body childclass='inner'><joint/><geom size='1'/><body><frame childclass='outer'><joint/>"
      "</frame><joint class='main'/><geom size='1'/></body></body>",
      "<default><default class='outer'><default class='inner'><joint armature='2'/></default>"
      "<joint damping='1'/></default></default>"));
  ASSERT_TRUE(loaded.errors.empty());
  const auto& j = loaded.description.joints;
  EXPECT_EQ(j[0].damping, 1);
  EXPECT_EQ(j[0].armature, 2);
  EXPECT_EQ(j[1].damping, 1);
  EXPECT_EQ(j[1].armature, 0);
  EXPECT_EQ(j[2].damping, 0);
}

TEST(MjcfClasses, Problems) {
  EXPECT_EQ(error_codes(load(world("", "<default><default/></default>"))),
            Codes{"missing-attribute"});
  EXPECT_EQ(
      error_codes(load(world("", "<default><default class='a'/><default class='a'/></default>"))),
      Codes{"duplicate-class"});
  EXPECT_EQ(error_codes(load(world("", "<default class='x'/>"))), Codes{"bad-keyword"});
  const auto unknown =
      load(world("<geom class='vsual' size='1'/>", "<default><default class='visual'/></default>"));
  EXPECT_EQ(error_codes(unknown), Codes{"unknown-class"});
  EXPECT_EQ(unknown.errors[0].hint, "did you mean 'visual'?");
}

TEST(MjcfGeoms, SizesAndFromto) {
  EXPECT_EQ(error_codes(load(world("<geom/>"))), Codes{"missing-attribute"});
  EXPECT_EQ(error_codes(load(world("<geom type='box' size='1 1'/>"))), Codes{"wrong-count"});
  EXPECT_EQ(error_codes(load(world("<geom size='0'/>"))), Codes{"out-of-range"});
  EXPECT_EQ(error_codes(load(world("<geom size='1' fromto='0 0 0 0 0 1'/>"))),
            Codes{"exclusive-attributes"});
  EXPECT_EQ(error_codes(load(world("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"))),
            Codes{"out-of-range"});
  EXPECT_EQ(
      error_codes(load(world("<geom type='box' size='1' pos='1 0 0' fromto='0 0 0 0 0 1'/>"))),
      Codes{"exclusive-attributes"});
  const auto box = load(world("<geom type='box' size='.1' fromto='1 0 0 0 0 0'/>"));
  EXPECT_EQ(box.description.geoms[0].size.y, .1);
  EXPECT_EQ(box.description.geoms[0].size.z, .5);
}

TEST(MjcfMeshes, MassFromAMeshIsRefusedWhereItMoves) {
  const std::string asset = "<asset><mesh name='m' file='m.stl'/></asset>";
  EXPECT_EQ(error_codes(load(world("<body><joint/><geom type='mesh' mesh='m'/></body>", asset))),
            Codes{"unsupported-element"});
  for (const char* content :
       {"<body><geom type='mesh' mesh='m'/></body>",
        "<body><joint/><geom type='mesh' mesh='m' mass='0'/><geom size='.1'/></body>",
        "<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
        "<geom type='mesh' mesh='m'/></body>"})
    EXPECT_TRUE(load(world(content, asset)).errors.empty()) << content;
  EXPECT_EQ(error_codes(load(world("<geom type='mesh' mesh='n'/>", asset))), Codes{"unknown-name"});
}

TEST(MjcfInertial, NeedsItsNumbers) {
  const auto inertial = [](const std::string& attributes) {
    return error_codes(load(world("<body><inertial " + attributes + "/></body>")));
  };
  EXPECT_EQ(inertial("pos='0 0 0' mass='1'"), Codes{"missing-attribute"});
  EXPECT_EQ(inertial("mass='1' diaginertia='1 1 1'"), Codes{"missing-attribute"});
  EXPECT_EQ(inertial("pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'"),
            Codes{"exclusive-attributes"});
  EXPECT_EQ(inertial("pos='0 0 0' mass='1' diaginertia='1 1'"), Codes{"wrong-count"});
  EXPECT_EQ(inertial("pos='0 0 0' mass='-1' diaginertia='1 1 1'"), Codes{"out-of-range"});
}

TEST(MjcfInert, EverythingNotYetSimulatedIsListedWithItsPlace) {
  const auto loaded = load(
      "<mujoco>\n<worldbody>\n<body name='m' mocap='true'/>\n<body name='b'><joint name='j'/>"
      "<geom size='.1'/></body>\n<geom type='plane' size='1 1 1'/></worldbody>\n"
      "<actuator>\n  <motor name='act' joint='j'/>\n</actuator>\n"
      "<sensor><jointpos name='sen' joint='j'/></sensor>\n"
      "<equality><joint name='eq' joint1='j'/><joint joint1='j' active='false'/></equality>\n"
      "</mujoco>");
  ASSERT_TRUE(loaded.errors.empty());
  std::vector<std::string> kinds;
  for (const InertElement& e : loaded.description.inert) kinds.push_back(e.kind);
  EXPECT_EQ(kinds, (Codes{"mocap", "contact", "equality", "actuator", "sensor"}));
  EXPECT_EQ(loaded.description.inert[1].name, "1 candidate pairs");
  EXPECT_EQ(loaded.description.inert[3].name, "act");
  EXPECT_EQ(loaded.description.inert[3].source.line, 7);
  EXPECT_EQ(loaded.description.inert[3].source.column, 3);
}

// merged bodies [MF-5], rule "either" [MF-16]
TEST(MjcfContacts, CandidatesByMasksParentsAndExcludes) {
  const auto pairs = [](const std::string& after, const std::string& before = "") {
    const auto loaded = load(world(
        "<geom name='floor' type='plane' size='1 1 1'/>"
        "<body name='a'><joint/><geom name='ga' size='.1'/>"
        "<body name='b'><joint/><geom name='gb' size='.1'/>"
        "<body name='c'><joint/><geom name='gc' size='.1' contype='2' conaffinity='0'/></body>"
        "</body></body>",
        before, after));
    for (const InertElement& e : loaded.description.inert)
      if (e.kind == "contact") return e.name;
    return std::string("none");
  };
  // floor-a, floor-b; a-b are parent and child; c meets nobody (2 & 1 == 0)
  EXPECT_EQ(pairs(""), "2 candidate pairs");
  EXPECT_EQ(pairs("", "<option><flag filterparent='disable'/></option>"), "3 candidate pairs");
  EXPECT_EQ(pairs("<contact><exclude body1='world' body2='b'/></contact>"), "1 candidate pairs");
  EXPECT_EQ(pairs("<contact><pair geom1='ga' geom2='gc'/></contact>"), "3 candidate pairs");
  EXPECT_EQ(pairs("<contact><pair geom1='ga' geom2='floor'/></contact>"), "2 candidate pairs");
  EXPECT_EQ(pairs("", "<option collision='predefined'/>"), "none");
}

TEST(MjcfWords, MisplacedUnknownAndRejected) {
  EXPECT_EQ(error_codes(load(world("<joint/>"))), Codes{"misplaced-element"});
  EXPECT_EQ(error_codes(load(world("<spatial/>"))), Codes{"misplaced-element"});
  EXPECT_EQ(error_codes(load(world("<bodi><x><y z='1'/></x></bodi>"))), Codes{"unknown-element"});
  // one problem for what is rejected as a whole; all of it is binned
  const auto composite =
      load(world("<body><composite type='grid'><geom size='1'/></composite></body>"));
  EXPECT_EQ(error_codes(composite), Codes{"unsupported-element"});
  EXPECT_EQ(binned(composite.report), composite.report.total);
  EXPECT_EQ(error_codes(load(world("<body pos='1 2' quat='1 0 0' gravcomp='x'/>"))),
            (Codes{"wrong-count", "wrong-count", "bad-number"}));
}

TEST(MjcfWords, OutputsThatAreMissingAreErrors) {
  const std::string text =
      world("<site name='s'/>", "", "<sensor><rangefinder site='s'/></sensor>");
  EXPECT_EQ(error_codes(load(text)), Codes{"ignored-output"});
  LoadOptions options;
  options.strict = Strict::kFalse;
  EXPECT_EQ(warning_codes(load(text, options)), Codes{"ignored-output"});
}

TEST(MjcfWords, ContactSoftnessIsSaidOncePerFile) {  // [MF-17]
  const auto loaded =
      load(world("<geom size='1' solref='.01 1' solimp='.9'/><geom size='1' "
                 "solmix='2'/>"));
  EXPECT_EQ(warning_codes(loaded), Codes{"contact-softness"});
  EXPECT_EQ(loaded.report.approximated, 3);
}

TEST(MjcfWords, FluidMakesItsWordsPhysics) {
  EXPECT_TRUE(load(world("", "<option wind='1 0 0' density='0'/>")).errors.empty());
  EXPECT_EQ(error_codes(load(world("", "<option wind='1 0 0' density='1.2'/>"))),
            (Codes{"ignored-physics", "ignored-physics"}));
}

TEST(MjcfWords, TimestepHasARange) {
  EXPECT_EQ(error_codes(load(world("", "<option timestep='0'/>"))), Codes{"out-of-range"});
  EXPECT_EQ(load(world("", "<option timestep='.01'/>")).description.options.timestep, .01);
}

TEST(MjcfReplicate, ErrorsAreSaidOnceAndSizesAreBounded) {
  EXPECT_EQ(error_codes(load(world("<replicate count='50'><geom class='no'/></replicate>"))),
            (Codes{"missing-attribute", "unknown-class"}));
  std::string lights;
  for (int i = 0; i < 200; ++i) lights += "<light/>";
  EXPECT_EQ(error_codes(load(world("<replicate count='100000'>" + lights + "</replicate>"))),
            Codes{"limit-exceeded"});
  EXPECT_EQ(error_codes(load(world("<replicate count='1000'><replicate count='1000'>"
                                   "<site/></replicate></replicate>"))),
            Codes{"limit-exceeded"});
  EXPECT_EQ(error_codes(load(world("<replicate><site/></replicate>"))), Codes{"missing-attribute"});
}

TEST(MjcfWords, LaterCompilerWinsForTheWholeDocument) {
  const auto loaded = load(
      "<mujoco><worldbody><body euler='0 0 1'/></worldbody>"
      "<compiler angle='degree'/><compiler angle='radian'/></mujoco>");
  EXPECT_NEAR(loaded.description.bodies[0].quat.z, std::sin(.5), 1e-15);
}

TEST(MjcfTendons, PathElementsAndProblems) {
  const auto loaded = load(world(
      "<site name='a'/><site name='b' pos='1 0 0'/><geom name='g' type='cylinder' size='.1 .2'/>"
      "<geom name='h' size='.1'/><site name='side'/>",
      "",
      "<tendon><spatial name='t' range='0 2' width='.01' rgba='1 0 0 1'><site site='a'/>"
      "<geom geom='g' sidesite='side'/><site site='b'/><pulley divisor='2'/><site site='b'/>"
      "<geom geom='h'/><site site='a'/></spatial></tendon>"));
  ASSERT_TRUE(loaded.errors.empty());
  const TendonDescription& t = loaded.description.tendons[0];
  EXPECT_EQ(t.path[1].type, ElementType::kCylinder);
  EXPECT_TRUE(t.path[1].has_side);
  EXPECT_EQ(t.path[1].side_site.name, "side");
  EXPECT_EQ(t.path[3].divisor, 2);
  EXPECT_EQ(t.path[5].type, ElementType::kSphere);
  EXPECT_EQ(t.upper_limit, 2);
  EXPECT_EQ(t.width, .01);
  EXPECT_EQ(t.color[1], 0);
  const auto bad =
      load(world("<site name='a'/>", "",
                 "<tendon><spatial><joint joint='j' coef='1'/><site/><pulley/>"
                 "</spatial><fixed><site site='a'/><joint joint='j'/></fixed></tendon>"));
  EXPECT_EQ(error_codes(bad), (Codes{"misplaced-element", "missing-attribute", "missing-attribute",
                                     "misplaced-element", "missing-attribute"}));
}

TEST(MjcfVocabulary, HasTheWholeSchema) {
  long elements = 0, attributes = 0;
  std::vector<std::string> contexts = {"document"}, seen;
  while (!contexts.empty()) {
    const std::string context = contexts.back();
    contexts.pop_back();
    if (context.empty() || std::find(seen.begin(), seen.end(), context) != seen.end()) continue;
    seen.push_back(context);
    for (const std::string& name : io::element_names(context)) {
      const io::ElementWord* word = io::find_word(context, name);
      ASSERT_NE(word, nullptr);
      contexts.emplace_back(word->opens);
      ++elements;
      attributes += static_cast<long>(word->attributes.size());
      // whatever costs motion, read-outs or the file must say so with a code
      for (const io::AttributeWord& attribute : word->attributes) {
        const bool needs_code = attribute.binning.bin == Bin::kApproximated ||
                                attribute.binning.bin == Bin::kRejected ||
                                attribute.binning.ignored == IgnoredClass::kPhysics ||
                                attribute.binning.ignored == IgnoredClass::kOutput;
        EXPECT_TRUE(!needs_code || !attribute.code.empty()) << name << " " << attribute.name;
      }
    }
  }
  // MuJoCo 4.0.0 prints 171 element rows; the table has each and frame, replicate, composite,
  // distance, flexvert, and joins rows that stand in several places into one context
  EXPECT_EQ(elements, 170);
  EXPECT_GE(attributes, 1800);
}

}  // namespace
}  // namespace flexor::test
