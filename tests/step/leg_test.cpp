// Jacobians of tendons whose legs span many joints: their wrenches are gathered in one pass over
// the tree, and give what the reference path says.   [E-7], [R-27], [R-28]

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "flexor/model/builder.hpp"
#include "flexor/sim/simulation.hpp"
#include "support/simple_models.hpp"

namespace flexor {
namespace {

constexpr int kLinks = 9, kWorlds = 5;

/// A chain of hinges, slides and a ball with a side branch. "long" runs six times between its root
/// and its tip, once over a cylinder halfway; "short" goes from link to link.
Model chain() {
  using test::point;
  ModelBuilder builder("chain");
  std::vector<std::string> names = {"world"};
  for (int i = 0; i < kLinks; ++i) {
    names.push_back("link_" + std::to_string(i));
    builder.add_body(test::body(names[i + 1].c_str(), names[i].c_str(), {0.1, 0.01 * i, 0.02}));
    const JointType type = i == 4   ? JointType::kBall
                           : i == 6 ? JointType::kSlide
                                    : JointType::kHinge;
    builder.add_joint(test::joint(("joint_" + std::to_string(i)).c_str(), names[i + 1].c_str(),
                                  type, i % 2 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}));
  }
  builder.add_body(test::body("branch", "link_2", {0, 0.1, 0}));
  builder.add_joint(test::joint("twig", "branch", JointType::kHinge, {1, 0, 0}));
  std::vector<PathElement> path;
  for (int i = 0; i < 3; ++i) {
    path.push_back(point(i == 1 ? "link_0" : "world", {0.01 * i, 0.02, 0.03}));
    if (i == 1) path.push_back(test::sphere("link_4", {0, 0, 0.05}, 0.04));
    path.push_back(point(i == 2 ? "branch" : "link_8", {0.02, -0.01 * i, 0.01}));
  }
  builder.add_tendon(test::tendon("long", path));
  std::vector<PathElement> steps;
  for (int i = 0; i <= kLinks; ++i) steps.push_back(point(names[i].c_str(), {0, 0.02, 0.01 * i}));
  builder.add_tendon(test::tendon("short", steps));
  return builder.finalize();
}

Simulation posed(const Model& model, const char* device, Precision precision) {
  SimulationOptions options;
  options.num_worlds = kWorlds;
  options.device = device;
  options.precision = precision;
  Simulation sim(model, options);
  const ArrayRef q = sim.array(Field::qpos);
  const auto set = [&]<class S>(S*) {
    for (int i = 0; i < q.count; ++i) {
      for (int w = 0; w < kWorlds; ++w) {
        static_cast<S*>(q.data)[i * q.world_stride + w] +=
            static_cast<S>(static_cast<float>(0.3 * std::sin(1.7 * i + 2.3 * w)));
      }
    }
  };
  precision == Precision::kFloat32 ? set(static_cast<float*>(nullptr))
                                   : set(static_cast<double*>(nullptr));
  sim.forward();
  return sim;
}

double entry(const Simulation& sim, int component, int world) {
  const ArrayRef J = sim.array(Field::tendon_jacobian);
  const std::size_t at = static_cast<std::size_t>(component) * J.world_stride + world;
  return J.item_size() == 4 ? static_cast<float*>(J.data)[at] : static_cast<double*>(J.data)[at];
}

TEST(Legs, SpanningManyJointsGatherWrenches) {
  const Model model = chain();
  EXPECT_EQ(model.plan().tendon_by_wrench, (std::vector<int>{1, 0}));
  const Simulation exact = posed(model, "reference", Precision::kFloat64);
  const Simulation sim64 = posed(model, "cpu", Precision::kFloat64);
  const Simulation sim32 = posed(model, "cpu", Precision::kFloat32);
  const int count = 2 * model.nv();
  EXPECT_EQ(exact.array(Field::tendon_jacobian).shape(),
            (std::vector<long>{kWorlds, 2, model.nv()}));
  double largest = 0;
  for (int i = 0; i < count; ++i) {
    for (int w = 0; w < kWorlds; ++w) {
      const double expected = entry(exact, i, w);
      largest = std::max(largest, std::abs(expected));
      EXPECT_NEAR(entry(sim64, i, w), expected, 1e-14) << i << " in world " << w;
      EXPECT_NEAR(entry(sim32, i, w), expected, 2e-6) << i << " in world " << w;
    }
  }
  EXPECT_GT(largest, 0.1);
}

}  // namespace
}  // namespace flexor
