// Spatial vectors: cross products and their duality, inertia against explicit matrices.

#include "flexor/math/spatial.hpp"

#include <Eigen/Geometry>

#include "gtest/gtest.h"
#include "math/random_geometry.hpp"

namespace flexor::tests {
namespace {

constexpr double kRounding = 1e-13;
constexpr int kTrials = 50;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

EMatrix skew(const EVector& v) {
  EMatrix m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}
Vector6 eigen6(const Motion<double>& m) {
  return (Vector6() << eigen(m.angular), eigen(m.linear)).finished();
}
Vector6 eigen6(const Force<double>& f) {
  return (Vector6() << eigen(f.moment), eigen(f.force)).finished();
}
/// Matrix of the cross product of motions with a.
Matrix6 motion_cross(const Motion<double>& a) {
  Matrix6 m = Matrix6::Zero();
  m.topLeftCorner<3, 3>() = m.bottomRightCorner<3, 3>() = skew(eigen(a.angular));
  m.bottomLeftCorner<3, 3>() = skew(eigen(a.linear));
  return m;
}
Motion<double> motion(RandomGeometry& g) { return {g.vector(), g.vector()}; }
Force<double> force(RandomGeometry& g) { return {g.vector(), g.vector()}; }

TEST(Spatial, sums_scale_and_power) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto a = motion(g), b = motion(g);
    const auto f = force(g), h = force(g);
    const double s = g.number();
    EXPECT_TRUE(eigen6(a + b) == eigen6(a) + eigen6(b));
    EXPECT_TRUE(eigen6(f + h) == eigen6(f) + eigen6(h));
    EXPECT_TRUE(eigen6(a * s) == eigen6(a) * s);
    EXPECT_NEAR(dot(a, f), eigen6(a).dot(eigen6(f)), kRounding);
  }
}

TEST(Spatial, cross_products_are_those_of_the_6x6_matrices) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto a = motion(g), b = motion(g);
    const auto f = force(g);
    const Matrix6 X = motion_cross(a);
    EXPECT_LE((eigen6(cross(a, b)) - X * eigen6(b)).norm(), kRounding);
    EXPECT_LE((eigen6(cross(a, f)) + X.transpose() * eigen6(f)).norm(), kRounding);
  }
}

// The power of a force on a motion, both fixed in one moving body, does not change.
TEST(Spatial, power_of_body_fixed_vectors_is_invariant) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const auto a = motion(g), b = motion(g);
    const auto f = force(g);
    EXPECT_NEAR(dot(cross(a, b), f) + dot(b, cross(a, f)), 0, kRounding);
    EXPECT_LE(eigen6(cross(a, a)).norm(), kRounding);
  }
}

/// I_O = R i R^T + m (|c|^2 1 - c c^T)
EMatrix second_moment(const EMatrix& R, const EMatrix& i, double m, const EVector& c) {
  return R * i * R.transpose() + m * (c.squaredNorm() * EMatrix::Identity() - c * c.transpose());
}

struct Body {
  Mat3<double> R;
  Vec3<double> c, diagonal, products;
  double m;
  EMatrix central() const {
    EMatrix i;
    i << diagonal.x, products.x, products.y,  //
        products.x, diagonal.y, products.z,   //
        products.y, products.z, diagonal.z;
    return i;
  }
};
Body body(RandomGeometry& g, bool is_diagonal) {
  Body b{to_matrix(g.rotation()),
         g.vector(),
         {g.uniform(1, 2), g.uniform(1, 2), g.uniform(1, 2)},
         {},
         g.uniform(0.1, 3)};
  if (!is_diagonal) b.products = {g.uniform(-0.4, 0.4), g.uniform(-0.4, 0.4), g.uniform(-0.4, 0.4)};
  return b;
}

TEST(Spatial, inertia_about_the_origin_is_that_of_the_3x3_matrices) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const bool is_diagonal = i % 2 == 0;
    const Body b = body(g, is_diagonal);
    const auto I =
        inertia_about_origin(turned_inertia(b.R, b.diagonal, b.products, is_diagonal), b.c, b.m);
    const EMatrix expected = second_moment(eigen(b.R), b.central(), b.m, eigen(b.c));
    EXPECT_EQ(I.mass, b.m);
    EXPECT_LE((eigen(I.first) - b.m * eigen(b.c)).norm(), kRounding);
    EXPECT_NEAR(I.xx, expected(0, 0), kRounding);
    EXPECT_NEAR(I.yy, expected(1, 1), kRounding);
    EXPECT_NEAR(I.zz, expected(2, 2), kRounding);
    EXPECT_NEAR(I.xy, expected(0, 1), kRounding);
    EXPECT_NEAR(I.xz, expected(0, 2), kRounding);
    EXPECT_NEAR(I.yz, expected(1, 2), kRounding);
  }
}

TEST(Spatial, products_are_not_read_when_the_inertia_is_said_to_be_diagonal) {
  RandomGeometry g;
  const Body b = body(g, false);
  const auto with = turned_inertia(b.R, b.diagonal, b.products, true);
  const auto without = turned_inertia(b.R, b.diagonal, {}, true);
  EXPECT_EQ(with.xy, without.xy);
  EXPECT_EQ(with.xx, without.xx);
}

// Momentum of a body: force m v_c, moment about the origin R i R^T w + c x m v_c.
TEST(Spatial, inertia_times_motion_is_the_momentum_of_the_body) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const Body b = body(g, false);
    const auto I =
        inertia_about_origin(turned_inertia(b.R, b.diagonal, b.products, false), b.c, b.m);
    const auto v = motion(g);
    const EVector w = eigen(v.angular), c = eigen(b.c);
    const EVector p = b.m * (eigen(v.linear) + w.cross(c));
    const EVector L = eigen(b.R) * b.central() * eigen(b.R).transpose() * w + c.cross(p);
    const auto h = I * v;
    EXPECT_LE((eigen(h.force) - p).norm(), kRounding);
    EXPECT_LE((eigen(h.moment) - L).norm(), kRounding);
    EXPECT_GT(dot(v, h), 0);  // twice the kinetic energy
  }
}

// I a + v x* I v, computed by the centre.   [P-2]
TEST(Spatial, inertial_force_is_the_rate_of_momentum) {
  RandomGeometry g;
  for (int i = 0; i < kTrials; ++i) {
    const Body b = body(g, false);
    const auto inertia = turned_inertia(b.R, b.diagonal, b.products, false);
    const auto I = inertia_about_origin(inertia, b.c, b.m);
    const auto v = motion(g), a = motion(g);
    const auto expected = I * a + cross(v, I * v);
    const auto f = inertial_force(inertia, b.c, b.m, v, a);
    EXPECT_LE((eigen(f.force) - eigen(expected.force)).norm(), 10 * kRounding);
    EXPECT_LE((eigen(f.moment) - eigen(expected.moment)).norm(), 10 * kRounding);
  }
}

}  // namespace
}  // namespace flexor::tests
