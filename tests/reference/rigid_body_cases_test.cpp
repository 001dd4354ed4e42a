// Mechanics cases 1 to 14: bodies, joints and their laws.

#include "reference/runner.hpp"

namespace flexor::reference {
namespace {

using namespace scenes;

int add_free_body(Description& scene, double mass, Vec3d com, std::array<double, 6> inertia) {
  const int body = add_body(scene, mass, {}, kWorld, com, inertia);
  add_joint(scene, body, JointType::kFree);
  return body;
}

TEST(FreeBody, Case1FallsBySemiImplicitSteps) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  add_free_body(scene, 1, {}, isotropic_inertia(0.1));
  Trial run(scene);
  run.steps(1000);
  EXPECT_NEAR(run.world.qpos[2], -4.909905, 1e-9);
  EXPECT_NEAR(run.world.qvel[2], -9.81, 1e-9);
  EXPECT_NEAR(run.world.time, 1, 1e-12);
  EXPECT_EQ(run.world.step_count, 1000);
}

TEST(FreeBody, Case2MassCentreOffTheOriginFallsWithoutTurning) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  add_free_body(scene, 2, {0.1, 0, 0}, {0.02, 0.03, 0.04, 0, 0, 0});
  Trial run(scene);
  run.steps(1000);
  EXPECT_NEAR(run.world.qpos[2], -4.909905, 1e-9);
  EXPECT_NEAR(run.world.qvel[2], -9.81, 1e-9);
  EXPECT_NEAR(run.world.qvel.tail<3>().norm(), 0, 1e-9);
}

TEST(BallJoint, Case3TurnsByTheExponential) {
  Description scene = empty_scene();
  const int body = add_body(scene, 1, {}, kWorld, {}, isotropic_inertia(0.2));
  add_joint(scene, body, JointType::kBall);
  Trial run(scene);
  run.world.qvel << 1, 2, 3;
  run.steps(500);
  const UnitQuaternion expected = exponential({0.5, 1, 1.5});
  EXPECT_NEAR(run.world.qpos[0], expected.w(), 1e-10);
  EXPECT_NEAR((run.world.qpos.tail<3>() - expected.vec()).norm(), 0, 1e-10);
}

TEST(Hinge, Case5ArmatureAddsToTheInertiaAboutThePin) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  const int body = add_body(scene, 2, {}, kWorld, {0.3, 0, 0}, isotropic_inertia(0.1));
  const int joint = add_joint(scene, body, JointType::kHinge, {0, 1, 0});
  scene.joints[joint].armature = 0.05;
  Trial run(scene);
  run.steps(1);
  // m g c / (I + m c^2 + armature) = 2 9.81 0.3 / (0.1 + 0.18 + 0.05)
  EXPECT_NEAR(run.world.qvel[0] / run.h(), 17.836364, 1e-5);
}

class JointLaws : public EverySolver {
 protected:
  /// One hinge with the given moment of inertia; edit scene.joints[0] before run().
  Description wheel(double inertia, double timestep) {
    Description scene = empty_scene(timestep);
    add_wheel(scene, inertia);
    return scene;
  }
};
FLEXOR_EVERY_SOLVER(JointLaws);

TEST_P(JointLaws, Case6DampingAndFrictionTogether) {
  Description scene = wheel(1, 0.01);
  scene.joints[0].damping = 2;
  scene.joints[0].friction = 1;
  Trial run(scene, GetParam());
  run.world.joint_force[0] = 5;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], 0.0396039604, 1e-10);
  EXPECT_NEAR(run.world.joint_friction_torque[0], -1, 1e-9);
  run.steps(4999);
  EXPECT_NEAR(run.world.qvel[0], 2, 1e-9);  // (5 - 1)/2
  EXPECT_NEAR(run.world.joint_damping_torque[0], -4, 1e-8);
}

TEST_P(JointLaws, Case7DampingIsTrapezoidal) {
  Description scene = wheel(2, 0.05);
  scene.joints[0].damping = 3;
  Trial run(scene, GetParam());
  run.world.joint_force[0] = 6;
  run.steps(40);
  EXPECT_NEAR(run.world.qvel[0], 2 * (1 - std::pow(1.925 / 2.075, 40)), 1e-10);
  EXPECT_NEAR(run.world.qvel[0], 1.900565909084, 1e-10);
}

TEST_P(JointLaws, Case8HeavyDampingStaysBounded) {
  Description scene = wheel(0.1, 0.01);
  scene.joints[0].damping = 100;
  Trial run(scene, GetParam());
  run.world.qvel[0] = 1;
  for (const double expected : {-0.666667, 0.444444, -0.296296}) {
    run.steps(1);
    EXPECT_NEAR(run.world.qvel[0], expected, 1e-6);
  }
}

TEST_P(JointLaws, Case9FrictionStopsWithoutSignChange) {
  Description scene = wheel(1, 0.01);
  scene.joints[0].friction = 1;
  Trial run(scene, GetParam());
  run.world.qvel[0] = 0.055;
  for (const double expected : {.045, .035, .025, .015, .005, 0.0, 0.0, 0.0}) {
    run.steps(1);
    EXPECT_NEAR(run.world.qvel[0], expected, 1e-12);
  }
  EXPECT_NEAR(run.world.qpos[0], 0.00125, 1e-12);
}

TEST_P(JointLaws, Case10FrictionHoldsWithoutCreep) {
  Description scene = wheel(1, 0.001);
  scene.joints[0].friction = 1;
  Trial run(scene, GetParam());
  run.world.joint_force[0] = 0.999;
  run.steps(1000);
  EXPECT_NEAR(run.world.qvel[0], 0, 1e-15);
  EXPECT_NEAR(run.world.qpos[0], 0, 1e-15);
}

TEST_P(JointLaws, Case11SpringOscillatesByItsClosedForm) {
  Description scene = wheel(1, 0.01);
  scene.joints[0].stiffness = 100;
  Trial run(scene, GetParam());
  run.world.qpos[0] = 1;
  run.steps(1000);
  const double theta = std::acos(1 - 0.005 / 1.0025);
  EXPECT_NEAR(run.world.qpos[0], std::cos(1000.5 * theta) / std::cos(theta / 2), 1e-8);
  EXPECT_NEAR(run.world.qpos[0], 0.846064203, 1e-8);
}

TEST_P(JointLaws, Case12ServoAndEffortLimit) {
  Description scene = wheel(1, 0.01);
  scene.joints[0].position_gain = 100;
  scene.joints[0].velocity_gain = 10;
  {
    Trial run(scene, GetParam());
    run.world.joint_target_position[0] = 1;
    run.steps(1);
    EXPECT_NEAR(run.world.qvel[0], 0.9501187648, 1e-9);
    EXPECT_NEAR(run.world.joint_command_torque[0], run.world.qvel[0] / run.h(), 1e-9);
  }
  scene.joints[0].effort_lower = -5;
  scene.joints[0].effort_upper = 5;
  Trial run(scene, GetParam());
  run.world.joint_target_position[0] = 1;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], 0.0475059382, 1e-9);
}

TEST_P(JointLaws, Case13PositionLimitStopsInsideTheStep) {
  Description scene = empty_scene();
  add_slider(scene, {1, 0, 0});
  scene.joints[0].upper = 0.0505;
  Trial run(scene, GetParam());
  run.world.qvel[0] = 2;
  run.steps(25);
  EXPECT_NEAR(run.world.joint_limit_torque[0], 0, 1e-9);
  run.steps(1);  // the gap of half a step is closed at 0.5 m/s
  EXPECT_NEAR(run.world.joint_limit_torque[0], -1500, 1e-9);
  run.steps(1);
  EXPECT_NEAR(run.world.joint_limit_torque[0], -500, 1e-9);
  run.steps(50);
  EXPECT_NEAR(run.world.qpos[0], 0.0505, 1e-9);
  EXPECT_NEAR(run.world.qvel[0], 0, 1e-9);
}

TEST_P(JointLaws, Case14VelocityLimitCapsTheRate) {
  Description scene = empty_scene();
  add_slider(scene, {1, 0, 0});
  scene.joints[0].velocity_limit = 0.5;
  Trial run(scene, GetParam());
  run.world.joint_force[0] = 1000;
  run.steps(1);
  EXPECT_NEAR(run.world.joint_limit_torque[0], -500, 1e-9);
  run.steps(9);
  EXPECT_NEAR(run.world.joint_limit_torque[0], -1000, 1e-9);
  EXPECT_NEAR(run.world.qvel[0], 0.5, 1e-9);
}

TEST_P(JointLaws, BackwardRuleIsDissipative) {
  // th = ka = s = 1: v_1 = -h k q_0 / (1 + h^2 k) and q decays without growing.
  Description scene = wheel(1, 0.01);
  scene.options.joint_implicit = JointImplicit::kBackward;
  scene.joints[0].stiffness = 100;
  Trial run(scene, GetParam());
  run.world.qpos[0] = 1;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], -1 / 1.01, 1e-12);
  EXPECT_NEAR(run.world.joint_spring_torque[0], run.world.qvel[0] / run.h(), 1e-9);
  run.steps(5000);
  EXPECT_LT(std::abs(run.world.qpos[0]), 1e-6);
}

}  // namespace
}  // namespace flexor::reference
