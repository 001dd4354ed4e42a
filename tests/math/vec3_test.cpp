// Vectors and matrices against Eigen.

#include "flexor/math/vec3.hpp"

#include "gtest/gtest.h"
#include "math/random_geometry.hpp"

namespace flexor::tests {
namespace {

constexpr double kRounding = 1e-14;
constexpr int kTrials = 50;

TEST(Vec3, sums_and_products_are_those_of_Eigen) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto a = g.vector(), b = g.vector();
    const double s = g.number();
    EXPECT_TRUE(eigen(a + b) == eigen(a) + eigen(b));
    EXPECT_TRUE(eigen(a - b) == eigen(a) - eigen(b));
    EXPECT_TRUE(eigen(-a) == -eigen(a));
    EXPECT_TRUE(eigen(a * s) == eigen(a) * s);
    EXPECT_NEAR(dot(a, b), eigen(a).dot(eigen(b)), kRounding);
    EXPECT_LE((eigen(cross(a, b)) - eigen(a).cross(eigen(b))).norm(), kRounding);
  }
}

TEST(Mat3, columns_times_a_vector_and_a_matrix_are_those_of_Eigen) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto A = g.matrix(), B = g.matrix();
    const auto v = g.vector();
    EXPECT_LE((eigen(A * v) - eigen(A) * eigen(v)).norm(), kRounding);
    EXPECT_LE((eigen(transposed_times(A, v)) - eigen(A).transpose() * eigen(v)).norm(), kRounding);
    EXPECT_LE((eigen(A * B) - eigen(A) * eigen(B)).norm(), kRounding);
  }
  EXPECT_TRUE(eigen(identity3<double>()) == EMatrix::Identity());
}

TEST(Vec3, default_is_zero) { EXPECT_TRUE(eigen(Vec3<double>{}) == EVector::Zero()); }

}  // namespace
}  // namespace flexor::tests
