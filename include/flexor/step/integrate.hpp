#pragma once
// State of the next step: scalars q += h v_+, quaternions Q <- normalise(Q Exp(h w_+)).   [P-4]
// A world whose step failed keeps every bit of its state.

#include "flexor/dynamics/kinematics.hpp"
#include "flexor/step/report.hpp"

namespace flexor {

struct Integrate {
  static constexpr StageInfo info{"integrate", "configuration, velocity, activation, time, status"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const auto& cell = p.cell;
    c.each(p.link_count, [&](const auto& w, Index k) { move_joint(c, w, k); });
    c.sync();  // velocities are read by their joints before they are overwritten
    c.each(p.nv, [&](const auto& w, Index i) {
      c.store(Field::qvel, i, w[cell.end_velocity + i], ReportForces::stored(c, w));
    });
    c.each(p.tendon_count, [&](const auto& w, Index t) {
      c.store(Field::activation, t, w[cell.activation + t], ReportForces::stored(c, w));
    });
    c.single([&](const auto& w) {
      const auto stored = ReportForces::stored(c, w);
      Bits<Real> bits = real_to_bits(w[cell.status]) | c.load_bits(Field::status, 0);
      if (c.settings.freeze) {
        bits = bits | bits_where(!(w[cell.solver + 3] > Real(0)), FROZEN, Real());
      }
      c.store_bits(Field::status, 0, bits);
      double* time = static_cast<double*>(c.batch.field[static_cast<int>(Field::time)]) + c.world;
      auto* count =
          static_cast<std::int64_t*>(c.batch.field[static_cast<int>(Field::step_count)]) + c.world;
      add_where(stored, time, p.timestep, Real());
      add_where(stored, count, 1, Real());
    });
    c.sync();
  }

  /// q + h v; in float32 the rounding remainder is carried along, so that steps of 0.1 ms are not
  /// lost. A remainder above one ulp of q is dropped: somebody wrote q.
  template <class C, class M>
  FLEXOR_INLINE static void advance(const C& c, Index q, const typename C::Real& change,
                                    const M& stored) {
    using Real = typename C::Real;
    const Real x = c.load(Field::qpos, q);
    if (!c.has(Field::qpos_compensation)) {
      c.store(Field::qpos, q, x + change, stored);
      return;
    }
    Real carried = c.load(Field::qpos_compensation, q);
    carried = select(abs(carried) <= Real(kEpsilon<Real>) * abs(x), carried, Real(0));
    const Real y = change - carried;
    const Real next = x + y;
    c.store(Field::qpos_compensation, q, (next - x) - y, stored);
    c.store(Field::qpos, q, next, stored);
  }

  template <class C, class W>
  FLEXOR_INLINE static void move_joint(const C& c, const W& w, Index k) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const Real h = c.time_step();
    const Index q = p.link_q[k], v = p.cell.end_velocity + p.link_dof[k];
    const auto stored = ReportForces::stored(c, w);
    const auto type = static_cast<JointType>(p.link_type[k]);
    if (type == JointType::kHinge || type == JointType::kSlide) {
      advance(c, q, h * w[v], stored);
      return;
    }
    Index turn_q = q, turn_v = v;
    if (type == JointType::kFree) {
      for (Index i = 0; i < 3; ++i) advance(c, q + i, h * w[v + i], stored);
      turn_q = q + 3;
      turn_v = v + 3;
    }
    const Quaternion<Real> Q = Kinematics::quaternion(c, turn_q);
    const Quaternion<Real> next = normalized(Q * exponential(vector_at(w, turn_v) * h));
    c.store(Field::qpos, turn_q, next.w, stored);
    c.store(Field::qpos, turn_q + 1, next.x, stored);
    c.store(Field::qpos, turn_q + 2, next.y, stored);
    c.store(Field::qpos, turn_q + 3, next.z, stored);
  }
};

}  // namespace flexor
