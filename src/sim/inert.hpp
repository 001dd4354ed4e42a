#pragma once
// What a model has and this version cannot simulate: an error that lists it, unless the user says
// that it may stand idle. Idle elements exert nothing.

#include <utility>

#include "flexor/sim/simulation.hpp"

namespace flexor {

/// ModelError listing every such element that no name, kind or wildcard of options.inert meets;
/// ConfigError for an entry of options.inert that meets nothing.
/// Returns the raw parameter values that keep the idle ones idle: (address, value).
std::vector<std::pair<int, double>> check_inert(const Model& model,
                                                const std::vector<std::string>& inert);

/// Why this version cannot simulate a parameter's value (empty if it can).
std::string unsimulated_reason(const Model& model, const Parameter& parameter, double value);

}  // namespace flexor
