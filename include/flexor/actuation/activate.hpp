#pragma once
// Commands checked, activation filtered, before use.   [P-25]
//
//   a_+ = u + (a_n - u) exp(-h/tau),  tau = 0: a_+ = u;  a disabled tendon keeps its activation
//
// A non-finite command entry is not used: its last finite value stays in force.

#include "flexor/state/context.hpp"

namespace flexor {

/// What was found in some command entries.
template <class Real>
struct CommandCheck {
  Mask<Real> is_bad = Real(0) > Real(0);      ///< lanes with a non-finite entry
  Mask<Real> is_changed = Real(0) > Real(0);  ///< lanes with another entry than in the last step
};

/// Takes the value in force of one command entry.
template <class C>
FLEXOR_INLINE void take_command(const C& c, Field command, Field valid, Index i,
                                CommandCheck<typename C::Real>& check) {
  using Real = typename C::Real;
  const Real wanted = c.load(command, i), held = c.load(valid, i);
  const auto ok = is_finite(wanted);
  const auto changed = ok & (wanted != held);
  check.is_bad = check.is_bad | !ok;
  if (!any(changed)) return;
  check.is_changed = check.is_changed | changed;
  c.store(valid, i, select(ok, wanted, held));
}

/// A command that no part of the model reads is judged all the same.
template <class C>
FLEXOR_INLINE void judge_command(const C& c, Field command, Index i,
                                 CommandCheck<typename C::Real>& check) {
  check.is_bad = check.is_bad | !is_finite(c.load(command, i));
}

struct Activate {
  static constexpr StageInfo info{"activate", "commands checked, activation filters"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    using Real = typename C::Real;
    using F = Field;
    const PlanView& p = c.plan;
    const Real h = c.time_step();
    constexpr int kChanged = 1;
    const auto bits = [](const CommandCheck<Real>& check) {
      return bits_to_real(bits_where(check.is_bad, NONFINITE_COMMAND, Real()) |
                          bits_where(check.is_changed, kChanged, Real()));
    };
    c.each(p.tendon_count, [&](const auto& w, Index t) {
      CommandCheck<Real> check;
      take_command(c, F::drive_force, F::valid_drive_force, t, check);
      take_command(c, F::drive_target_length, F::valid_drive_target_length, t, check);
      take_command(c, F::drive_target_velocity, F::valid_drive_target_velocity, t, check);
      take_command(c, F::drive_position_gain, F::valid_drive_position_gain, t, check);
      take_command(c, F::drive_velocity_gain, F::valid_drive_velocity_gain, t, check);
      const Real u = c.load(F::valid_drive_force, t), a = c.load(F::activation, t);
      const Real tau = c.parameter(ParameterKind::tendon_activation_time, t);
      const auto filtered = tau > Real(0);
      Real next = u;
      if (any(filtered)) {
        next = select(filtered, u + (a - u) * exp(-h / select(filtered, tau, Real(1))), u);
      }
      w[p.cell.activation + t] = select(c.flags(F::tendon_enabled, t), next, a);
      w[p.cell.law_flag + t] = bits(check);
    });
    c.each(p.nv, [&](const auto& w, Index i) {
      CommandCheck<Real> check;
      take_command(c, F::joint_force, F::valid_joint_force, i, check);
      if (p.has_servo) {
        take_command(c, F::joint_target_velocity, F::valid_joint_target_velocity, i, check);
      } else {
        judge_command(c, F::joint_target_velocity, i, check);
      }
      w[p.cell.law_flag + p.tendon_count + i] = bits(check);
    });
    c.sync();
    c.single([&](const auto& w) {
      CommandCheck<Real> check;
      for (Index i = 0; i < p.nq; ++i) {
        if (p.has_servo) {
          take_command(c, F::joint_target_position, F::valid_joint_target_position, i, check);
        } else {
          judge_command(c, F::joint_target_position, i, check);
        }
      }
      if (c.has(F::body_wrench)) {
        for (Index i = 0; i < 6 * p.body_count; ++i) {
          take_command(c, F::body_wrench, F::valid_body_wrench, i, check);
        }
      }
      auto found = real_to_bits(bits(check));
      for (Index i = 0; i < p.law_count; ++i) found = found | real_to_bits(w[p.cell.law_flag + i]);
      w[p.cell.status] =
          bits_to_real(bits_where(has_bits(found, NONFINITE_COMMAND), NONFINITE_COMMAND, Real()));
      w[p.cell.command_changed] = select(has_bits(found, kChanged), Real(1), Real(0));
    });
    c.sync();
  }
};

}  // namespace flexor
