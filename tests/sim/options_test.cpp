// Arguments of a Simulation that are outside their legal set.

#include "sim/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "sim_models.hpp"

namespace flexor {
namespace {

using testing::reference_options;

template <class Error>
std::string refusal(const SimulationOptions& options) {
  try {
    resolve_options(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

void expect_named(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

TEST(Options, EachIllegalValueIsNamedWithTheLegalSet) {
  SimulationOptions o;
  o.num_worlds = 0;
  expect_named(refusal<ConfigError>(o), {"num_worlds", "0 given", "1 to 16777216"});
  o.num_worlds = (1L << 24) + 1;
  expect_named(refusal<ConfigError>(o), {"num_worlds", "16777217"});
  o = {};
  o.device = "gpu";
  expect_named(refusal<ConfigError>(o), {"device", "'gpu'", "'cpu'", "'reference'"});
  o.device = "cuda:0";
  expect_named(refusal<DeviceError>(o), {"cuda:0", "no CUDA backend"});
  o = {};
  o.num_threads = -1;
  expect_named(refusal<ConfigError>(o), {"num_threads", "-1", ">= 1"});
  o = {};
  o.iterations = -3;
  expect_named(refusal<ConfigError>(o), {"iterations", "-3"});
  o = {};
  for (const double bad : {-1.0, kNaN, kInfinity}) {
    o.tolerance = bad;
    expect_named(refusal<ConfigError>(o), {"tolerance"});
  }
  o = reference_options(1);
  o.precision = Precision::kFloat32;
  expect_named(refusal<ConfigError>(o), {"precision", "float64"});
}

TEST(Options, SolversBelongToBackends) {
  SimulationOptions o;
  o.solver = Solver::kExact;
  expect_named(refusal<ConfigError>(o), {"solver", "'exact'", "'active_set'", "'jacobi'"});
  o = reference_options(1);
  o.solver = Solver::kJacobi;
  expect_named(refusal<ConfigError>(o), {"solver", "'jacobi'", "'gauss_seidel_blocks'"});
  for (const Solver solver :
       {Solver::kAuto, Solver::kGaussSeidel, Solver::kGaussSeidelBlocks, Solver::kExact}) {
    o.solver = solver;
    EXPECT_NO_THROW(resolve_options(o));
  }
}

TEST(Options, DefaultsAreThoseOfTheTable) {
  SimulationOptions o = resolve_options({});
  EXPECT_EQ(o.precision, Precision::kFloat32);
  EXPECT_EQ(o.iterations, 12);
  EXPECT_EQ(o.tolerance, 1e-6);
  EXPECT_GE(o.num_threads, 1);
  o = resolve_options(reference_options(1));
  EXPECT_EQ(o.precision, Precision::kFloat64);
  EXPECT_EQ(o.iterations, 60);
  EXPECT_EQ(o.tolerance, 1e-12);
  o = reference_options(1);
  o.solver = Solver::kGaussSeidel;
  EXPECT_EQ(resolve_options(o).iterations, 150);
}

TEST(Options, ThreadsComeFromTheEnvironmentUnlessGiven) {
  const char* before = std::getenv("FLEXOR_NUM_THREADS");
  const std::string kept = before ? before : "";
  setenv("FLEXOR_NUM_THREADS", "3", 1);
  EXPECT_EQ(resolve_options({}).num_threads, 3);
  SimulationOptions o;
  o.num_threads = 2;
  EXPECT_EQ(resolve_options(o).num_threads, 2);
  setenv("FLEXOR_NUM_THREADS", "many", 1);
  expect_named(refusal<ConfigError>({}), {"FLEXOR_NUM_THREADS", "many"});
  before ? setenv("FLEXOR_NUM_THREADS", kept.c_str(), 1) : unsetenv("FLEXOR_NUM_THREADS");
}

TEST(Inert, WhatCannotBeSimulatedIsListedUnlessNamed) {
  ModelBuilder builder = testing::suspended_load();
  builder.add_inert({"actuator", "biceps", "muscles are not simulated", {"arm.xml", 12, 5}});
  builder.add_inert({"contact", "floor", "contacts are not simulated", {"arm.xml", 20, 3}});
  const Model model = builder.finalize();
  SimulationOptions options = reference_options(1);
  try {
    const Simulation sim(model, options);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_EQ(error.problems().size(), 2u);
    expect_named(error.what(), {"arm.xml:12:5", "biceps", "muscles", "arm.xml:20:3", "inert"});
  }
  options.inert = {"biceps"};
  EXPECT_THROW(Simulation(model, options), ModelError);
  options.inert = {"bi*", "contact"};
  EXPECT_NO_THROW(Simulation(model, options));
  options.inert = {"*"};
  EXPECT_NO_THROW(Simulation(model, options));
  options.inert = {"*", "tricep"};
  EXPECT_THROW(Simulation(model, options), ConfigError);
}

TEST(Inert, AnArmatureOverGuidesExertsNothingWhenNamed) {
  ModelBuilder builder = testing::suspended_load();
  TendonDescription& tendon = builder.description().tendons[0];
  PathElement guide;
  guide.type = ElementType::kSphere;
  guide.pos = {0.5, 0, 1.5};
  guide.radius = 0.05;
  tendon.path.insert(tendon.path.begin() + 1, guide);
  const Model light = builder.finalize();
  builder.description().tendons[0].armature = 3;
  const Model heavy = builder.finalize();
  SimulationOptions options = reference_options(1);
  EXPECT_THROW(Simulation(heavy, options), ModelError);
  Simulation a(light, options);
  options.inert = {"tendon armature"};
  Simulation b(heavy, options);
  a.step(20), b.step(20);
  EXPECT_EQ(a.state_hash(), b.state_hash());
  EXPECT_THROW(a.set_parameter("tendon/t/armature", std::vector<double>{1}), ParameterError);
}

}  // namespace
}  // namespace flexor
