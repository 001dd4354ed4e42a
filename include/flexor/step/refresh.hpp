#pragma once
// G arrays from poses and routes. Writes read-outs only, no state.

#include "flexor/routing/route.hpp"
#include "flexor/rows/assemble.hpp"

namespace flexor {

struct StoreGeometry {
  static constexpr StageInfo info{"store_geometry", "G arrays"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    const PlanView& p = c.plan;
    c.each(p.tendon_count, [&](const auto& w, Index t) { tendon(c, w, t); });
    if (c.has(Field::body_position) || c.has(Field::body_quaternion) ||
        c.has(Field::body_velocity)) {
      c.each(p.body_count, [&](const auto& w, Index b) { body(c, w, b); });
    }
    if (c.has(Field::site_position)) {
      c.each(p.site_count, [&](const auto& w, Index s) {
        put3(c, Field::site_position, 3 * s,
             place(c, w, p.site_link[s], c.constant3(p.constant(Constant::site_offset, s))));
      });
    }
    c.sync();
  }

  template <class C>
  FLEXOR_INLINE static void put3(const C& c, Field field, Index i,
                                 const Vec3<typename C::Real>& v) {
    c.store(field, i, v.x);
    c.store(field, i + 1, v.y);
    c.store(field, i + 2, v.z);
  }
  /// Point of a link (or of the world, link -1) in the world.
  template <class C, class W>
  FLEXOR_INLINE static Vec3<typename C::Real> place(const C& c, const W& w, Index link,
                                                    const Vec3<typename C::Real>& local) {
    return Route::relative_point(c, w, link, -1, local);
  }

  template <class C, class W>
  FLEXOR_INLINE static void tendon(const C& c, const W& w, Index t) {
    using Real = typename C::Real;
    using F = Field;
    const PlanView& p = c.plan;
    const auto& cell = p.cell;
    const Real half(static_cast<typename C::Scalar>(0.5));
    const Real reference = c.load(F::reference_length, t), deviation = w[cell.deviation + t];
    const Real rate = w[cell.length_rate + t];
    const auto put = [&](F field, const Real& value) {
      if (c.has(field)) c.store(field, t, value);
    };
    put(F::tendon_length, deviation + reference);
    put(F::tendon_velocity, rate);
    put(F::tendon_curvature, w[cell.curvature + t]);
    if (c.has(F::tendon_potential_energy)) {
      const SpringState<Real> s = AssembleRows::tendon_spring(c, t, deviation, reference);
      put(F::tendon_potential_energy, half * s.stiffness * s.extension * s.extension);
    }
    if (c.has(F::tendon_kinetic_energy)) {
      put(F::tendon_kinetic_energy,
          half * c.parameter(ParameterKind::tendon_armature, t) * rate * rate);
    }
    if (c.has(F::tendon_route_status)) {
      c.store_bits(F::tendon_route_status, t, real_to_bits(w[cell.route_status + t]));
    }
    if (c.has(F::tendon_jacobian)) {
      // entries outside the pattern are zero since allocation
      for (Index e = p.tendon_entry_first[t]; e < p.tendon_entry_first[t + 1]; ++e) {
        c.store(F::tendon_jacobian, t * p.nv + p.entry_dof[e], w[cell.jacobian + e]);
      }
    }
    if (c.has(F::branch_length)) {
      for (Index b = p.tendon_branch_first[t]; b < p.tendon_branch_first[t + 1]; ++b) {
        c.store(F::branch_length, b, w[cell.branch_length + b]);
      }
    }
  }

  template <class C, class W>
  FLEXOR_INLINE static void body(const C& c, const W& w, Index b) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const Index link = p.body_link[b];
    const Vec3<Real> offset = c.constant3(p.constant(Constant::body_offset, b));
    const Vec3<Real> x = place(c, w, link, offset);
    if (c.has(Field::body_position)) put3(c, Field::body_position, 3 * b, x);
    if (c.has(Field::body_quaternion)) {
      Mat3<Real> R = c.constant9(p.constant(Constant::body_frame, b));
      if (link >= 0) R = matrix_at(w, p.cell.rotation + 9 * link) * R;
      const Quaternion<Real> q = to_quaternion(R);
      c.store(Field::body_quaternion, 4 * b, q.w);
      put3(c, Field::body_quaternion, 4 * b + 1, {q.x, q.y, q.z});
    }
    if (c.has(Field::body_velocity)) {
      Vec3<Real> linear{Real(0), Real(0), Real(0)}, angular = linear;
      if (link >= 0) {
        const Motion<Real> v = motion_at(w, p.cell.velocity + 6 * link);
        const Vec3<Real> own = x - tree_origin(c, w, p.link_tree[link]);
        linear = v.linear + cross(v.angular, own);
        angular = v.angular;
      }
      put3(c, Field::body_velocity, 6 * b, linear);
      put3(c, Field::body_velocity, 6 * b + 3, angular);
    }
  }
};

/// Lengths at the reference pose become reference lengths of the tendons `wanted`.  
struct StoreReference {
  template <class C>
  FLEXOR_STAGE static void run(const C& c, const std::uint8_t* wanted) {
    c.each(c.plan.tendon_count, [&](const auto& w, Index t) {
      if (wanted[t]) c.store(Field::reference_length, t, w[c.plan.cell.deviation + t]);
    });
    c.sync();
  }
};

}  // namespace flexor
