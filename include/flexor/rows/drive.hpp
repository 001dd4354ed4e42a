#pragma once
// Drive of a tendon: F = clamp(r - G u, lower, upper), r = a + k_p (l_d - l) + k_v ldot_d,
// G = k_v + h k_p. Without gains it is a constant impulse.   [P-26]

#include "flexor/rows/row.hpp"

namespace flexor {

template <class Real>
struct Drive {
  Row<Real> row;          ///< with gains
  Real constant_impulse;  ///< without gains, or between equal bounds [N s]
  Mask<Real> is_unbounded;
  Mask<Real> is_valid;  ///< gains >= 0; else the drive is left out
};

/// A drive without gains.
template <class Real>
FLEXOR_INLINE Drive<Real> constant_drive(const Real& activation, const Real& lower,
                                         const Real& upper, const Real& h) {
  const auto always = Real(0) <= Real(0);
  return {dead_row<Real>(), h * clamp(activation, lower, upper), !always, always};
}

/// @param activation    filtered feed-forward force a_+ [N]
/// @param length_error  l_d - l_n [m]
template <class Real>
FLEXOR_INLINE Drive<Real> drive(const Real& activation, const Real& length_error,
                                const Real& target_velocity, const Real& position_gain,
                                const Real& velocity_gain, const Real& lower, const Real& upper,
                                const Real& h) {
  const Real zero(0), one(1);
  const Real G = velocity_gain + h * position_gain;
  const auto is_valid = (position_gain >= zero) & (velocity_gain >= zero);
  const auto has_gains = is_valid & (G > zero);
  const Real inverse = one / select(has_gains, G, one);
  const Real r = activation + position_gain * length_error + velocity_gain * target_velocity;
  Drive<Real> d;
  d.row = select(has_gains, Row<Real>{r * inverse, inverse / h, h * lower, h * upper},
                 dead_row<Real>());
  // between equal bounds the row has no say
  const auto is_constant = andnot(is_valid, has_gains & (lower < upper));
  d.constant_impulse = select(is_constant, h * clamp(activation, lower, upper), zero);
  d.is_valid = is_valid;
  d.is_unbounded = (lower == -unbounded<Real>()) & (upper == unbounded<Real>());
  return d;
}

}  // namespace flexor
