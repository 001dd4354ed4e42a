#include "sim/options.hpp"

#include <fnmatch.h>
#include <sched.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "flexor/io/suggest.hpp"
#include "flexor/sim/option_names.hpp"
#include "model/findings.hpp"
#include "reference/problem.hpp"

namespace flexor {
namespace {

[[noreturn]] void reject(const std::string& argument, const std::string& value,
                         const std::string& legal) {
  throw ConfigError(argument + ": " + value + " given; legal: " + legal);
}

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

void check_device(const std::string& device) {
  if (device == "cpu" || device == "reference") return;
  if (device.starts_with("cuda"))
    throw DeviceError("device: " + in_quotes(device) +
                      " given, but this build has no CUDA backend yet; there are 'cpu' and "
                      "'reference'");
  reject("device", in_quotes(device), "'cpu', 'reference'");
}

bool is_legal_solver(const std::string& device, Solver solver) {
  switch (solver) {
    case Solver::kAuto:
      return true;
    case Solver::kActiveSet:
    case Solver::kJacobi:
      return device == "cpu";
    case Solver::kGaussSeidelBlocks:
    case Solver::kGaussSeidel:
    case Solver::kExact:
      return device == "reference";
  }
  return false;
}

int threads_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

int resolve_threads(int asked) {
  if (asked < 0) reject("num_threads", std::to_string(asked), ">= 1");
  if (asked > 0) return asked;
  const char* variable = std::getenv("FLEXOR_NUM_THREADS");
  if (variable == nullptr || *variable == 0) return threads_of_affinity();
  char* end = nullptr;
  const long threads = std::strtol(variable, &end, 10);
  if (*end != 0 || threads < 1 || threads > 1'000'000)
    reject("FLEXOR_NUM_THREADS (environment)", in_quotes(variable), "a whole number >= 1");
  return static_cast<int>(threads);
}

}  // namespace

bool matches_wildcard(const std::string& pattern, const std::string& text) {
  return pattern == text || fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

int default_iterations(Solver solver) {
  switch (solver) {
    case Solver::kAuto:
    case Solver::kActiveSet:
    case Solver::kJacobi:
      return 12;
    case Solver::kGaussSeidelBlocks:
    case Solver::kGaussSeidel:
      return reference::kSweepDefaults.iterations;
    case Solver::kExact:
      return reference::kExactDefaults.iterations;
  }
  return 0;
}

double default_tolerance(Solver solver, bool is_float) {
  switch (solver) {
    case Solver::kAuto:
    case Solver::kActiveSet:  // exact to rounding; this is for the way it falls back on
    case Solver::kJacobi:
      return is_float ? 1e-6 : 1e-10;
    case Solver::kGaussSeidelBlocks:
    case Solver::kGaussSeidel:
      return reference::kSweepDefaults.tolerance;
    case Solver::kExact:
      return reference::kExactDefaults.tolerance;
  }
  return 0;
}

SimulationOptions resolve_options(SimulationOptions options) {
  if (options.num_worlds < 1 || options.num_worlds > kMostWorlds)
    reject("num_worlds", std::to_string(options.num_worlds), "1 to 16777216 (2^24)");
  check_device(options.device);
  const bool is_reference = options.device == "reference";

  if (options.precision == Precision::kDefault)
    options.precision = is_reference ? Precision::kFloat64 : Precision::kFloat32;
  if (is_reference && options.precision != Precision::kFloat64)
    reject("precision", "'float32'", "'float64' on device 'reference'");
  const bool is_float = options.precision == Precision::kFloat32;

  options.num_threads = resolve_threads(options.num_threads);

  if (!is_legal_solver(options.device, options.solver))
    reject("solver",
           in_quotes(name_of(options.solver, kSolverNames)) + " on device " +
               in_quotes(options.device),
           is_reference ? "'auto', 'gauss_seidel', 'gauss_seidel_blocks', 'exact'"
                        : "'auto', 'active_set', 'jacobi'");
  const Solver chosen =
      is_reference && options.solver == Solver::kAuto ? Solver::kExact : options.solver;
  if (options.history < 0) reject("history", std::to_string(options.history), ">= 0");
  if (options.iterations < 0)
    reject("iterations", std::to_string(options.iterations), ">= 1, or 0 for the solver's default");
  if (options.iterations == 0) options.iterations = default_iterations(chosen);
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
    reject("tolerance", number_text(options.tolerance), "> 0, or 0 for the solver's default");
  if (options.tolerance == 0) options.tolerance = default_tolerance(chosen, is_float);
  return options;
}

FieldSet select_fields(const SimulationOptions& options) {
  FieldSet kept{};
  std::vector<std::string> read_outs;
  visit_fields([&](Field field) {
    kept[static_cast<int>(field)] =
        is_in_checkpoints(field, options.precision == Precision::kFloat32);
    if (is_read_out(field)) read_outs.push_back(info(field).name);
  });

  for (const std::string& pattern : options.outputs) {
    bool is_met = pattern == "all";
    visit_fields([&](Field field) {
      if (!is_read_out(field)) return;
      if (pattern != "all" && !matches_wildcard(pattern, info(field).name)) return;
      kept[static_cast<int>(field)] = is_met = true;
    });
    if (is_met) continue;
    const std::string hint = suggest(pattern, read_outs);
    reject("outputs", in_quotes(pattern),
           "'all', or names and wildcards of read-outs such as 'tendon_length', 'tendon_*'" +
               (hint.empty() ? "" : "; " + hint));
  }
  return kept;
}

}  // namespace flexor
