#pragma once
// What a step did: row impulses, forces by kind, joint torques, statuses. Arrays
// that are not kept are not computed.

#include "flexor/rows/assemble.hpp"
#include "flexor/solve/split.hpp"

namespace flexor {

struct ReportForces {
  static constexpr StageInfo info{"report", "row impulses, forces, torques, statuses"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const auto& cell = p.cell;
    c.single([&](const auto& w) {  // is the end velocity finite?
      Real sum(0);
      for (Index i = 0; i < p.nv; ++i) {
        const Real v = w[cell.end_velocity + i];
        sum = sum + v * v * Real(0);
      }
      const auto factored = w[cell.solver + 3] > Real(0);
      const auto finite = sum == Real(0);
      const auto start = start_is_finite(c);
      const auto ok = factored & finite & start;
      const auto invalid = has_bits(real_to_bits(w[cell.status]), PARAMETER_INVALID);
      w[cell.solver + 2] = select(ok, w[cell.solver + 2], Real(3));
      w[cell.solver + 3] =
          select(c.settings.ignore ? factored : andnot(ok, invalid), Real(1), Real(0));
      w[cell.status] =
          bits_to_real(real_to_bits(w[cell.status]) |
                       bits_where(andnot(start, factored), SINGULAR_MASS, Real()) |
                       bits_where((!start) | andnot(factored, finite), NONFINITE_STATE, Real()) |
                       bits_where(w[cell.solver + 2] == Real(1), NOT_CONVERGED, Real()) |
                       bits_where(w[cell.solver + 2] == Real(2), UNSATISFIABLE_ROW, Real()));
    });
    c.sync();
    const Real inverse_h = Real(1) / c.time_step();
    c.each(p.tendon_count, [&](const auto& w, Index t) { tendon(c, w, t, inverse_h); });
    c.each(p.nv, [&](const auto& w, Index i) { joint(c, w, i, inverse_h); });
    c.sync();
    c.single([&](const auto& w) {
      Bits<Real> bits = real_to_bits(w[cell.status]);
      for (Index t = 0; t < p.tendon_count; ++t) bits = bits | real_to_bits(w[cell.law_flag + t]);
      w[cell.status] = bits_to_real(bits);
      if (c.has(Field::solver_iterations)) {
        c.store_bits(Field::solver_iterations, 0, to_integer(w[cell.solver]));
      }
      if (c.has(Field::solver_residual))
        c.store(Field::solver_residual, 0, w[cell.solver + 1], stored(c, w));
      if (c.has(Field::solver_status)) {
        c.store_bits(Field::solver_status, 0, to_integer(w[cell.solver + 2]));
      }
    });
    c.sync();
  }

  template <class C>
  FLEXOR_INLINE static typename C::Mask start_is_finite(const C& c) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const Real zero(0);
    Real sum0 = zero, sum1 = zero, sum2 = zero, sum3 = zero;  // side by side: no long chain
    const auto add = [&](Field field, Index count) {
      Index i = 0;
      for (; i + 3 < count; i += 4) {
        sum0 = sum0 + c.load(field, i) * zero;
        sum1 = sum1 + c.load(field, i + 1) * zero;
        sum2 = sum2 + c.load(field, i + 2) * zero;
        sum3 = sum3 + c.load(field, i + 3) * zero;
      }
      for (; i < count; ++i) sum0 = sum0 + c.load(field, i) * zero;
    };
    // numbers whose squares are infinite count as that: q + h v and quaternions stay numbers
    const auto add_square = [&](Real& sum, Index i) {
      const Real q = c.load(Field::qpos, i);
      sum = sum + q * q * zero;
    };
    Index i = 0;
    for (; i + 1 < p.nq; i += 2) {
      add_square(sum0, i);
      add_square(sum1, i + 1);
    }
    if (i < p.nq) add_square(sum2, i);
    add(Field::qvel, p.nv);
    add(Field::activation, p.tendon_count);
    add(Field::reference_length, p.tendon_count);
    add(Field::row_impulse, kTendonRowCount * p.tendon_count + kJointRowCount * p.nv);
    return (sum0 + sum1) + (sum2 + sum3) == zero;
  }

  /// World status bits that the route's own bits raise.  
  template <class Real>
  FLEXOR_INLINE static Bits<Real> world_status(const Bits<Real>& route) {
    const Real lane(0);
    return bits_where(has_bits(route, COLLAPSED | PLANE_DEGENERATE), ROUTE_DEGENERATE, lane) |
           bits_where(has_bits(route, ENDPOINT_INSIDE), ROUTE_ENDPOINT_INSIDE, lane) |
           bits_where(has_bits(route, SIDE_AMBIGUOUS), ROUTE_SIDE_AMBIGUOUS, lane) |
           bits_where(has_bits(route, NOT_MINIMUM), ROUTE_NOT_MINIMUM, lane) |
           bits_where(has_bits(route, OFF_END), ROUTE_OFF_END, lane) |
           bits_where(has_bits(route, NONFINITE), NONFINITE_STATE, lane);
  }

  template <class C, class W>
  FLEXOR_INLINE static void tendon(const C& c, const W& w, Index t,
                                   const typename C::Real& inverse_h) {
    using Real = typename C::Real;
    using F = Field;
    using K = ParameterKind;
    const PlanView& p = c.plan;
    const auto& cell = p.cell;
    const Real zero(0), h = c.time_step();
    const Real u = tendon_rate(c, w, t, cell.end_velocity);
    const auto kept = stored(c, w);  // a world whose step failed keeps what it last reported
    Real passive = zero, armature = zero, friction = zero, lower = zero, upper = zero;
    Real drive = w[cell.constant_impulse + t];
    auto saturated = zero > zero, unmet = saturated;
    const Real k_p = c.load(F::valid_drive_position_gain, t);
    const Real k_v = c.load(F::valid_drive_velocity_gain, t);
    const auto has_gains = (k_p >= zero) & (k_v >= zero) & (k_v + h * k_p > zero);
    split_law(c, w, t, u, [&](Index r, const Real& impulse) {
      const Index slot = p.planned_slot[r];
      const Index at = cell.row + kRowCells * r;
      Real own = impulse;
      switch (static_cast<TendonRow>(slot - kTendonRowCount * t)) {
        case TendonRow::kPassive:
          passive = impulse;
          break;
        case TendonRow::kDrive:
          if (any(has_gains)) {
            saturated = has_gains & ((u - w[at] > -w[at + 1] * w[at + 2]) |
                                     (w[at] - u > w[at + 1] * w[at + 3]));
          }
          drive = drive + impulse;
          own = drive;
          break;
        case TendonRow::kArmature:
          armature = impulse;
          break;
        case TendonRow::kFriction:
          friction = impulse;
          break;
        case TendonRow::kLower:
          lower = impulse;
          break;
        case TendonRow::kUpper:
          upper = impulse;
          break;
      }
      const auto hard = (w[at + 1] == zero) & (w[at + 4] != zero) & (w[at + 2] < w[at + 3]);
      if (any(hard)) {
        const Real tolerance(by_precision<Real>(1e-5, 1e-9));  // [P-44], in float32 coarser
        unmet = unmet | (hard & (((w[at + 3] == unbounded<Real>()) & (u < w[at] - tolerance)) |
                                 ((w[at + 2] == -unbounded<Real>()) & (u > w[at] + tolerance))));
      }
      c.store(F::row_impulse, slot, own, kept);
    });
    const auto enabled = c.flags(F::tendon_enabled, t);
    {  // a drive without gains at its bound
      const Real a = w[cell.activation + t];
      const auto outside = (a < c.parameter(K::tendon_actuation_lower, t)) |
                           (a > c.parameter(K::tendon_actuation_upper, t));
      const auto no_gains = (k_p == zero) & (k_v == zero);
      saturated = enabled & (saturated | (outside & no_gains));
    }
    w[cell.law_flag + t] = bits_to_real(world_status<Real>(real_to_bits(w[cell.route_status + t])) |
                                        bits_where(saturated, TENSION_SATURATED, zero) |
                                        bits_where(unmet, UNSATISFIABLE_ROW, zero));
    const Real total = (passive + drive + armature + friction + lower + upper) * inverse_h;
    const auto put = [&](F field, const Real& value) {
      if (c.has(field)) c.store(field, t, value, kept);
    };
    put(F::tendon_force, total);
    put(F::tendon_tension, -total);
    put(F::tendon_passive_force, passive * inverse_h);
    put(F::tendon_drive_force, drive / h);  // nearer to the command than drive (1/h)
    put(F::tendon_armature_force, armature * inverse_h);
    put(F::tendon_friction_force, friction * inverse_h);
    put(F::tendon_limit_force, (lower + upper) * inverse_h);
    put(F::tendon_lower_force, lower * inverse_h);
    put(F::tendon_upper_force, upper * inverse_h);
    put(F::tendon_solved_velocity, u);
    const Real reference = c.load(F::reference_length, t), deviation = w[cell.deviation + t];
    put(F::tendon_length_end, (deviation + h * u) + reference);
    if (c.has(F::tendon_spring_force)) {  // [P-24]
      const SpringState<Real> spring = AssembleRows::tendon_spring(c, t, deviation, reference);
      put(F::tendon_spring_force,
          select(enabled, -spring.stiffness * (spring.extension + h * u), zero));
    }
    if (c.has(F::tendon_damper_force)) {
      put(F::tendon_damper_force, select(enabled, -c.parameter(K::tendon_damping, t) * u, zero));
    }
    if (c.has(F::branch_tension)) {  // [P-29]
      for (Index b = p.tendon_branch_first[t]; b < p.tendon_branch_first[t + 1]; ++b) {
        const Index pulley = p.branch_pulley[b];
        const Real d = pulley < 0 ? Real(1) : c.parameter(K::element_divisor, pulley);
        c.store(F::branch_tension, b, -total / d, kept);
      }
    }
  }

  /// Lanes whose results become state: those that did not fail; where failures are ignored, all
  /// whose mass matrix could be factored.
  template <class C, class W>
  FLEXOR_INLINE static typename C::Mask stored(const C& c, const W& w) {
    return c.active & (w[c.plan.cell.solver + 3] > typename C::Real(0));
  }

  template <class C, class W>
  FLEXOR_INLINE static void joint(const C& c, const W& w, Index i,
                                  const typename C::Real& inverse_h) {
    using Real = typename C::Real;
    using F = Field;
    using K = ParameterKind;
    const PlanView& p = c.plan;
    const auto& cell = p.cell;
    const Index law = p.tendon_count + i, j = p.dof_joint[i];
    const Real zero(0), h = c.time_step();
    const auto kept = stored(c, w);
    Real friction = zero, limit = zero;
    if (has_rows(c, law)) {
      const Index first = kTendonRowCount * p.tendon_count + kJointRowCount * i;
      const auto visit = [&](Index r, const Real& impulse) {
        const Index slot = p.planned_slot[r];
        if (static_cast<JointRow>(slot - first) == JointRow::kFriction) {
          friction = impulse;
        } else {
          limit = limit + impulse;
        }
        c.store(F::row_impulse, slot, impulse, kept);
      };
      if (AssembleRows::has_limits_alone(c, i) &&
          all_have_form(w[cell.law_form + law], kOneSidedLaw)) {
        for (Index r = p.law_row_first[law]; r < p.law_row_first[law + 1]; ++r) {
          const Real P = w[cell.law_impulse + law];
          const auto slot = static_cast<JointRow>(p.planned_slot[r] - first);
          visit(r, slot == JointRow::kLower ? max(P, zero) : min(P, zero));
        }
      } else {
        split_law(c, w, law, w[cell.end_velocity + i], visit);
      }
    }
    const auto put = [&](F field, const Real& value) {
      if (c.has(field)) c.store(field, i, value, kept);
    };
    put(F::joint_friction_torque, friction * inverse_h);
    put(F::joint_limit_torque, limit * inverse_h);
    if (!(c.has(F::joint_command_torque) || c.has(F::joint_damping_torque) ||
          c.has(F::joint_spring_torque))) {
      return;
    }
    // [P-9]
    const Real v = c.load(Field::qvel, i), dv = w[cell.end_velocity + i] - v;
    const Real th = c.implicit_factor(0), kah = c.implicit_factor(1) * h;
    Real command = w[cell.command_torque + i], spring = zero;
    const Real damping = c.parameter(K::joint_damping, j);
    if (p.has_servo) {
      command = command - (th * c.parameter(K::joint_velocity_gain, j) +
                           kah * c.parameter(K::joint_position_gain, j)) *
                              dv;
    }
    if (p.has_joint_spring) {
      spring = w[cell.spring_torque + i] - kah * c.parameter(K::joint_stiffness, j) * dv;
    }
    put(F::joint_command_torque, command);
    put(F::joint_damping_torque, -damping * (v + th * dv));
    put(F::joint_spring_torque, spring);
  }
};

}  // namespace flexor
