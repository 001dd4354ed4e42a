#pragma once
// Runs a scene on the reference path with each of its solvers.

#include <gtest/gtest.h>

#include <string>

#include "flexor/core/status.hpp"
#include "reference/world.hpp"
#include "support/scenes.hpp"

namespace flexor::reference {

/// A stepper and its world.
struct Trial {
  Stepper stepper;
  World world;

  explicit Trial(const Description& scene, Solver solver = Solver::kExact, int iterations = 0,
                 double tolerance = 0)
      : stepper(scene, solver, iterations, tolerance), world(stepper.initial_world()) {}

  void steps(int count) {
    for (int i = 0; i < count; ++i) stepper.step(world);
    stepper.refresh(world);
  }
  double h() const { return stepper.description().options.timestep; }
};

/// Tests that must pass with every solver of the reference path.
class EverySolver : public ::testing::TestWithParam<Solver> {
 public:
  static std::string name(const ::testing::TestParamInfo<Solver>& info) {
    return info.param == Solver::kExact         ? "Exact"
           : info.param == Solver::kGaussSeidel ? "GaussSeidel"
                                                : "GaussSeidelBlocks";
  }
};

#define FLEXOR_EVERY_SOLVER(Suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(                                                                \
      Reference, Suite,                                                                    \
      ::testing::Values(Solver::kGaussSeidel, Solver::kGaussSeidelBlocks, Solver::kExact), \
      EverySolver::name)

}  // namespace flexor::reference
