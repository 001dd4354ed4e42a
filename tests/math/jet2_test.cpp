// Taylor arithmetic of order 2 against closed forms, against central differences and, for a
// route about a circle, against the closed form of its second derivative.

#include "flexor/math/jet2.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "core/lanes.hpp"
#include "flexor/math/vec3.hpp"
#include "gtest/gtest.h"

namespace flexor::tests {
namespace {

using J = Jet2<double>;

constexpr double kClosedForm = 1e-13;
/// Central differences with step 1e-3 over functions of order one: error h^2/12 f'''' and eps/h^2.
constexpr double kStep = 1e-3, kDifference = 2e-5;

void expect_jet(const J& a, double value, double first, double second) {
  EXPECT_NEAR(a.value, value, kClosedForm);
  EXPECT_NEAR(a.first, first, kClosedForm);
  EXPECT_NEAR(a.second, second, kClosedForm);
}

/// The parameter itself at t.
J parameter(double t) { return {t, 1, 0}; }

TEST(Jet2, a_number_is_constant) {
  expect_jet(J(3), 3, 0, 0);
  expect_jet(J(0.5f), 0.5, 0, 0);
  expect_jet(J(), 0, 0, 0);
}

TEST(Jet2, powers_and_quotients_of_the_parameter) {
  for (const double t : {-2.0, -0.3, 0.7, 3.0}) {
    const J x = parameter(t);
    expect_jet(x * x * x, t * t * t, 3 * t * t, 6 * t);
    expect_jet(J(1) / x, 1 / t, -1 / (t * t), 2 / (t * t * t));
    expect_jet((x * x - J(1)) / (x * x + J(1)), (t * t - 1) / (t * t + 1),
               4 * t / std::pow(t * t + 1, 2), (4 - 12 * t * t) / std::pow(t * t + 1, 3));
    expect_jet(-(x * x), -t * t, -2 * t, -2);
    J y = x;
    y += x;
    y *= x;
    y -= J(1);
    expect_jet(y, 2 * t * t - 1, 4 * t, 4);
  }
}

TEST(Jet2, square_root) {
  for (const double t : {0.2, 1.0, 5.0}) {
    expect_jet(flexor::sqrt(parameter(t)), std::sqrt(t), 0.5 / std::sqrt(t),
               -0.25 / (t * std::sqrt(t)));
    const double r = std::sqrt(1 + t * t);
    expect_jet(flexor::sqrt(J(1) + parameter(t) * parameter(t)), r, t / r, 1 / (r * r * r));
  }
}

TEST(Jet2, sine_and_cosine_of_a_square) {
  for (const double t : {-1.5, 0.0, 0.4, 2.0}) {
    const J x = parameter(t);
    J s, c;
    sincos(x * x, s, c);
    const double a = t * t, sa = std::sin(a), ca = std::cos(a);
    expect_jet(s, sa, 2 * t * ca, 2 * ca - 4 * a * sa);
    expect_jet(c, ca, -2 * t * sa, -2 * sa - 4 * a * ca);
    expect_jet(s * s + c * c, 1, 0, 0);
    J in_place = x * x, other;
    sincos(in_place, in_place, other);  // the sine may overwrite the argument
    expect_jet(other, c.value, c.first, c.second);
  }
}

TEST(Jet2, atan2_undoes_sine_and_cosine_in_every_quadrant) {
  for (const double angle : {-3.0, -2.0, -1.0, -0.1, 0.0, 0.6, 1.5, 2.5, 3.1}) {
    const J a{angle, 1.7, -0.9}, radius{2.5, -0.8, 0.3};
    J s, c;
    sincos(a, s, c);
    expect_jet(flexor::atan2(radius * s, radius * c), angle, 1.7, -0.9);
  }
  const double t = 0.7;  // atan t
  expect_jet(flexor::atan2(parameter(t), J(1)), std::atan(t), 1 / (1 + t * t),
             -2 * t / std::pow(1 + t * t, 2));
}

TEST(Jet2, select_and_comparisons_look_at_values_only) {
  const J a{1, 9, -9}, b{2, -5, 7}, same{1, -3, 4};
  EXPECT_TRUE(a < b && b > a && a <= same && a >= same && a == same && a != b);
  EXPECT_FALSE(b < a || a > b || b <= a || a >= b || a == b || a != same);
  expect_jet(select(a < b, a, b), 1, 9, -9);
  expect_jet(select(a > b, a, b), 2, -5, 7);
  expect_jet(flexor::min(a, b), 1, 9, -9);
  expect_jet(flexor::max(a, b), 2, -5, 7);
  expect_jet(clamp(J{3, 1, 1}, a, b), 2, -5, 7);
  expect_jet(flexor::abs(J{-2, 3, 4}), 2, -3, -4);
  expect_jet(flexor::abs(J{2, 3, 4}), 2, 3, 4);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_jet(select(true, a, J{nan, nan, nan}), 1, 9, -9);
  EXPECT_TRUE(is_finite(a));
  EXPECT_FALSE(is_finite(J{1, nan, 0}));
  EXPECT_FALSE(is_finite(J{1, 0, nan}));
  EXPECT_FALSE(is_finite(flexor::sqrt(parameter(0))));
}

// A curve p(t) = (cos t, sin t, h t): its products and its norm in closed form.
TEST(Jet2, vectors_of_jets_have_dot_and_cross_products) {
  const double h = 0.4;
  for (const double t : {-1.0, 0.3, 2.0}) {
    J s, c;
    sincos(parameter(t), s, c);
    const Vec3<J> p{c, s, parameter(t) * J(h)};
    const double r = std::sqrt(1 + h * h * t * t);
    expect_jet(dot(p, p), r * r, 2 * h * h * t, 2 * h * h);
    expect_jet(flexor::sqrt(dot(p, p)), r, h * h * t / r, h * h / (r * r * r));
    const Vec3<J> q{-s, c,
                    J(h)};  // p', so that (p x p')_z = 1 and (p x p')_x = h (sin t - t cos t)
    const Vec3<J> n = cross(p, q);
    const double st = std::sin(t), ct = std::cos(t);
    expect_jet(n.z, 1, 0, 0);
    expect_jet(n.x, h * (st - t * ct), h * t * st, h * (st + t * ct));
    const Vec3<J> twice = p * J(2) - p;
    expect_jet(twice.y, s.value, s.first, s.second);
  }
}

/// Some function that uses every operation.
template <class Real>
Real mixed(const Real& t) {
  Real s, c;
  sincos(t * Real(1.3) + Real(0.2), s, c);
  const Real r = flexor::sqrt(Real(2) + s * c + t * t);
  return flexor::atan2(s + Real(0.3), c * r) / (Real(3) + r) - flexor::abs(t - Real(9)) * c;
}

TEST(Jet2, derivatives_are_those_of_central_differences) {
  for (double t = -2; t <= 2; t += 0.37) {
    const J a = mixed(parameter(t));
    const double low = mixed(t - kStep), mid = mixed(t), high = mixed(t + kStep);
    EXPECT_TRUE(same_bits(a.value, mid)) << t;
    EXPECT_NEAR(a.first, (high - low) / (2 * kStep), kDifference) << t;
    EXPECT_NEAR(a.second, (high - 2 * mid + low) / (kStep * kStep), kDifference) << t;
  }
}

// Point a moves in the plane of a circle of radius r: rho = |p|, psi its angle, t the tangent. The
// part of the length that depends on a is t - r atan2(t, r) - r sigma psi, and
//   s'' = t/rho rho'' + r^2 rho'^2/(t rho^2) - r sigma psi''
TEST(Jet2, wrap_about_a_circle_has_the_second_derivative_of_its_closed_form) {
  const double r = 0.3, sigma = -1;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int wrapped = 0;
  for (int i = 0; i < 50; ++i) {
    const J x{normal(random), normal(random), normal(random)};
    const J y{normal(random), normal(random), normal(random)};
    const J rho = flexor::sqrt(x * x + y * y), psi = flexor::atan2(y, x);
    if (rho.value < r + 0.05) continue;
    ++wrapped;
    const J t = flexor::sqrt(rho * rho - J(r * r));
    const J s = t - J(r) * flexor::atan2(t, J(r)) - J(r * sigma) * psi;
    const double first = t.value / rho.value * rho.first - r * sigma * psi.first;
    const double second = t.value / rho.value * rho.second +
                          r * r * rho.first * rho.first / (t.value * rho.value * rho.value) -
                          r * sigma * psi.second;
    const double scale = 1 + std::abs(rho.second) + rho.first * rho.first / t.value;
    EXPECT_NEAR(s.first, first, kClosedForm * scale);
    EXPECT_NEAR(s.second, second, 10 * kClosedForm * scale);
    // rho and psi themselves, in polar coordinates
    const double c = std::cos(psi.value), n = std::sin(psi.value);
    EXPECT_NEAR(rho.first, c * x.first + n * y.first, kClosedForm);
    EXPECT_NEAR(rho.second - rho.value * psi.first * psi.first, c * x.second + n * y.second,
                kClosedForm * (1 + std::abs(rho.second)) * 10);
  }
  EXPECT_GT(wrapped, 30);
}

template <class Real>
class JetsOfLanes : public ::testing::Test {};
TYPED_TEST_SUITE(JetsOfLanes, LaneTypes);

TYPED_TEST(JetsOfLanes, equal_those_of_scalars_bit_for_bit) {
  using R = TypeParam;
  using S = Scalar<R>;
  constexpr int n = Lanes<R>::count;
  S in[n], value[n], first[n], second[n];
  for (int i = 0; i < n; ++i) in[i] = S(-1.5) + S(i) * S(0.7);
  const Jet2<R> a = mixed(Jet2<R>(load(in, R()), R(1), R(0)));
  store(value, a.value);
  store(first, a.first);
  store(second, a.second);
  for (int i = 0; i < n; ++i) {
    const auto b = mixed(Jet2<S>(in[i], S(1), S(0)));
    EXPECT_TRUE(same_bits(value[i], b.value));
    EXPECT_TRUE(same_bits(first[i], b.first));
    EXPECT_TRUE(same_bits(second[i], b.second));
  }
  EXPECT_TRUE(all(Jet2<R>(1) < Jet2<R>(2)));
  EXPECT_EQ(sizeof(Jet2<R>), 3 * sizeof(R));
}

}  // namespace
}  // namespace flexor::tests
