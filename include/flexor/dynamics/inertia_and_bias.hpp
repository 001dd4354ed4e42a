#pragma once
// M(q) by composite rigid bodies and c(q, v) by recursive Newton-Euler.   [P-1], [P-2]
//
//   c_j = S_j . sum over the subtree of ( I a + v x* I v ),  a = velocity-product acceleration - g
//   M_ij = S_j . I_c(link of i) S_i   for j on the way from i to the root

#include "flexor/dynamics/kinematics.hpp"

namespace flexor {

template <class C>
FLEXOR_INLINE Inertia<typename C::Real> inertia_at(const C& cells, Index i) {
  const auto at = cells.from(i);
  return {at[0], vector_at(at, 1), at[4], at[5], at[6], at[7], at[8], at[9]};
}
template <class C>
FLEXOR_INLINE void put(const C& cells, Index i, const Inertia<typename C::Real>& I) {
  const auto at = cells.from(i);
  at[0] = I.mass;
  put(at, 1, I.first);
  at[4] = I.xx;
  at[5] = I.yy;
  at[6] = I.zz;
  at[7] = I.xy;
  at[8] = I.xz;
  at[9] = I.yz;
}
template <class C>
FLEXOR_INLINE Force<typename C::Real> force_at(const C& cells, Index i) {
  const auto at = cells.from(i);
  return {vector_at(at, 0), vector_at(at, 3)};
}
template <class C>
FLEXOR_INLINE void put(const C& cells, Index i, const Force<typename C::Real>& f) {
  const auto at = cells.from(i);
  put(at, 0, f.moment);
  put(at, 3, f.force);
}

struct InertiaAndBias {
  static constexpr StageInfo info{"inertia_and_bias", "mass matrix with armature, bias force"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    const PlanView& p = c.plan;
    c.each(p.link_count, [&](const auto& w, Index k) { link_loads(c, w, k); });
    c.sync();
    for (Index level = p.level_count - 2; level >= 0; --level) {
      const Index first = p.level_first[level], count = p.level_first[level + 1] - first;
      c.each(count,
             [&](const auto& w, Index i) { gather_children(c, w, p.level_links[first + i]); });
      c.sync();
    }
    c.each((p.nv + 1) / 2, [&](const auto& w, Index n) {
      const Index i = 2 * n;
      if (i + 1 < p.nv && p.dof_parent[i + 1] == i) {
        matrix_rows<2>(c, w, i);
      } else {
        matrix_rows<1>(c, w, i);
        if (i + 1 < p.nv) matrix_rows<1>(c, w, i + 1);
      }
    });
    c.sync();
  }

  /// Inertia about the tree's origin and the force that its own motion and gravity ask for.
  template <class C, class W>
  FLEXOR_INLINE static void link_loads(const C& c, const W& w, Index k) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const Index flags = p.link_flags[k];
    if (flags & kIsMassless) {
      const auto inertia = w.from(p.cell.inertia + 10 * k), force = w.from(p.cell.force + 6 * k);
      for (Index i = 0; i < 10; ++i) inertia[i] = Real(0);
      for (Index i = 0; i < 6; ++i) force[i] = Real(0);
      return;
    }
    const Mat3<Real> R = matrix_at(w, p.cell.rotation + 9 * k);
    const Vec3<Real> position = vector_at(w, p.cell.position + 3 * k);
    const Index inertia = p.constant(Constant::link_inertia, k);
    const bool is_diagonal = flags & kInertiaIsDiagonal;
    const Vec3<Real> centre = flags & kCentreIsOrigin
                                  ? position
                                  : position + R * c.constant3(p.constant(Constant::link_com, k));
    const Vec3<Real> products =
        is_diagonal ? Vec3<Real>{Real(0), Real(0), Real(0)} : c.constant3(inertia + 3);
    const Real mass = c.constant(p.constant(Constant::link_mass, k));
    const Symmetric3<Real> I = turned_inertia(R, c.constant3(inertia), products, is_diagonal);
    const Motion<Real> v = motion_at(w, p.cell.velocity + 6 * k);
    Motion<Real> a = motion_at(w, p.cell.acceleration + 6 * k);
    const Vec3<Real> g = c.constant3(p.parameter(ParameterKind::gravity, 0));
    a.linear = a.linear - g;
    Force<Real> f = inertial_force(I, centre, mass, v, a);
    if (p.has_gravity_compensation) {  // a force -c m g at each body's centre [MF-8]
      const Real m = c.constant(p.constant(Constant::link_compensated_mass, k));
      const Vec3<Real> first =
          position * m + R * c.constant3(p.constant(Constant::link_compensated_moment, k));
      f = f + Force<Real>{cross(first, g), g * m};
    }
    put(w, p.cell.inertia + 10 * k, inertia_about_origin(I, centre, mass));
    put(w, p.cell.force + 6 * k, f);
  }

  template <class C, class W>
  FLEXOR_INLINE static void gather_children(const C& c, const W& w, Index k) {
    const PlanView& p = c.plan;
    const auto inertia = w.from(p.cell.inertia + 10 * k), force = w.from(p.cell.force + 6 * k);
    for (Index n = p.link_child_first[k]; n < p.link_child_first[k + 1]; ++n) {
      const Index child = p.link_children[n];
      const auto child_inertia = w.from(p.cell.inertia + 10 * child);
      const auto child_force = w.from(p.cell.force + 6 * child);
      for (Index i = 0; i < 10; ++i) inertia[i] = inertia[i] + child_inertia[i];
      for (Index i = 0; i < 6; ++i) force[i] = force[i] + child_force[i];
    }
  }

  /// Rows i .. i + Rows - 1 of M, each the child of the one before.
  template <int Rows, class C, class W>
  FLEXOR_INLINE static void matrix_rows(const C& c, const W& w, Index i) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const auto motions = w.from(p.cell.motion);
    Force<Real> f[Rows];
    for (Index r = 0; r < Rows; ++r) {
      const Index k = p.dof_link[i + r];
      const Motion<Real> S = motion_at(motions, 6 * (i + r));
      f[r] = inertia_at(w, p.cell.inertia + 10 * k) * S;
      w[p.cell.bias + i + r] = dot(S, force_at(w, p.cell.force + 6 * k));
      const auto row = w.from(p.cell.matrix + p.row_address[i + r] + i);
      row[r] = dot(S, f[r]) + c.parameter(ParameterKind::joint_armature, p.dof_joint[i + r]);
      for (Index j = 0; j < r; ++j) row[j] = dot(motion_at(motions, 6 * (i + j)), f[r]);
    }
    const auto row0 = w.from(p.cell.matrix + p.row_address[i]);
    const auto row1 = w.from(p.cell.matrix + p.row_address[i + Rows - 1]);
    Index above = p.dof_parent[i];
    for (Index j = i - 1; j >= p.row_first[i]; --j) {
      const bool is_above = j == above;
      const Motion<Real> S = motion_at(motions, 6 * j);
      row0[j] = is_above ? dot(S, f[0]) : Real(0);
      if constexpr (Rows > 1) row1[j] = is_above ? dot(S, f[1]) : Real(0);
      if (is_above) above = p.dof_parent[j];
    }
  }
};

}  // namespace flexor
