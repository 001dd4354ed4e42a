#include "model/keyframes.hpp"

#include "model/own_checks.hpp"
#include "model/tree_checks.hpp"

namespace flexor {
namespace {

/// First entry of the joint's quaternion in q, -1 if it has none.
int quaternion_entry(JointType type, int first) {
  if (type == JointType::kBall) return first;
  if (type == JointType::kFree) return first + 3;
  return -1;
}

}  // namespace

Coordinates lay_out(const Description& description) {
  Coordinates coordinates;
  for (const JointDescription& joint : description.joints) {
    const int nq = qpos_count(joint.type), nv = qvel_count(joint.type);
    coordinates.qpos.push_back({coordinates.nq, nq});
    coordinates.qvel.push_back({coordinates.nv, nv});
    coordinates.nq += nq;
    coordinates.nv += nv;
  }
  return coordinates;
}

std::vector<double> reference_configuration(const Description& description,
                                            const Coordinates& coordinates) {
  std::vector<double> q(coordinates.nq, 0.0);
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const JointDescription& joint = description.joints[j];
    double* const own = q.data() + coordinates.qpos[j].first;
    switch (joint.type) {
      case JointType::kHinge:
      case JointType::kSlide:
        own[0] = joint.ref;
        break;
      case JointType::kBall:
        own[0] = 1;
        break;
      case JointType::kFree: {
        const BodyDescription& body = description.bodies[joint.body.index];
        const double pose[7] = {body.pos.x,  body.pos.y,  body.pos.z, body.quat.w,
                                body.quat.x, body.quat.y, body.quat.z};
        std::copy(pose, pose + 7, own);
        break;
      }
    }
  }
  return q;
}

void check_keyframes(Description& description, const Coordinates& coordinates, Findings& findings) {
  for (KeyframeDescription& keyframe : description.keyframes) {
    const auto check = [&](const char* attribute, std::size_t given, int wanted) {
      if (given == 0 || given == static_cast<std::size_t>(wanted)) return true;
      findings.error(subject_of(keyframe), "wrong-count", attribute, std::to_string(given),
                     std::string(attribute) + " has " + std::to_string(given) +
                         " numbers; legal: " + std::to_string(wanted) + ", or none");
      return false;
    };
    check("qvel", keyframe.qvel.size(), coordinates.nv);
    if (!check("qpos", keyframe.qpos.size(), coordinates.nq) || keyframe.qpos.empty()) continue;
    for (std::size_t j = 0; j < description.joints.size(); ++j) {
      const int entry = quaternion_entry(description.joints[j].type, coordinates.qpos[j].first);
      if (entry < 0) continue;
      double* const quat = keyframe.qpos.data() + entry;
      if (!illegal_reason(Legal::kQuaternion, {quat, 4}).empty()) {
        findings.error(subject_of(keyframe), "wrong-count", "qpos", number_text({quat, 4}),
                       "the quaternion of joint '" + description.joints[j].name + "' is " +
                           number_text({quat, 4}) + "; legal: finite, norm >= 1e-9");
        continue;
      }
      const Quatd unit = unit_quaternion({quat[0], quat[1], quat[2], quat[3]});
      quat[0] = unit.w;
      quat[1] = unit.x;
      quat[2] = unit.y;
      quat[3] = unit.z;
    }
  }
}

}  // namespace flexor
