// Damaged documents end in a description or in problems, never in a crash.   [MF-26]
#include <cstdint>

#include "io/support.hpp"

namespace flexor::test {
namespace {

const char* const kDocument = R"(<?xml version="1.0" encoding="UTF-8"?>
<mujoco model="tendon finger">
  <!-- every kind of word once -->
  <compiler angle="degree" eulerseq="xyz" boundmass="1e-6"/>
  <option timestep="0.001" gravity="0 0 -9.81"><flag energy="enable"/></option>
  <default>
    <joint axis="0 1 0" range="-30 60" damping=".01"/>
    <default class="guide"><geom type="cylinder" size=".01 .005" mass="0"/></default>
  </default>
  <worldbody>
    <site name="base" pos="-.03 0 .01"/>
    <body name="proximal" childclass="guide" euler="0 10 0">
      <joint name="mcp" solimplimit=".95 .95 .1"/>
      <geom name="mcp" zaxis="0 1 0"/>
      <geom type="capsule" size=".008" fromto="0 0 0 .05 0 0" mass=".04"/>
      <site name="p" pos=".03 0 .01"/><site name="side" pos="0 0 .02"/>
      <frame pos=".05 0 0">
        <body name="distal"><joint name="pip"/>
          <inertial pos=".015 0 0" mass=".02" diaginertia="1e-6 3e-6 3e-6"/>
          <site name="d" pos=".02 0 .01"/>
        </body>
      </frame>
      <replicate count="3" offset=".01 0 0" euler="0 0 10" sep="_"><site name="r"/></replicate>
    </body>
  </worldbody>
  <tendon>
    <spatial name="extensor" stiffness="300" springlength="0 .07" range="0 .2">
      <site site="base"/><geom geom="mcp" sidesite="side"/><site site="p"/>
      <pulley divisor="2"/><site site="p"/><site site="d"/>
    </spatial>
    <spatial name="many"><site site="base"/><site site="r"/></spatial>
    <fixed name="turn"><joint joint="mcp" coef=".01"/><joint joint="pip" coef="-.008"/></fixed>
  </tendon>
  <actuator><motor name="m" tendon="extensor" gear="2"/></actuator>
  <keyframe><key name="bent" qpos=".5 &#46;8"/></keyframe>
</mujoco>
)";

std::uint32_t next(std::uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

TEST(MjcfMutation, TheDocumentItselfLoads) {
  const auto loaded = load(kDocument);
  EXPECT_TRUE(loaded.errors.empty());
  EXPECT_EQ(loaded.description.tendons.size(), 5u);
}

TEST(MjcfMutation, SingleBytesAndTruncations) {
  const std::string original = kDocument;
  std::uint32_t state = 1;
  constexpr int kTrials = 5000;
  int loadable = 0;
  double slowest = 0;
  for (int i = 0; i < kTrials; ++i) {
    std::string text = original;
    const std::size_t at = next(state) % text.size();
    switch (next(state) % 4) {
      case 0:
        text[at] = static_cast<char>(next(state));
        break;
      case 1:
        text.insert(at, 1, "<>\"'/=&; -.0919e"[next(state) % 16]);
        break;
      case 2:
        text.erase(at, 1 + next(state) % 4);
        break;
      default:
        text.resize(at);
        break;
    }
    if (!io::is_text_input(text)) continue;
    const double start = test::cpu_seconds();
    const auto loaded = load(text);
    slowest = std::max(slowest, test::cpu_seconds() - start);
    EXPECT_TRUE(loaded.is_read || !loaded.errors.empty()) << text;
    EXPECT_EQ(loaded.errors.empty(), loaded.report.ok);
    EXPECT_EQ(binned(loaded.report), loaded.report.total);
    for (const Problem& p : loaded.errors) {
      EXPECT_FALSE(p.code.empty());
      EXPECT_GE(p.source.line, 1);
    }
    to_json(loaded.report);
    io::problems_text(loaded.document, loaded.errors, 20);
    loadable += loaded.errors.empty();
  }
  EXPECT_GT(loadable, 100);  // digits and names change without harm
  EXPECT_LT(slowest, 10);
}

}  // namespace
}  // namespace flexor::test
