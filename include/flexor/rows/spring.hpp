#pragma once
// Spring and damper of a tendon: p = -h k_a e - h (d + h k_a) u, the spring taken at the linearised
// end length, so that any stiffness is stable and statics are exact.   [P-23]

#include "flexor/rows/row.hpp"

namespace flexor {

template <class Real>
struct SpringState {
  Real extension;  ///< e = l - clamp(l, spring_lower, spring_upper) [m]
  Real stiffness;  ///< k_a: k outside the slack interval, else 0 [N/m]
};

/// @param deviation     l - l_ref [m]
/// @param lower, upper  ends of the slack interval minus l_ref [m]
/// The state at the start of the step; a boundary crossed inside it is not resolved.   [P-28]
template <class Real>
FLEXOR_INLINE SpringState<Real> spring_state(const Real& stiffness, const Real& deviation,
                                             const Real& lower, const Real& upper) {
  const Real e = deviation - clamp(deviation, lower, upper);
  const Real zero(0);
  return {e, select((e != zero) | (lower == upper), stiffness, zero)};
}

/// Acts where damping + h k_a > 0.
template <class Real>
FLEXOR_INLINE Row<Real> spring_row(const SpringState<Real>& spring, const Real& damping,
                                   const Real& h) {
  const Real D = damping + h * spring.stiffness;
  const auto acts = D > Real(0);
  const Real inverse = Real(1) / select(acts, D, Real(1));
  const Row<Real> row{-(spring.stiffness * spring.extension) * inverse, inverse / h,
                      -unbounded<Real>(), unbounded<Real>()};
  return select(acts, row, dead_row<Real>());
}

}  // namespace flexor
