// The routing cases of straight paths, guides, pulleys and joint terms
//

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "flexor/core/status.hpp"
#include "reference/route.hpp"
#include "support/random_model.hpp"
#include "support/scenes.hpp"

namespace flexor::reference {
namespace {

using namespace scenes;

constexpr double kPi = std::numbers::pi;
constexpr double kPrinted7 = 5e-8;  ///< half a unit of the seventh decimal
constexpr double kPrinted9 = 1e-9;

TendonRoute route(const Description& scene, const VectorXd& q, const VectorXd& v, int tendon = 0) {
  const Layout layout(scene);
  return route_tendon(scene, layout, kinematics(scene, layout, q, v), q, v, tendon);
}
TendonRoute route(const Description& scene, int tendon = 0) {
  const Layout layout(scene);
  return route(scene, reference_pose(scene, layout), VectorXd::Zero(layout.nv), tendon);
}

/// Route of a path in a world without bodies.
TendonRoute route_in_world(std::vector<PathElement> path) {
  Description scene = empty_scene();
  add_tendon(scene, std::move(path));
  return route(scene);
}
PathElement at(Vec3d pos) { return via(kWorld, pos); }
PathElement world_cylinder(double r, Vec3d centre = {}, Vec3d axis = {0, 0, 1}) {
  return cylinder(kWorld, centre, r, axis);
}
PathElement world_sphere(double r, Vec3d centre = {}) { return sphere(kWorld, centre, r); }
PathElement beside(PathElement guide, Vec3d side) { return with_side(guide, kWorld, side); }

void expect_vector(const Vector3& actual, const Vector3& expected, double tolerance) {
  EXPECT_LT((actual - expected).lpNorm<Eigen::Infinity>(), tolerance)
      << actual.transpose() << " instead of " << expected.transpose();
}

TEST(StraightPath, Case1LengthAndGradient) {
  const TendonRoute r = route_in_world({at({0, 0, 0}), at({3, 4, 12})});
  EXPECT_NEAR(r.length, 13, 1e-12);
  expect_vector(r.points[1].gradient, Vector3(3, 4, 12) / 13, 1e-12);
  EXPECT_EQ(r.status, 0);
}

TEST(StraightPath, Case2ForcesOfViaPoints) {
  const TendonRoute r =
      route_in_world({at({0, 0, 0}), at({0, 1, 0}), at({0, 1, 2}), at({-4, 1, 2}), at({-4, 0, 0})});
  EXPECT_NEAR(r.length, 7 + std::sqrt(5.0), kPrinted9);
  const double s = 1 / std::sqrt(5.0);
  const Vector3 expected[] = {{0, 1, 0}, {0, -1, 1}, {-1, 0, -1}, {1, -s, -2 * s}, {0, s, 2 * s}};
  for (int i = 0; i < 5; ++i) expect_vector(-r.points[i].gradient, expected[i], 1e-12);
}

TEST(StraightPath, Case3CollapsedPieceHasNoDirection) {
  Description scene = empty_scene();
  const int body = add_slider(scene, {1, 0, 0}, {1, 2, 3});
  add_tendon(scene, {at({1, 2, 3}), via(body, {}), at({2, 2, 3})});
  const TendonRoute r = route(scene);
  EXPECT_NEAR(r.length, 1, 1e-12);
  EXPECT_EQ(r.points[0].gradient.norm(), 0);
  EXPECT_NEAR(r.jacobian[0], -1, 1e-12);
  EXPECT_EQ(r.status, COLLAPSED);
}

TEST(Branches, Case4DivisorsOfLengthsAndOfAnOpeningPulley) {
  const TendonRoute r =
      route_in_world({at({0, 0, 0}), at({2, 0, 0}), pulley(2), at({0, 1, 0}), at({3, 1, 0})});
  EXPECT_NEAR(r.length, 3.5, 1e-12);
  EXPECT_EQ(r.branch_length, (std::vector<double>{2, 3}));
  EXPECT_EQ(r.branch_divisor, (std::vector<double>{1, 2}));
  const TendonRoute opened = route_in_world(
      {pulley(3), at({0, 0, 0}), at({2, 0, 0}), pulley(2), at({0, 1, 0}), at({3, 1, 0})});
  EXPECT_NEAR(opened.length, 2.0 / 3 + 3.0 / 2, 1e-12);
}

TEST(FixedTendon, Case5RepeatedTermsAdd) {
  Description scene = empty_scene();
  for (int j = 0; j < 3; ++j) add_slider(scene, {1, 0, 0});
  add_fixed_tendon(scene, {joint_term(2, 0.4), joint_term(0, -0.3), joint_term(2, 0.6)});
  const TendonRoute r = route(scene, Vector3(1, 2, 3), Vector3(0, 0, 2));
  EXPECT_EQ(r.jacobian[0], -0.3);
  EXPECT_EQ(r.jacobian[1], 0);
  EXPECT_EQ(r.jacobian[2], 1.0);
  EXPECT_NEAR(r.length, -0.3 + 3, 1e-12);
  EXPECT_NEAR(r.rate, 2, 1e-12);
}

/// Nested bodies with coincident frames `offset` apart, one hinge each.
Description hinge_chain(int count, Vec3d axis, Vec3d offset) {
  Description scene = empty_scene();
  int parent = kWorld;
  for (int i = 0; i < count; ++i) {
    parent = add_body(scene, 1, i == 0 ? Vec3d{} : offset, parent, {}, isotropic_inertia(.1));
    add_joint(scene, parent, JointType::kHinge, axis);
  }
  return scene;
}

TEST(StraightPath, Case6MomentArmsOfAChain) {
  Description scene = hinge_chain(3, {1, 0, 0}, {});
  add_tendon(scene, {via(0, {0, .2, 0}), via(1, {0, .2, .1}), via(2, {0, 0, .2})});
  const TendonRoute rest = route(scene);
  EXPECT_EQ(rest.jacobian[0], 0);
  EXPECT_NEAR(rest.jacobian[1], .2, kPrinted9);
  EXPECT_NEAR(rest.jacobian[2], .178885438, kPrinted9);
  const TendonRoute turned = route(scene, Vector3(.3, .3, .3), Vector3::Zero());
  EXPECT_NEAR(turned.length - rest.length, .110389674501, kPrinted9);
  EXPECT_EQ(turned.jacobian[0], 0);
  EXPECT_NEAR(turned.jacobian[1], .194079981, kPrinted9);
  EXPECT_NEAR(turned.jacobian[2], .160659639, kPrinted9);
}

TEST(StraightPath, Case7And8AndJointTerms) {
  Description scene = hinge_chain(2, {0, 0, 1}, {1, 0, 0});
  add_tendon(scene, {via(0, {.3, 0, 0}), via(1, {.5, 0, 0})});
  add_tendon(scene, {via(0, {.3, 0, 0}), via(1, {.5, 0, 0}), joint_term(1, .7)});
  const VectorXd q = Vector2(0, .5), v = Vector2::Zero();
  const auto displacement = [&](int t) {
    return route(scene, q, v, t).length - route(scene, t).length;
  };
  EXPECT_NEAR(displacement(0), -.036252693527, kPrinted9);
  EXPECT_NEAR(displacement(1), .313747306473, kPrinted9);

  Description other = hinge_chain(3, {1, 0, 0}, {});
  add_tendon(other, {via(0, {0, 0, 0}), via(1, {0, .1, 0}), via(2, {0, 0, .1})});
  const TendonRoute turned = route(other, Vector3(0, .6, -.4), Vector3::Zero());
  EXPECT_NEAR(turned.length - route(other).length, -.030915097800, kPrinted9);
}

TEST(CylinderWrap, Case9ShorterArcInThePlane) {
  const TendonRoute r = route_in_world({at({-.3, .02, 0}), world_cylinder(.1), at({.3, .02, 0})});
  EXPECT_NEAR(r.length, .621595033, kPrinted9);
  expect_vector(r.points.back().gradient, {.9631049, -.2691263, 0}, kPrinted7);
  const GuideWrap& wrap = r.guides[0].wrap;
  expect_vector(wrap.point_a, {-.0269126, .0963105, 0}, 1e-7);
  expect_vector(wrap.point_b, {.0269126, .0963105, 0}, 1e-7);
  EXPECT_EQ(wrap.mode, WrapMode::kExterior);
  EXPECT_EQ(wrap.sense, -1);
  EXPECT_EQ(r.status, 0);
}

TEST(CylinderWrap, Case10Helix) {
  const TendonRoute r =
      route_in_world({at({-.3, .02, -.2}), world_cylinder(.1), at({.3, .02, .25})});
  EXPECT_NEAR(r.length, .767385421, kPrinted9);
  expect_vector(r.points.back().gradient, {.7801311, -.2179968, .5864068}, kPrinted7);
  const GuideWrap& wrap = r.guides[0].wrap;
  EXPECT_NEAR(wrap.point_a.z(), .0052736, kPrinted7);
  EXPECT_NEAR(wrap.point_b.z(), .0447264, kPrinted7);
  EXPECT_NEAR(wrap.arc_length, .067279052, kPrinted9);
  EXPECT_NEAR(wrap.turn_angle, .441436098, kPrinted9);
}

TEST(CylinderWrap, Case11ExteriorSideChoosesTheLongWay) {
  const TendonRoute r = route_in_world(
      {at({-.3, .02, -.2}), beside(world_cylinder(.1), {0, -.3, 0}), at({.3, .02, .25})});
  EXPECT_NEAR(r.length, .789108451, kPrinted9);
  expect_vector(r.points.back().gradient, {.7548058, .3241409, .5702638}, kPrinted7);
}

TEST(CylinderWrap, Case12ReleasesWhenTheSegmentHasReachedTheSide) {
  const TendonRoute r =
      route_in_world({at({-.3, .15, 0}), beside(world_cylinder(.1), {0, .3, 0}), at({.3, .15, 0})});
  EXPECT_NEAR(r.length, .6, kPrinted9);
  EXPECT_EQ(r.guides[0].wrap.mode, WrapMode::kStraight);
  expect_vector(r.guides[0].wrap.point_a, {0, .15, 0}, 1e-12);
  EXPECT_NEAR(r.guides[0].wrap.clearance, .05, 1e-12);
}

TEST(SphereWrap, Case13PlaneThroughTheCentre) {
  for (const bool has_side : {false, true}) {
    PathElement guide = world_sphere(.1);
    if (has_side) guide = beside(guide, {0, .2, .1});
    const TendonRoute r = route_in_world({at({-.3, .02, .05}), guide, at({.3, .01, -.02})});
    EXPECT_NEAR(r.length, .625001636, kPrinted9);
    expect_vector(r.points.back().gradient, {.9327317, -.2040241, -.2972973}, kPrinted7);
    expect_vector(r.guides[0].wrap.point_a, {-.0169903, .0688279, .0705269}, kPrinted7);
  }
}

TEST(InteriorGuide, Case14BendsOnceInsideTheCylinder) {
  const TendonRoute r = route_in_world(
      {at({-.2, -.12, -.1}), beside(world_cylinder(.1), {0, 0, 0}), at({.25, -.15, .2})});
  EXPECT_NEAR(r.length, .545764396, kPrinted9);
  const GuideWrap& wrap = r.guides[0].wrap;
  EXPECT_EQ(wrap.mode, WrapMode::kInterior);
  expect_vector(wrap.point_a, {-.0045884, -.0998947, .0292630}, kPrinted7);
  expect_vector(r.points.back().gradient, {.8196470, -.1613140, .5496877}, kPrinted7);
  EXPECT_NEAR(wrap.radius_gradient, -.2470717, kPrinted7);
}

TEST(InteriorGuide, Case15DistanceFromTheAxisDecides) {
  const TendonRoute r =
      route_in_world({at({-.3, .2, 0}), beside(world_cylinder(.1), {0, 0, .11}), at({.3, .2, 0})});
  EXPECT_NEAR(r.length, .632455532, kPrinted9);
  expect_vector(r.guides[0].wrap.point_a, {0, .1, 0}, 1e-9);
}

TEST(InteriorGuide, BendIsTheShortestLineByWayOfTheDisk) {
  const Vector2 a(-.2, -.12), b(.25, -.15);
  const CircleBend bend = bend_inside(a, b, .1);
  const double best = bend.length_a + bend.length_b;
  EXPECT_NEAR(bend.point.norm(), .1, 1e-15);
  for (int i = 0; i < 1000; ++i) {
    const Vector2 z = .1 * Vector2(std::cos(i * kPi / 500), std::sin(i * kPi / 500));
    EXPECT_GE((a - z).norm() + (z - b).norm(), best - 1e-15);
  }
}

TEST(CylinderWrap, Case16TangentPointsBothWays) {
  const Vector3 A(.0505759009075, .9987202202055, 0), B(0, 1, 0);
  const TendonRoute r = route_in_world({at({2, .9, 0}), world_cylinder(1), at({-2, 1, 0})});
  expect_vector(r.guides[0].wrap.point_a, A, 1e-9);
  expect_vector(r.guides[0].wrap.point_b, B, 1e-9);
  EXPECT_NEAR(r.guides[0].wrap.arc_angle, .0505974872969, 1e-9);
  const TendonRoute back = route_in_world({at({-2, 1, 0}), world_cylinder(1), at({2, .9, 0})});
  expect_vector(back.guides[0].wrap.point_a, B, 1e-9);
  expect_vector(back.guides[0].wrap.point_b, A, 1e-9);
  EXPECT_NEAR(back.length, r.length, 1e-14);
}

TEST(RoundGuides, Case17And46LengthsAndArcs) {
  const TendonRoute on_sphere =
      route_in_world({at({-2, .3, .4}), world_sphere(1), at({2.5, -.2, .6})});
  EXPECT_NEAR(on_sphere.length, 4.6489071630, 1e-9);
  EXPECT_NEAR(on_sphere.guides[0].wrap.arc_length, .4691586605, 1e-9);
  const auto on_cylinder = [](Vec3d side) {
    return route_in_world({at({-2, .3, -.8}), beside(world_cylinder(1), side), at({2.5, -.2, .9})});
  };
  EXPECT_NEAR(on_cylinder({0, 3, 0}).length, 5.2017624420, 1e-9);
  EXPECT_NEAR(on_cylinder({0, 3, 0}).guides[0].wrap.arc_length, .9081578648, 1e-9);
  EXPECT_NEAR(on_cylinder({0, -3, 0}).length, 5.3324891534, 1e-9);
  EXPECT_NEAR(on_cylinder({0, -3, 0}).guides[0].wrap.arc_angle, .996410170, 1e-9);
}

TEST(CylinderWrap, Case18HalfTurnAndPulley) {
  Description scene = empty_scene();
  const int guide_body = add_slider(scene, {0, 0, 1});
  const int masses[] = {add_point_mass(scene, {-.5, 0, 1}), add_point_mass(scene, {.5, 0, 1}),
                        add_point_mass(scene, {3, 0, 1})};
  add_tendon(scene,
             {via(masses[0], {}),
              with_side(cylinder(guide_body, {0, 0, 2}, .5, {0, 1, 0}), guide_body, {0, 0, 3}),
              via(masses[1], {}), pulley(2), at({3, 0, 3}), via(masses[2], {})});
  const TendonRoute r = route(scene);
  EXPECT_NEAR(r.guides[0].wrap.arc_angle, kPi, 1e-12);
  EXPECT_NEAR(r.length, 3 + kPi / 2, 1e-12);
  EXPECT_NEAR(r.jacobian[0], 2, 1e-12);
  EXPECT_NEAR(r.jacobian[3], -1, 1e-12);
  EXPECT_NEAR(r.jacobian[6], -1, 1e-12);
  EXPECT_NEAR(r.jacobian[9], -.5, 1e-12);
}

TEST(CylinderWrap, Case19PulleyScene) {
  const TendonRoute r = route_in_world(
      {at({-.48, 0, 1.47}), beside(world_cylinder(.49, {0, 0, 2.65}, {0, 1, 0}), {0, 0, 3.4}),
       at({.48, 0, 1.77})});
  EXPECT_NEAR(r.length, 3.599479759, kPrinted9);
  EXPECT_NEAR(r.guides[0].wrap.arc_angle * 180 / kPi, 181.1395, 5e-5);
}

Vec3d turned(const Matrix3& R, const Vec3d& x) {
  const Vector3 y = R * to_eigen(x);
  return {y.x(), y.y(), y.z()};
}

TEST(RoundGuides, Case20LengthIsLinearInTheAngle) {
  for (const bool is_sphere : {false, true}) {
    for (int k = 0; k < 3; ++k) {
      const Matrix3 R = exponential(Vector3(.3, -.7, .4) * k).toRotationMatrix();
      for (int i = 0; i <= 18; ++i) {
        const double q = i * kPi / 36;
        const Vec3d b{-.5 * std::cos(q) - .5 * std::sin(q), -.5 * std::sin(q) + .5 * std::cos(q),
                      0};
        PathElement guide =
            is_sphere ? world_sphere(.5) : world_cylinder(.5, {}, turned(R, {0, 0, 1}));
        guide = beside(guide, turned(R, {0, 2, 0}));
        const TendonRoute r = route_in_world({at(turned(R, {.4, .5, 0})), guide, at(turned(R, b))});
        EXPECT_NEAR(r.length, .9 + .5 * q, 1e-12);
        const Vector3 spin = (R * Vector3::UnitZ()).cross(R * to_eigen(b));  // db/dq
        EXPECT_NEAR(r.points.back().gradient.dot(spin), .5, 1e-12);
      }
    }
  }
}

TEST(SphereWrap, Case21ShortAndLongWay) {
  const double x = std::tan(kPi / 8);
  const TendonRoute near = route_in_world({at({x, 1, 0}), world_sphere(1), at({x, -1, 0})});
  EXPECT_NEAR(near.length, 2.399223452, kPrinted9);
  const double s = std::sqrt(.5);
  expect_vector(near.guides[0].wrap.point_a, {s, s, 0}, 1e-9);
  expect_vector(near.guides[0].wrap.point_b, {s, -s, 0}, 1e-9);
  EXPECT_EQ(near.status, 0);
  const TendonRoute far =
      route_in_world({at({x, 1, 0}), beside(world_sphere(1), {-3, 0, 0}), at({x, -1, 0})});
  EXPECT_NEAR(far.length, 3.970019778, kPrinted9);
  EXPECT_EQ(far.status, NOT_MINIMUM);
}

TEST(SphereWrap, Case22PlaneFromTheSideSiteOrTheFrame) {
  const TendonRoute with =
      route_in_world({at({-.3, 0, 0}), beside(world_sphere(.1), {0, 0, .2}), at({.3, 0, 0})});
  EXPECT_NEAR(with.length, .633652807, kPrinted9);
  expect_vector(with.guides[0].wrap.point_a, {-.0333333, 0, .0942809}, kPrinted7);
  EXPECT_EQ(with.status, PLANE_DEGENERATE);
  const TendonRoute without = route_in_world({at({-.3, 0, 0}), world_sphere(.1), at({.3, 0, 0})});
  EXPECT_NEAR(without.length, .633652807, kPrinted9);
  expect_vector(without.guides[0].wrap.point_a, {-.0333333, .0942809, 0}, kPrinted7);
  EXPECT_EQ(without.status, PLANE_DEGENERATE | SIDE_AMBIGUOUS);
}

TEST(SphereWrap, Case23ForceAndMomentOnTheSphere) {
  const double s = std::sqrt(2.0);
  for (const double frame : {0.0, -1.0}) {  // where the sphere's body frame stands along x
    Description scene = empty_scene();
    const int body = add_body(scene, 1, {frame, 0, 0}, kWorld, {}, isotropic_inertia(.1));
    add_joint(scene, body, JointType::kFree);
    const PathElement guide = with_side(sphere(body, {-frame, 0, 0}, .1), body, {-frame, -.2, 0});
    add_tendon(scene, {at({-.3 * s, .2 * s, 0}), guide, at({.3 * s, .2 * s, 0})});
    const Layout layout(scene);
    VectorXd v = VectorXd::Zero(6);
    v[1] = 4;
    const TendonRoute r = route(scene, reference_pose(scene, layout), v);
    EXPECT_NEAR(r.length, 1 + .05 * kPi, 1e-12);
    EXPECT_NEAR(r.rate, -4 * s, 1e-12);
    expect_vector(-r.jacobian.head<3>(), {0, s, 0}, 1e-12);  // force at tension 1
    expect_vector(-r.jacobian.tail<3>(), {0, 0, -frame * s}, 1e-12);
  }
}

TEST(SphereWrap, Case24EngagesExactlyWhenTheSegmentCuts) {
  const auto at_height = [](double y) {
    return route_in_world({at({-2, y, 0}), world_sphere(1.5, {0, -1.5, 0}), at({2, y, 0})});
  };
  int engaged = 0;
  for (int i = 0; i <= 628; ++i) {
    const double y = .1 * std::sin(.01 + .02 * i);
    const TendonRoute r = at_height(y);
    EXPECT_EQ(r.guides[0].wrap.is_engaged(), y < 0) << y;
    if (y >= 0) {
      EXPECT_EQ(r.length, 4);
    }
    engaged += r.guides[0].wrap.is_engaged();
  }
  EXPECT_GT(engaged, 200);
  EXPECT_NEAR(at_height(-.1).length, 4.005061033, kPrinted9);
  EXPECT_NEAR(at_height(-.02).length, 4.000200498, kPrinted9);
}

TEST(CircleWrap, Case25AnArcNearZeroNeverBecomesAFullTurn) {
  // a touches the tangent at angle 0, b the tangent at the angle `arc`: the length is
  // t_a + r arc + t_b, in both directions, whatever the last bits of the points are.
  std::mt19937 random(5);
  const auto nudge = [&](double x) {
    const int bits = static_cast<int>(random() % 3) - 1;
    return bits == 0 ? x : std::nextafter(x, bits * kInfinity);
  };
  const double r = 1;
  for (const double arc : {0.0, 1e-17, 1e-12, 1e-9, 1e-6}) {
    // counter-clockwise: a below the contact at angle 0, b beyond the contact at `arc`
    const Vector2 a(r, -1);
    const Vector2 b =
        Vector2(r * std::cos(arc), r * std::sin(arc)) + Vector2(-std::sin(arc), std::cos(arc));
    for (int i = 0; i < 20000; ++i) {
      const Vector2 p(nudge(a.x()), nudge(a.y())), q(nudge(b.x()), nudge(b.y()));
      for (const bool is_reversed : {false, true}) {
        const Vector2 from = is_reversed ? q : p, to = is_reversed ? p : q;
        const CircleWrap wrap = wrap_circle(from, to, r, is_reversed ? -1 : 1);
        EXPECT_LT(std::abs(wrap.length - (2 + r * arc)), 1e-12);
        // Without a side the rules choose between this and the straight segment.
        const CircleRoute chosen = route_exterior(from, to, r, {});
        const double length = chosen.is_wrapped ? chosen.wrap.length : (to - from).norm();
        EXPECT_LT(std::abs(length - (2 + r * arc)), 1e-12);
      }
    }
  }
}

/// The arm of case 26: shoulder at 0, elbow half a metre along x, six tendons over two cylinders.
Description case_26() {
  Description scene = empty_scene();
  const int upper = add_body(scene, 1, {}, kWorld, {}, isotropic_inertia(.1));
  add_joint(scene, upper, JointType::kHinge);
  const int fore = add_body(scene, 1, {.5, 0, 0}, upper, {}, isotropic_inertia(.1));
  add_joint(scene, fore, JointType::kHinge);
  const PathElement S = cylinder(kWorld, {}, .1), E = cylinder(upper, {.5, 0, 0}, .08);
  const PathElement s0 = at({-.15, 0, 0}), s1 = via(upper, {.15, .06, 0}),
                    s2 = via(upper, {.15, -.06, 0}), s3 = via(upper, {.4, .06, 0}),
                    s4 = via(upper, {.4, -.06, 0}), s5 = via(upper, {.25, .1, 0}),
                    s6 = via(upper, {.25, -.1, 0}), s7 = via(fore, {.11, .05, 0}),
                    s8 = via(fore, {.11, -.05, 0});
  const PathElement S_x0 = with_side(S, kWorld, {0, -.15, 0});
  const PathElement E_x1 = with_side(E, upper, {.5, -.15, 0});
  add_tendon(scene, {s0, S, s1});
  add_tendon(scene, {s0, S_x0, s2});
  add_tendon(scene, {s3, E, s7});
  add_tendon(scene, {s4, E_x1, s8});
  add_tendon(scene, {s0, S, s5, E, s7});
  add_tendon(scene, {s0, S_x0, s6, E_x1, s8});
  return scene;
}

TEST(Arm, Case26SixWrappedTendonsInThreePoses) {
  const Description scene = case_26();
  const Vector2 poses[] = {{0, 0}, {.5, .8}, {1, 1.5}};
  const double expected[3][6] = {
      {.34035620, .34035620, .21640823, .21640823, .79987965, .79987965},
      {.29035620, .39035620, .15068061, .28040823, .67587076, .91387965},
      {.24035620, .44035620, .07867599, .33640823, .54041098, 1.01987965}};
  for (int pose = 0; pose < 3; ++pose)
    for (int t = 0; t < 6; ++t)
      EXPECT_NEAR(route(scene, poses[pose], Vector2::Zero(), t).length, expected[pose][t], 1e-8)
          << "pose " << pose << " tendon " << t;
  const TendonRoute bf = route(scene, poses[2], Vector2::Zero(), 4);
  EXPECT_NEAR(bf.jacobian[0], -.119427, 5e-7);
  EXPECT_NEAR(bf.jacobian[1], -.115711, 5e-7);
}

TEST(CylinderWrap, Case44KeepsTheWrapWhileTheSegmentMissesOnTheWrongSide) {
  const TendonRoute r = route_in_world(
      {at({-.3, .15, 0}), beside(world_cylinder(.1), {0, -.3, 0}), at({.3, .15, 0})});
  EXPECT_NEAR(r.length, .793591136, kPrinted9);
  expect_vector(r.points.back().gradient, {.7204166, .6935416, 0}, kPrinted7);
  expect_vector(r.guides[0].wrap.point_a, {-.0693542, -.0720417, 0}, kPrinted7);
  expect_vector(r.guides[0].wrap.point_b, {.0693542, -.0720417, 0}, kPrinted7);
}

TEST(CylinderWrap, Case45) {
  const TendonRoute r = route_in_world({at({2, -2, 0}), world_cylinder(1), at({-2, 2.1, 0})});
  expect_vector(r.guides[0].wrap.point_a, {.9114378277661, .4114378277661, 0}, 1e-9);
  expect_vector(r.guides[0].wrap.point_b, {.4419115561597, .8970586249140, 0}, 1e-9);
  EXPECT_NEAR(r.guides[0].wrap.arc_angle, .6890368140430, 1e-9);
  EXPECT_NEAR(r.length, 6.056919643, kPrinted9);
}

TEST(CylinderWrap, Case48ObliqueAxisAndRadiusGradient) {
  const Matrix3 R = UnitQuaternion(1, .3, -.2, .1).normalized().toRotationMatrix();
  const PathElement guide =
      beside(world_cylinder(.04, {.1, .05, -.02}, turned(R, {0, 0, 1})), {.1, .2, .1});
  const TendonRoute r = route_in_world({at({-.12, .02, .05}), guide, at({.21, .06, -.08})});
  EXPECT_NEAR(r.length, .374975659, kPrinted9);
  expect_vector(r.points.front().gradient, {-.9407199, -.2713845, .2034615}, kPrinted7);
  expect_vector(r.guides[0].wrap.point_a, {.0947388, .0819491, .0035557}, kPrinted7);
  EXPECT_NEAR(r.guides[0].wrap.radius_gradient, .6998038, kPrinted7);
}

TEST(SphereWrap, Case49SmallSphereInAnyOrientation) {
  for (const Vector3& turn : {Vector3(0, 0, 0), Vector3(1, -.5, 2)}) {
    Description scene = empty_scene();
    const UnitQuaternion R = exponential(turn);
    const int body = add_body(scene, 1, {.02, .01, .3});
    scene.bodies[body].quat = {R.w(), R.x(), R.y(), R.z()};
    add_tendon(scene, {at({-.03, .015, .31}), sphere(body, {}, .024), at({.05, .012, .296})});
    const TendonRoute r = route(scene);
    EXPECT_NEAR(r.length, .093196361, kPrinted9);
    EXPECT_NEAR(r.guides[0].wrap.arc_angle, 1.224301773, kPrinted9);
  }
}

TEST(CylinderWrap, Case50Millimetres) {
  const TendonRoute r =
      route_in_world({at({-.01, .0012, .002}), beside(world_cylinder(.001), {0, -.004, 0}),
                      at({.02, .0009, -.004})});
  EXPECT_NEAR(r.length, .030918802226, 1e-12);
  EXPECT_NEAR(r.guides[0].wrap.arc_angle, .313820375, kPrinted9);
}

TEST(SphereWrap, Case59Grazing) {
  const TendonRoute r = route_in_world({at({-.25, .099, 0}), world_sphere(.1), at({.25, .099, 0})});
  EXPECT_NEAR(r.length, .500004002, kPrinted9);
  EXPECT_NEAR(r.guides[0].wrap.arc_angle, .008006367, kPrinted9);
}

TEST(CylinderWrap, Case60SideSiteFarAlongTheAxis) {
  const auto with_side_at = [](Vec3d side) {
    return route_in_world(
        {at({-.25, .05, 0}), beside(world_cylinder(.1), side), at({.13, -.11, .2})});
  };
  for (const Vec3d& side : {Vec3d{.2, .2, 5}, Vec3d{.2, .2, 0}}) {
    EXPECT_NEAR(with_side_at(side).length, .562660416, kPrinted9);
    EXPECT_NEAR(with_side_at(side).guides[0].wrap.arc_angle, 1.535538735, kPrinted9);
  }
  EXPECT_EQ(with_side_at({.1, 0, 7}).guides[0].wrap.mode, WrapMode::kExterior);
}

TEST(CylinderWrap, Case62TwoStepsOfTheSideRule) {
  const auto polar = [](double radius, double degrees) {
    return Vec3d{radius * std::cos(degrees * kPi / 180), radius * std::sin(degrees * kPi / 180), 0};
  };
  const auto length = [&](double beta, double w) {
    return route_in_world(
               {at({.2, 0, 0}), beside(world_cylinder(.1), polar(.3, w)), at(polar(.25, beta))})
        .length;
  };
  EXPECT_NEAR(length(150, 164), .443485550, kPrinted9);
  EXPECT_NEAR(length(150, 166), .548205305, kPrinted9);
  for (const double w : {-75, -86, 100}) EXPECT_NEAR(length(40, w), .160920961, kPrinted9) << w;
  for (const double w : {-88, 112}) EXPECT_NEAR(length(40, w), .740191523, kPrinted9) << w;
}

TEST(CylinderWrap, Case47PinThatLiftsOff) {
  Description scene = empty_scene();
  const int body = add_body(scene, 1, {}, kWorld, {}, isotropic_inertia(.1));
  add_joint(scene, body, JointType::kHinge, {0, 0, -1});  // positive = clockwise
  add_tendon(scene, {at({.5, 0, 0}), with_side(world_cylinder(.2), kWorld, {0, 1, 0}),
                     via(body, {-.5, 0, 0})});
  const auto turned_by = [&](double q) {
    return route(scene, VectorXd::Constant(1, q), VectorXd::Zero(1));
  };
  EXPECT_NEAR(turned_by(0).jacobian[0], -.2, 1e-12);
  const TendonRoute lifted = turned_by(kPi / 2);
  EXPECT_EQ(lifted.guides[0].wrap.mode, WrapMode::kStraight);
  EXPECT_NEAR(lifted.length, .7071067812, kPrinted9);
  EXPECT_NEAR(lifted.jacobian[0], -.3535533906, kPrinted9);
  const TendonRoute closed = turned_by(kPi);
  EXPECT_NEAR(closed.length, 0, 1e-15);
  EXPECT_TRUE(closed.status & COLLAPSED);
  EXPECT_EQ(closed.jacobian[0], 0);
}

TEST(CylinderWrap, Case57EndsOnOneRay) {
  const auto length = [](double y, std::optional<Vec3d> side) {
    PathElement guide = world_cylinder(.1);
    if (side) guide = beside(guide, *side);
    return route_in_world({at({.2, 0, 0}), guide, at({.4, y, 0})}).length;
  };
  EXPECT_NEAR(length(0, {}), .2, 1e-12);
  EXPECT_NEAR(length(0, Vec3d{.3, 0, 0}), .2, 1e-12);
  for (const double y : {0.0, 1e-9, -1e-9})
    EXPECT_NEAR(length(y, Vec3d{-.3, 0, 0}), .952290584, y == 0 ? kPrinted9 : 1e-8);
}

TEST(StraightPath, Case61FourTendonsOnAFreeBody) {
  Description scene = empty_scene();
  const int body = add_body(scene, 1, {0, 0, 2}, kWorld, {}, isotropic_inertia(.1));
  add_joint(scene, body, JointType::kFree);
  VectorXd sum = VectorXd::Zero(6);
  for (const double x : {-1, 1})
    for (const double y : {-1, 1})
      add_tendon(scene, {at({2 * x, 2 * y, 4}), via(body, {.2 * x, .2 * y, 0})});
  for (int t = 0; t < 4; ++t) {
    const TendonRoute r = route(scene, t);
    EXPECT_NEAR(r.length, 3.237282811, kPrinted9);
    sum += r.jacobian;
  }
  EXPECT_NEAR(sum[2], -2.471208253, kPrinted9);
  sum[2] = 0;
  EXPECT_NEAR(sum.norm(), 0, 1e-12);
}

TEST(CylinderWrap, EndpointOnOrInsideTheGuideIsStraight) {
  for (const double rho : {.1, .0999, .05, 0.0}) {
    const TendonRoute r =
        route_in_world({at({-rho, 0, 0}), beside(world_cylinder(.1), {0, 1, 0}), at({.3, .02, 0})});
    EXPECT_NEAR(r.length, std::hypot(.3 + rho, .02), 1e-12);
    EXPECT_EQ(r.status, ENDPOINT_INSIDE);
  }
}

TEST(CylinderWrap, ContactBeyondTheHalfLengthIsFlagged) {
  PathElement guide = world_cylinder(.1);
  for (const double half_length : {.05, .04}) {
    guide.half_length = half_length;  // z_B of case 10 is .0447
    const TendonRoute r = route_in_world({at({-.3, .02, -.2}), guide, at({.3, .02, .25})});
    EXPECT_EQ(r.status, half_length < .0447 ? OFF_END : 0);
  }
}

// --- random models

class RandomRoutes : public ::testing::TestWithParam<int> {
 protected:
  RandomRoutes() : model(support::random_model(GetParam() + 1000)), layout(model) {
    const support::State state = support::random_state(model, GetParam() + 1000);
    q = Eigen::Map<const VectorXd>(state.qpos.data(), state.qpos.size());
    v = Eigen::Map<const VectorXd>(state.qvel.data(), state.qvel.size());
  }

  /// q moved by h along one velocity coordinate.
  VectorXd moved(int dof, double h) const {
    VectorXd next = q;
    const int j = layout.dof_joint[dof], i = layout.joint_qpos[j], k = layout.joint_qvel[j];
    const JointType type = model.joints[j].type;
    const int component = dof - k;
    const bool turns = type == JointType::kBall || (type == JointType::kFree && component >= 3);
    if (!turns) {
      next[i + component] += h;
      return next;
    }
    const int at = type == JointType::kBall ? i : i + 3;
    const UnitQuaternion step = exponential(h * Vector3::Unit(component % 3));
    store_quaternion(next, at, quaternion_at(q, at) * step);
    return next;
  }

  TendonRoute at(const VectorXd& where, int t) const {
    return route_tendon(model, layout, kinematics(model, layout, where, v), where, v, t);
  }

  Description model;
  Layout layout;
  VectorXd q, v;
};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomRoutes, ::testing::Range(0, 200));

TEST_P(RandomRoutes, Case39JacobianIsTheDifferenceOfTheLength) {
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const TendonRoute now = at(q, t);
    for (int k = 0; k < layout.nv; ++k) {
      bool is_same_route = true;  // a difference across a change of mode says nothing
      const auto difference = [&](double step) {
        const TendonRoute before = at(moved(k, -step), t), after = at(moved(k, step), t);
        for (std::size_t g = 0; g < now.guides.size(); ++g)
          is_same_route = is_same_route &&
                          before.guides[g].wrap.mode == after.guides[g].wrap.mode &&
                          before.guides[g].wrap.sense == after.guides[g].wrap.sense;
        return (after.length - before.length) / (2 * step);
      };
      // Two steps cancel the third derivative, which is large near a guide's surface.
      const double coarse = difference(4e-6), fine = difference(2e-6);
      if (!is_same_route) continue;
      EXPECT_NEAR(now.jacobian[k], (4 * fine - coarse) / 3, 1e-8) << "tendon " << t << " dof " << k;
    }
  }
}

TEST_P(RandomRoutes, Case39RateIsTheSumOverAllPoints) {
  const Kinematics kin = kinematics(model, layout, q, v);
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const TendonRoute r = at(q, t);
    double rate = 0;
    for (const PointGradient& point : r.points)
      rate += point.gradient.dot(kin.point_velocity(point.body, point.point));
    for (const JointGradient& joint : r.joints) rate += joint.gradient * v[joint.dof];
    EXPECT_NEAR(r.rate, rate, 1e-12 * (1 + std::abs(rate)));
  }
}

TEST_P(RandomRoutes, Case39CurvatureIsTheSecondDifferenceOfTheLength) {
  // Every joint keeps its velocity: q moves along v, quaternions turn in the body frame.
  const double step = 1e-4;
  const auto along = [&](double h) {
    VectorXd next = q;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const int i = layout.joint_qpos[j], k = layout.joint_qvel[j];
      const auto turn = [&](int where, int rate) {
        store_quaternion(next, where,
                         quaternion_at(q, where) * exponential(h * v.segment<3>(rate)));
      };
      switch (model.joints[j].type) {
        case JointType::kFree:
          next.segment<3>(i) += h * v.segment<3>(k);
          turn(i + 3, k + 3);
          break;
        case JointType::kBall:
          turn(i, k);
          break;
        default:
          next[i] += h * v[k];
      }
    }
    return next;
  };
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const TendonRoute now = at(q, t);
    bool is_straight = true;
    for (const GuideResult& guide : now.guides) is_straight &= !guide.wrap.is_engaged();
    if (!is_straight || now.status != 0) continue;
    const double difference =
        (at(along(step), t).length - 2 * now.length + at(along(-step), t).length) / (step * step);
    EXPECT_NEAR(now.curvature, difference, 1e-5 * (1 + std::abs(difference))) << t;
  }
}

TEST_P(RandomRoutes, Case40ForcesOfAPathBalance) {
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
    for (const PointGradient& point : at(q, t).points) {
      force += point.gradient;
      moment += point.point.cross(point.gradient);
    }
    EXPECT_LT(force.norm(), 1e-14);
    EXPECT_LT(moment.norm(), 1e-14 * 20);  // points lie up to metres away
  }
}

TEST_P(RandomRoutes, Case40ReversedPathHasTheSameLengthAndJacobian) {
  Description reversed = model;
  for (TendonDescription& tendon : reversed.tendons) {
    // A pulley's divisor belongs to the branch behind it; only paths without one read the same.
    std::reverse(tendon.path.begin(), tendon.path.end());
  }
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    bool has_pulley = false;
    for (const PathElement& element : model.tendons[t].path)
      has_pulley |= element.type == ElementType::kPulley;
    if (has_pulley) continue;
    const TendonRoute forward = at(q, t);
    const TendonRoute back =
        route_tendon(reversed, layout, kinematics(reversed, layout, q, v), q, v, t);
    EXPECT_NEAR(forward.length, back.length, 1e-12 * (1 + forward.length));
    EXPECT_LT((forward.jacobian - back.jacobian).norm(), 1e-12 * (1 + forward.jacobian.norm()));
  }
}

/// The same path in a moved and scaled world.
std::vector<PathElement> transformed(std::vector<PathElement> path, const Matrix3& R,
                                     const Vector3& p, double scale) {
  const auto move = [&](const Vec3d& x) {
    const Vector3 y = scale * (R * to_eigen(x) + p);
    return Vec3d{y.x(), y.y(), y.z()};
  };
  for (PathElement& element : path) {
    element.pos = move(element.pos);
    element.side_pos = move(element.side_pos);
    element.axis = turned(R, element.axis);
    element.radius *= scale;
  }
  return path;
}

TEST(Invariance, Case40RigidMotionAndScaleLeaveTheShapeAlone) {
  const std::vector<std::vector<PathElement>> paths = {
      {at({-.3, .02, -.2}), beside(world_cylinder(.1), {0, -.3, 0}), at({.3, .02, .25})},
      {at({-.3, .02, .05}), world_sphere(.1), at({.3, .01, -.02})},
      {at({-.2, -.12, -.1}), beside(world_cylinder(.1), {0, 0, 0}), at({.25, -.15, .2})},
      {at({-.3, .02, .05}), beside(world_sphere(.1), {0, -.2, .1}), at({.3, .01, -.02})}};
  for (const std::vector<PathElement>& path : paths) {
    const TendonRoute original = route_in_world(path);
    for (int k = 0; k < 20; ++k) {
      const Matrix3 R =
          exponential(Vector3(std::sin(k), std::cos(2 * k), .3 * k)).toRotationMatrix();
      const Vector3 p(.1 * k, -.2, .05 * k);
      const TendonRoute moved = route_in_world(transformed(path, R, p, 1));
      const TendonRoute small = route_in_world(transformed(path, R, p, 1e-3));
      EXPECT_NEAR(moved.length, original.length, 1e-12);
      EXPECT_NEAR(small.length, 1e-3 * original.length, 1e-15);
      for (std::size_t i = 0; i < original.points.size(); ++i) {
        expect_vector(moved.points[i].gradient, R * original.points[i].gradient, 1e-12);
        expect_vector(small.points[i].gradient, R * original.points[i].gradient, 1e-12);
      }
    }
  }
}

TEST(Invariance, PathOnOneBodyMovesNothing) {
  Description scene = empty_scene();
  const int body = add_body(scene, 1, {}, kWorld, {}, isotropic_inertia(.1));
  add_joint(scene, body, JointType::kFree);
  add_tendon(scene,
             {via(body, {-.3, .02, -.2}), cylinder(body, {}, .1), via(body, {.3, .02, .25})});
  const Layout layout(scene);
  const TendonRoute r = route(scene, reference_pose(scene, layout), VectorXd::Ones(6));
  EXPECT_NEAR(r.length, .767385421, kPrinted9);
  EXPECT_EQ(r.jacobian.norm(), 0);
  EXPECT_EQ(r.rate, 0);
}

}  // namespace
}  // namespace flexor::reference
