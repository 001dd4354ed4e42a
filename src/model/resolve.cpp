#include "model/resolve.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "flexor/io/suggest.hpp"
#include "model/own_checks.hpp"

namespace flexor {
namespace {

using Names = std::unordered_map<std::string_view, int>;

template <class Element>
Names table_of(const std::vector<Element>& elements) {
  Names names;
  names.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) names.emplace(elements[i].name, int(i));
  return names;
}

template <class Element>
std::vector<std::string> list_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(elements.size(), 5000); ++i)
    names.push_back(elements[i].name);
  return names;
}

enum Kind { kBody, kJoint, kSite, kGeom, kTendon, kKeyframe, kKindCount };
constexpr const char* kKindNames[kKindCount] = {"body", "joint",  "site",
                                                "geom", "tendon", "keyframe"};

class Resolver {
 public:
  Resolver(Description& description, Findings& findings)
      : description_(description), findings_(findings), names_{table_of(description.bodies),
                                                               table_of(description.joints),
                                                               table_of(description.sites),
                                                               table_of(description.geoms),
                                                               table_of(description.tendons),
                                                               table_of(description.keyframes)} {}

  /// True if the reference stands for an element of that kind now; the world counts as a body.
  bool resolve(Reference& reference, Kind kind, const Subject& subject, const char* attribute) {
    const int found = find(reference, kind);
    if (found != kUnset) {
      reference.index = found;
      reference.name = name_of(kind, found);
      return true;
    }
    Subject at = subject;
    if (reference.source.line > 0) at.source = reference.source;
    if (reference.name.empty()) {
      findings_.error(at, "unknown-name", attribute, std::to_string(reference.index),
                      std::string(attribute) + " " + std::to_string(reference.index) +
                          " is no index of a " + kKindNames[kind] + "; legal: 0 to " +
                          std::to_string(names_[kind].size()) + " exclusive" +
                          (kind == kBody ? ", or the world" : ""));
    } else {
      const Kind other = other_kind(reference.name, kind);
      std::string message =
          std::string("no ") + kKindNames[kind] + " named '" + reference.name + "'";
      if (other != kKindCount)
        message += std::string("; a ") + kKindNames[other] + " has that name";
      Problem& problem =
          findings_.error(at, "unknown-name", attribute, reference.name, std::move(message));
      if (other == kKindCount) problem.hint = suggest(reference.name, list(kind));
    }
    reference.index = kUnset;
    return false;
  }

  Description& description() { return description_; }
  Findings& findings() { return findings_; }

 private:
  int find(const Reference& reference, Kind kind) const {
    if (reference.name.empty()) {
      const bool is_world = kind == kBody && reference.index == kWorld;
      const bool is_index = reference.index >= 0 && reference.index < count(kind);
      return is_world || is_index ? reference.index : kUnset;
    }
    if (kind == kBody && reference.name == "world") return kWorld;
    const auto found = names_[kind].find(reference.name);
    return found == names_[kind].end() ? kUnset : found->second;
  }

  int count(Kind kind) const {
    switch (kind) {
      case kBody:
        return static_cast<int>(description_.bodies.size());
      case kJoint:
        return static_cast<int>(description_.joints.size());
      case kSite:
        return static_cast<int>(description_.sites.size());
      case kGeom:
        return static_cast<int>(description_.geoms.size());
      default:
        return 0;
    }
  }

  std::string name_of(Kind kind, int index) const {
    if (index == kWorld) return "world";
    switch (kind) {
      case kBody:
        return description_.bodies[index].name;
      case kJoint:
        return description_.joints[index].name;
      case kSite:
        return description_.sites[index].name;
      default:
        return description_.geoms[index].name;
    }
  }

  std::vector<std::string> list(Kind kind) const {
    switch (kind) {
      case kBody:
        return list_of(description_.bodies);
      case kJoint:
        return list_of(description_.joints);
      case kSite:
        return list_of(description_.sites);
      default:
        return list_of(description_.geoms);
    }
  }

  Kind other_kind(const std::string& name, Kind kind) const {
    for (int other = 0; other < kKindCount; ++other)
      if (other != kind && names_[other].contains(name)) return static_cast<Kind>(other);
    return kKindCount;
  }

  Description& description_;
  Findings& findings_;
  Names names_[kKindCount];
};

/// Axis z of a frame, seen from where the frame is described.
Vec3d z_axis(const Quatd& quat) { return to_matrix(unit_quaternion(quat)).z; }

void resolve_geom(PathElement& element, const Subject& subject, Resolver& resolver) {
  const GeomDescription& geom = resolver.description().geoms[element.geom.index];
  if (!take_geom(element, geom)) {
    resolver.findings().error(
        subject, "wrap-bad-type", "geom", geom.name,
        "geom '" + geom.name + "' is a " + type_name(geom.type) + "; legal: sphere, cylinder");
    return;
  }
  const std::string reason = illegal_reason(Legal::kPositive, {&element.radius, 1});
  if (!reason.empty())
    resolver.findings().error(
        subject, "bad-radius", "geom", number_text(element.radius),
        "radius " + number_text(element.radius) + " of geom '" + geom.name + "'; " + reason);
}

void resolve_element(TendonDescription& tendon, int i, Resolver& resolver) {
  PathElement& element = tendon.path[i];
  const Subject subject = subject_of(tendon, i);
  const Description& description = resolver.description();
  switch (element.type) {
    case ElementType::kPulley:
      return;
    case ElementType::kJoint:
      if (element.joint.is_set()) resolver.resolve(element.joint, kJoint, subject, "joint");
      return;
    default:
      break;
  }
  if (element.geom.is_set()) {
    if (resolver.resolve(element.geom, kGeom, subject, "geom"))
      resolve_geom(element, subject, resolver);
  } else if (!element.site.is_set()) {
    resolver.resolve(element.body, kBody, subject, "body");
  } else if (resolver.resolve(element.site, kSite, subject, "site")) {
    element.body = description.sites[element.site.index].body;
  }
  if (!element.has_side) return;
  if (!element.side_site.is_set())
    resolver.resolve(element.side_body, kBody, subject, "side");
  else if (resolver.resolve(element.side_site, kSite, subject, "side"))
    element.side_body = description.sites[element.side_site.index].body;
}

template <class Element>
void find_duplicates(const std::vector<Element>& elements, Findings& findings) {
  std::unordered_map<std::string_view, const Element*> first;
  for (const Element& element : elements) {
    if (element.name.empty()) continue;
    const auto [other, is_new] = first.emplace(element.name, &element);
    if (is_new) continue;
    const Subject subject = subject_of(element);
    const Source& place = other->second->source;
    std::string message = "another " + subject.kind + " has that name";
    if (place.line > 0) message += " (" + place.file + ":" + std::to_string(place.line) + ")";
    findings.error(subject, "duplicate-name", "name", element.name, std::move(message));
  }
}

/// Order in which every body comes behind its ancestors; ancestors missing so far come first.
std::vector<int> parents_first(const std::vector<int>& parents) {
  std::vector<int> order, chain;
  std::vector<char> is_placed(parents.size(), 0);
  for (std::size_t body = 0; body < parents.size(); ++body) {
    for (int b = static_cast<int>(body); b != kWorld && !is_placed[b]; b = parents[b])
      chain.push_back(b);
    for (; !chain.empty(); chain.pop_back()) {
      order.push_back(chain.back());
      is_placed[chain.back()] = 1;
    }
  }
  return order;
}

/// Cuts every cycle of parents at its first body, with one finding each.
void cut_cycles(const Description& description, std::vector<int>& parents, Findings& findings) {
  const int count = static_cast<int>(parents.size());
  std::vector<int> visit(count, -1);  // which start has passed here
  for (int start = 0; start < count; ++start) {
    int b = start;
    while (b != kWorld && visit[b] == -1) {
      visit[b] = start;
      b = parents[b];
    }
    if (b == kWorld || visit[b] != start) continue;
    int first = b;
    std::string names;
    int length = 0;
    for (int c = b;; ++length) {
      first = std::min(first, c);
      if (length < 10) names += "'" + description.bodies[c].name + "' -> ";
      c = parents[c];
      if (c == b) break;
    }
    names += length < 10 ? "'" + description.bodies[b].name + "'" : "...";
    findings.error(subject_of(description.bodies[first]), "link-loop", "parent",
                   description.bodies[parents[first]].name,
                   "the body is its own ancestor (" + names + "); legal: a tree");
    parents[first] = kWorld;
  }
}

}  // namespace

void check_duplicates(const Description& description, Findings& findings) {
  find_duplicates(description.bodies, findings);
  find_duplicates(description.joints, findings);
  find_duplicates(description.sites, findings);
  find_duplicates(description.geoms, findings);
  find_duplicates(description.tendons, findings);
  find_duplicates(description.keyframes, findings);
}

bool take_geom(PathElement& element, const GeomDescription& geom) {
  if (geom.type != GeomType::kSphere && geom.type != GeomType::kCylinder) return false;
  element.type = geom.type == GeomType::kSphere ? ElementType::kSphere : ElementType::kCylinder;
  element.body = geom.body;
  element.pos = geom.pos;
  element.radius = geom.size.x;
  if (element.type == ElementType::kCylinder) element.axis = z_axis(geom.quat);
  return true;
}

void resolve_references(Description& description, std::vector<char>& has_bad_element,
                        Findings& findings) {
  Resolver resolver(description, findings);
  for (BodyDescription& body : description.bodies)
    if (!resolver.resolve(body.parent, kBody, subject_of(body), "parent")) body.parent = kWorld;
  for (JointDescription& joint : description.joints)
    if (joint.body.is_set()) resolver.resolve(joint.body, kBody, subject_of(joint), "body");
  for (SiteDescription& site : description.sites)
    if (!resolver.resolve(site.body, kBody, subject_of(site), "body")) site.body = kWorld;
  for (GeomDescription& geom : description.geoms)
    if (!resolver.resolve(geom.body, kBody, subject_of(geom), "body")) geom.body = kWorld;
  for (std::size_t t = 0; t < description.tendons.size(); ++t) {
    TendonDescription& tendon = description.tendons[t];
    const int before = findings.error_count();
    for (std::size_t i = 0; i < tendon.path.size(); ++i)
      resolve_element(tendon, static_cast<int>(i), resolver);
    if (findings.error_count() > before) has_bad_element[t] = 1;
  }
}

void sort_bodies(Description& description, Findings& findings) {
  std::vector<int> parents;
  for (const BodyDescription& body : description.bodies) parents.push_back(body.parent.index);
  cut_cycles(description, parents, findings);
  const std::vector<int> order = parents_first(parents);
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  const auto move = [&](Reference& body) {
    if (body.index >= 0) body.index = place[body.index];
  };

  std::vector<BodyDescription> bodies;
  for (const int b : order) {
    bodies.push_back(std::move(description.bodies[b]));
    bodies.back().parent.index = parents[b];
    move(bodies.back().parent);
  }
  description.bodies = std::move(bodies);
  for (JointDescription& joint : description.joints) move(joint.body);
  for (SiteDescription& site : description.sites) move(site.body);
  for (GeomDescription& geom : description.geoms) move(geom.body);
  for (TendonDescription& tendon : description.tendons)
    for (PathElement& element : tendon.path) {
      move(element.body);
      move(element.side_body);
    }

  std::vector<int> joint_order(description.joints.size());
  std::iota(joint_order.begin(), joint_order.end(), 0);
  std::stable_sort(joint_order.begin(), joint_order.end(), [&](int a, int b) {
    return description.joints[a].body.index < description.joints[b].body.index;
  });
  std::vector<int> joint_place(joint_order.size());
  std::vector<JointDescription> joints;
  for (std::size_t i = 0; i < joint_order.size(); ++i) {
    joint_place[joint_order[i]] = static_cast<int>(i);
    joints.push_back(std::move(description.joints[joint_order[i]]));
  }
  description.joints = std::move(joints);
  for (TendonDescription& tendon : description.tendons)
    for (PathElement& element : tendon.path)
      if (element.joint.index >= 0) element.joint.index = joint_place[element.joint.index];
}

std::vector<int> moving_ancestors(const Description& description) {
  std::vector<int> moving(description.bodies.size(), kWorld);
  for (const JointDescription& joint : description.joints)
    if (joint.body.index >= 0) moving[joint.body.index] = joint.body.index;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const int parent = description.bodies[b].parent.index;
    if (moving[b] == kWorld && parent >= 0) moving[b] = moving[parent];
  }
  return moving;
}

}  // namespace flexor
