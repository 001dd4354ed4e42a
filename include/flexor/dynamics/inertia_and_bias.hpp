#pragma once
// M(q) by composite rigid bodies and c(q, v) by recursive Newton-Euler.   [P-1], [P-2]
//
//   c_j = S_j . sum over the subtree of ( I a + v x* I v ),  a = velocity-product acceleration - g
//   M_ij = S_j . I_c(link of i) S_i   for j on the way from i to the root

#include "flexor/dynamics/kinematics.hpp"

namespace flexor {

template <class C>
FLEXOR_INLINE Inertia<typename C::Real> inertia_at(const C& cells, int i) {
  return {cells[i],     vector_at(cells, i + 1),
          cells[i + 4], cells[i + 5],
          cells[i + 6], cells[i + 7],
          cells[i + 8], cells[i + 9]};
}
template <class C>
FLEXOR_INLINE void put(const C& cells, int i, const Inertia<typename C::Real>& I) {
  cells[i] = I.mass;
  put(cells, i + 1, I.first);
  cells[i + 4] = I.xx;
  cells[i + 5] = I.yy;
  cells[i + 6] = I.zz;
  cells[i + 7] = I.xy;
  cells[i + 8] = I.xz;
  cells[i + 9] = I.yz;
}
template <class C>
FLEXOR_INLINE Force<typename C::Real> force_at(const C& cells, int i) {
  return {vector_at(cells, i), vector_at(cells, i + 3)};
}
template <class C>
FLEXOR_INLINE void put(const C& cells, int i, const Force<typename C::Real>& f) {
  put(cells, i, f.moment);
  put(cells, i + 3, f.force);
}

struct InertiaAndBias {
  static constexpr StageInfo info{"inertia_and_bias", "mass matrix with armature, bias force"};

  template <class C>
  FLEXOR_HD static void run(const C& c) {
    const PlanView& p = c.plan;
    c.each(p.link_count, [&](const auto& w, int k) { link_loads(c, w, k); });
    c.each(p.matrix_size,
           [&](const auto& w, int i) { w[p.cell.matrix + i] = typename C::Real(0); });
    c.sync();
    for (int level = p.level_count - 2; level >= 0; --level) {
      const int first = p.level_first[level], count = p.level_first[level + 1] - first;
      c.each(count, [&](const auto& w, int i) { gather_children(c, w, p.level_links[first + i]); });
      c.sync();
    }
    c.each(p.nv, [&](const auto& w, int i) { matrix_row(c, w, i); });
    c.sync();
  }

  /// Inertia about the tree's origin and the force that its own motion and gravity ask for.
  template <class C, class W>
  FLEXOR_HD static void link_loads(const C& c, const W& w, int k) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const int flags = p.link_flags[k];
    if (flags & kIsMassless) {
      for (int i = 0; i < 10; ++i) w[p.cell.inertia + 10 * k + i] = Real(0);
      for (int i = 0; i < 6; ++i) w[p.cell.force + 6 * k + i] = Real(0);
      return;
    }
    const Mat3<Real> R = matrix_at(w, p.cell.rotation + 9 * k);
    const Vec3<Real> position = vector_at(w, p.cell.position + 3 * k);
    const int inertia = p.constant(Constant::link_inertia, k);
    const bool is_diagonal = flags & kInertiaIsDiagonal;
    const Vec3<Real> centre = flags & kCentreIsOrigin
                                  ? position
                                  : position + R * c.constant3(p.constant(Constant::link_com, k));
    const Vec3<Real> products =
        is_diagonal ? Vec3<Real>{Real(0), Real(0), Real(0)} : c.constant3(inertia + 3);
    const Inertia<Real> I =
        inertia_about_origin(R, centre, c.constant(p.constant(Constant::link_mass, k)),
                             c.constant3(inertia), products, is_diagonal);
    const Motion<Real> v = motion_at(w, p.cell.velocity + 6 * k);
    Motion<Real> a = motion_at(w, p.cell.acceleration + 6 * k);
    const Vec3<Real> g = c.constant3(p.parameter(ParameterKind::gravity, 0));
    a.linear = a.linear - g;
    Force<Real> f = I * a + cross(v, I * v);
    if (p.has_gravity_compensation) {  // a force -c m g at each body's centre [MF-8]
      const Real m = c.constant(p.constant(Constant::link_compensated_mass, k));
      const Vec3<Real> first =
          position * m + R * c.constant3(p.constant(Constant::link_compensated_moment, k));
      f = f + Force<Real>{cross(first, g), g * m};
    }
    put(w, p.cell.inertia + 10 * k, I);
    put(w, p.cell.force + 6 * k, f);
  }

  template <class C, class W>
  FLEXOR_HD static void gather_children(const C& c, const W& w, int k) {
    const PlanView& p = c.plan;
    for (int n = p.link_child_first[k]; n < p.link_child_first[k + 1]; ++n) {
      const int child = p.link_children[n];
      for (int i = 0; i < 10; ++i) {
        w[p.cell.inertia + 10 * k + i] =
            w[p.cell.inertia + 10 * k + i] + w[p.cell.inertia + 10 * child + i];
      }
      for (int i = 0; i < 6; ++i) {
        w[p.cell.force + 6 * k + i] = w[p.cell.force + 6 * k + i] + w[p.cell.force + 6 * child + i];
      }
    }
  }

  template <class C, class W>
  FLEXOR_HD static void matrix_row(const C& c, const W& w, int i) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const int k = p.dof_link[i];
    const Motion<Real> S = motion_at(w, p.cell.motion + 6 * i);
    w[p.cell.bias + i] = dot(S, force_at(w, p.cell.force + 6 * k));
    const Force<Real> f = inertia_at(w, p.cell.inertia + 10 * k) * S;
    const int row = p.cell.matrix + p.row_address[i];
    w[row + i] = dot(S, f) + c.parameter(ParameterKind::joint_armature, p.dof_joint[i]);
    for (int j = p.dof_parent[i]; j >= 0; j = p.dof_parent[j]) {
      w[row + j] = dot(motion_at(w, p.cell.motion + 6 * j), f);
    }
  }
};

}  // namespace flexor
