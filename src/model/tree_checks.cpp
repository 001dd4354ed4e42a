#include "model/tree_checks.hpp"

#include "model/own_checks.hpp"

namespace flexor {

int qpos_count(JointType type) {
  return type == JointType::kFree ? 7 : type == JointType::kBall ? 4 : 1;
}
int qvel_count(JointType type) {
  return type == JointType::kFree ? 6 : type == JointType::kBall ? 3 : 1;
}

void check_tree(const Description& description, const std::vector<int>& moving_ancestors,
                Findings& findings) {
  const auto& joints = description.joints;
  for (std::size_t first = 0; first < joints.size();) {
    const int body = joints[first].body.index;
    std::size_t end = first;
    while (end < joints.size() && joints[end].body.index == body) ++end;
    const JointDescription* ball = nullptr;
    for (std::size_t j = first; j < end && body != kUnset; ++j) {
      const JointDescription& joint = joints[j];
      const Subject subject = subject_of(joint);
      if (body == kWorld) {
        findings.error(subject, "bad-joint", "body", "world", "the world does not move");
        continue;
      }
      if (joint.type == JointType::kFree && end - first > 1)
        findings.error(subject, "bad-joint", "type", "free",
                       "body '" + description.bodies[body].name + "' has " +
                           std::to_string(end - first) +
                           " joints; legal: a free joint is the only one of its body");
      if (joint.type == JointType::kFree && description.bodies[body].parent.index != kWorld)
        findings.error(subject, "bad-joint", "type", "free",
                       "body '" + description.bodies[body].name + "' is a child of '" +
                           description.bodies[body].parent.name +
                           "'; legal: a free joint on a child of the world");
      const bool turns = joint.type == JointType::kHinge || joint.type == JointType::kBall;
      if (ball && turns)
        findings.error(subject, "bad-joint", "type", type_name(joint.type),
                       std::string("a ") + type_name(joint.type) + " behind ball joint '" +
                           ball->name + "' in body '" + description.bodies[body].name +
                           "'; legal: no hinge or ball after a ball in one body");
      if (joint.type == JointType::kBall && !ball) ball = &joint;
    }
    first = end;
  }
  for (const GeomDescription& geom : description.geoms)
    if (geom.type == GeomType::kPlane && geom.body.index >= 0 &&
        moving_ancestors[geom.body.index] != kWorld)
      findings.error(subject_of(geom), "plane-on-moving-body", "type", "plane",
                     "body '" + description.bodies[geom.body.index].name +
                         "' moves; legal: planes on the world and on bodies that do not move");
}

void check_sizes(const Description& description, Findings& findings) {
  const Subject subject{"model", description.name, {}, -1, {}};
  const auto check = [&](const char* what, std::size_t count, std::size_t limit) {
    if (count > limit)
      findings.error(
          subject, "limit-exceeded", what, std::to_string(count),
          std::to_string(count) + " " + what + "; legal: at most " + std::to_string(limit));
  };
  check("bodies", description.bodies.size(), 200'000);
  check("joints", description.joints.size(), 200'000);
  check("sites", description.sites.size(), 200'000);
  check("geoms", description.geoms.size(), 200'000);
  check("tendons", description.tendons.size(), 100'000);
  std::size_t coordinates = 0;
  for (const JointDescription& joint : description.joints) coordinates += qvel_count(joint.type);
  check("velocity coordinates", coordinates, 4'000);
  for (const TendonDescription& tendon : description.tendons)
    if (tendon.path.size() > 10'000)
      findings.error(subject_of(tendon), "limit-exceeded", "path",
                     std::to_string(tendon.path.size()),
                     std::to_string(tendon.path.size()) + " elements; legal: at most 10000");
}

}  // namespace flexor
