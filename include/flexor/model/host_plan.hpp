#pragma once
// The plan in host memory: the model compiler writes it, backends hand out views. Host code only.

#include <vector>

#include "flexor/model/plan.hpp"

namespace flexor {

/// The plan as the host owns it.
struct Plan {
#define X(name) int name = 0;
  FLEXOR_PLAN_COUNTS(X)
#undef X
#define X(name, length, meaning) std::vector<int> name;
  FLEXOR_PLAN_ARRAYS(X)
#undef X
  int parameter_offset[kParameterKindCount] = {};
  int constant_offset[kConstantCount] = {};
  int scalar_count = 0;  ///< raw parameters and derived constants together
  PlanView::Cells cell{};
  std::vector<double> qpos0, joint_ref;
  double timestep = 0, hard_row_softness = 0;
  double implicit_factors[3] = {0.5, 0.25, 0};  ///< th, ka, s of [P-7]

  // where derived constants come from: static bodies, points and sides by description element
  std::vector<int> point_element, side_element;  ///< path elements of the points and side sites
  std::vector<int> body_first_link;              ///< first link of a body with joints, or -1

  PlanView view() const {
    PlanView v{};
#define X(name) v.name = name;
    FLEXOR_PLAN_COUNTS(X)
#undef X
#define X(name, length, meaning) v.name = name.data();
    FLEXOR_PLAN_ARRAYS(X)
#undef X
    for (int k = 0; k < kParameterKindCount; ++k) v.parameter_offset[k] = parameter_offset[k];
    for (int k = 0; k < kConstantCount; ++k) v.constant_offset[k] = constant_offset[k];
    v.cell = cell;
    v.timestep = timestep;
    return v;
  }
};

}  // namespace flexor
