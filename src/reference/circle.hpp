#pragma once
// A taut line in a plane with one round obstacle of radius r about 0.
//
// a, b: end points, sd: vector from the centre to the side site; a sense of +1 turns
// counter-clockwise about the centre on the way from a to b. Pure plane geometry.

#include <optional>

#include "reference/types.hpp"

namespace flexor::reference {

inline constexpr double kSideEpsilon = 1e-9;        ///< of a choice of side
inline constexpr double kPlaneEpsilon = 1e-10;      ///< eps_plane of [R-15]
inline constexpr double kOnSurfaceEpsilon = 1e-12;  ///< tau_on of [R-23]

inline double cross2(const Vector2& a, const Vector2& b) { return a.x() * b.y() - a.y() * b.x(); }
inline Vector2 rotate_quarter(const Vector2& a) { return {-a.y(), a.x()}; }

/// t^2 = (rho - r)(rho + r): squared tangent length of a point at distance rho.  
inline double squared_tangent(double rho, double r) { return (rho - r) * (rho + r); }

/// The line that turns about the circle in one sense: a - A along a tangent, A - B along the arc,
/// B - b along a tangent.
struct CircleWrap {
  int sense = 1;
  double angle = 0;   ///< phi, turn from A to B; <= 0: the straight segment lies on that side
  double length = 0;  ///< s_perp = t_a + r phi + t_b
  double tangent_length_a = 0, tangent_length_b = 0;
  Vector2 point_a, point_b;        ///< tangent points A, B
  Vector2 gradient_a, gradient_b;  ///< of the length
};

/// [R-7] - [R-12]. Needs |a|, |b| > r. The side vector matters only where a and b stand on one ray.
CircleWrap wrap_circle(const Vector2& a, const Vector2& b, double r, int sense,
                       const std::optional<Vector2>& side = {});

/// Does the segment keep clear of the disk on the side of the side site?  
bool has_reached_side(const Vector2& a, const Vector2& b, double r, const Vector2& side);

/// Sense of the arc whose midpoint lies nearer the side site, +1 on a tie.  
int nearer_arc_sense(const Vector2& a, const Vector2& b, const Vector2& side);

/// Does the segment meet the disk?  
bool meets_disk(const Vector2& a, const Vector2& b, double r);

/// Shortest line from a to b by way of the disk when the segment misses it.   [R-20] - [R-22]
struct CircleBend {
  Vector2 point;                      ///< z on the circle
  double length_a = 0, length_b = 0;  ///< |a - z|, |z - b|
  Vector2 gradient_a, gradient_b;
};
CircleBend bend_inside(const Vector2& a, const Vector2& b, double r);

/// Parameter in [0, 1] of the segment's point closest to the centre.
double closest_parameter(const Vector2& a, const Vector2& b);

/// An exterior line as the rules of sides choose it.
struct CircleRoute {
  bool is_wrapped = false;
  CircleWrap wrap;  ///< valid if wrapped
  int status = 0;   ///< SIDE_AMBIGUOUS
};
CircleRoute route_exterior(const Vector2& a, const Vector2& b, double r,
                           const std::optional<Vector2>& side);

}  // namespace flexor::reference
