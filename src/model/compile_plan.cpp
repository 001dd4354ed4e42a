#include "model/compile_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "flexor/model/row_slots.hpp"
#include "model/parameter_table.hpp"

namespace flexor {
namespace {

/// Links, trees, levels, velocity coordinates.
void plan_tree(const Description& d, Plan& p) {
  p.body_count = static_cast<int>(d.bodies.size());
  p.joint_count = static_cast<int>(d.joints.size());
  std::vector<std::vector<int>> joints_of(d.bodies.size());
  for (int j = 0; j < p.joint_count; ++j) joints_of[d.joints[j].body.index].push_back(j);

  p.body_link.resize(d.bodies.size());
  p.body_first_link.assign(d.bodies.size(), -1);
  for (int b = 0; b < p.body_count; ++b) {
    const int parent = d.bodies[b].parent.index;
    int carrier = parent < 0 ? -1 : p.body_link[parent];
    for (const int j : joints_of[b]) {
      const int link = p.link_count++;
      if (p.body_first_link[b] < 0) p.body_first_link[b] = link;
      const JointType type = d.joints[j].type;
      const int dofs = type == JointType::kFree ? 6 : type == JointType::kBall ? 3 : 1;
      p.link_parent.push_back(carrier);
      p.link_type.push_back(static_cast<int>(type));
      p.link_joint.push_back(j);
      p.link_q.push_back(p.nq);
      p.link_dof.push_back(p.nv);
      p.link_dof_count.push_back(dofs);
      p.link_flags.push_back(0);
      p.joint_ref.push_back(d.joints[j].ref);
      if (carrier < 0) {
        p.link_tree.push_back(p.tree_count++);
        p.tree_root.push_back(link);
      } else {
        p.link_tree.push_back(p.link_tree[carrier]);
      }
      for (int k = 0; k < dofs; ++k) {
        p.dof_link.push_back(link);
        p.dof_joint.push_back(j);
        p.dof_q.push_back(dofs == 1 ? p.nq : -1);
        const int above = carrier < 0 ? -1 : p.link_dof[carrier] + p.link_dof_count[carrier] - 1;
        p.dof_parent.push_back(k > 0 ? p.nv + k - 1 : above);
      }
      p.nq += type == JointType::kFree ? 7 : type == JointType::kBall ? 4 : 1;
      p.nv += dofs;
      carrier = link;
    }
    p.body_link[b] = carrier;
  }

  std::vector<std::vector<int>> children(p.link_count), levels;
  std::vector<int> depth(p.link_count);
  for (int k = 0; k < p.link_count; ++k) {
    const int parent = p.link_parent[k];
    depth[k] = parent < 0 ? 0 : depth[parent] + 1;
    if (parent >= 0) children[parent].push_back(k);
    if (depth[k] >= static_cast<int>(levels.size())) levels.emplace_back();
    levels[depth[k]].push_back(k);
  }
  for (const auto& list : children) {
    p.link_child_first.push_back(static_cast<int>(p.link_children.size()));
    p.link_children.insert(p.link_children.end(), list.begin(), list.end());
  }
  p.link_child_first.push_back(static_cast<int>(p.link_children.size()));
  p.level_count = static_cast<int>(levels.size());
  for (const auto& list : levels) {
    p.level_first.push_back(static_cast<int>(p.level_links.size()));
    p.level_links.insert(p.level_links.end(), list.begin(), list.end());
  }
  p.level_first.push_back(static_cast<int>(p.level_links.size()));

  p.site_count = static_cast<int>(d.sites.size());
  for (const SiteDescription& s : d.sites) {
    p.site_link.push_back(s.body.index < 0 ? -1 : p.body_link[s.body.index]);
  }
}

/// Path elements of all tendons -> points, guides, pieces, touches, entries, branches.
class PathPlanner {
 public:
  PathPlanner(const Description& d, Plan& p) : d_(d), p_(p) {}

  void run() {
    p_.tendon_count = static_cast<int>(d_.tendons.size());
    for (const TendonDescription& tendon : d_.tendons) plan_tendon(tendon);
    p_.tendon_piece_first.push_back(static_cast<int>(p_.piece_type.size()));
    p_.tendon_branch_first.push_back(static_cast<int>(p_.branch_pulley.size()));
    p_.tendon_entry_first.push_back(static_cast<int>(p_.entry_dof.size()));
    p_.piece_touch_first.push_back(static_cast<int>(p_.touch_entry.size()));
    p_.point_count = static_cast<int>(p_.point_link.size());
    p_.guide_count = static_cast<int>(p_.guide_link.size());
    p_.piece_count = static_cast<int>(p_.piece_type.size());
    p_.branch_count = static_cast<int>(p_.branch_pulley.size());
    p_.entry_count = static_cast<int>(p_.entry_dof.size());
  }

 private:
  struct Touch {
    int dof;
    bool minus;
  };

  int carrier(int body) const { return body < 0 ? -1 : p_.body_link[body]; }

  int site_body(const PathElement& e) const {
    return e.site.is_set() ? d_.sites[e.site.index].body.index : e.body.index;
  }

  int point(int tree, int element, const PathElement& e) {
    // a named site is one point, however often tendons of one tree pass it
    const auto key =
        e.site.is_set() ? std::tuple(tree, 0, e.site.index) : std::tuple(tree, 1, element);
    const auto found = points_.find(key);
    if (found != points_.end()) return found->second;
    const int index = static_cast<int>(p_.point_link.size());
    p_.point_link.push_back(carrier(site_body(e)));
    p_.point_tree.push_back(tree);
    p_.point_element.push_back(element);
    points_[key] = index;
    return index;
  }

  int guide(int tree, int element, const PathElement& e) {
    p_.guide_link.push_back(carrier(e.body.index));
    p_.guide_tree.push_back(tree);
    p_.guide_element.push_back(element);
    int side_link = -2;
    if (e.has_side) {
      side_link = carrier(e.side_site.is_set() ? d_.sites[e.side_site.index].body.index
                                               : e.side_body.index);
    }
    p_.guide_side_link.push_back(side_link);
    p_.guide_side_mode.push_back(static_cast<int>(e.side_mode));
    return static_cast<int>(p_.guide_link.size()) - 1;
  }

  /// Velocity coordinates between two links: their motion changes a leg from one to the other.
  std::vector<Touch> between(int from, int to) const {
    std::set<int> up_from, up_to;
    const auto climb = [&](int link, std::set<int>& dofs) {
      for (; link >= 0; link = p_.link_parent[link]) {
        for (int k = 0; k < p_.link_dof_count[link]; ++k) dofs.insert(p_.link_dof[link] + k);
      }
    };
    climb(from, up_from);
    climb(to, up_to);
    std::vector<Touch> touches;
    for (int dof = 0; dof < p_.nv; ++dof) {
      const bool a = up_from.count(dof) > 0, b = up_to.count(dof) > 0;
      if (a != b) touches.push_back({dof, a});
    }
    return touches;
  }

  /// A leg acts on the link `to` and reacts on the link `from`.
  struct Leg {
    int from = -1, to = -1;
    std::vector<Touch> touches;
  };
  Leg leg(int from, int to) const { return {from, to, between(from, to)}; }

  void piece(PieceType type, int a, int b, int guide, int branch, Leg first, Leg second) {
    p_.piece_type.push_back(static_cast<int>(type));
    p_.piece_a.push_back(a);
    p_.piece_b.push_back(b);
    p_.piece_guide.push_back(guide);
    p_.piece_branch.push_back(branch);
    legs_.push_back(std::move(first));
    legs_.push_back(std::move(second));
  }

  void plan_tendon(const TendonDescription& tendon) {
    p_.tendon_piece_first.push_back(static_cast<int>(p_.piece_type.size()));
    p_.tendon_branch_first.push_back(static_cast<int>(p_.branch_pulley.size()));
    p_.tendon_entry_first.push_back(static_cast<int>(p_.entry_dof.size()));
    legs_.clear();

    int tree = -1;  // positions are relative to the first tree the path touches
    for (const PathElement& e : tendon.path) {
      if (e.type == ElementType::kPulley || e.type == ElementType::kJoint) continue;
      const int link = carrier(e.type == ElementType::kSite ? site_body(e) : e.body.index);
      if (link >= 0 && tree < 0) tree = p_.link_tree[link];
    }

    const auto open_branch = [&](int pulley) { p_.branch_pulley.push_back(pulley); };
    if (tendon.path.empty() || tendon.path.front().type != ElementType::kPulley) open_branch(-1);
    int previous = -1, held_guide = -1;
    PieceType held_type{};
    for (const PathElement& e : tendon.path) {
      const int element = element_++;
      const int branch = static_cast<int>(p_.branch_pulley.size()) - 1;
      switch (e.type) {
        case ElementType::kPulley:
          open_branch(element);
          previous = held_guide = -1;
          break;
        case ElementType::kJoint: {
          const int joint = e.joint.index;
          const int link = static_cast<int>(
              std::find(p_.link_joint.begin(), p_.link_joint.end(), joint) - p_.link_joint.begin());
          piece(PieceType::kJoint, p_.link_q[link], element, -1, branch,
                {-1, -1, {{p_.link_dof[link], false}}}, {});
          previous = held_guide = -1;
          break;
        }
        case ElementType::kSphere:
        case ElementType::kCylinder:
          held_guide = guide(tree, element, e);
          held_type = e.type == ElementType::kSphere ? PieceType::kSphere : PieceType::kCylinder;
          break;
        case ElementType::kSite: {
          const int here = point(tree, element, e);
          if (previous >= 0 && held_guide >= 0) {
            const int g = p_.guide_link[held_guide];
            piece(held_type, previous, here, held_guide, branch, leg(g, p_.point_link[previous]),
                  leg(g, p_.point_link[here]));
          } else if (previous >= 0) {
            piece(PieceType::kStraight, previous, here, -1, branch,
                  leg(p_.point_link[previous], p_.point_link[here]), {});
          }
          previous = here;
          held_guide = -1;
          break;
        }
      }
    }
    number_entries(tree);
  }

  /// Entries of the tendon's Jacobian, ascending; the first touch of each stores, later ones add.
  void number_entries(int tree) {
    std::set<int> dofs;
    for (const Leg& leg : legs_) {
      for (const Touch& t : leg.touches) dofs.insert(t.dof);
    }
    std::map<int, int> entry;
    for (const int dof : dofs) {
      entry[dof] = static_cast<int>(p_.entry_dof.size());
      p_.entry_dof.push_back(dof);
    }
    std::set<int> seen;
    for (const Leg& leg : legs_) {
      p_.piece_touch_first.push_back(static_cast<int>(p_.touch_entry.size()));
      for (const Touch& t : leg.touches) {
        p_.touch_entry.push_back(entry[t.dof]);
        const bool is_first = seen.insert(t.dof).second;
        const bool is_own = p_.link_tree[p_.dof_link[t.dof]] == tree;
        p_.touch_flags.push_back((t.minus ? kMinus : 0) | (is_first ? kFirst : 0) |
                                 (is_own ? 0 : kOtherTree));
      }
    }
    plan_wrenches(entry);
  }

  /// Where the wrenches of the legs are gathered, if that takes fewer operations than their
  /// touches.
  void plan_wrenches(const std::map<int, int>& entry) {
    const auto nearest = [&](int dof) {  // entry at or above a velocity coordinate, or -1
      while (dof >= 0 && !entry.count(dof)) dof = p_.dof_parent[dof];
      return dof < 0 ? -1 : entry.at(dof);
    };
    const auto of_link = [&](int link) {
      return link < 0 ? -1 : nearest(p_.link_dof[link] + p_.link_dof_count[link] - 1);
    };
    for (const auto& [dof, e] : entry) p_.entry_parent.push_back(nearest(p_.dof_parent[dof]));
    std::set<int> trees;
    std::size_t touches = 0, legs = 0;
    for (const Leg& leg : legs_) {
      p_.leg_from.push_back(of_link(leg.from));
      p_.leg_to.push_back(of_link(leg.to));
      for (const int link : {leg.from, leg.to}) {
        if (link >= 0) trees.insert(p_.link_tree[link]);
      }
      touches += leg.touches.size();
      legs += leg.from != leg.to;
    }
    constexpr std::size_t kTouch = 14, kLeg = 16, kEntry = 30;  // operations of each
    p_.tendon_by_wrench.push_back(trees.size() == 1 &&
                                  kLeg * legs + kEntry * entry.size() < kTouch * touches);
  }

  const Description& d_;
  Plan& p_;
  std::map<std::tuple<int, int, int>, int> points_;
  std::vector<Leg> legs_;
  int element_ = 0;
};

/// Tendons whose Jacobians have the same pattern are folded in one pass over M.
void plan_fold(Plan& p) {
  std::map<std::vector<int>, std::vector<int>> groups;
  for (int t = 0; t < p.tendon_count; ++t) {
    groups[{p.entry_dof.begin() + p.tendon_entry_first[t],
            p.entry_dof.begin() + p.tendon_entry_first[t + 1]}]
        .push_back(t);
  }
  for (const auto& [pattern, tendons] : groups) {
    if (pattern.empty()) continue;
    p.fold_first.push_back(static_cast<int>(p.fold_tendons.size()));
    p.fold_tendons.insert(p.fold_tendons.end(), tendons.begin(), tendons.end());
    ++p.fold_count;
  }
  p.fold_first.push_back(static_cast<int>(p.fold_tendons.size()));
}

/// Block envelope of M with all that is folded into it.
void plan_matrix(Plan& p) {
  const int n = p.nv + (p.nv & 1);
  std::vector<int> first(n);
  for (int i = 0; i < n; ++i) first[i] = i;
  for (int i = 0; i < p.nv; ++i) {
    for (int j = p.dof_parent[i]; j >= 0; j = p.dof_parent[j]) first[i] = std::min(first[i], j);
  }
  for (int t = 0; t < p.tendon_count; ++t) {
    const int begin = p.tendon_entry_first[t], end = p.tendon_entry_first[t + 1];
    for (int e = begin; e < end; ++e) {
      first[p.entry_dof[e]] = std::min(first[p.entry_dof[e]], p.entry_dof[begin]);
    }
  }
  p.row_first.resize(n);
  p.row_address.resize(n);
  for (int i = 0; i < n; i += 2) {
    const int f = std::min(first[i], first[i + 1]) & ~1;
    for (int k = 0; k < 2; ++k) {
      p.row_first[i + k] = f;
      p.row_address[i + k] = p.matrix_size - f;
      p.matrix_size += i + 2 - f;
    }
  }
}

}  // namespace

Plan compile_plan(const Description& d) {
  Plan p;
  plan_tree(d, p);
  PathPlanner(d, p).run();
  plan_fold(p);
  plan_matrix(p);

  for (int k = 0; k < kParameterKindCount; ++k) {
    p.parameter_offset[k] = parameter_offset(d, static_cast<ParameterKind>(k));
  }
  int next = parameter_scalars(d);
  const int world = 1, coordinate = p.nq, link = p.link_count, body = p.body_count,
            point = p.point_count, guide = p.guide_count, site = p.site_count;
#define X(name, count, per, meaning)                          \
  p.constant_offset[static_cast<int>(Constant::name)] = next; \
  next += count * per;
  FLEXOR_CONSTANTS(X)
#undef X
  p.scalar_count = next;

  p.timestep = d.options.timestep;
  p.hard_row_softness = d.options.hard_row_softness;
  if (d.options.joint_implicit == JointImplicit::kBackward) {
    for (double& factor : p.implicit_factors) factor = 1;
  }
  p.qpos0.resize(p.nq);
  for (int k = 0; k < p.link_count; ++k) {
    const JointDescription& joint = d.joints[p.link_joint[k]];
    double* q = p.qpos0.data() + p.link_q[k];
    switch (joint.type) {
      case JointType::kHinge:
      case JointType::kSlide:
        q[0] = joint.ref;
        break;
      case JointType::kBall:
        q[0] = 1;
        break;
      case JointType::kFree: {
        const BodyDescription& b = d.bodies[joint.body.index];
        const double pose[7] = {b.pos.x, b.pos.y, b.pos.z, b.quat.w, b.quat.x, b.quat.y, b.quat.z};
        std::copy(pose, pose + 7, q);
        break;
      }
    }
  }
  return p;
}

void plan_rows(Plan& p, const Description& d, const AnyWorld& any) {
  constexpr auto positive = [](double x) { return x > 0; };
  constexpr auto finite = [](double x) { return x - x == 0; };
  using K = ParameterKind;
  p.planned_slot.clear();
  p.planned_law.clear();
  p.law_row_first.clear();
  p.law_count = p.tendon_count + p.nv;
  p.has_armature = p.has_servo = p.has_joint_spring = p.has_joint_rows = p.has_effort_bounds = 0;
  const auto plan = [&](int law, int slot) {
    p.planned_slot.push_back(slot);
    p.planned_law.push_back(law);
  };
  for (int t = 0; t < p.tendon_count; ++t) {
    p.law_row_first.push_back(static_cast<int>(p.planned_slot.size()));
    const auto slot = [&](TendonRow row) { return kTendonRowCount * t + static_cast<int>(row); };
    if (any(K::tendon_stiffness, t, positive) || any(K::tendon_damping, t, positive)) {
      plan(t, slot(TendonRow::kPassive));
    }
    plan(t, slot(TendonRow::kDrive));  // gains are commands: they may come at any step
    if (any(K::tendon_armature, t, positive)) {
      plan(t, slot(TendonRow::kArmature));
      p.has_armature = 1;
    }
    if (any(K::tendon_friction_loss, t, positive)) plan(t, slot(TendonRow::kFriction));
    if (any(K::tendon_lower_limit, t, finite)) plan(t, slot(TendonRow::kLower));
    if (any(K::tendon_upper_limit, t, finite)) plan(t, slot(TendonRow::kUpper));
  }
  for (int i = 0; i < p.nv; ++i) {
    p.law_row_first.push_back(static_cast<int>(p.planned_slot.size()));
    const int j = p.dof_joint[i], law = p.tendon_count + i;
    p.has_servo |=
        any(K::joint_position_gain, j, positive) || any(K::joint_velocity_gain, j, positive);
    p.has_joint_spring |= any(K::joint_stiffness, j, positive);
    p.has_effort_bounds |=
        any(K::joint_effort_lower, j, finite) || any(K::joint_effort_upper, j, finite);
    if (p.dof_q[i] < 0) continue;
    const int first = kTendonRowCount * p.tendon_count + kJointRowCount * i;
    const auto slot = [&](JointRow row) { return first + static_cast<int>(row); };
    if (any(K::joint_friction, j, positive)) plan(law, slot(JointRow::kFriction));
    if (any(K::joint_lower, j, finite)) plan(law, slot(JointRow::kLower));
    if (any(K::joint_upper, j, finite)) plan(law, slot(JointRow::kUpper));
    if (any(K::joint_velocity_limit, j, finite)) {
      plan(law, slot(JointRow::kVelocityLower));
      plan(law, slot(JointRow::kVelocityUpper));
    }
  }
  p.law_row_first.push_back(static_cast<int>(p.planned_slot.size()));
  p.planned_count = static_cast<int>(p.planned_slot.size());
  p.has_joint_rows = p.law_row_first[p.tendon_count] < p.planned_count;
  p.has_gravity_compensation = 0;
  constexpr auto nonzero = [](double x) { return x != 0; };
  for (int b = 0; b < static_cast<int>(d.bodies.size()); ++b) {
    p.has_gravity_compensation |= any(K::body_gravity_compensation, b, nonzero);
  }

  int next = 0;
#define X(name, count) \
  p.cell.name = next;  \
  next += count;
  FLEXOR_CELLS(X)
#undef X
  p.cell.total = next;
}

}  // namespace flexor
