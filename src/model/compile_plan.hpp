#pragma once

#include "flexor/model/description.hpp"
#include "flexor/model/plan.hpp"

namespace flexor {

/// Topology and planned rows of a finalized description.
Plan compile_plan(const Description& description);

}  // namespace flexor
