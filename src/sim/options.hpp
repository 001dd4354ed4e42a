#pragma once
// Arguments of a Simulation: judged, defaults put in.

#include "sim/batch.hpp"

namespace flexor {

inline constexpr long kMostWorlds = 1L << 24;

/// The options with precision, num_threads, solver ("auto" stays), iterations and tolerance filled
/// in. ConfigError naming argument, value and legal set; DeviceError.
SimulationOptions resolve_options(SimulationOptions options);

/// Iterations and tolerance a solver has where none are given. `is_float`: float32 batches.
int default_iterations(Solver solver);
double default_tolerance(Solver solver, bool is_float);

/// State and commands, and the read-outs that `outputs` names. qpos_compensation exists in float32
/// batches only. ConfigError for a name or wildcard that meets no read-out.
FieldSet select_fields(const SimulationOptions& options);

/// Shell wildcards: * ? [].
bool matches_wildcard(const std::string& pattern, const std::string& text);

}  // namespace flexor
