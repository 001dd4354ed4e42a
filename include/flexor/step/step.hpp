#pragma once
// The order of a step, once: whoever runs, profiles, groups or documents stages walks this list
// (numbers: the stages of src/reference/step.cpp).

#include "flexor/actuation/activate.hpp"
#include "flexor/dynamics/inertia_and_bias.hpp"
#include "flexor/dynamics/joint_forces.hpp"
#include "flexor/routing/route.hpp"
#include "flexor/rows/assemble.hpp"
#include "flexor/solve/solve.hpp"
#include "flexor/step/integrate.hpp"
#include "flexor/step/refresh.hpp"
#include "flexor/step/report.hpp"

namespace flexor {

/// visitor.template operator()<Stage>() for every stage of a step, in order.
template <class Visitor>
FLEXOR_INLINE constexpr void visit_step(Visitor&& visitor) {
  visitor.template operator()<Kinematics>();        // 1
  visitor.template operator()<InertiaAndBias>();    // 3
  visitor.template operator()<Route>();             // 4
  visitor.template operator()<ImplicitDiagonal>();  // 5
  visitor.template operator()<Activate>();          // 6
  visitor.template operator()<JointForces>();       // 7
  visitor.template operator()<AssembleRows>();      // 8
  visitor.template operator()<FoldAndFactor>();     // 9
  visitor.template operator()<Solve>();             // 10
  visitor.template operator()<ReportForces>();      // 11
  visitor.template operator()<Integrate>();         // 12
}

/// The refresh pass after the last of the steps asked: stages 1 and 4 at the final pose.   13
template <class Visitor>
FLEXOR_INLINE constexpr void visit_refresh(Visitor&& visitor) {
  visitor.template operator()<Kinematics>();
  visitor.template operator()<Route>();
  visitor.template operator()<StoreGeometry>();
}

/// One step of the worlds of a context.
template <class C>
FLEXOR_HD void run_step(const C& context) {
  visit_step([&]<class Stage>() { Stage::run(context); });
}
template <class C>
FLEXOR_HD void run_refresh(const C& context) {
  visit_refresh([&]<class Stage>() { Stage::run(context); });
}

}  // namespace flexor
