// What is odd about a path at the reference pose (rule V10). There q = ref, ball joints stand at
// the identity and free bodies where they were drawn, so every joint is at rest and the pose is the
// drawing itself [MF-4].

#include <algorithm>
#include <cmath>
#include <set>

#include "model/frames.hpp"
#include "model/own_checks.hpp"
#include "model/path_rules.hpp"

namespace flexor {
namespace {

constexpr double kOnSurface = 1e-12;  ///< tau_on of [R-23], relative to r^2
constexpr double kOnAxis = 1e-9;      ///< on the axis, relative to r

double norm(const Vec3d& v) { return std::sqrt(dot(v, v)); }

/// What a guide sees of a point: the vector from its centre; for a cylinder, that from its axis.
struct Guide {
  const PathElement& element;
  Vec3d centre, axis;

  Vec3d from_centre(const Vec3d& point) const { return point - centre; }
  Vec3d across(const Vec3d& point) const {
    const Vec3d d = point - centre;
    if (element.type == ElementType::kSphere) return d;
    return d - axis * dot(d, axis);
  }
};

class Look {
 public:
  Look(const Description& description, const std::vector<int>& moving, const Frames& frames,
       const TendonDescription& tendon, Findings& findings)
      : description_(description),
        moving_(moving),
        frames_(frames),
        tendon_(tendon),
        findings_(findings) {}

  void joint_terms() {
    for (const Branch branch : branches_of(tendon_))
      for (int i = branch.begin; i < branch.end; ++i) {
        const PathElement& term = tendon_.path[i];
        if (term.type != ElementType::kJoint) continue;
        const int child = description_.joints[term.joint.index].body.index;
        const int parent = description_.bodies[child].parent.index;
        for (const int k : {i - 1, i + 1}) {
          if (k < branch.begin || k >= branch.end) continue;
          const PathElement& site = tendon_.path[k];
          if (site.type != ElementType::kSite) continue;
          if (is_same_link(site.body.index, child) || is_same_link(site.body.index, parent))
            continue;
          findings_.warning(subject_of(tendon_, i), "joint-term-far", "joint",
                            description_.joints[term.joint.index].name,
                            "the site beside it (element " + std::to_string(k) +
                                ") is on neither body of joint '" +
                                description_.joints[term.joint.index].name + "'");
          break;
        }
      }
  }

  void repeated_sites() {
    for (std::size_t i = 1; i < tendon_.path.size(); ++i) {
      const PathElement &a = tendon_.path[i - 1], &b = tendon_.path[i];
      if (a.type != ElementType::kSite || b.type != ElementType::kSite) continue;
      if (a.body.index != b.body.index) continue;
      const Vec3d pa = local(a), pb = local(b);
      if (pa.x == pb.x && pa.y == pb.y && pa.z == pb.z)
        findings_.warning(subject_of(tendon_, static_cast<int>(i)), "repeated-site", "site",
                          b.site.name, "the same point as the element before it");
    }
  }

  /// A tendon none of whose straight pieces joins two bodies that can move against each other.
  void is_static() {
    for (const Branch branch : branches_of(tendon_)) {
      int last = kUnset;
      for (int i = branch.begin; i < branch.end; ++i) {
        const PathElement& element = tendon_.path[i];
        if (element.type == ElementType::kJoint) {
          if (element.coefficient != 0) return;
          last = kUnset;
          continue;
        }
        const int body = element.body.index;
        const int moving = body == kWorld ? kWorld : moving_[body];
        if (last != kUnset && moving != last) return;
        last = moving;
      }
    }
    findings_.note(subject_of(tendon_), "static-tendon", "", "",
                   "no joint changes its length: it moves nothing");
  }

  void guides() {
    for (std::size_t i = 1; i + 1 < tendon_.path.size(); ++i) {
      const PathElement& element = tendon_.path[i];
      if (element.type != ElementType::kSphere && element.type != ElementType::kCylinder) continue;
      const Frame& frame = frames_.of(element.body.index);
      const double length = norm(element.axis);
      const Guide guide{element, frame.apply(local(element)),
                        frame.rotate(element.axis * (1 / length))};
      look_at_guide(static_cast<int>(i), guide);
    }
  }

 private:
  bool is_same_link(int a, int b) const {
    if (a == b) return true;
    const auto moving = [&](int body) { return body == kWorld ? kWorld : moving_[body]; };
    return moving(a) == moving(b);
  }

  Vec3d local(const PathElement& element) const {
    return element.site.index >= 0 ? description_.sites[element.site.index].pos : element.pos;
  }
  Vec3d point(const PathElement& element) const {
    return frames_.of(element.body.index).apply(local(element));
  }
  Vec3d side_point(const PathElement& element) const {
    const Vec3d p = element.side_site.index >= 0 ? description_.sites[element.side_site.index].pos
                                                 : element.side_pos;
    return frames_.of(element.side_body.index).apply(p);
  }

  void look_at_guide(int i, const Guide& guide) {
    const PathElement& element = guide.element;
    const Subject subject = subject_of(tendon_, i);
    const double r = element.radius;
    bool is_interior = element.side_mode == SideMode::kInterior;
    if (element.has_side) {
      const Vec3d side = side_point(element);
      const double distance = norm(guide.across(side));
      const double from_centre = norm(guide.from_centre(side));
      if (element.side_mode == SideMode::kAuto) {
        is_interior = distance < r;
        if (is_interior != (from_centre < r))
          findings_.warning(subject, "wrap-rule-differs", "side", element.side_site.name,
                            "the side point is " + rounded_text(distance) +
                                " m from the axis, so the guide is interior; measured from the "
                                "centre (" +
                                rounded_text(from_centre) +
                                " m, MuJoCo's test) it would be exterior");
      }
      if (!is_interior && element.type == ElementType::kCylinder && distance <= kOnAxis * r)
        findings_.warning(subject, "side-on-axis", "side", element.side_site.name,
                          "the side point is on the axis of the cylinder: it chooses no side");
    }
    if (is_interior) return;

    const Vec3d a = guide.across(point(tendon_.path[i - 1]));
    const Vec3d b = guide.across(point(tendon_.path[i + 1]));
    bool is_inside = false;
    for (const auto& [k, p] : {std::pair(i - 1, a), std::pair(i + 1, b)}) {
      if (dot(p, p) - r * r > kOnSurface * r * r) continue;
      is_inside = true;
      findings_.warning(subject, "endpoint-inside", "radius", number_text(r),
                        "at the reference pose element " + std::to_string(k) + " is " +
                            rounded_text(norm(p)) + " m from its " +
                            (element.type == ElementType::kSphere ? "centre" : "axis") +
                            ", on or inside its radius " + number_text(r) +
                            " m: the route is straight while it is");
    }
    if (is_inside || element.has_side) return;
    const Vec3d f = b - a;
    const double along = dot(f, f);
    const double t = along > 0 ? std::clamp(-dot(a, f) / along, 0.0, 1.0) : 0.0;
    const double clearance = norm(a + f * t);
    if (clearance > r)
      findings_.warning(subject, "guide-clear", "radius", number_text(r),
                        "at the reference pose the straight line passes " +
                            rounded_text(clearance - r) +
                            " m beside the guide, which has no side site: the line may come to "
                            "touch it on either side");
  }

  const Description& description_;
  const std::vector<int>& moving_;
  const Frames& frames_;
  const TendonDescription& tendon_;
  Findings& findings_;
};

}  // namespace

void look_at_path(const Description& description, const std::vector<int>& moving_ancestors,
                  const Frames& frames, const TendonDescription& tendon, Findings& findings) {
  Look look(description, moving_ancestors, frames, tendon, findings);
  look.joint_terms();
  look.repeated_sites();
  look.is_static();
  look.guides();
}

}  // namespace flexor
