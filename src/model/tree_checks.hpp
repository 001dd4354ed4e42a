#pragma once
// Which joints may stand where.   [MF-3]

#include <vector>

#include "flexor/model/description.hpp"
#include "model/findings.hpp"

namespace flexor {

/// bad-joint: no joint of the world; a free joint is the only joint of a child of the world; no
/// hinge or ball after a ball in one body. plane-on-moving-body. Bodies and joints must be sorted.
void check_tree(const Description& description, const std::vector<int>& moving_ancestors,
                Findings& findings);

/// limit-exceeded: bodies, joints, sites, geoms, tendons, elements of one path.
void check_sizes(const Description& description, Findings& findings);

/// Coordinates of a joint.
int qpos_count(JointType type);
int qvel_count(JointType type);

}  // namespace flexor
