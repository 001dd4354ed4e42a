#pragma once
// Limit and friction rows written in MJCF's words (solref, solimp) as rows of this engine.

#include "flexor/model/description.hpp"

namespace flexor {

/// MuJoCo's impedance at violation r [m or rad]: d0 at 0, dm from `width` on, with its inflection
/// at `midpoint` and steepness `power`; clipped to 0.0001 .. 0.9999.
double impedance(const Softness& softness, double r);

/// A limit row.   [MF-18], [MF-19]
struct MappedLimit {
  double position_correction = 0;  ///< beta, 0..1
  double compliance = 0;           ///< c [m/N or rad/(N m)]
  bool is_underdamped = false;     ///< the original would ring; a row of first order cannot
};

/// @param h      time step [s]
/// @param W_ref  J M^-1 J^T at the reference pose [1/kg]   [MF-6]
MappedLimit map_limit(const Softness& softness, double h, double W_ref);

/// friction_compliance c_f [m/N or rad/(N m)] with equal creep below the bound.   [MF-20]
double map_friction(const Softness& softness, double h, double W_ref);

}  // namespace flexor
