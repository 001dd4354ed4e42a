#pragma once
// Status bits of a world [IA-8] and of a route.

namespace flexor {

// X(name, value, is_informational, cause, remedy)
// clang-format off
#define FLEXOR_STATUS_BITS(X) \
  X(NONFINITE_STATE, 1 << 0, false, "NaN or infinity in q, v, an impulse or a state", "smaller step, check inputs; the guard acts") \
  X(NONFINITE_COMMAND, 1 << 1, false, "NaN or infinity in a command; its last finite value is used", "mend the source of the command") \
  X(NOT_CONVERGED, 1 << 2, false, "the impulse solver reached its iteration limit", "more iterations") \
  X(ROUTE_DEGENERATE, 1 << 4, false, "a path piece without direction, or a sphere plane not defined", "separate the points; give the sphere a side site") \
  X(ROUTE_ENDPOINT_INSIDE, 1 << 5, false, "an endpoint on or inside a guide", "move the end point out of the guide") \
  X(PARAMETER_INVALID, 1 << 9, false, "a parameter outside its range; its rows are left out", "mend the array; the guard acts") \
  X(TENSION_SATURATED, 1 << 11, true, "a drive at its bound", "none needed; wider actuation bounds") \
  X(FROZEN, 1 << 13, false, "the guard froze the world", "reset") \
  X(ROUTE_SIDE_AMBIGUOUS, 1 << 16, true, "a tie in the choice of side", "none needed; move the side site") \
  X(ROUTE_NOT_MINIMUM, 1 << 17, true, "a route that is stationary but not shortest", "none needed; via site or cylinder") \
  X(ROUTE_OFF_END, 1 << 19, true, "contact beyond the half-length of a cylinder", "none needed; longer guide") \
  X(SINGULAR_MASS, 1 << 20, false, "the mass matrix could not be factored", "inertia, armature; the guard acts") \
  X(UNSATISFIABLE_ROW, 1 << 21, false, "hard rows that no motion can meet", "remove one of the rows") \
  X(CONFLICTING_BOUNDS, 1 << 22, false, "crossed hard limit targets", "margin, limits")
// clang-format on

enum Status : int {
#define X(name, value, is_informational, cause, remedy) name = value,
  FLEXOR_STATUS_BITS(X)
#undef X
};

enum RouteStatus : int {
  COLLAPSED = 1 << 0,         ///< [R-6]
  ENDPOINT_INSIDE = 1 << 1,   ///< [R-23]
  PLANE_DEGENERATE = 1 << 2,  ///< [R-15]
  SIDE_AMBIGUOUS = 1 << 3,
  NOT_MINIMUM = 1 << 4,
  OFF_END = 1 << 6,
  NONFINITE = 1 << 8
};

}  // namespace flexor
