#include "model/derive.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <optional>

#include "model/own_checks.hpp"
#include "model/softness.hpp"
#include "reference/mechanics.hpp"
#include "reference/problem.hpp"
#include "reference/route.hpp"

namespace flexor {
namespace {

using reference::Kinematics;
using reference::Layout;
using reference::MatrixXd;
using reference::VectorXd;

/// The mechanism at one configuration, at rest.
struct Pose {
  Layout layout;
  VectorXd q;
  Kinematics kin;

  Pose(const Description& description, const Layout& where, VectorXd configuration)
      : layout(where),
        q(std::move(configuration)),
        kin(reference::kinematics(description, layout, q, VectorXd::Zero(layout.nv))) {}

  reference::TendonRoute route(const Description& description, int tendon) const {
    return reference::route_tendon(description, layout, kin, q, VectorXd::Zero(layout.nv), tendon);
  }
};

Pose reference_pose_of(const Description& description) {
  const Layout layout(description);
  return {description, layout, reference::reference_pose(description, layout)};
}

/// Hinges and slides at their springs' rest, balls at the identity, free bodies as drawn.
Pose rest_pose_of(const Description& description) {
  const Layout layout(description);
  VectorXd q = reference::reference_pose(description, layout);
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const JointDescription& joint = description.joints[j];
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlide)
      q[layout.joint_qpos[j]] = joint.rest;
  }
  return {description, layout, std::move(q)};
}

/// Inverse of the joint-space inertia at the reference pose, on demand.
class Response {
 public:
  Response(const Description& description, const Pose& pose)
      : factor_(reference::mass_matrix(description, pose.layout, pose.kin)) {}

  /// W = J M^-1 J^T.   [MF-6]
  double of(const VectorXd& jacobian) const { return jacobian.dot(factor_.solve(jacobian)); }
  /// Mean of (M^-1)_ii over the coordinates of a joint.
  double of_joint(const Layout& layout, int joint, JointType type) const {
    double sum = 0;
    const int count = reference::qvel_count(type);
    for (int k = 0; k < count; ++k)
      sum += of(VectorXd::Unit(layout.nv, layout.joint_qvel[joint] + k));
    return sum / count;
  }

 private:
  Eigen::LLT<MatrixXd> factor_;
};

bool has_springdamper(const JointDescription& joint) {
  return joint.spring_time > 0 && joint.spring_damping_ratio > 0;
}

/// A response that is zero, or that cancels to rounding: the row cannot feel the mass behind it.
bool is_nothing(const reference::TendonRoute& route) {
  return reference::is_unresponsive(route.jacobian, route.contributions);
}

void warn_underdamped(const Subject& subject, const char* attribute, Findings& findings) {
  findings.warning(subject, "underdamped-softness", attribute, "",
                   "solref is under-damped; the row follows it to first order and does not ring");
}

void map_joint(JointDescription& joint, double W, double h, Findings& findings) {
  if (joint.limit_softness.is_written) {
    const MappedLimit mapped = map_limit(joint.limit_softness, h, W);
    joint.limit_correction = mapped.position_correction;
    joint.limit_compliance = mapped.compliance;
    if (mapped.is_underdamped) warn_underdamped(subject_of(joint), "limit solref", findings);
  }
  if (joint.friction_softness.is_written)
    joint.friction_compliance = map_friction(joint.friction_softness, h, W);
}

void map_tendon(TendonDescription& tendon, double W, double h, Findings& findings) {
  if (W == 0)
    findings.warning(subject_of(tendon), "no-reference-response", "", "",
                     "the tendon moves nothing at the reference pose, so its softness has no mass "
                     "to refer to; the rows stay hard");
  if (tendon.limit_softness.is_written) {
    const MappedLimit mapped = map_limit(tendon.limit_softness, h, W);
    tendon.position_correction = mapped.position_correction;
    tendon.limit_compliance = mapped.compliance;
    if (mapped.is_underdamped) warn_underdamped(subject_of(tendon), "limit solref", findings);
  }
  if (tendon.friction_softness.is_written)
    tendon.friction_compliance = map_friction(tendon.friction_softness, h, W);
}

/// Whether a joint with rest != ref changes the length of a path: one of its joint terms, or a
/// joint that moves some but not all elements of it.
bool has_own_rest(const Description& description, const Layout& layout,
                  const TendonDescription& tendon) {
  std::vector<int> moved(layout.nv, 0);
  int elements = 0;
  std::vector<char> is_term(description.joints.size(), 0);
  for (const PathElement& element : tendon.path) {
    if (element.type == ElementType::kPulley) continue;
    if (element.type == ElementType::kJoint) {
      is_term[element.joint.index] = 1;
      continue;
    }
    ++elements;
    for (int k = layout.last_dof(element.body.index); k >= 0; k = layout.dof_parent[k]) ++moved[k];
  }
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const JointDescription& joint = description.joints[j];
    if (joint.type != JointType::kHinge && joint.type != JointType::kSlide) continue;
    const int count = moved[layout.joint_qvel[j]];
    if (joint.rest != joint.ref && (is_term[j] || (count > 0 && count < elements))) return true;
  }
  return false;
}

}  // namespace

void check_joint_space_inertia(const Description& description, Findings& findings) {
  const Pose pose = reference_pose_of(description);
  const Layout& layout = pose.layout;
  MatrixXd M = reference::mass_matrix(description, layout, pose.kin);
  const VectorXd diagonal = M.diagonal();
  // L^T D L from the leaves inwards: only entries along the path to the root fill.
  for (int k = layout.nv - 1; k >= 0; --k) {
    if (M(k, k) > 1e-12 * diagonal[k]) {
      for (int i = layout.dof_parent[k]; i >= 0; i = layout.dof_parent[i]) {
        const double a = M(k, i) / M(k, k);
        for (int j = i; j >= 0; j = layout.dof_parent[j]) M(i, j) -= a * M(k, j);
      }
      continue;
    }
    const JointDescription& joint = description.joints[layout.dof_joint[k]];
    const int component = k - layout.joint_qvel[layout.dof_joint[k]];
    std::string which = "velocity coordinate " + std::to_string(k);
    if (reference::qvel_count(joint.type) > 1)
      which += " (component " + std::to_string(component) + " of the joint)";
    findings.error(subject_of(joint), "massless-body", "body", joint.body.name,
                   "body '" + joint.body.name + "' and what it carries have no inertia along " +
                       which + " at the reference pose" +
                       (diagonal[k] > 0 ? " (pivot " + rounded_text(M(k, k)) + " of " +
                                              rounded_text(diagonal[k]) + ")"
                                        : "") +
                       "; legal: mass, inertia or armature that it moves");
  }
}

void derive_numbers(Description& description, Findings& findings) {
  const Pose pose = reference_pose_of(description);
  const Layout& layout = pose.layout;
  const double h = description.options.timestep;
  std::optional<Response> response;
  const auto responses = [&]() -> const Response& {
    if (!response) response.emplace(description, pose);
    return *response;
  };

  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    JointDescription& joint = description.joints[j];
    const bool is_soft = joint.limit_softness.is_written || joint.friction_softness.is_written;
    if (joint.type == JointType::kFree || (!is_soft && !has_springdamper(joint))) continue;
    const double W = responses().of_joint(layout, static_cast<int>(j), joint.type);
    if (has_springdamper(joint)) {  // [MF-15]
      const double T = joint.spring_time, z = joint.spring_damping_ratio, m = 1 / W;
      joint.stiffness = m / (T * z * T * z);
      joint.damping = 2 * m / T;
    }
    map_joint(joint, W, h, findings);
  }

  std::optional<Pose> rest;
  for (std::size_t t = 0; t < description.tendons.size(); ++t) {
    TendonDescription& tendon = description.tendons[t];
    const int index = static_cast<int>(t);
    if (tendon.limit_softness.is_written || tendon.friction_softness.is_written) {
      const reference::TendonRoute route = pose.route(description, index);
      map_tendon(tendon, is_nothing(route) ? 0 : responses().of(route.jacobian), h, findings);
    }
    if (!tendon.is_spring_reference_from_rest) continue;
    tendon.spring_lower = tendon.spring_upper = kNaN;
    if (!has_own_rest(description, layout, tendon)) continue;
    if (!rest) rest.emplace(rest_pose_of(description));
    tendon.spring_lower = tendon.spring_upper = rest->route(description, index).length;
  }
}

std::vector<double> derive_reference_lengths(const Description& description) {
  const Pose pose = reference_pose_of(description);
  std::vector<double> lengths;
  for (std::size_t t = 0; t < description.tendons.size(); ++t) {
    const double given = description.tendons[t].reference_length;
    lengths.push_back(std::isnan(given) ? pose.route(description, static_cast<int>(t)).length
                                        : given);
  }
  return lengths;
}

}  // namespace flexor
