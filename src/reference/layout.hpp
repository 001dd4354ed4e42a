#pragma once
// Where each joint's coordinates stand in q and v, and which coordinates move which body.

#include <vector>

#include "reference/types.hpp"

namespace flexor::reference {

/// Numbers of configuration and velocity coordinates of a joint type.   [P-1] table
int qpos_count(JointType type);
int qvel_count(JointType type);

/// Joints are numbered through q and v in body order, then in the listed order within a body.
struct Layout {
  int nq = 0, nv = 0;
  std::vector<std::vector<int>> body_joints;  ///< [body] its joints in the listed order
  std::vector<int> joint_qpos, joint_qvel;    ///< [joint] first entry in q, in v
  std::vector<int> dof_joint, dof_body;       ///< [dof] the joint and the body it moves first
  std::vector<int> dof_parent;                ///< [dof] the next one towards the root, -1 = none
  std::vector<int> body_last_dof;             ///< [body] last dof that moves it, -1 = static
  std::vector<int> tendon_branch;             ///< [tendon] its first branch
  int branch_count = 0;

  explicit Layout(const Description& description);
  /// Last dof that moves a body; the world has none.
  int last_dof(int body) const { return body < 0 ? -1 : body_last_dof[body]; }
};

/// q at the reference pose: `ref` of scalar joints, identity of ball joints, the authored pose of
/// free bodies.   [MF-4]
VectorXd reference_pose(const Description& description, const Layout& layout);

}  // namespace flexor::reference
