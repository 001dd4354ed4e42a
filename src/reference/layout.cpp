#include "reference/layout.hpp"

namespace flexor::reference {

int qpos_count(JointType type) {
  return type == JointType::kFree ? 7 : type == JointType::kBall ? 4 : 1;
}
int qvel_count(JointType type) {
  return type == JointType::kFree ? 6 : type == JointType::kBall ? 3 : 1;
}

namespace {

/// A tendon has one branch more than pulleys, unless a pulley opens the path.  
int count_branches(const TendonDescription& tendon) {
  int count = 1;
  for (std::size_t i = 1; i < tendon.path.size(); ++i)
    count += tendon.path[i].type == ElementType::kPulley;
  return count;
}

}  // namespace

Layout::Layout(const Description& description) {
  const int joint_count = static_cast<int>(description.joints.size());
  const int body_count = static_cast<int>(description.bodies.size());
  joint_qpos.resize(joint_count);
  joint_qvel.resize(joint_count);
  body_joints.resize(body_count);
  for (int j = 0; j < joint_count; ++j) body_joints[description.joints[j].body.index].push_back(j);

  for (int b = 0; b < body_count; ++b) {
    int last = last_dof(description.bodies[b].parent.index);
    for (const int j : body_joints[b]) {
      const JointType type = description.joints[j].type;
      joint_qpos[j] = nq;
      joint_qvel[j] = nv;
      nq += qpos_count(type);
      for (int k = 0; k < qvel_count(type); ++k) {
        dof_joint.push_back(j);
        dof_body.push_back(b);
        dof_parent.push_back(last);
        last = nv++;
      }
    }
    body_last_dof.push_back(last);
  }
  for (const TendonDescription& tendon : description.tendons) {
    tendon_branch.push_back(branch_count);
    branch_count += count_branches(tendon);
  }
}

VectorXd reference_pose(const Description& description, const Layout& layout) {
  VectorXd q = VectorXd::Zero(layout.nq);
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const JointDescription& joint = description.joints[j];
    const int first = layout.joint_qpos[j];
    switch (joint.type) {
      case JointType::kHinge:
      case JointType::kSlide:
        q[first] = joint.ref;
        break;
      case JointType::kBall:
        q[first] = 1;
        break;
      case JointType::kFree: {
        const BodyDescription& body = description.bodies[joint.body.index];
        q.segment<3>(first) = to_eigen(body.pos);
        store_quaternion(q, first + 3, to_eigen(body.quat));
        break;
      }
    }
  }
  return q;
}

}  // namespace flexor::reference
