#pragma once
// Small models for the tests of the host layer.

#include <filesystem>
#include <string>

#include "flexor/model/builder.hpp"
#include "flexor/sim/simulation.hpp"

namespace flexor::testing {

/// 1 kg body free along z, hung from the world site (0, 0, 2) by a tendon of length 1, spring
/// 500 N/m, damping 20 N s/m.   (model L of interfaces.md 10)
inline ModelBuilder suspended_load() {
  ModelBuilder builder("load");
  BodyDescription body;
  body.name = "load";
  body.pos = {0, 0, 1};
  body.mass = 1;
  body.inertia = {1e-3, 1e-3, 1e-3, 0, 0, 0};
  builder.add_body(body);
  JointDescription joint;
  joint.name = "lift";
  joint.body = "load";
  joint.type = JointType::kSlide;
  joint.axis = {0, 0, 1};
  builder.add_joint(joint);
  SiteDescription hook;
  hook.name = "hook";
  hook.pos = {0, 0, 2};
  builder.add_site(hook);
  SiteDescription ring;
  ring.name = "ring";
  ring.body = "load";
  builder.add_site(ring);
  TendonDescription tendon;
  tendon.name = "t";
  tendon.stiffness = 500;
  tendon.damping = 20;
  for (const char* site : {"hook", "ring"}) {
    PathElement element;
    element.site = site;
    tendon.path.push_back(element);
  }
  builder.add_tendon(tendon);
  return builder;
}

/// Free body with a ball-jointed one and a hinged one behind it, a spatial tendon of two branches,
/// a fixed tendon, drives, limits, an initial activation and a keyframe: every field has
/// components.
inline ModelBuilder rig() {
  ModelBuilder builder("rig");
  const char* names[3] = {"base", "arm", "hand"};
  for (int i = 0; i < 3; ++i) {
    BodyDescription body;
    body.name = names[i];
    if (i > 0) body.parent = names[i - 1];
    body.pos = {0.1 * i, 0.02, 0.3};
    body.mass = 1.0 / (1 + i);
    body.com = {0.05, 0, 0};
    body.inertia = {2e-3, 3e-3, 3e-3, 0, 0, 0};
    builder.add_body(body);
    JointDescription joint;
    joint.name = i == 0 ? "float" : i == 1 ? "shoulder" : "wrist";
    joint.body = names[i];
    joint.type = i == 0 ? JointType::kFree : i == 1 ? JointType::kBall : JointType::kHinge;
    if (i == 2) {
      joint.axis = {0, 1, 0};
      joint.lower = -0.5, joint.upper = 0.5;
      joint.damping = 0.01, joint.friction = 0.002, joint.stiffness = 0.1,
      joint.position_gain = 0.3;
    }
    builder.add_joint(joint);
    SiteDescription site;
    site.name = std::string(names[i]) + "_site";
    site.body = names[i];
    site.pos = {0.06, 0.01, 0.02};
    builder.add_site(site);
  }
  TendonDescription cord;
  cord.name = "cord";
  cord.stiffness = 100, cord.damping = 1, cord.friction_loss = 0.1, cord.activation_time = 0.05;
  cord.upper_limit = 0.6, cord.activation = -0.25, cord.force = -0.5;
  PathElement element;
  for (const char* site : {"base_site", "arm_site"}) {
    element.site = site;
    cord.path.push_back(element);
  }
  PathElement pulley;
  pulley.type = ElementType::kPulley;
  pulley.divisor = 2;
  cord.path.push_back(pulley);
  for (const char* site : {"arm_site", "hand_site"}) {
    element.site = site;
    cord.path.push_back(element);
  }
  builder.add_tendon(cord);
  TendonDescription sum;
  sum.name = "sum";
  sum.type = TendonType::kFixed;
  sum.damping = 0.1;
  PathElement term;
  term.type = ElementType::kJoint;
  term.joint = "wrist";
  term.coefficient = 0.02;
  sum.path.push_back(term);
  builder.add_tendon(sum);
  KeyframeDescription keyframe;
  keyframe.name = "raised";
  keyframe.qpos = {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0.3};
  keyframe.qvel = std::vector<double>(10, 0.1);
  builder.add_keyframe(keyframe);
  return builder;
}

inline SimulationOptions reference_options(long num_worlds) {
  SimulationOptions options;
  options.num_worlds = num_worlds;
  options.device = "reference";
  return options;
}

inline double* numbers(const Simulation& sim, Field field, int component = 0) {
  const ArrayRef ref = sim.array(field);
  return static_cast<double*>(ref.data) + component * ref.world_stride;
}
inline int* integers(const Simulation& sim, Field field, int component = 0) {
  const ArrayRef ref = sim.array(field);
  return static_cast<int*>(ref.data) + component * ref.world_stride;
}

/// File of a test, removed at its end.
struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() /
             (name + "_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace flexor::testing
