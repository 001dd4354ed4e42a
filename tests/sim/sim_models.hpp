#pragma once
// Small models for the tests of the host layer.

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <string>

#include "flexor/model/builder.hpp"
#include "flexor/sim/simulation.hpp"
#include "support/simple_models.hpp"

namespace flexor::testing {

/// 1 kg body free along z, hung from the world site (0, 0, 2) by a tendon of length 1, spring
/// 500 N/m, damping 20 N s/m.   (model L of the interface cases)
inline ModelBuilder suspended_load() {
  ModelBuilder builder("load");
  BodyDescription load = test::body("load", "world", {0, 0, 1});
  load.inertia = {1e-3, 1e-3, 1e-3, 0, 0, 0};
  builder.add_body(load);
  builder.add_joint(test::joint("lift", "load", JointType::kSlide));
  builder.add_site(test::site("hook", "world", {0, 0, 2}));
  builder.add_site(test::site("ring", "load"));
  TendonDescription tendon = test::tendon("t", {test::via("hook"), test::via("ring")});
  tendon.stiffness = 500;
  tendon.damping = 20;
  builder.add_tendon(tendon);
  return builder;
}

/// Free body with a ball-jointed one and a hinged one behind it, a spatial tendon of two branches,
/// one over guides, a fixed tendon, drives, limits, an initial activation and a keyframe: every
/// field has components.
inline ModelBuilder rig() {
  using test::via;
  ModelBuilder builder("rig");
  const char* names[3] = {"base", "arm", "hand"};
  for (int i = 0; i < 3; ++i) {
    BodyDescription body =
        test::body(names[i], i == 0 ? "world" : names[i - 1], {0.1 * i, 0.02, 0.3});
    body.mass = 1.0 / (1 + i);
    body.com = {0.05, 0, 0};
    body.inertia = {2e-3, 3e-3, 3e-3, 0, 0, 0};
    builder.add_body(body);
    builder.add_site(
        test::site((std::string(names[i]) + "_site").c_str(), names[i], {0.06, 0.01, 0.02}));
  }
  builder.add_joint(test::joint("float", "base", JointType::kFree));
  builder.add_joint(test::joint("shoulder", "arm", JointType::kBall));
  JointDescription wrist = test::joint("wrist", "hand", JointType::kHinge, {0, 1, 0});
  wrist.lower = -0.5, wrist.upper = 0.5;
  wrist.damping = 0.01, wrist.friction = 0.002, wrist.stiffness = 0.1, wrist.position_gain = 0.3;
  builder.add_joint(wrist);

  TendonDescription cord = test::tendon("cord", {via("base_site"), via("arm_site"), test::pulley(2),
                                                 via("arm_site"), via("hand_site")});
  cord.stiffness = 100, cord.damping = 1, cord.friction_loss = 0.1, cord.activation_time = 0.05;
  cord.upper_limit = 0.6, cord.activation = -0.25, cord.force = -0.5;
  builder.add_tendon(cord);
  TendonDescription sum = test::tendon("sum", {test::term("wrist", 0.02)});
  sum.type = TendonType::kFixed;
  sum.damping = 0.1;
  builder.add_tendon(sum);
  // guides stand near the middle of their legs, so that both are touched
  PathElement round = test::cylinder("arm", {0.01, 0, -0.13}, 0.03, {0, 1, 0});
  round.half_length = 0.2;
  round.has_side = true;
  round.side_body = "arm";
  round.side_pos = {0.15, 0, -0.2};
  TendonDescription wrap =
      test::tendon("wrap", {via("base_site"), round, via("arm_site"),
                            test::sphere("arm", {0.165, 0.02, 0.17}, 0.02), via("hand_site")});
  wrap.stiffness = 200, wrap.damping = 2;
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
