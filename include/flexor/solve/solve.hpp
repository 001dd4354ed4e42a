#pragma once
// The impulse problem of all rows that are left: method A with method B behind it.   [P-40], [P-83]
// Where every law holds 0 at the free velocity, P = 0 is the answer and nothing is formed.

#include "flexor/solve/jacobi.hpp"

namespace flexor {

/// Lanes in which a hard bilateral row keeps |u - b| above 1e-4 (float64: 1e-8) of the rates: no
/// motion meets all of them.
template <class C, class W>
FLEXOR_HD typename C::Mask keeps_an_error(const C& c, const W& w, const typename C::Real& scale) {
  using Real = typename C::Real;
  const PlanView& p = c.plan;
  const Real zero(0), infinite = unbounded<Real>();
  const Real tolerance = Real(by_precision<Real>(1e-4, 1e-8)) * scale;
  auto keeps = zero > zero;
  for (Index law = 0; law < p.law_count; ++law) {
    if (!acts(c, law)) continue;
    const Real u = law_rate(c, w, law, p.cell.end_velocity);
    if (all_have_form(w[p.cell.law_form + law], kOneSidedLaw)) continue;  // no bilateral row
    for (Index r = p.law_row_first[law]; r < p.law_row_first[law + 1]; ++r) {
      const Index at = p.cell.row + kRowCells * r;
      const Row<Real> row = row_at(w, at);
      keeps = keeps | ((row.softness == zero) & (row.low == -infinite) & (row.high == infinite) &
                       (w[at + 4] == zero) & (abs(u - row.target) > tolerance));
    }
  }
  return keeps;
}

struct Solve {
  static constexpr StageInfo info{"solve", "end velocity and impulses of all laws"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const auto& cell = p.cell;
    const Real zero(0), one(1);
    start_laws(c);
    c.each(p.nv,
           [&](const auto& w, Index i) { w[cell.end_velocity + i] = w[cell.free_velocity + i]; });
    c.sync();
    Real finite(0), scale = one;
    for (Index i = 0; i < p.nv; ++i) {
      const Real v = c.cells[cell.free_velocity + i];
      finite = finite + v * zero;
      scale = max(scale, select(has_live_row(c, p.tendon_count + i), abs(v), zero));
    }
    const auto usable = c.active & (finite == zero) & (c.cells[cell.solver + 3] > zero);
    update_pieces(c, usable);
    auto busy = usable & verdict(c).changed;
    Real iterations = zero, residual = zero;
    if (any(busy)) {
      // scale of the problem: max(1, max |c|), c the rates of the laws at the free velocity [P-57]
      for (Index law = 0; law < p.tendon_count; ++law) {
        const Real u = law_rate(c, c.cells, law, cell.free_velocity);
        scale = max(scale, select(has_live_row(c, law), abs(u), zero));
      }
      const auto worked = busy;
      auto open = busy;
      if (c.settings.method == 0) {
        if (c.settings.warm_start) {
          const auto steady = busy & (c.cells[cell.command_changed] == zero);
          if (any(steady)) start_from_last(c, steady);
        }
        open = active_set(c, busy, c.settings.iterations, scale, iterations, residual);
      } else if (c.settings.warm_start) {
        load_last_impulses(c, busy);
      }
      if (any(open)) {
        const Real tolerance = Real(static_cast<typename C::Scalar>(c.settings.tolerance)) * scale;
        const Index rounds = c.settings.method == 1 ? c.settings.iterations : 12;
        open = jacobi(c, open, rounds, tolerance, iterations, residual);
      }
      c.single([&](const auto& w) {
        w[cell.solver] = iterations;
        w[cell.solver + 1] = select(worked, residual, zero);
        w[cell.solver + 2] = select(open, select(keeps_an_error(c, w, scale), Real(2), one), zero);
      });
    } else {
      c.single([&](const auto& w) {
        for (Index i = 0; i < 3; ++i) w[cell.solver + i] = zero;
      });
    }
    c.sync();
  }
};

}  // namespace flexor
