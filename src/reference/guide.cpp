#include "reference/guide.hpp"

#include <numbers>

#include "flexor/core/status.hpp"

namespace flexor::reference {

StraightPiece straight_piece(const Vector3& a, const Vector3& b) {
  StraightPiece piece;
  piece.length = (b - a).norm();
  const double resolution =
      8 * kEpsilon * std::max(a.lpNorm<Eigen::Infinity>(), b.lpNorm<Eigen::Infinity>());
  piece.is_collapsed = piece.length == 0 || piece.length <= resolution;
  if (!piece.is_collapsed) piece.direction = (b - a) / piece.length;
  return piece;
}

Matrix3 cylinder_frame(const Vector3& axis) {
  const Vector3 z = axis.normalized();
  int smallest = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(z[k]) < std::abs(z[smallest])) smallest = k;
  const Vector3 x = (Vector3::Unit(smallest) - z[smallest] * z).normalized();
  Matrix3 frame;
  frame << x, z.cross(x), z;
  return frame;
}

namespace {

bool is_on_or_inside(double rho, double r) {
  return squared_tangent(rho, r) <= kOnSurfaceEpsilon * r * r;
}

/// A side site nearer to the axis or centre than r asks for an interior route.  
bool is_interior(const GuideOptions& options, double side_distance, double r) {
  if (options.side_mode != SideMode::kAuto) return options.side_mode == SideMode::kInterior;
  return options.side && side_distance < r;
}

/// The plain segment; `parameter` is where it comes closest, at the distance `distance`.
GuideWrap straight_wrap(const Vector3& a, const Vector3& b, double parameter, double distance,
                        double r, int status) {
  GuideWrap wrap;
  const StraightPiece piece = straight_piece(a, b);
  wrap.length = piece.length;
  wrap.gradient_a = -piece.direction;
  wrap.gradient_b = piece.direction;
  wrap.point_a = wrap.point_b = a + parameter * (b - a);
  wrap.clearance = distance - r;
  wrap.status = status;
  return wrap;
}

/// What a bend at z does to direction and, as the radius grows, to length.  , [R-55]
void finish_bend(const Vector3& a, const Vector3& b, const Vector3& normal, GuideWrap& wrap) {
  const Vector3 in = (wrap.point_a - a).normalized(), out = (b - wrap.point_b).normalized();
  wrap.turn_angle = std::atan2(in.cross(out).norm(), in.dot(out));
  wrap.radius_gradient = (in - out).dot(normal);
}

/// A planar line carried onto the cylinder: unrolled it is one straight line.  , [R-14]
struct Unrolled {
  double length, height_a, height_b;
  Vector3 gradient_a, gradient_b;
};
Unrolled unroll(double planar_length, double free_a, double free_b, double z_a, double z_b,
                const Vector2& gradient_a, const Vector2& gradient_b) {
  const double dz = z_b - z_a;
  Unrolled line;
  line.length = std::hypot(planar_length, dz);
  line.height_a = z_a + dz * free_a / planar_length;
  line.height_b = z_b - dz * free_b / planar_length;
  const double share = planar_length / line.length, rise = dz / line.length;
  line.gradient_a << share * gradient_a, -rise;
  line.gradient_b << share * gradient_b, rise;
  return line;
}

void place(const Unrolled& line, const Vector2& a, const Vector2& b, GuideWrap& wrap) {
  wrap.length = line.length;
  wrap.point_a << a, line.height_a;
  wrap.point_b << b, line.height_b;
  wrap.gradient_a = line.gradient_a;
  wrap.gradient_b = line.gradient_b;
}

}  // namespace

GuideWrap wrap_cylinder(const Vector3& a, const Vector3& b, double r, const GuideOptions& options) {
  const Vector2 pa = a.head<2>(), pb = b.head<2>();
  std::optional<Vector2> side;
  if (options.side) side = options.side->head<2>();
  const bool is_inner = is_interior(options, side ? side->norm() : 0, r);

  const double parameter = closest_parameter(pa, pb);
  const double distance = (pa + parameter * (pb - pa)).norm();
  GuideWrap wrap;
  if (is_inner) {
    if (meets_disk(pa, pb, r)) return straight_wrap(a, b, parameter, distance, r, 0);
    const CircleBend bend = bend_inside(pa, pb, r);
    wrap.mode = WrapMode::kInterior;
    place(unroll(bend.length_a + bend.length_b, bend.length_a, bend.length_b, a.z(), b.z(),
                 bend.gradient_a, bend.gradient_b),
          bend.point, bend.point, wrap);
    const Vector3 normal(bend.point.x() / r, bend.point.y() / r, 0);
    finish_bend(a, b, normal, wrap);
  } else {
    if (is_on_or_inside(pa.norm(), r) || is_on_or_inside(pb.norm(), r))
      return straight_wrap(a, b, parameter, distance, r, ENDPOINT_INSIDE);
    const CircleRoute route = route_exterior(pa, pb, r, side);
    wrap.status |= route.status;
    if (!route.is_wrapped) return straight_wrap(a, b, parameter, distance, r, wrap.status);
    const CircleWrap& circle = route.wrap;
    wrap.mode = WrapMode::kExterior;
    wrap.sense = circle.sense;
    place(unroll(circle.length, circle.tangent_length_a, circle.tangent_length_b, a.z(), b.z(),
                 circle.gradient_a, circle.gradient_b),
          circle.point_a, circle.point_b, wrap);
    wrap.arc_angle = circle.angle;
    wrap.arc_length = r * circle.angle * wrap.length / circle.length;
    wrap.turn_angle = circle.angle * circle.length / wrap.length;
    wrap.radius_gradient = wrap.turn_angle;
  }
  if (std::max(std::abs(wrap.point_a.z()), std::abs(wrap.point_b.z())) > options.half_length)
    wrap.status |= OFF_END;
  return wrap;
}

namespace {

/// Plane through the sphere's centre and both end points.  
struct Plane {
  Vector3 e1, e2;
  bool is_degenerate = false;
  Vector2 project(const Vector3& x) const { return {e1.dot(x), e2.dot(x)}; }
  Vector3 lift(const Vector2& x) const { return x.x() * e1 + x.y() * e2; }
};

bool is_parallel(const Vector3& a, const Vector3& b) {
  return a.cross(b).norm() <= kPlaneEpsilon * a.norm() * b.norm();
}

Plane path_plane(const Vector3& a, const Vector3& b, const std::optional<Vector3>& side) {
  Plane plane;
  Vector3 second = b;
  if (is_parallel(a, b)) {
    plane.is_degenerate = true;
    int smallest = 0;
    for (int k = 1; k < 3; ++k)
      if (std::abs(a[k]) < std::abs(a[smallest])) smallest = k;
    second = side && !is_parallel(a, *side) ? *side : Vector3(Vector3::Unit(smallest));
  }
  plane.e1 = a.normalized();
  plane.e2 = a.cross(second).normalized().cross(plane.e1);
  return plane;
}

}  // namespace

GuideWrap wrap_sphere(const Vector3& a, const Vector3& b, double r, const GuideOptions& options) {
  const Vector3 f = b - a;
  const double parameter = f.dot(f) == 0 ? 0.0 : std::clamp(-a.dot(f) / f.dot(f), 0.0, 1.0);
  const double distance = (a + parameter * f).norm();
  const bool is_inner = is_interior(options, options.side ? options.side->norm() : 0, r);
  const double t2_a = squared_tangent(a.norm(), r), t2_b = squared_tangent(b.norm(), r);
  if (is_inner && (t2_a <= 0 || t2_b <= 0)) return straight_wrap(a, b, parameter, distance, r, 0);
  if (!is_inner && (is_on_or_inside(a.norm(), r) || is_on_or_inside(b.norm(), r)))
    return straight_wrap(a, b, parameter, distance, r, ENDPOINT_INSIDE);

  const Plane plane = path_plane(a, b, options.side);
  const Vector2 pa = plane.project(a), pb = plane.project(b);
  GuideWrap wrap;
  if (is_inner) {
    // Ends in line with the centre need no plane: they meet the sphere or stand on one ray.
    if (meets_disk(pa, pb, r)) return straight_wrap(a, b, parameter, distance, r, 0);
    const CircleBend bend = bend_inside(pa, pb, r);
    wrap.mode = WrapMode::kInterior;
    wrap.length = bend.length_a + bend.length_b;
    wrap.point_a = wrap.point_b = plane.lift(bend.point);
    wrap.gradient_a = plane.lift(bend.gradient_a);
    wrap.gradient_b = plane.lift(bend.gradient_b);
    finish_bend(a, b, wrap.point_a / r, wrap);
    return wrap;
  }
  std::optional<Vector2> side;
  if (options.side) side = plane.project(*options.side);
  const CircleRoute route = route_exterior(pa, pb, r, side);
  wrap.status = route.status | (plane.is_degenerate ? PLANE_DEGENERATE : 0);
  if (!route.is_wrapped) return straight_wrap(a, b, parameter, distance, r, wrap.status);
  const CircleWrap& circle = route.wrap;
  wrap.mode = WrapMode::kExterior;
  wrap.sense = circle.sense;
  wrap.length = circle.length;
  wrap.point_a = plane.lift(circle.point_a);
  wrap.point_b = plane.lift(circle.point_b);
  wrap.gradient_a = plane.lift(circle.gradient_a);
  wrap.gradient_b = plane.lift(circle.gradient_b);
  wrap.arc_angle = wrap.turn_angle = wrap.radius_gradient = circle.angle;
  wrap.arc_length = r * circle.angle;
  // Over more than half a turn the line is stationary but no longer shortest.  
  const double sweep = circle.angle + std::atan2(circle.tangent_length_a, r) +
                       std::atan2(circle.tangent_length_b, r);
  const bool is_full_turn = sweep > 1.5 * std::numbers::pi;
  if ((circle.sense < 0 && sweep > std::numbers::pi) || is_full_turn) wrap.status |= NOT_MINIMUM;
  return wrap;
}

}  // namespace flexor::reference
