#pragma once
// Joint laws that are no rows: the implicit diagonal, and the explicit generalised force.
//
//   w   = th h (b + k_d) + ka h^2 (k_p + k_s),   M~ = M + diag(w)                       [P-7]
//   cmd = clamp(tau_ff + k_p (q_ref (-) q - s h v) + k_d (u_ref - v), effort bounds)    [P-5]
//   tau = cmd - b v + k_s (rest (-) q - s h v) + sum J_body^T wrench                    [P-6]
//
// trapezoid: th = 1/2, ka = 1/4, s = 0; backward: all 1.

#include "flexor/dynamics/kinematics.hpp"

namespace flexor {

struct ImplicitDiagonal {
  static constexpr StageInfo info{"implicit_diagonal", "M~: implicit damping, gains and springs"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const PlanView& p = c.plan;
    const Real h = c.time_step();
    const Real damping_factor = c.implicit_factor(0) * h;
    const Real stiffness_factor = c.implicit_factor(1) * h * h;
    c.each(p.nv, [&](const auto& w, Index i) {
      const Index j = p.dof_joint[i];
      Real b = c.parameter(K::joint_damping, j);
      if (p.has_servo) b = b + c.parameter(K::joint_velocity_gain, j);
      Real x = damping_factor * b;
      if (p.has_servo || p.has_joint_spring) {
        x = x + stiffness_factor *
                    (c.parameter(K::joint_position_gain, j) + c.parameter(K::joint_stiffness, j));
      }
      const Index diagonal = p.cell.matrix + p.row_address[i] + i;
      w[p.cell.implicit + i] = x;
      w[diagonal] = w[diagonal] + x;
      w[p.cell.inverse_mass + i] = Real(1) / w[diagonal];
    });
    if (p.nv & 1) {
      c.single([&](const auto& w) {  // the unit row that pads an odd size
        const auto row = w.from(p.cell.matrix + p.row_address[p.nv]);
        for (Index j = p.row_first[p.nv]; j < p.nv; ++j) row[j] = Real(0);
        row[p.nv] = Real(1);
      });
    }
    c.sync();
  }
};

/// a (-) b of coordinate differences: target minus present, per velocity coordinate of a joint.
template <class C>
FLEXOR_INLINE Vec3<typename C::Real> ball_difference(const C& c, Index q,
                                                     const Quaternion<typename C::Real>& target) {
  return rotation_vector(conjugate(Kinematics::quaternion(c, q)) * normalized(target));
}

struct JointForces {
  static constexpr StageInfo info{"joint_forces",
                                  "servo, effort bounds, damping, springs, wrenches"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    const PlanView& p = c.plan;
    c.each(p.link_count, [&](const auto& w, Index k) { link_forces(c, w, k); });
    c.sync();
    if (c.has(Field::body_wrench)) {
      c.single([&](const auto& w) {
        for (Index b = 0; b < p.body_count; ++b) add_wrench(c, w, b);
      });
      c.sync();
    }
  }

  template <class C, class W>
  FLEXOR_INLINE static void link_forces(const C& c, const W& w, Index k) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const PlanView& p = c.plan;
    const Index j = p.link_joint[k], q = p.link_q[k], first = p.link_dof[k];
    const auto type = static_cast<JointType>(p.link_type[k]);
    const Real zero(0);
    const Real shift = c.implicit_factor(2) * c.time_step();
    const bool is_free = type == JointType::kFree;
    Vec3<Real> to_target{zero, zero, zero}, to_rest = to_target;
    if (type == JointType::kBall) {
      if (p.has_servo) {
        to_target =
            ball_difference(c, q,
                            Quaternion<Real>{c.load(Field::valid_joint_target_position, q),
                                             c.load(Field::valid_joint_target_position, q + 1),
                                             c.load(Field::valid_joint_target_position, q + 2),
                                             c.load(Field::valid_joint_target_position, q + 3)});
      }
      if (p.has_joint_spring) {
        const Index rest = p.parameter(K::joint_rest_quat, j);
        to_rest = ball_difference(c, q,
                                  Quaternion<Real>{c.constant(rest), c.constant(rest + 1),
                                                   c.constant(rest + 2), c.constant(rest + 3)});
      }
    } else if (!is_free) {
      const Real x = c.load(Field::qpos, q);
      if (p.has_servo) to_target.x = c.load(Field::valid_joint_target_position, q) - x;
      if (p.has_joint_spring) to_rest.x = c.parameter(K::joint_rest, j) - x;
    }
    for (Index n = 0; n < p.link_dof_count[k]; ++n) {
      const Index i = first + n;
      const Real v = c.load(Field::qvel, i);
      Real command = c.load(Field::valid_joint_force, i);
      Real tau = zero;
      if (!is_free) {
        const Real target = n == 0 ? to_target.x : n == 1 ? to_target.y : to_target.z;
        const Real rest = n == 0 ? to_rest.x : n == 1 ? to_rest.y : to_rest.z;
        if (p.has_servo) {
          command = command + c.parameter(K::joint_position_gain, j) * (target - shift * v) +
                    c.parameter(K::joint_velocity_gain, j) *
                        (c.load(Field::valid_joint_target_velocity, i) - v);
        }
        if (p.has_effort_bounds) {
          command = clamp(command, c.parameter(K::joint_effort_lower, j),
                          c.parameter(K::joint_effort_upper, j));
        }
        tau = command - c.parameter(K::joint_damping, j) * v;
        if (p.has_joint_spring) {
          const Real spring = c.parameter(K::joint_stiffness, j) * (rest - shift * v);
          w[p.cell.spring_torque + i] = spring;
          tau = tau + spring;
        }
      } else {
        if (p.has_joint_spring) w[p.cell.spring_torque + i] = zero;
        tau = command;
      }
      w[p.cell.command_torque + i] = command;
      w[p.cell.torque + i] = tau;
    }
  }

  /// tau += J^T (force at the centre of mass, moment), world axes.
  template <class C, class W>
  FLEXOR_INLINE static void add_wrench(const C& c, const W& w, Index b) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const Index link = p.body_link[b];
    if (link < 0) return;
    const auto entry = [&](Index i) { return c.load(Field::valid_body_wrench, 6 * b + i); };
    const Vec3<Real> force{entry(0), entry(1), entry(2)}, moment{entry(3), entry(4), entry(5)};
    const Vec3<Real> x = vector_at(w, p.cell.position + 3 * link) +
                         matrix_at(w, p.cell.rotation + 9 * link) *
                             c.constant3(p.constant(Constant::body_centre, b));
    const Force<Real> f{moment + cross(x, force), force};
    for (Index i = p.link_dof[link] + p.link_dof_count[link] - 1; i >= 0; i = p.dof_parent[i]) {
      w[p.cell.torque + i] = w[p.cell.torque + i] + dot(motion_at(w, p.cell.motion + 6 * i), f);
    }
  }
};

}  // namespace flexor
