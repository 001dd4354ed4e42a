// Quaternions against Eigen: products, rotation matrices and their inverse, exponential map.

#include "flexor/math/quaternion.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "gtest/gtest.h"
#include "math/random_geometry.hpp"

namespace flexor::tests {
namespace {

constexpr double kRounding = 1e-14;
/// Relative, of rotations whose size is a few roundings away: some epsilon.
constexpr double kTiny = 2e-15, kTinyFloat = 5e-7;
constexpr int kTrials = 200;

void expect_equal(const Quaternion<double>& a, const Eigen::Quaterniond& b, double tolerance) {
  EXPECT_NEAR(a.w, b.w(), tolerance);
  EXPECT_NEAR(a.x, b.x(), tolerance);
  EXPECT_NEAR(a.y, b.y(), tolerance);
  EXPECT_NEAR(a.z, b.z(), tolerance);
}
void expect_equal(const Quaternion<double>& a, const Quaternion<double>& b, double tolerance) {
  expect_equal(a, eigen(b), tolerance);
}

TEST(Quaternion, product_conjugate_and_normalisation_are_those_of_Eigen) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const Quaternion<double> a{g.number(), g.number(), g.number(), g.number()}, b = g.rotation();
    expect_equal(a * b, eigen(a) * eigen(b), kRounding);
    expect_equal(conjugate(a), eigen(a).conjugate(), 0);
    expect_equal(normalized(a), eigen(a).normalized(), kRounding);
  }
  expect_equal(Quaternion<double>{}, Eigen::Quaterniond::Identity(), 0);
}

TEST(Quaternion, matrix_rotates_actively_and_products_compose) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto a = g.rotation(), b = g.rotation();
    EXPECT_LE((eigen(to_matrix(a)) - eigen(a).toRotationMatrix()).norm(), kRounding);
    EXPECT_LE((eigen(to_matrix(a * b)) - eigen(to_matrix(a) * to_matrix(b))).norm(), kRounding);
  }
  // a quarter turn about z takes x to y
  const double h = std::sqrt(0.5);
  EXPECT_LE((eigen(to_matrix(Quaternion<double>{h, 0, 0, h}).x) - EVector(0, 1, 0)).norm(),
            kRounding);
}

// Which of w, x, y, z is largest decides the branch; half turns have w = 0.
TEST(Quaternion, of_a_matrix_inverts_in_all_four_branches) {
  RandomGeometry g;
  for (int branch = 0; branch < 4; ++branch) {
    for (int i = 0; i < kTrials; ++i) {
      double component[4];
      for (double& c : component) c = g.uniform(-0.5, 0.5);
      component[branch] = g.number() < 0 ? -1 : 1;
      const auto q =
          normalized(Quaternion<double>{component[0], component[1], component[2], component[3]});
      const auto back = to_quaternion(to_matrix(q));
      EXPECT_GE(back.w, 0);
      // q and -q are one rotation; the answer is the one with w >= 0
      const auto expected = q.w < 0 ? Quaternion<double>{-q.w, -q.x, -q.y, -q.z} : q;
      expect_equal(back, expected, kRounding);
    }
  }
}

TEST(Quaternion, of_half_turns_and_of_the_identity) {
  expect_equal(to_quaternion(identity3<double>()), Quaternion<double>{}, 0);
  expect_equal(to_quaternion(to_matrix(Quaternion<double>{0, 1, 0, 0})),
               Quaternion<double>{0, 1, 0, 0}, 0);
  expect_equal(to_quaternion(to_matrix(Quaternion<double>{0, 0, 1, 0})),
               Quaternion<double>{0, 0, 1, 0}, 0);
  expect_equal(to_quaternion(to_matrix(Quaternion<double>{0, 0, 0, 1})),
               Quaternion<double>{0, 0, 0, 1}, 0);
}

TEST(Quaternion, exponential_is_the_rotation_by_angle_and_axis) {  // [P-4]
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto axis = g.direction();
    const double angle = g.uniform(0, 6);
    expect_equal(exponential(axis * angle),
                 Eigen::Quaterniond(Eigen::AngleAxisd(angle, eigen(axis))), kRounding);
  }
  expect_equal(exponential(Vec3<double>{}), Quaternion<double>{}, 0);
}

// The series below |f| = 1e-6 and the quotient above it meet without a step, and both keep the
// relative precision of a tiny rotation.   [P-4]
TEST(Quaternion, exponential_keeps_tiny_rotations_on_both_sides_of_its_series) {
  for (const double angle : {1e-300, 1e-150, 1e-20, 1e-9, 0.999999e-6, 1.000001e-6, 1e-5, 1e-3}) {
    const auto q = exponential(Vec3<double>{0, angle, 0});
    const double expected = std::sin(angle / 2);
    EXPECT_NEAR(q.y / expected, 1, kTiny) << angle;
    EXPECT_EQ(q.x, 0);
    EXPECT_EQ(q.z, 0);
    EXPECT_NEAR(q.w, std::cos(angle / 2), kTiny) << angle;
  }
  for (const float angle : {1e-9f, 0.99e-6f, 1.01e-6f, 1e-3f}) {
    const auto q = exponential(Vec3<float>{angle, 0, 0});
    EXPECT_NEAR(q.x / std::sin(angle / 2), 1, kTinyFloat) << angle;
  }
}

TEST(Quaternion, rotation_vector_inverts_the_exponential_up_to_a_half_turn) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto f = g.direction() * g.uniform(0, 3.14159);
    const auto q = exponential(f);
    EXPECT_LE((eigen(rotation_vector(q)) - eigen(f)).norm(), kRounding);
    const Quaternion<double> other{-q.w, -q.x, -q.y, -q.z};  // the same rotation
    EXPECT_LE((eigen(rotation_vector(other)) - eigen(f)).norm(), kRounding);
  }
  for (const double angle : {1e-12, 1.9e-9, 2.1e-9, 1e-7, 1e-6}) {  // about its series
    const Vec3<double> f{0, 0, angle};
    EXPECT_NEAR(rotation_vector(exponential(f)).z / angle, 1, kTiny) << angle;
  }
  EXPECT_TRUE(eigen(rotation_vector(Quaternion<double>{})) == EVector::Zero());
}

TEST(Quaternion, rotation_vector_is_never_longer_than_pi) {
  const double pi = 3.14159265358979323846;
  EXPECT_NEAR(rotation_vector(Quaternion<double>{0, 1, 0, 0}).x, pi, kRounding);
  // 3/2 pi about x is a quarter turn back
  EXPECT_NEAR(rotation_vector(exponential(Vec3<double>{1.5 * pi, 0, 0})).x, -pi / 2, kRounding);
}

}  // namespace
}  // namespace flexor::tests
