#pragma once
// Inertia along a tendon: p = a_t (ldot_n - h b_l - ldot_+).   [P-27]

#include "flexor/rows/row.hpp"

namespace flexor {

/// @param curvature  b_l: second derivative of the length at constant generalised velocity [m/s^2]
template <class Real>
FLEXOR_INLINE Row<Real> armature_row(const Real& armature, const Real& rate, const Real& curvature,
                                     const Real& h) {
  const auto acts = armature > Real(0);
  const Row<Real> row{rate - h * curvature, Real(1) / select(acts, armature, Real(1)),
                      -unbounded<Real>(), unbounded<Real>()};
  return select(acts, row, dead_row<Real>());
}

}  // namespace flexor
