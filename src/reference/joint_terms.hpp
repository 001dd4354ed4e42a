#pragma once
// Forces along single coordinates that need no row: feed-forward, servo, damping, springs.

#include "reference/world.hpp"

namespace flexor::reference {

/// How the end velocity enters the joint terms.   [P-7] table
struct ImplicitRule {
  double th, ka, s;
};
ImplicitRule implicit_rule(JointImplicit option);

/// Joint terms at the start of a step, entry by entry of v.
struct JointTerms {
  VectorXd command;                                     ///< tau_cmd [P-5]
  VectorXd damping;                                     ///< -b v_n
  VectorXd spring;                                      ///< k_s (rest (-) q_n - s h v_n)
  VectorXd diagonal;                                    ///< w, added to the diagonal of M [P-7]
  VectorXd command_slope, damping_slope, spring_slope;  ///< change of each per -dv [P-9]
};
JointTerms joint_terms(const Description& description, const Layout& layout, const World& world);

}  // namespace flexor::reference
