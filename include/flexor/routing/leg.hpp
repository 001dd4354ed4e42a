#pragma once
// What a leg adds to the Jacobian of its tendon. A leg is a piece between two bodies with one unit
// force g along one line of action, J_j += S_j . (x x g, g)/d for the velocity coordinates j that
// lie between the two bodies. Two ways, the same numbers; finalize picks one per tendon.   [E-7]
//
//   leg incidence:        one product of spatial vectors for each coordinate between the bodies
//   wrench accumulation:  +f at the body it acts on, -f at the one it reacts on; then one pass from
//                         the tips to the root, and one product for each coordinate of the tendon
//
// Each entry has a scale: the sum of the magnitudes it is made of, before they cancel. Where the
// line meets a joint axis, the entry is what rounding leaves.   [P-43], [P-44]

#include "flexor/state/context.hpp"

namespace flexor {

/// Origin of a tree in the world; zero for tree -1.
template <class C, class W>
FLEXOR_INLINE Vec3<typename C::Real> tree_origin(const C& c, const W& w, Index tree) {
  using Real = typename C::Real;
  if (tree < 0) return {Real(0), Real(0), Real(0)};
  return vector_at(w, c.plan.cell.origin + 3 * tree);
}

template <class Real>
FLEXOR_INLINE Real sum_of_magnitudes(const Vec3<Real>& v) {
  return abs(v.x) + abs(v.y) + abs(v.z);
}

/// Cells wrench [8 entry]: moment, force, and the magnitudes of position and force over d.  
template <class C, class W>
FLEXOR_INLINE void add_wrench(const C& c, const W& w, Index entry, const Force<typename C::Real>& f,
                              const typename C::Real& reach, const typename C::Real& inverse) {
  if (entry < 0) return;
  const auto at = w.from(c.plan.cell.wrench + 8 * entry);
  at[0] = at[0] + f.moment.x;
  at[1] = at[1] + f.moment.y;
  at[2] = at[2] + f.moment.z;
  at[3] = at[3] + f.force.x;
  at[4] = at[4] + f.force.y;
  at[5] = at[5] + f.force.z;
  at[6] = at[6] + reach;
  at[7] = at[7] + inverse;
}

/// A tendon that gathers wrenches begins with none and with J = 0.
template <class C, class W>
FLEXOR_INLINE void clear_wrenches(const C& c, const W& w, Index tendon) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  for (Index e = p.tendon_entry_first[tendon]; e < p.tendon_entry_first[tendon + 1]; ++e) {
    w[p.cell.jacobian + e] = Real(0);
    w[p.cell.jacobian_scale + e] = Real(0);
    for (Index i = 0; i < 8; ++i) w[p.cell.wrench + 8 * e + i] = Real(0);
  }
}

/// J += S . wrench, from the tips to the root.  
template <class C, class W>
FLEXOR_HD void gather_wrenches(const C& c, const W& w, Index tendon) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const Index first = p.tendon_entry_first[tendon];
  for (Index e = p.tendon_entry_first[tendon + 1] - 1; e >= first; --e) {
    const auto at = w.from(p.cell.wrench + 8 * e);
    const Force<Real> f{{at[0], at[1], at[2]}, {at[3], at[4], at[5]}};
    const Index dof = p.entry_dof[e];
    w[p.cell.jacobian + e] = w[p.cell.jacobian + e] + dot(motion_at(w, p.cell.motion + 6 * dof), f);
    w[p.cell.jacobian_scale + e] =
        w[p.cell.jacobian_scale + e] + (at[6] + w[p.cell.motion_scale + dof] * at[7]);
    add_wrench(c, w, p.entry_parent[e], f, at[6], at[7]);
  }
}

/// Adds leg `leg` (2 piece, 2 piece + 1) of a tendon: force g/d at x (relative to the origin of
/// `tree`).  
template <class C, class W>
FLEXOR_INLINE void add_leg(const C& c, const W& w, Index tendon, Index leg, Index tree,
                           const Vec3<typename C::Real>& x, const Vec3<typename C::Real>& direction,
                           const typename C::Real& inverse) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const Vec3<Real> g = direction * inverse;
  const Force<Real> force{cross(x, g), g};
  const Real reach = sum_of_magnitudes(x);
  if (p.tendon_by_wrench[tendon]) {
    const Index from = p.leg_from[leg], to = p.leg_to[leg];
    if (from == to) return;  // it acts and reacts on the same moving bodies
    add_wrench(c, w, to, force, reach * inverse, inverse);
    add_wrench(c, w, from, Force<Real>{-force.moment, -force.force}, reach * inverse, inverse);
    return;
  }
  for (Index n = p.piece_touch_first[leg]; n < p.piece_touch_first[leg + 1]; ++n) {
    const Index entry = p.touch_entry[n], flags = p.touch_flags[n], dof = p.entry_dof[entry];
    Force<Real> f = force;
    Real size = reach + w[p.cell.motion_scale + dof];
    if (flags & kOtherTree) {
      const Vec3<Real> own = tree_origin(c, w, p.link_tree[p.dof_link[dof]]);
      const Vec3<Real> y = x + (tree_origin(c, w, tree) - own);
      f.moment = cross(y, g);
      size = sum_of_magnitudes(y) + w[p.cell.motion_scale + dof];
    }
    size = size * inverse;
    Real value = dot(motion_at(w, p.cell.motion + 6 * dof), f);
    if (flags & kMinus) value = -value;
    Real& J = w[p.cell.jacobian + entry];
    Real& scale = w[p.cell.jacobian_scale + entry];
    if (flags & kFirst) {
      J = value;
      scale = size;
    } else {
      J = J + value;
      scale = scale + size;
    }
  }
}

}  // namespace flexor
