// What each stage of a step does in one world: additions, products, quotients and roots, choices,
// references to cells of the workspace, numbers of arrays loaded and stored. Counted, not
// estimated: the stages run on numbers that count (tests/support/counted.hpp), float32, one world
// at a time, on the package's models under random commands within their bounds, as in
// stage_profile.py, which sets the stages' times beside the counts. The same on every machine.
//
//   stage_counts [FILE]      default: benchmarks/results/stage_counts.csv
//
// Counted is the general text of the stages: shortcuts for frames that are the identity and the
// like, which the cpu backend takes, are not; neither is what a pack does for worlds that have
// finished.

// clang-format off
#include "support/counted.hpp"  // before any stage
// clang-format on

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>

#include "flexor/flexor.hpp"
#include "flexor/step/stage_names.hpp"
#include "support/stage_runner.hpp"

namespace flexor {
namespace {

constexpr long kWorlds = 64;
constexpr int kSettle = 200;
constexpr int kCounted = 20;
constexpr double kUnbounded = -10;  ///< pull of a drive without a bound [N]

/// New drive forces between each drive's bound and 0 N.
void command(Simulation& simulation, std::mt19937& random) {
  std::uniform_real_distribution<double> share(0, 1);
  const ArrayRef force = simulation.array(Field::drive_force);
  const auto& tendons = simulation.model().description().tendons;
  for (int t = 0; t < force.count; ++t) {
    const double bound = tendons[t].actuation_lower;
    const double low = std::isinf(bound) ? kUnbounded : bound;
    for (long w = 0; w < kWorlds; ++w) {
      static_cast<float*>(force.data)[t * force.world_stride + w] =
          static_cast<float>(low * share(random));
    }
  }
}

/// Means over worlds and steps, by stage in the order of a step, then of the refresh pass.
std::array<Counts, kStageCount> count_stages_of(const Model& model) {
  SimulationOptions options;
  options.num_worlds = kWorlds;
  options.num_threads = 1;
  Simulation simulation(model, options);
  std::mt19937 random(0);
  for (int n = 0; n < kSettle; ++n) {
    command(simulation, random);
    simulation.step(1);
  }
  support::StageRunner<Counted, SerialTeam, CountedCells> runner(simulation, SerialTeam{});
  std::array<Counts, kStageCount> means;
  for (int n = 0; n < kCounted; ++n) {
    command(simulation, random);
    int stage = 0;
    runner.walk([&]<class Stage>(const auto& context) {
      counts = {};
      Stage::run(context);
      Counts& mean = means[stage++ % kStageCount];
      for (const auto kind : kCountKinds) mean.*kind += counts.*kind / (kWorlds * kCounted);
    });
  }
  return means;
}

int write(const char* path) {
  std::ofstream file(path);
  file << "model,stage,add,multiply,divide,choose,cell_bytes,array_bytes\n";
  for (const char* name : {"spiral_chain", "three_joint_finger", "two_joint_arm"}) {
    const std::string models = FLEXOR_SOURCE_DIR "/python/flexor/models/";
    const auto means = count_stages_of(load_model(models + name + ".xml"));
    visit_stage_infos([&](int index, const StageInfo& info) {
      const Counts& mean = means[index];
      char line[256];
      std::snprintf(line, sizeof line, "%s,%s,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f\n", name, info.name,
                    mean.add, mean.multiply, mean.divide, mean.choose, sizeof(float) * mean.cells,
                    sizeof(float) * mean.arrays);
      file << line;
      std::fputs(line, stdout);
    });
  }
  file.close();
  if (!file) {
    std::fprintf(stderr, "stage_counts: cannot write %s\n", path);
    return 1;
  }
  std::printf("wrote %s\n", path);
  return 0;
}

}  // namespace
}  // namespace flexor

int main(int argc, char** argv) {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    std::fprintf(stderr, "usage: stage_counts [FILE]\n");
    return 2;
  }
  return flexor::write(argc > 1 ? argv[1]
                                : FLEXOR_SOURCE_DIR "/benchmarks/results/stage_counts.csv");
}
