#include "model/path_rules.hpp"

#include "model/own_checks.hpp"

namespace flexor {
namespace {

bool is_guide(const PathElement& element) {
  return element.type == ElementType::kSphere || element.type == ElementType::kCylinder;
}

/// V3, V4: sites around every maximal stretch of guides. One finding for each stretch.
int check_brackets(const TendonDescription& tendon, Branch branch, Findings& findings) {
  const auto is_site = [&](int i) {
    return i >= branch.begin && i < branch.end && tendon.path[i].type == ElementType::kSite;
  };
  int faults = 0;
  for (int i = branch.begin; i < branch.end; ++i) {
    if (!is_guide(tendon.path[i])) continue;
    const int first = i;
    while (i + 1 < branch.end && is_guide(tendon.path[i + 1])) ++i;
    const bool has_sites = is_site(first - 1) && is_site(i + 1);
    if (has_sites && first == i) continue;
    ++faults;
    const auto neighbour = [&](int k) -> std::string {
      if (k < branch.begin || k >= branch.end) return "nothing";
      return std::string("a ") + type_name(tendon.path[k].type);
    };
    std::string message;
    if (has_sites)
      message = "guides next to each other (elements " + std::to_string(first) + " to " +
                std::to_string(i) + "); legal: a site between them";
    else
      message = "the guide has " + neighbour(first - 1) + " before it and " + neighbour(i + 1) +
                " behind it; legal: a site on both sides";
    findings.error(subject_of(tendon, first), "wrap-not-bracketed", "", "", std::move(message));
  }
  return faults;
}

/// V2, V4: a run (stretch without joint elements) that has a site has at least two elements to
/// connect; a branch has such a run or a joint element.
void check_lengths(const TendonDescription& tendon, Branch branch, Findings& findings) {
  bool has_joint = false;
  for (int i = branch.begin; i < branch.end; ++i)
    has_joint = has_joint || tendon.path[i].type == ElementType::kJoint;
  for (int i = branch.begin; i < branch.end; ++i) {
    if (tendon.path[i].type == ElementType::kJoint) continue;
    const int first = i;
    while (i + 1 < branch.end && tendon.path[i + 1].type != ElementType::kJoint) ++i;
    if (i > first) continue;
    findings.error(subject_of(tendon, first), "path-too-short", "", "",
                   has_joint ? "a site alone beside a joint element; legal: at least two sites in "
                               "a row, or none"
                             : "the only site of its branch; legal: at least two sites, or a joint "
                               "element");
  }
}

}  // namespace

std::vector<Branch> branches_of(const TendonDescription& tendon) {
  std::vector<Branch> branches;
  const int count = static_cast<int>(tendon.path.size());
  int begin = 0;
  for (int i = 0; i <= count; ++i) {
    if (i < count && tendon.path[i].type != ElementType::kPulley) continue;
    if (i > begin) branches.push_back({begin, i});
    begin = i + 1;
  }
  return branches;
}

void check_joint_terms(const Description& description, const TendonDescription& tendon,
                       Findings& findings) {
  for (std::size_t i = 0; i < tendon.path.size(); ++i) {
    const PathElement& element = tendon.path[i];
    if (element.type != ElementType::kJoint || element.joint.index < 0) continue;
    const JointDescription& joint = description.joints[element.joint.index];
    if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) continue;
    findings.error(
        subject_of(tendon, static_cast<int>(i)), "joint-not-scalar", "joint", joint.name,
        "joint '" + joint.name + "' is a " + type_name(joint.type) + " joint; legal: hinge, slide");
  }
}

void check_path_structure(const TendonDescription& tendon, Findings& findings) {
  const int count = static_cast<int>(tendon.path.size());
  const auto is_pulley = [&](int i) { return tendon.path[i].type == ElementType::kPulley; };
  for (int i = 1; i < count; ++i)
    if (is_pulley(i) && is_pulley(i - 1))
      findings.error(subject_of(tendon, i), "pulley-after-pulley", "", "",
                     "a pulley right behind a pulley; legal: a branch between them");
  if (count > 0 && is_pulley(count - 1))
    findings.error(subject_of(tendon, count - 1), "path-ends-with-pulley", "", "",
                   "the path ends with a pulley; legal: a branch behind it");
  for (const Branch branch : branches_of(tendon))
    if (check_brackets(tendon, branch, findings) == 0) check_lengths(tendon, branch, findings);
}

}  // namespace flexor
