#pragma once
// Names of the components of a field.

#include "flexor/sim/simulation.hpp"

namespace flexor {

/// One per index entry: elements; `<joint>/<k>` for joints with several coordinates, `<tendon>/<k>`
/// for branches, `<tendon>/<row>` and `<joint>/<row>` for row slots, `<tendon>/<joint>` for
/// Jacobians. Fields with one number per world have none.
std::vector<std::string> names_of_components(const Model& model, FieldIndex index);

}  // namespace flexor
