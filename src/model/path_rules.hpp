#pragma once
// Structure of tendon paths (rules V2 to V5 and V7 of path_rules.cpp; the rest of V8 falls
// to V3, since guides never stand in chains here), and what is odd about them at the
// reference pose (V10).

#include <vector>

#include "flexor/model/description.hpp"
#include "model/findings.hpp"
#include "model/frames.hpp"

namespace flexor {

/// V7: joint elements name hinges or slides. References must be resolved (or unset).
void check_joint_terms(const Description& description, const TendonDescription& tendon,
                       Findings& findings);

/// V2 to V5 for a path whose elements are valid by themselves.
void check_path_structure(const TendonDescription& tendon, Findings& findings);

/// Warnings and notes for a path without errors, at the reference pose: joint-term-far,
/// repeated-site, static-tendon, endpoint-inside, side-on-axis, guide-clear, wrap-rule-differs.
void look_at_path(const Description& description, const std::vector<int>& moving_ancestors,
                  const Frames& frames, const TendonDescription& tendon, Findings& findings);

/// Elements of one branch between `begin` and `end`; pulleys stand between branches.
struct Branch {
  int begin = 0, end = 0;
};
std::vector<Branch> branches_of(const TendonDescription& tendon);

}  // namespace flexor
