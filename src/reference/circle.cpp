#include "reference/circle.hpp"

#include <numbers>

#include "flexor/core/status.hpp"

namespace flexor::reference {

namespace {

/// phi from a to b in the given sense, by one atan2 and the rules that keep an angle near zero from
/// becoming a full turn.  , [R-12]
double turn(const Vector2& a, const Vector2& b, double r, double t_a, double t_b, int& sense,
            const std::optional<Vector2>& side) {
  double X = cross2(a, b);
  const double D = a.dot(b);
  const double c = r * r - t_a * t_b, e = r * (t_a + t_b);
  const bool is_aligned = D > 0 && std::abs(X) <= 4 * kEpsilon * a.norm() * b.norm();
  if (is_aligned) {
    const bool is_full_turn = side && side->dot(a) < 0;
    if (!is_full_turn) return -(std::atan2(t_a, r) + std::atan2(t_b, r));
    sense = 1;
  }
  const double phi0 = std::atan2(sense * X * c - D * e, D * c + sense * X * e);
  if (sense * X >= 0 && !is_aligned) return phi0;
  if (phi0 >= 0) return phi0;
  if (D < 0 && phi0 > -std::numbers::pi / 2) return 0;
  return phi0 + 2 * std::numbers::pi;
}

}  // namespace

CircleWrap wrap_circle(const Vector2& a, const Vector2& b, double r, int sense,
                       const std::optional<Vector2>& side) {
  const double rho_a = a.norm(), rho_b = b.norm();
  const double t_a = std::sqrt(std::max(squared_tangent(rho_a, r), 0.0));
  const double t_b = std::sqrt(std::max(squared_tangent(rho_b, r), 0.0));
  CircleWrap wrap;
  wrap.sense = sense;
  wrap.angle = turn(a, b, r, t_a, t_b, wrap.sense, side);
  const double sigma = wrap.sense;
  wrap.tangent_length_a = t_a;
  wrap.tangent_length_b = t_b;
  wrap.length = t_a + r * wrap.angle + t_b;
  wrap.point_a = r / (rho_a * rho_a) * (r * a + sigma * t_a * rotate_quarter(a));
  wrap.point_b = r / (rho_b * rho_b) * (r * b - sigma * t_b * rotate_quarter(b));
  const Vector2 a_hat = a / rho_a, b_hat = b / rho_b;
  wrap.gradient_a = t_a / rho_a * a_hat - sigma * r / rho_a * rotate_quarter(a_hat);
  wrap.gradient_b = t_b / rho_b * b_hat + sigma * r / rho_b * rotate_quarter(b_hat);
  return wrap;
}

bool has_reached_side(const Vector2& a, const Vector2& b, double r, const Vector2& side) {
  const Vector2 f = b - a;
  if (a.dot(f) >= 0) return side.dot(a) >= 0;
  if (b.dot(f) <= 0) return side.dot(b) >= 0;
  const double X = cross2(a, b);
  return X * X > r * r * f.dot(f) && X * cross2(side, f) >= 0;
}

int nearer_arc_sense(const Vector2& a, const Vector2& b, const Vector2& side) {
  return cross2(side, b.normalized() - a.normalized()) >= 0 ? 1 : -1;
}

bool meets_disk(const Vector2& a, const Vector2& b, double r) {
  const double t2_a = squared_tangent(a.norm(), r), t2_b = squared_tangent(b.norm(), r);
  if (t2_a <= 0 || t2_b <= 0) return true;
  const double t_a = std::sqrt(t2_a), t_b = std::sqrt(t2_b);
  const double c = r * r - t_a * t_b, e = r * (t_a + t_b);
  return std::abs(cross2(a, b)) * c - a.dot(b) * e >= 0;
}

CircleBend bend_inside(const Vector2& a, const Vector2& b, double r) {
  using Complex = Eigen::Vector2d;  // (real, imaginary)
  const auto product = [](const Complex& p, const Complex& q) {
    return Complex(p.x() * q.x() - p.y() * q.y(), p.x() * q.y() + p.y() * q.x());
  };
  const double X = cross2(a, b), D = a.dot(b);
  const double t2_a = squared_tangent(a.norm(), r), t2_b = squared_tangent(b.norm(), r);
  const double theta = std::atan2(std::abs(X), D);
  const double alpha = std::atan2(std::sqrt(t2_a), r), beta = std::atan2(std::sqrt(t2_b), r);

  // Direction from the end point's ray to z for incidence i, as a complex number.  
  const auto ray_to_bend = [r](double t2, double C, double S) {
    const double q = std::sqrt(t2 + r * r * C * C);
    return Complex(C * q + r * S * S, S * t2 / (q + r * C));
  };
  const auto slope = [r](double t2, double C) {
    const double q = std::sqrt(t2 + r * r * C * C);
    return t2 / (q * (q + r * C));
  };
  // chi is increasing and convex, the start right of its root: Newton converges from above.
  double i = std::min({std::numbers::pi / 2, std::numbers::pi / 2 - (alpha + beta - theta) / 2,
                       theta / (slope(t2_a, 1) + slope(t2_b, 1))});
  for (int iteration = 0; iteration < 50; ++iteration) {
    const double C = std::cos(i), S = std::sin(i);
    const Complex sum = product(ray_to_bend(t2_a, C, S), ray_to_bend(t2_b, C, S));
    const Complex error = product(sum, Complex(D, -std::abs(X)));
    const double chi = std::atan2(error.y(), error.x());
    const double step = chi / (slope(t2_a, C) + slope(t2_b, C));
    i = std::clamp(i - step, 0.0, std::numbers::pi / 2);
    if (std::abs(step) < 4 * kEpsilon) break;
  }
  const Complex to_z = ray_to_bend(t2_a, std::cos(i), std::sin(i)).normalized();
  const Vector2 a_hat = a.normalized();
  const Vector2 m = (X >= 0 ? 1.0 : -1.0) * rotate_quarter(a_hat);
  CircleBend bend;
  bend.point = r * (to_z.x() * a_hat + to_z.y() * m);
  bend.length_a = (a - bend.point).norm();
  bend.length_b = (b - bend.point).norm();
  bend.gradient_a = (a - bend.point) / bend.length_a;
  bend.gradient_b = (b - bend.point) / bend.length_b;
  return bend;
}

double closest_parameter(const Vector2& a, const Vector2& b) {
  const Vector2 f = b - a;
  const double squared = f.dot(f);
  if (squared == 0) return 0;
  return std::clamp(-a.dot(f) / squared, 0.0, 1.0);
}

namespace {

/// Is a decision on the route closer than its rounding?
bool is_ambiguous(const Vector2& a, const Vector2& b, double r, const std::optional<Vector2>& side,
                  int sense, bool is_side_reached) {
  const double X = cross2(a, b), D = a.dot(b);
  if (!side) return std::abs(X) <= kSideEpsilon * a.norm() * b.norm() && D < 0;
  const Vector2 f = b - a;
  const Vector2 m = a + closest_parameter(a, b) * f;
  const bool has_foot = a.dot(f) < 0 && b.dot(f) > 0;
  const bool misses = !has_foot || X * X > r * r * f.dot(f);
  if (misses && std::abs(side->dot(m)) <= kSideEpsilon * side->norm() * m.norm()) return true;
  const bool is_long_way = sense * X < 0;
  if (has_foot && is_long_way && X * cross2(*side, f) >= 0 &&
      std::abs(m.norm() - r) <= kSideEpsilon * r)
    return true;
  if (is_side_reached) return false;
  const Vector2 difference = b.normalized() - a.normalized();
  return std::abs(cross2(*side, difference)) <= kSideEpsilon * side->norm();
}

}  // namespace

CircleRoute route_exterior(const Vector2& a, const Vector2& b, double r,
                           const std::optional<Vector2>& given_side) {
  std::optional<Vector2> side = given_side;
  if (side && side->norm() <= kSideEpsilon * r) side.reset();  // says nothing about a side
  CircleRoute route;
  const int sense = side ? nearer_arc_sense(a, b, *side) : (cross2(a, b) >= 0 ? 1 : -1);
  const bool is_side_reached = side && has_reached_side(a, b, r, *side);
  if (is_ambiguous(a, b, r, side, sense, is_side_reached)) route.status |= SIDE_AMBIGUOUS;
  if (is_side_reached) return route;
  route.wrap = wrap_circle(a, b, r, sense, side);
  route.is_wrapped = route.wrap.angle > 0;
  return route;
}

}  // namespace flexor::reference
