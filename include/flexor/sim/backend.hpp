#pragma once
// What executes steps over the arrays of a batch. The Simulation owns the arrays and the raw
// parameters; a backend owns workspaces, threads and derived constants. Host code only.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flexor/core/status.hpp"
#include "flexor/sim/simulation.hpp"
#include "flexor/state/batch_view.hpp"

namespace flexor {

/// Raw parameters of a batch as the Simulation keeps them, already rounded to the batch's scalar.
/// Scalar i (address in Model::nominal) is shared, or per world.
struct RawParameters {
  std::vector<double> shared;                  ///< [address]
  std::vector<std::vector<double>> per_world;  ///< [address] empty, or [world]
  double value(int address, long world) const {
    return per_world[address].empty() ? shared[address] : per_world[address][world];
  }
};

/// Bits that make the guard act.   [IA-8]
inline constexpr int kGuardBits = NONFINITE_STATE | PARAMETER_INVALID | SINGULAR_MASS;

class Backend {
 public:
  virtual ~Backend() = default;
  /// e.g. "cpu/avx2".
  virtual std::string name() const = 0;
  /// Solver that "auto" resolved to.
  virtual Solver solver() const = 0;
  /// Raw parameters have changed: plan rows anew, derive constants of the worlds given (all if
  /// null). Called once before anything else.
  virtual void commit(const RawParameters& raw, const std::uint8_t* worlds) = 0;
  /// Writes reference_length of the worlds (all if null), for tendons whose `wanted` byte is set:
  /// length at the reference pose.
  virtual void measure_reference_lengths(const BatchView& batch, const std::uint8_t* worlds,
                                         const std::uint8_t* wanted) = 0;
  /// count steps, then the refresh pass if asked. Worlds whose mask byte is 0, and frozen worlds,
  /// keep every bit.
  virtual void step(const BatchView& batch, int count, const std::uint8_t* mask, bool refresh) = 0;
  /// [world][nv][nv] and [world][nv] at the present state; either may be null.
  virtual void dynamics(const BatchView& batch, double* mass_matrix, double* bias) = 0;
  /// Steps one thread `count` times and returns the seconds of each stage in the order of
  /// stage_names(); empty where stages are not told apart.
  virtual std::vector<double> profile(const BatchView&, int) { return {}; }
  virtual double workspace_bytes_per_world() const = 0;
};

/// The backends. DeviceError or ConfigError if the options ask for what there is not.
std::unique_ptr<Backend> make_cpu_backend(const Model& model, const SimulationOptions& options);
std::unique_ptr<Backend> make_reference_backend(const Model& model,
                                                const SimulationOptions& options);

}  // namespace flexor
