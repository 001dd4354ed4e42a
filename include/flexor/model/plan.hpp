#pragma once
// Topology as the stages see it: whole numbers only, shared by all worlds, fixed at finalize. Each
// joint carries one link; static bodies are merged into the link (or world) that carries them
// [MF-5]; a body with several joints is a chain of massless links. Rows that can exist at all are
// planned from the parameters and planned anew at commit.

#include "flexor/core/config.hpp"
#include "flexor/model/constants.hpp"
#include "flexor/model/parameters.hpp"

namespace flexor {

enum LinkFlag : int {
  kFrameIsIdentity = 1,    ///< link_frame is the identity in every world
  kAnchorIsOrigin = 2,     ///< joint_anchor is zero in every world
  kInertiaIsDiagonal = 4,  ///< link_inertia has no products in any world
  kIsMassless = 8,
  kCentreIsOrigin = 16,  ///< link_com is zero in every world
  kAxisIsX = 32,         ///< joint_axis is that of the link frame in every world
  kAxisIsY = 64,
  kAxisIsZ = 128,
  kAxisIsAligned = kAxisIsX | kAxisIsY | kAxisIsZ,
  kAxisIsReversed = 256  ///< or opposite to it
};

enum class PieceType : int { kStraight, kSphere, kCylinder, kJoint };

enum TouchFlag : int {
  kMinus = 1,
  kFirst = 2,
  kOtherTree = 4  ///< the coordinate is of another tree than the one positions are relative to
};

// clang-format off
// X(name, length, meaning)
#define FLEXOR_PLAN_ARRAYS(X)                                                                       \
  X(link_parent,      link, "parent link, or -1")                                                   \
  X(link_type,        link, "JointType")                                                            \
  X(link_joint,       link, "joint of the description")                                             \
  X(link_q,           link, "first coordinate")                                                     \
  X(link_dof,         link, "first velocity coordinate")                                            \
  X(link_dof_count,   link, "1, 3 or 6")                                                            \
  X(link_tree,        link, "tree")                                                                 \
  X(link_flags,       link, "LinkFlag")                                                             \
  X(link_child_first, link+1, "into link_children")                                                 \
  X(link_children,    -,    "links")                                                                \
  X(level_first,      level+1, "into level_links")                                                  \
  X(level_links,      link, "links by depth")                                                       \
  X(tree_root,        tree, "root link")                                                            \
  X(dof_link,         dof,  "link")                                                                 \
  X(dof_joint,        dof,  "joint of the description")                                             \
  X(dof_q,            dof,  "coordinate of a hinge or slide, else -1")                              \
  X(dof_parent,       dof,  "next velocity coordinate towards the root, or -1")                     \
  X(row_first,        dof,  "first stored column of a matrix row; even, equal in a pair of rows")   \
  X(row_address,      dof,  "element (i, j) of a matrix is cell row_address[i] + j")                \
  X(body_link,        body, "link that carries a body, or -1")                                      \
  X(site_link,        site, "link that carries a site, or -1")                                      \
  X(point_link,       point, "link, or -1")                                                         \
  X(point_tree,       point, "tree whose origin the position is relative to, or -1")                \
  X(guide_link,       guide, "link, or -1")                                                         \
  X(guide_tree,       guide, "as point_tree")                                                       \
  X(guide_element,    guide, "path element (radius)")                                               \
  X(guide_side_link,  guide, "link of the side site, -1 = world, -2 = none")                        \
  X(guide_side_mode,  guide, "SideMode")                                                            \
  X(tendon_piece_first,  tendon+1, "into pieces")                                                   \
  X(tendon_branch_first, tendon+1, "into branches")                                                 \
  X(tendon_entry_first,  tendon+1, "into entries of the Jacobian")                                  \
  X(tendon_by_wrench, tendon, "1: wrenches of the legs are gathered, 0: each leg touches its entries") \
  X(entry_parent,     entry, "entry of the same tendon next above, or -1")                          \
  X(leg_from,         2*piece, "entry at or above the link a leg reacts on, or -1")                 \
  X(leg_to,           2*piece, "entry at or above the link a leg acts on, or -1")                   \
  X(entry_dof,        entry, "velocity coordinate, ascending within a tendon")                      \
  X(piece_type,       piece, "PieceType")                                                           \
  X(piece_a,          piece, "point; joint term: coordinate q")                                     \
  X(piece_b,          piece, "point; joint term: path element (coefficient)")                       \
  X(piece_guide,      piece, "guide")                                                               \
  X(piece_branch,     piece, "branch")                                                              \
  X(piece_touch_first, 2*piece+1, "touches of the leg a-b, or of the legs guide-a and guide-b")     \
  X(touch_entry,      touch, "entry of the Jacobian")                                               \
  X(touch_flags,      touch, "TouchFlag")                                                           \
  X(branch_pulley,    branch, "path element (divisor), or -1")                                      \
  X(fold_tendons,     -,     "tendons by equal Jacobian pattern")                                   \
  X(fold_first,       fold+1, "into fold_tendons")                                                  \
  X(law_row_first,    law+1, "planned rows of a law; laws: tendons, then velocity coordinates")     \
  X(planned_slot,     planned row, "slot in row_impulse")                                           \
  X(planned_law,      planned row, "law")
// clang-format on

// X(name, meaning)
// clang-format off
#define FLEXOR_PLAN_COUNTS(X) \
  X(nq) X(nv) X(joint_count) X(body_count) X(site_count) X(tendon_count) X(link_count) \
  X(level_count) X(tree_count) X(point_count) X(guide_count) X(entry_count) X(piece_count) \
  X(branch_count) X(fold_count) X(law_count) X(planned_count) X(matrix_size) \
  X(has_gravity_compensation) X(has_armature) X(has_servo) X(has_joint_spring) \
  X(has_joint_rows) X(has_effort_bounds)
// clang-format on

/// Cells of planned row r: target, softness, low, high, and 1 where the row is folded into M.
inline constexpr int kRowCells = 5;

/// Cells of the workspace of one tile, by name: offset of the first.
// X(name, count in terms of the plan p)
#define FLEXOR_CELLS(X)                                         \
  X(rotation, 9 * p.link_count)                                 \
  X(position, 3 * p.link_count)                                 \
  X(origin, 3 * p.tree_count)                                   \
  X(motion, 6 * p.nv)                                           \
  X(motion_scale, p.nv)                                         \
  X(velocity, 6 * p.link_count)                                 \
  X(acceleration, 6 * p.link_count)                             \
  X(inertia, 10 * p.link_count)                                 \
  X(force, 6 * p.link_count)                                    \
  X(inverse_mass, p.nv)                                         \
  X(bias, p.nv)                                                 \
  X(implicit, p.nv)                                             \
  X(torque, p.nv)                                               \
  X(command_torque, p.nv)                                       \
  X(spring_torque, p.nv)                                        \
  X(matrix, p.matrix_size)                                      \
  X(factor, p.matrix_size)                                      \
  X(inverse_pivot, p.nv + 1)                                    \
  X(active_factor, p.matrix_size)                               \
  X(active_inverse_pivot, p.nv + 1)                             \
  X(factor_row, 2 * (p.nv + 2))                                 \
  X(response_diagonal, p.tendon_count)                          \
  X(right_side, p.nv + 1)                                       \
  X(free_velocity, p.nv + 1)                                    \
  X(end_velocity, p.nv + 1)                                     \
  X(impulse_sum, p.nv + 1)                                      \
  X(solution, p.nv + 1)                                         \
  X(point, 3 * p.point_count)                                   \
  X(jacobian, p.entry_count)                                    \
  X(jacobian_scale, p.entry_count)                              \
  X(wrench, 8 * p.entry_count)                                  \
  X(deviation, p.tendon_count)                                  \
  X(length_rate, p.tendon_count)                                \
  X(curvature, p.tendon_count)                                  \
  X(route_status, p.tendon_count)                               \
  X(branch_length, p.branch_count)                              \
  X(activation, p.tendon_count)                                 \
  X(fold_weight, p.tendon_count)                                \
  X(fold_target, p.tendon_count)                                \
  X(constant_impulse, p.tendon_count)                           \
  X(row, kRowCells* p.planned_count)                            \
  X(law_step, p.law_count)                                      \
  X(law_row_sum, p.law_count)                                   \
  X(law_flag, p.law_count)                                      \
  X(law_impulse, p.law_count)                                   \
  X(law_rate, p.law_count)                                      \
  X(law_kind, p.law_count)                                      \
  X(law_value, p.law_count)                                     \
  X(law_slope, p.law_count)                                     \
  X(law_residual, p.law_count)                                  \
  X(law_start, p.law_count)                                     \
  X(law_form, p.law_count)                                      \
  X(law_lower, p.law_count)                                     \
  X(law_upper, p.law_count)                                     \
  X(held, p.nv + 1)                                             \
  X(held_change, p.nv + 1)                                      \
  X(reaction, p.nv + 1)                                         \
  X(trial_impulse, p.law_count)                                 \
  X(response, p.tendon_count * 3 * (p.nv + 1))                  \
  X(schur, p.tendon_count* p.tendon_count + 3 * p.tendon_count) \
  X(status, 1)                                                  \
  X(command_changed, 1)                                         \
  X(solver, 4)

/// The plan as stages read it: plain pointers.
struct PlanView {
#define X(name) int name;
  FLEXOR_PLAN_COUNTS(X)
#undef X
#define X(name, length, meaning) const int* name;
  FLEXOR_PLAN_ARRAYS(X)
#undef X
  int parameter_offset[kParameterKindCount];
  int constant_offset[kConstantCount];
  struct Cells {
#define X(name, count) int name;
    FLEXOR_CELLS(X)
#undef X
    int total;
  } cell;
  double timestep;  ///< for the clock, which is float64 in every precision

  FLEXOR_INLINE Index parameter(ParameterKind kind, Index element) const {
    return parameter_offset[static_cast<int>(kind)] + element * width(kind);
  }
  FLEXOR_INLINE Index constant(Constant kind, Index element) const {
    return constant_offset[static_cast<int>(kind)] + element * width(kind);
  }
  /// visit(entry, velocity coordinate) for the Jacobian of a tendon, ascending. Most tendons move
  /// all coordinates between two of them: no look-up then.
  template <class Visit>
  FLEXOR_INLINE void visit_entries(Index tendon, Visit visit) const {
    const Index first = tendon_entry_first[tendon], last = tendon_entry_first[tendon + 1];
    if (first == last) return;
    const Index shift = entry_dof[first] - first;
    if (entry_dof[last - 1] - (last - 1) == shift) {
      for (Index e = first; e < last; ++e) visit(e, e + shift);
    } else {
      for (Index e = first; e < last; ++e) visit(e, static_cast<Index>(entry_dof[e]));
    }
  }
};

}  // namespace flexor
