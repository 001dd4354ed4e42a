#pragma once
// Commands checked, activation filtered, before use.   [P-25]
//
//   a_+ = u + (a_n - u) exp(-h/tau),  tau = 0: a_+ = u;  a disabled tendon keeps its activation
//
// A non-finite command entry is not used: its last finite value stays in force.

#include "flexor/state/context.hpp"

namespace flexor {

/// The value in force of one command entry; lanes with a non-finite one are added to `bad`.
template <class C>
FLEXOR_INLINE void take_command(const C& c, Field command, Field valid, int i,
                                typename C::Mask& bad) {
  using Real = typename C::Real;
  const Real wanted = c.load(command, i), held = c.load(valid, i);
  const auto ok = is_finite(wanted);
  bad = bad | !ok;
  if (any(ok & (wanted != held))) c.store(valid, i, select(ok, wanted, held));
}

struct Activate {
  static constexpr StageInfo info{"activate", "commands checked, activation filters"};

  template <class C>
  FLEXOR_HD static void run(const C& c) {
    using Real = typename C::Real;
    using F = Field;
    const PlanView& p = c.plan;
    const Real h = c.time_step();
    // law_flag holds 1 where an entry of the element is not finite
    c.each(p.tendon_count, [&](const auto& w, int t) {
      auto bad = Real(0) > Real(0);
      take_command(c, F::drive_force, F::valid_drive_force, t, bad);
      take_command(c, F::drive_target_length, F::valid_drive_target_length, t, bad);
      take_command(c, F::drive_target_velocity, F::valid_drive_target_velocity, t, bad);
      take_command(c, F::drive_position_gain, F::valid_drive_position_gain, t, bad);
      take_command(c, F::drive_velocity_gain, F::valid_drive_velocity_gain, t, bad);
      const Real u = c.load(F::valid_drive_force, t), a = c.load(F::activation, t);
      const Real tau = c.parameter(ParameterKind::tendon_activation_time, t);
      const auto filtered = tau > Real(0);
      Real next = u;
      if (any(filtered)) {
        next = select(filtered, u + (a - u) * exp(-h / select(filtered, tau, Real(1))), u);
      }
      w[p.cell.activation + t] = select(c.flags(F::tendon_enabled, t), next, a);
      w[p.cell.law_flag + t] = select(bad, Real(1), Real(0));
    });
    c.each(p.nv, [&](const auto& w, int i) {
      auto bad = Real(0) > Real(0);
      take_command(c, F::joint_force, F::valid_joint_force, i, bad);
      if (p.has_servo)
        take_command(c, F::joint_target_velocity, F::valid_joint_target_velocity, i, bad);
      w[p.cell.law_flag + p.tendon_count + i] = select(bad, Real(1), Real(0));
    });
    c.sync();
    c.single([&](const auto& w) {
      auto bad = Real(0) > Real(0);
      for (int i = 0; i < p.law_count; ++i) bad = bad | (w[p.cell.law_flag + i] > Real(0));
      if (p.has_servo) {
        for (int i = 0; i < p.nq; ++i) {
          take_command(c, F::joint_target_position, F::valid_joint_target_position, i, bad);
        }
      }
      if (c.has(F::body_wrench)) {
        for (int i = 0; i < 6 * p.body_count; ++i) {
          take_command(c, F::body_wrench, F::valid_body_wrench, i, bad);
        }
      }
      w[p.cell.status] = bits_to_real(bits_where(bad, NONFINITE_COMMAND, Real()));
    });
    c.sync();
  }
};

}  // namespace flexor
