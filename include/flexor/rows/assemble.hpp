#pragma once
// All rows of a step: target, softness and bounds of every planned slot.   [P-46]

#include "flexor/rows/armature.hpp"
#include "flexor/rows/drive.hpp"
#include "flexor/rows/friction.hpp"
#include "flexor/rows/limit.hpp"
#include "flexor/rows/spring.hpp"

namespace flexor {

/// Limits on J^2/M~ over g up to which a soft row is folded.   [P-51]
template <class Real>
FLEXOR_INLINE Real fold_limit() {
  return Real(by_precision<Real>(1e3, 1e6));
}

struct AssembleRows {
  static constexpr StageInfo info{"assemble_rows", "targets, softness and bounds of all rows"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    const PlanView& p = c.plan;
    const typename C::Real inverse_h = typename C::Real(1) / c.time_step();
    c.each(p.tendon_count, [&](const auto& w, Index t) { tendon_rows(c, w, t, inverse_h); });
    c.each(p.nv, [&](const auto& w, Index i) {
      const Index law = p.tendon_count + i;
      w[p.cell.law_flag + law] = typename C::Real(0);
      if (p.law_row_first[law] < p.law_row_first[law + 1]) {
        joint_rows(c, w, i, inverse_h);
      } else {
        put_bounds(w, p, law, LawBounds<typename C::Real>{});
      }
    });
    c.sync();
    const Index laws = p.has_joint_rows ? p.law_count : p.tendon_count;
    c.single([&](const auto& w) {  // law_flag holds status bits
      auto bits = real_to_bits(w[p.cell.status]);
      for (Index i = 0; i < laws; ++i) bits = bits | real_to_bits(w[p.cell.law_flag + i]);
      w[p.cell.status] = bits_to_real(bits);
    });
    c.sync();
  }

  /// W_d = sum J_i^2/M~_ii [P-45], the largest term of it, and whether the row can move anything
  /// [P-44].
  template <class Real>
  struct DiagonalResponse {
    Real sum, largest;
    Mask<Real> is_responsive;
  };
  template <class C, class W>
  FLEXOR_INLINE static DiagonalResponse<typename C::Real> diagonal_response(const C& c, const W& w,
                                                                            Index t) {
    using Real = typename C::Real;
    using S = typename C::Scalar;
    const PlanView& p = c.plan;
    Real sum(0), largest(0);
    auto is_responsive = Real(0) > Real(0);
    const Real noise(S(64) * kEpsilon<Real>);
    p.visit_entries(t, [&](Index e, Index i) {
      const Real J = w[p.cell.jacobian + e];
      const Real term = J * J * w[p.cell.inverse_mass + i];
      sum = sum + term;
      largest = max(largest, term);
      is_responsive = is_responsive | (abs(J) > noise * w[p.cell.jacobian_scale + e]);
    });
    return {sum, largest, is_responsive};
  }

  template <class C, class W>
  FLEXOR_INLINE static void tendon_rows(const C& c, const W& w, Index t,
                                        const typename C::Real& inverse_h) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const PlanView& p = c.plan;
    const Real zero(0), one(1), h = c.time_step();
    const DiagonalResponse<Real> response = diagonal_response(c, w, t);
    w[p.cell.response_diagonal + t] = response.sum;
    const auto enabled = c.flags(Field::tendon_enabled, t);
    const auto live = enabled & response.is_responsive;
    if (!all(response.is_responsive)) {  // J counts as zero
      for (Index e = p.tendon_entry_first[t]; e < p.tendon_entry_first[t + 1]; ++e) {
        w[p.cell.jacobian + e] = select(response.is_responsive, w[p.cell.jacobian + e], zero);
      }
    }
    const Real reference = c.load(Field::reference_length, t);
    const Real deviation = w[p.cell.deviation + t];
    const Real hard_softness =
        c.constant(p.constant(Constant::hard_row_softness, 0)) * response.sum;
    const Real limit = fold_limit<Real>();
    Real fold_weight = zero, fold_target = zero, constant = zero;

    LawBounds<Real> bounds;
    Limits<Real> limits = velocity_limits(unbounded<Real>());  // none
    bool has_limits = false;
    auto conflicting = zero > one, invalid = conflicting;  // [P-35]; gains below 0
    for (Index r = p.law_row_first[t]; r < p.law_row_first[t + 1]; ++r) {
      const Index at = p.cell.row + kRowCells * r;
      const auto slot = static_cast<TendonRow>(p.planned_slot[r] - kTendonRowCount * t);
      Row<Real> row;
      auto may_fold = one > zero;
      switch (slot) {
        case TendonRow::kPassive: {
          const SpringState<Real> spring = tendon_spring(c, t, deviation, reference);
          row = spring_row(spring, c.parameter(K::tendon_damping, t), h);
          break;
        }
        case TendonRow::kDrive: {
          const auto d = tendon_drive(c, w, t, deviation, reference, h);
          row = d.row;
          may_fold = d.is_unbounded;
          constant = select(enabled, d.constant_impulse, zero);
          invalid = andnot(enabled, d.is_valid);
          break;
        }
        case TendonRow::kArmature:
          row = armature_row(c.parameter(K::tendon_armature, t), w[p.cell.length_rate + t],
                             w[p.cell.curvature + t], h);
          break;
        case TendonRow::kFriction:
          row = friction_row(c.parameter(K::tendon_friction_loss, t),
                             c.parameter(K::tendon_friction_compliance, t), h);
          may_fold = zero > one;
          break;
        case TendonRow::kLower:
        case TendonRow::kUpper:
          if (!has_limits) {
            limits = tendon_limits(c, t, deviation, reference, inverse_h);
            has_limits = true;
            conflicting = limits.is_conflicting & live;
          }
          row = slot == TendonRow::kLower ? limits.lower_row() : limits.upper_row();
          may_fold = slot == TendonRow::kLower ? zero > one : limits.is_lock;
          break;
      }
      row.softness = select(row.softness == zero, hard_softness, row.softness);
      const auto folded = live & may_fold & (row.low < row.high) & (row.softness > zero) &
                          (response.largest <= limit * row.softness);
      if (any(folded)) {
        const Real inverse = one / select(folded, row.softness, one);
        fold_weight = fold_weight + select(folded, inverse, zero);
        fold_target = fold_target + select(folded, row.target * inverse, zero);
      }
      // a row of an enabled tendon that moves nothing keeps its record for the report
      row.low = select(enabled, row.low, zero);
      row.high = select(enabled, row.high, zero);
      const auto inactive = folded | andnot(enabled, response.is_responsive);
      put_row(w, at, row);
      w[at + 4] = select(inactive, one, zero);
      if (any(andnot(row.low < row.high, inactive))) bounds.add(row, inactive);
    }
    put_bounds(w, p, t, bounds);
    w[p.cell.fold_weight + t] = fold_weight;
    w[p.cell.fold_target + t] = fold_target;
    w[p.cell.constant_impulse + t] = constant;
    w[p.cell.law_flag + t] = bits_to_real(bits_where(conflicting, CONFLICTING_BOUNDS, zero) |
                                          bits_where(invalid, PARAMETER_INVALID, zero));
  }

  template <class C>
  FLEXOR_INLINE static SpringState<typename C::Real> tendon_spring(
      const C& c, Index t, const typename C::Real& deviation, const typename C::Real& reference) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const Real lower = c.parameter(K::tendon_spring_lower, t);
    const Real upper = c.parameter(K::tendon_spring_upper, t);
    // NaN: the stored reference length
    return spring_state(c.parameter(K::tendon_stiffness, t), deviation,
                        select(lower == lower, lower - reference, Real(0)),
                        select(upper == upper, upper - reference, Real(0)));
  }

  template <class C, class W>
  FLEXOR_INLINE static Drive<typename C::Real> tendon_drive(const C& c, const W& w, Index t,
                                                            const typename C::Real& deviation,
                                                            const typename C::Real& reference,
                                                            const typename C::Real& h) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const Real activation = w[c.plan.cell.activation + t];
    const Real position_gain = c.load(Field::valid_drive_position_gain, t);
    const Real velocity_gain = c.load(Field::valid_drive_velocity_gain, t);
    const Real lower = c.parameter(K::tendon_actuation_lower, t);
    const Real upper = c.parameter(K::tendon_actuation_upper, t);
    if (!any((position_gain != Real(0)) | (velocity_gain != Real(0)))) {
      return constant_drive(activation, lower, upper, h);
    }
    return drive(activation, (c.load(Field::valid_drive_target_length, t) - reference) - deviation,
                 c.load(Field::valid_drive_target_velocity, t), position_gain, velocity_gain, lower,
                 upper, h);
  }

  template <class C>
  FLEXOR_INLINE static Limits<typename C::Real> tendon_limits(const C& c, Index t,
                                                              const typename C::Real& deviation,
                                                              const typename C::Real& reference,
                                                              const typename C::Real& inverse_h) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const Real lower = c.parameter(K::tendon_lower_limit, t);
    const Real upper = c.parameter(K::tendon_upper_limit, t);
    const auto is_lock = (lower == upper) & is_finite(lower);
    return position_limits(deviation - (lower - reference), (upper - reference) - deviation,
                           is_lock,
                           select(is_lock, Real(0), c.parameter(K::tendon_limit_margin, t)),
                           c.parameter(K::tendon_limit_compliance, t),
                           c.parameter(K::tendon_position_correction, t), inverse_h);
  }

  /// Whether all rows planned for a joint law are position limits.
  template <class C>
  FLEXOR_INLINE static bool has_limits_alone(const C& c, Index i) {
    const PlanView& p = c.plan;
    const Index law = p.tendon_count + i,
                slot = kTendonRowCount * p.tendon_count + kJointRowCount * i;
    const auto first = static_cast<JointRow>(p.planned_slot[p.law_row_first[law]] - slot);
    const auto last = static_cast<JointRow>(p.planned_slot[p.law_row_first[law + 1] - 1] - slot);
    return first >= JointRow::kLower && last <= JointRow::kUpper;
  }

  template <class C, class W>
  FLEXOR_INLINE static void joint_rows(const C& c, const W& w, Index i,
                                       const typename C::Real& inverse_h) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const PlanView& p = c.plan;
    const Index j = p.dof_joint[i], law = p.tendon_count + i;
    const Index first = p.law_row_first[law], last = p.law_row_first[law + 1];
    const auto slot = [&](Index r) {
      return static_cast<JointRow>(p.planned_slot[r] - kTendonRowCount * p.tendon_count -
                                   kJointRowCount * i);
    };
    const Real zero(0), h = c.time_step();
    const Real hard_softness =
        c.constant(p.constant(Constant::hard_row_softness, 0)) * w[p.cell.inverse_mass + i];
    const Real speed = c.parameter(K::joint_velocity_limit, j);
    Limits<Real> limits = joint_limits(c, i, j, inverse_h);
    limits.softness = select(limits.softness == zero, hard_softness, limits.softness);
    limits.lower = clamp(limits.lower, -speed, speed);  // [P-12]: the two never fight
    limits.upper = clamp(limits.upper, -speed, speed);
    w[p.cell.law_flag + law] =
        bits_to_real(bits_where(limits.is_conflicting, CONFLICTING_BOUNDS, zero));
    if (has_limits_alone(c, i)) {
      const LawBounds<Real> bounds = law_bounds(limits);
      put_bounds(w, p, law, bounds);
      if (all_have_form(bounds.form, kOneSidedLaw)) return;  // nobody reads the rows
    }
    const Limits<Real> speeds = velocity_limits(speed);
    LawBounds<Real> bounds;
    for (Index r = first; r < last; ++r) {
      const Index at = p.cell.row + kRowCells * r;
      Row<Real> row;
      switch (slot(r)) {
        case JointRow::kFriction:
          row = friction_row(c.parameter(K::joint_friction, j),
                             c.parameter(K::joint_friction_compliance, j), h);
          break;
        case JointRow::kLower:
          row = limits.lower_row();
          break;
        case JointRow::kUpper:
          row = limits.upper_row();
          break;
        case JointRow::kVelocityLower:
          row = speeds.lower_row();
          break;
        case JointRow::kVelocityUpper:
          row = speeds.upper_row();
          break;
      }
      row.softness = select(row.softness == zero, hard_softness, row.softness);
      put_row(w, at, row);
      w[at + 4] = zero;
      bounds.add(row, zero > zero);
    }
    put_bounds(w, p, law, bounds);
  }

  template <class C>
  FLEXOR_INLINE static Limits<typename C::Real> joint_limits(const C& c, Index i, Index j,
                                                             const typename C::Real& inverse_h) {
    using Real = typename C::Real;
    using K = ParameterKind;
    const Real x = c.load(Field::qpos, c.plan.dof_q[i]);
    const Real lower = c.parameter(K::joint_lower, j), upper = c.parameter(K::joint_upper, j);
    const auto is_lock = (lower == upper) & is_finite(lower);
    return position_limits(x - lower, upper - x, is_lock,
                           select(is_lock, Real(0), c.parameter(K::joint_limit_margin, j)),
                           c.parameter(K::joint_limit_compliance, j),
                           c.parameter(K::joint_limit_correction, j), inverse_h);
  }
};

}  // namespace flexor
