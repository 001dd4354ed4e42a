#pragma once
// Small models for the tests of the host layer.

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <ostream>
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
/// one over guides, a fixed tendon, drives, limits, an initial activation and a keyframe: every
/// field has components.
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
  TendonDescription wrap;  // guides stand near the middle of their legs, so that both are touched
  wrap.name = "wrap";
  wrap.stiffness = 200, wrap.damping = 2;
  element.site = "base_site";
  wrap.path.push_back(element);
  PathElement guide;
  guide.type = ElementType::kCylinder;
  guide.body = "arm";
  guide.pos = {0.01, 0, -0.13};
  guide.axis = {0, 1, 0};
  guide.radius = 0.03, guide.half_length = 0.2;
  guide.has_side = true;
  guide.side_body = "arm";
  guide.side_pos = {0.15, 0, -0.2};
  wrap.path.push_back(guide);
  element.site = "arm_site";
  wrap.path.push_back(element);
  guide.type = ElementType::kSphere;
  guide.pos = {0.165, 0.02, 0.17};
  guide.radius = 0.02, guide.has_side = false;
  wrap.path.push_back(guide);
  element.site = "hand_site";
  wrap.path.push_back(element);
  builder.add_tendon(wrap);
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

/// The numbers of one component, read and written as double whatever they are stored as.
class Numbers {
 public:
  class Cell {
   public:
    Cell(float* f, double* d) : float_(f), double_(d) {}
    operator double() const { return float_ ? static_cast<double>(*float_) : *double_; }
    Cell& operator=(double value) {
      if (float_)
        *float_ = static_cast<float>(value);
      else
        *double_ = value;
      return *this;
    }
    Cell& operator=(const Cell& other) { return *this = static_cast<double>(other); }

   private:
    float* float_;
    double* double_;
  };

  Numbers(const ArrayRef& ref, int component)
      : first_(static_cast<std::byte*>(ref.data) + component * ref.world_stride * ref.item_size()),
        is_float_(ref.is_float) {}
  Cell operator[](long world) const {
    if (is_float_) return {reinterpret_cast<float*>(first_) + world, nullptr};
    return {nullptr, reinterpret_cast<double*>(first_) + world};
  }

 private:
  std::byte* first_;
  bool is_float_;
};

inline Numbers numbers(const Simulation& sim, Field field, int component = 0) {
  return {sim.array(field), component};
}
inline int* integers(const Simulation& sim, Field field, int component = 0) {
  const ArrayRef ref = sim.array(field);
  return static_cast<int*>(ref.data) + component * ref.world_stride;
}
/// visit(field, numbers of a component) for all real fields a batch keeps.
template <class Visit>
void visit_reals(const Simulation& sim, Visit&& visit) {
  for (int f = 0; f < kFieldCount; ++f) {
    const Field field = static_cast<Field>(f);
    const ArrayRef ref = sim.array(field);
    if (ref.data == nullptr || info(field).type != FieldType::kReal) continue;
    for (int c = 0; c < ref.count * ref.width; ++c) visit(field, Numbers(ref, c));
  }
}

/// Tests that every backend and precision has to pass.
struct BackendCase {
  const char* name;
  const char* device;
  Precision precision;
};

inline void PrintTo(const BackendCase& c, std::ostream* out) { *out << c.name; }

class OnEachBackend : public ::testing::TestWithParam<BackendCase> {
 protected:
  SimulationOptions options(long num_worlds) const {
    SimulationOptions options;
    options.num_worlds = num_worlds;
    options.device = GetParam().device;
    options.precision = GetParam().precision;
    return options;
  }
  bool is_float() const { return GetParam().precision == Precision::kFloat32; }
};

#define FLEXOR_ON_EACH_BACKEND(Suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(                                                            \
      On, Suite,                                                                       \
      ::testing::Values(                                                               \
          flexor::testing::BackendCase{"Reference", "reference", Precision::kFloat64}, \
          flexor::testing::BackendCase{"CpuFloat64", "cpu", Precision::kFloat64},      \
          flexor::testing::BackendCase{"CpuFloat32", "cpu", Precision::kFloat32}),     \
      [](const auto& test) { return std::string(test.param.name); })

/// File of a test, removed at its end.
struct TemporaryFile {
  std::filesystem::path path;
  explicit TemporaryFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() /
             (name + "_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace flexor::testing
