#pragma once
// One round guide between two points: sphere or cylinder, exterior or interior.
//
// All points are in the guide frame: centre at 0, the cylinder's axis along z.  

#include <optional>

#include "reference/circle.hpp"

namespace flexor::reference {

enum class WrapMode { kStraight = 0, kExterior = 1, kInterior = 2 };

struct GuideWrap {
  WrapMode mode = WrapMode::kStraight;
  int sense = 0;
  double length = 0;         ///< of the whole piece from a to b
  Vector3 point_a, point_b;  ///< first and last contact; straight: the segment's closest point
  Vector3 gradient_a = Vector3::Zero(), gradient_b = Vector3::Zero();
  double arc_angle = 0;        ///< phi
  double arc_length = 0;       ///< on the surface
  double turn_angle = 0;       ///< angle by which the line turns [R-40]
  double clearance = 0;        ///< distance to centre or axis minus r; 0 when engaged [R-41]
  double radius_gradient = 0;  ///< d length / d radius [R-55]
  int status = 0;              ///< bits of RouteStatus

  bool is_engaged() const { return mode != WrapMode::kStraight; }
};

struct GuideOptions {
  std::optional<Vector3> side;
  SideMode side_mode = SideMode::kAuto;
  double half_length = kInfinity;
};

/// A straight piece: length |b - a| with unit gradients, none if the points coincide to rounding.
///
struct StraightPiece {
  double length = 0;
  Vector3 direction = Vector3::Zero();
  bool is_collapsed = false;
};
StraightPiece straight_piece(const Vector3& a, const Vector3& b);

GuideWrap wrap_cylinder(const Vector3& a, const Vector3& b, double r, const GuideOptions& options);
GuideWrap wrap_sphere(const Vector3& a, const Vector3& b, double r, const GuideOptions& options);

/// Axes of a cylinder's frame (columns) in its body: z' = axis, x' the body axis with the smallest
/// component along z', made orthogonal.
Matrix3 cylinder_frame(const Vector3& axis);

}  // namespace flexor::reference
