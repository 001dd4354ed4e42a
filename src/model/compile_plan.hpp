#pragma once
// Description -> Plan: the topology that the stages walk.

#include <functional>

#include "flexor/model/description.hpp"
#include "flexor/model/host_plan.hpp"

namespace flexor {

/// Plan of a description whose references are resolved and whose bodies are parents first. Static
/// bodies belong to the nearest moving ancestor [MF-5]; a Jacobian stores the velocity coordinates
/// between the two bodies of each leg.
Plan compile_plan(const Description& description);

/// Whether any world has a value of this parameter for which `test` holds.
using AnyWorld = std::function<bool(ParameterKind kind, int element, bool (*test)(double))>;

/// Plans the rows that can exist with the present parameters, and lays out the workspace.
void plan_rows(Plan& plan, const Description& description, const AnyWorld& any);

}  // namespace flexor
