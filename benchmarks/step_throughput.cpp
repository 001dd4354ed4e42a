// World-steps a second: every model x backend x precision x number of worlds, one thread, random
// commands every step, read-outs tendon_length and tendon_tension, no refresh.
//
//   step_throughput --benchmark_filter='chain/cpu/float32' --benchmark_out=result.csv
//
// Beside the speed stand the share of converged world-steps and the worst residual: a speed without
// them says nothing. (Adding them up is timed too: it costs less than pausing the clock.)

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "flexor/flexor.hpp"

namespace {

using flexor::Field;

/// Models of the package and, where the folder is there, public ones beside the repository.
struct Entry {
  std::string name;
  std::filesystem::path file;
};

std::vector<Entry> entries() {
  const std::filesystem::path root = FLEXOR_SOURCE_DIR;
  const std::filesystem::path own = root / "python" / "flexor" / "models";
  const char* shared = std::getenv("FLEXOR_SHARED");
  const std::filesystem::path other =
      shared ? std::filesystem::path(shared) : root.parent_path() / "shared";
  std::vector<Entry> all = {{"arm", own / "two_joint_arm.xml"},
                            {"finger", own / "three_joint_finger.xml"},
                            {"chain", own / "spiral_chain.xml"},
                            {"arm26", other / "models" / "mujoco" / "arm26.xml"}};
  std::erase_if(all, [](const Entry& entry) { return !std::filesystem::exists(entry.file); });
  return all;
}

/// xorshift64*: uniform numbers in [0, 1), cheap enough to be drawn inside the timed loop.
class Random {
 public:
  double uniform() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<double>((state_ * 0x2545F4914F6CDD1Dull) >> 40) * 0x1p-24;
  }

 private:
  std::uint64_t state_ = 0x9E3779B97F4A7C15ull;
};

/// New drive forces between `low` and 0 N in every world.
void command(flexor::Simulation& simulation, Random& random, double low) {
  const flexor::ArrayRef force = simulation.array(Field::drive_force);
  for (int tendon = 0; tendon < force.count; ++tendon) {
    for (long world = 0; world < force.num_worlds; ++world) {
      const double value = low * random.uniform();
      const long at = tendon * force.world_stride + world;
      if (force.is_float) {
        static_cast<float*>(force.data)[at] = static_cast<float>(value);
      } else {
        static_cast<double*>(force.data)[at] = value;
      }
    }
  }
}

/// Largest force a command asks for [N]: what holds a model of its weight in motion.
double largest_force(const std::string& name) {
  if (name == "chain") return 4;
  return name == "finger" ? 20 : 100;
}

template <class T>
const T* items(const flexor::ArrayRef& array) {
  return static_cast<const T*>(array.data);
}

void run(benchmark::State& state, const flexor::Model& model, const std::string& name,
         const std::string& device, flexor::Precision precision) {
  flexor::SimulationOptions options;
  options.num_worlds = state.range(0);
  options.device = device;
  options.precision = precision;
  options.num_threads = 1;
  options.outputs = {"tendon_length", "tendon_tension", "solver_status", "solver_residual"};
  options.inert = {"*"};
  flexor::Simulation simulation(model, options);
  Random random;
  const double low = -largest_force(name);

  long converged = 0, steps = 0;
  double worst = 0;
  for (auto _ : state) {
    command(simulation, random, low);
    simulation.step(1, {}, false);
    const flexor::ArrayRef status = simulation.array(Field::solver_status);
    const flexor::ArrayRef residual = simulation.array(Field::solver_residual);
    for (long world = 0; world < status.num_worlds; ++world) {
      converged += items<std::int32_t>(status)[world] == 0;
      worst = std::max(worst, residual.is_float ? double(items<float>(residual)[world])
                                                : items<double>(residual)[world]);
    }
    steps += status.num_worlds;
  }
  state.SetItemsProcessed(steps);
  state.SetLabel(simulation.backend());
  state.counters["per_world_step"] = benchmark::Counter(
      static_cast<double>(steps), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["converged"] = steps > 0 ? static_cast<double>(converged) / steps : 0;
  state.counters["worst_residual"] = worst;
}

void add_all(std::vector<std::unique_ptr<flexor::Model>>& models) {
  struct Backend {
    const char* device;
    const char* precision_name;
    flexor::Precision precision;
    std::vector<long> worlds;
  };
  const std::vector<Backend> backends = {
      {"reference", "float64", flexor::Precision::kFloat64, {1}},
      {"cpu", "float64", flexor::Precision::kFloat64, {1, 32, 256, 1024, 4096, 32768}},
      {"cpu", "float32", flexor::Precision::kFloat32, {1, 32, 256, 1024, 4096, 32768}}};
  for (const Entry& entry : entries()) {
    models.push_back(std::make_unique<flexor::Model>(flexor::load_model(entry.file.string())));
    const flexor::Model& model = *models.back();
    for (const Backend& backend : backends) {
      const std::string name = entry.name + "/" + backend.device + "/" + backend.precision_name;
      auto* registered = benchmark::RegisterBenchmark(
          name.c_str(), [&model, entry, backend](benchmark::State& state) {
            run(state, model, entry.name, backend.device, backend.precision);
          });
      for (const long worlds : backend.worlds) registered->Arg(worlds);
      registered->Unit(benchmark::kMicrosecond)->UseRealTime();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<flexor::Model>> models;
  add_all(models);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
