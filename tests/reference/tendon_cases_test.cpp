// Mechanics cases 19 to 51: tendon rows in the step, with every solver.

#include "reference/runner.hpp"

namespace flexor::reference {
namespace {

using namespace scenes;

class TendonRows : public EverySolver {};
FLEXOR_EVERY_SOLVER(TendonRows);

TEST_P(TendonRows, Case19SpringDamperLimitAndTension) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  TendonDescription& tendon = add_tendon_from(scene, {0, 0, 2}, add_point_mass(scene, {0, 0, 0.8}));
  tendon.stiffness = 500;
  tendon.damping = 8;
  tendon.spring_lower = 0;
  tendon.spring_upper = 1;
  tendon.upper_limit = 1.5;
  tendon.force = -2;
  Trial run(scene, GetParam());
  run.steps(2000);
  EXPECT_NEAR(run.world.tendon_length[0], 1.0156041, 1e-5);
  EXPECT_NEAR(run.world.tendon_passive_force[0], -7.8182, 1e-3);
}

TEST_P(TendonRows, Case20UpperLimitStopsWithTheWholeMomentum) {
  Description scene = empty_scene();
  add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0})).upper_limit = 1.2;
  Trial run(scene, GetParam());
  run.world.qvel[0] = 2;
  double impulse = 0;
  for (int i = 0; i < 1000; ++i) {
    run.steps(1);
    impulse += run.world.tendon_limit_force[0] * run.h();
  }
  EXPECT_NEAR(run.world.body_position[0], 1.2, 1e-6);
  EXPECT_NEAR(run.world.qvel[0], 0, 1e-6);
  EXPECT_NEAR(impulse, -2, 1e-6);
}

TEST_P(TendonRows, Case21And22SwingingLockThenFreeFlight) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  TendonDescription& tendon = add_tendon_from(scene, {0, 0, 2}, add_point_mass(scene, {0, 0, 0.5}));
  tendon.lower_limit = tendon.upper_limit = 1.5;
  Trial run(scene, GetParam());
  run.world.qvel[0] = 0.4;
  run.steps(2000);
  EXPECT_NEAR(run.world.tendon_length[0], 1.500000038, 1e-7);
  EXPECT_NEAR(run.world.tendon_force[0], -9.780473, 1e-3);
  EXPECT_NEAR(run.world.tendon_limit_force[0], run.world.tendon_upper_force[0], 0);

  // Case 22 goes on from there with the limits taken off.
  tendon.lower_limit = -kInfinity;
  tendon.upper_limit = kInfinity;
  const Stepper stepper(scene, GetParam());
  run.world.qvel << 0, 0, -0.2;
  for (int i = 0; i < 100; ++i) stepper.step(run.world);
  stepper.refresh(run.world);
  EXPECT_NEAR(run.world.tendon_length[0], 1.569234, 1e-5);
}

TEST_P(TendonRows, Case23FrictionHoldsTheSpringBack) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  TendonDescription& tendon = add_tendon_from(scene, {0, 0, 2}, add_point_mass(scene, {0, 0, 0.8}));
  tendon.stiffness = 200;
  tendon.damping = 12;
  tendon.spring_lower = 0;
  tendon.spring_upper = 1;
  tendon.friction_loss = 0.05;
  tendon.armature = 0.1;
  tendon.upper_limit = 1.8;
  Trial run(scene, GetParam());
  run.steps(4000);
  EXPECT_NEAR(run.world.tendon_length[0], 1.049171, 1e-5);
  EXPECT_LT(std::abs(run.world.qvel[2]), 1e-6);
  EXPECT_NEAR(run.world.tendon_friction_force[0], 0.0242, 1e-3);
}

TEST_P(TendonRows, Case24ActuationBoundClampsTheDrive) {
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {2, 0, 0}));
  tendon.actuation_lower = -4;
  tendon.actuation_upper = 0;
  tendon.force = -5;
  Trial run(scene, GetParam());
  run.steps(100);
  EXPECT_NEAR(run.world.tendon_drive_force[0], -4, 1e-9);
  EXPECT_NEAR(run.world.qvel[0], -0.4, 1e-9);
  EXPECT_TRUE(run.world.status & TENSION_SATURATED);
}

TEST_P(TendonRows, Case25ServoedLengthUnderGravity) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  TendonDescription& tendon = add_tendon_from(scene, {0, 0, 2}, add_point_mass(scene, {0, 0, 0.8}));
  tendon.actuation_lower = -30;
  tendon.actuation_upper = 0;
  tendon.position_gain = 200;
  tendon.velocity_gain = 25;
  tendon.target_length = 0.8;
  tendon.force = -9.81;
  tendon.activation_time = 0.05;
  Trial run(scene, GetParam());
  run.steps(3000);
  EXPECT_NEAR(run.world.tendon_length[0], 0.8, 1e-6);
  EXPECT_NEAR(run.world.tendon_drive_force[0], -9.81, 1e-6);
}

TEST_P(TendonRows, Case26PulleyAndGuideShareTheTension) {
  Description scene = empty_scene();
  const int first = add_point_mass(scene, {-.5, 0, 1});
  const int second = add_point_mass(scene, {.5, 0, 1});
  const int third = add_point_mass(scene, {3, 0, 1});
  const PathElement guide =
      with_side(cylinder(kWorld, {0, 0, 2}, .5, {0, 1, 0}), kWorld, {0, 0, 3});
  add_tendon(scene, {via(first, {}), guide, via(second, {}), pulley(2), via(kWorld, {3, 0, 3}),
                     via(third, {})})
      .force = -4;
  Trial run(scene, GetParam());
  EXPECT_NEAR(run.world.tendon_length[0], 4.570796327, 1e-8);
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[2], .004, 1e-8);
  EXPECT_NEAR(run.world.qvel[5], .004, 1e-8);
  EXPECT_NEAR(run.world.qvel[8], .002, 1e-8);
  EXPECT_NEAR(run.world.branch_tension[0], 4, 1e-8);
  EXPECT_NEAR(run.world.branch_tension[1], 2, 1e-8);
}

TEST_P(TendonRows, Case27FixedTendonServo) {
  Description scene = empty_scene();
  add_slider(scene, {1, 0, 0});
  add_slider(scene, {0, 1, 0});
  TendonDescription& tendon = add_fixed_tendon(scene, {joint_term(0, 1), joint_term(1, .5)});
  tendon.target_length = .5;
  tendon.position_gain = 200;
  tendon.velocity_gain = 20;
  Trial run(scene, GetParam());
  run.steps(2000);
  EXPECT_NEAR(run.world.qpos[0], .4, 1e-6);
  EXPECT_NEAR(run.world.qpos[1], .2, 1e-6);
}

TEST_P(TendonRows, Case29TensionAndLimitShareTheLoad) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  TendonDescription& tendon = add_tendon_from(scene, {0, 0, 2}, add_point_mass(scene, {0, 0, 0.8}));
  tendon.upper_limit = 1.2;
  tendon.force = -2;
  Trial run(scene, GetParam());
  run.steps(100);
  EXPECT_NEAR(run.world.tendon_length[0], 1.2, 1e-6);
  EXPECT_NEAR(run.world.tendon_drive_force[0], -2, 1e-6);
  EXPECT_NEAR(run.world.tendon_limit_force[0], -7.81, 1e-6);
}

TEST_P(TendonRows, Case30SpringIsBackwardEuler) {
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1.1, 0, 0}));
  tendon.stiffness = 100;
  tendon.spring_lower = 0;
  tendon.spring_upper = 1;
  Trial run(scene, GetParam());
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], -0.01 / 1.0001, 1e-10);
  EXPECT_NEAR(run.world.tendon_tension[0], 9.9990001, 5e-8);
  EXPECT_NEAR(run.world.tendon_spring_force[0], -run.world.tendon_tension[0], 1e-10);
}

TEST_P(TendonRows, Case33ArmatureSharesTheForce) {
  Description scene = empty_scene();
  const int body = add_point_mass(scene, {1, 0, 0});
  add_tendon_from(scene, {}, body).armature = 3;
  Trial run(scene, GetParam());
  run.world.body_wrench[0] = 8;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], 0.002, 1e-9);
  EXPECT_NEAR(run.world.tendon_armature_force[0], -6, 1e-9);
}

TEST_P(TendonRows, Case34ArmatureFeelsTheCurvatureOfTheLength) {
  Description scene = empty_scene();
  add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0})).armature = 3;
  Trial run(scene, GetParam());
  run.world.qvel[1] = 2;
  run.stepper.refresh(run.world);
  EXPECT_NEAR(run.world.tendon_curvature[0], 4, 1e-9);  // v^2 / l
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0] / run.h(), -3, 1e-5);
}

TEST_P(TendonRows, Case35LockOverAPulley) {
  Description scene = empty_scene();
  const int first = add_point_mass(scene, {1, 0, 0});
  const int second = add_point_mass(scene, {1, 1, 0});
  TendonDescription& tendon = add_tendon(scene, {via(kWorld, {0, 0, 0}), via(first, {}), pulley(2),
                                                 via(kWorld, {0, 1, 0}), via(second, {})});
  tendon.lower_limit = tendon.upper_limit = 1.5;
  Trial run(scene, GetParam());
  run.world.body_wrench[0] = 10;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0] / run.h(), 2, 1e-8);
  EXPECT_NEAR(run.world.qvel[3] / run.h(), -4, 1e-8);
  EXPECT_NEAR(run.world.tendon_force[0], -8, 1e-8);
  EXPECT_NEAR(run.world.branch_tension[0], 8, 1e-8);
  EXPECT_NEAR(run.world.branch_tension[1], 4, 1e-8);
}

TEST_P(TendonRows, Case37HardFrictionSticksSlipsAndStops) {
  Description scene = empty_scene();
  add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0})).friction_loss = 1;
  {
    Trial run(scene, GetParam());
    run.world.body_wrench[0] = .9;
    run.steps(100);
    EXPECT_NEAR(run.world.qvel[0], 0, 1e-12);
    EXPECT_NEAR(run.world.qpos[0], 0, 1e-12);
  }
  {
    Trial run(scene, GetParam());
    run.world.body_wrench[0] = 1.1;
    run.steps(100);
    EXPECT_NEAR(run.world.qvel[0], .01, 1e-12);
    EXPECT_NEAR(run.world.qpos[0], .000505, 1e-12);
  }
  Trial run(scene, GetParam());
  run.world.qvel[0] = .05;
  run.steps(50);
  EXPECT_NEAR(run.world.qvel[0], 0, 1e-12);
  EXPECT_NEAR(run.world.qpos[0], .001225, 1e-12);
}

TEST_P(TendonRows, Case38CompliantFrictionCreeps) {
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0}));
  tendon.friction_loss = 1;
  tendon.friction_compliance = 1e-3;
  Trial run(scene, GetParam());
  run.world.body_wrench[0] = .5;
  run.steps(100);
  EXPECT_NEAR(run.world.qvel[0], .047558685, 1e-8);
  EXPECT_NEAR(run.world.tendon_friction_force[0], -.047558685, 1e-8);
}

TEST_P(TendonRows, Case39HardFrictionHoldsForTenSeconds) {
  Description scene = empty_scene(0.002);
  add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0})).friction_loss = 5;
  Trial run(scene, GetParam());
  run.world.body_wrench[0] = 3;
  run.steps(5000);
  EXPECT_NEAR(run.world.qpos[0], 0, 1e-15);
}

TEST_P(TendonRows, Case40ActivationFilterIsExact) {
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0}));
  tendon.activation_time = .05;
  tendon.force = -9.81;
  Trial run(scene, GetParam());
  run.steps(50);
  EXPECT_NEAR(run.world.activation[0], -9.81 * (1 - std::exp(-1.0)), 1e-9);
  EXPECT_NEAR(run.world.activation[0], -6.201102682, 1e-9);
  EXPECT_NEAR(run.world.tendon_drive_force[0], run.world.activation[0], 1e-12);
}

TEST_P(TendonRows, Case42TendonBetweenWorldPointsOnlyReports) {
  for (const bool has_body : {false, true}) {
    Description scene = empty_scene();
    if (has_body) add_point_mass(scene, {});
    add_tendon(scene, {via(kWorld, {}), via(kWorld, {1, 0, 0})}).force = 3;
    Trial run(scene, GetParam());
    run.steps(1);
    EXPECT_EQ(run.world.tendon_drive_force[0], 3);
    EXPECT_EQ(run.world.tendon_force[0], 3);
    EXPECT_EQ(run.world.qvel.norm(), 0);
    EXPECT_EQ(run.world.status, 0);
  }
}

TEST_P(TendonRows, Case44HeavyArmatureOnALimit) {
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0}));
  tendon.armature = 100;
  tendon.upper_limit = 1;
  Trial run(scene, GetParam());
  run.world.qvel[0] = 1;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], 0, 1e-12);
  // Row by row the two stiff collinear rows converge slowly: 150 sweeps are not enough.
  const bool is_plain = GetParam() == Solver::kGaussSeidel;
  const double limit = is_plain ? -78295 : -101000;
  EXPECT_NEAR(run.world.tendon_limit_force[0], limit, 1e-5 * std::abs(limit));
  if (!is_plain) {
    EXPECT_NEAR(run.world.tendon_armature_force[0], 100000, 1);
  }
  EXPECT_EQ(bool(run.world.status & NOT_CONVERGED), is_plain);
}

TEST_P(TendonRows, Case47StiffSpringsAreExactInStatics) {
  for (const double k : {1e5, 1e6, 1e7}) {
    Description scene = empty_scene(0.002);
    switch_gravity_on(scene);
    TendonDescription& tendon = add_tendon_from(scene, {0, 0, 1}, add_point_mass(scene, {}, 0.1));
    tendon.stiffness = k;
    tendon.spring_lower = tendon.spring_upper = 1;
    Trial run(scene, GetParam());
    run.steps(1000);
    EXPECT_NEAR(run.world.tendon_length[0] - 1, 0.1 * 9.81 / k, 1e-10) << k;
  }
}

TEST_P(TendonRows, Case49SlackBoundaryInsideTheStepIsNotSeen) {
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1.005, 0, 0}));
  tendon.stiffness = 100;
  tendon.spring_lower = 0;
  tendon.spring_upper = 1;
  Trial run(scene, GetParam());
  run.world.qvel[0] = -10;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], -9.99950005, 1e-8);
}

TEST_P(TendonRows, Case51ElasticScene) {
  Description scene = empty_scene();
  switch_gravity_on(scene);
  TendonDescription& tendon =
      add_tendon_from(scene, {0, 0, 2.94}, add_point_mass(scene, {.2, 0, 1.05}));
  tendon.stiffness = 70;
  tendon.spring_lower = 0;
  tendon.spring_upper = 1.1;
  tendon.damping = 7;
  tendon.friction_loss = .05;
  tendon.armature = .04;
  tendon.upper_limit = 2.15;
  Trial run(scene, GetParam(), 0, 1e-12);
  run.world.qvel[1] = .25;
  EXPECT_NEAR(run.world.tendon_length[0], 1.900553, 5e-7);
  run.steps(1000);
  EXPECT_NEAR(run.world.body_position[0], -.14940, 5e-5);
  EXPECT_NEAR(run.world.body_position[1], .08212, 5e-5);
  EXPECT_NEAR(run.world.body_position[2], 1.69365, 5e-5);
}

TEST_P(TendonRows, DisabledTendonIsInertAndKeepsItsActivation) {
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0}));
  tendon.force = -5;
  tendon.activation = -1;
  tendon.activation_time = 0.1;
  tendon.stiffness = 100;
  tendon.spring_lower = tendon.spring_upper = 0;
  Trial run(scene, GetParam());
  run.world.tendon_enabled[0] = 0;
  run.steps(3);
  EXPECT_EQ(run.world.qvel.norm(), 0);
  EXPECT_EQ(run.world.activation[0], -1);
  EXPECT_EQ(run.world.tendon_force[0], 0);
  EXPECT_EQ(run.world.tendon_length[0], 1);
}

TEST_P(TendonRows, NonfiniteCommandKeepsTheLastFiniteValue) {
  Description scene = empty_scene();
  add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0})).force = -5;
  Trial run(scene, GetParam());
  run.steps(1);
  EXPECT_EQ(run.world.status, 0);
  run.world.drive_force[0] = kNaN;
  run.world.joint_force[1] = kInfinity;
  run.steps(1);
  EXPECT_EQ(run.world.tendon_drive_force[0], -5);
  EXPECT_EQ(run.world.qvel[1], 0);
  EXPECT_EQ(run.world.status, NONFINITE_COMMAND);
}

TEST_P(TendonRows, CrossedHardTargetsMeetInTheMiddle) {
  // limits 1 .. 1.01 with a margin of 0.008 on each side (a raw write: legal is 0.005): at l
  // = 1.005 the lower row asks for +0.2 0.003/h, the upper one for -0.2 0.003/h.   [P-35]
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1.005, 0, 0}));
  tendon.lower_limit = 1;
  tendon.upper_limit = 1.01;
  tendon.limit_margin = 0.008;
  Trial run(scene, GetParam());
  run.world.qvel[0] = 0.3;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], 0, 1e-9);
  EXPECT_EQ(run.world.status, CONFLICTING_BOUNDS);
}

TEST_P(TendonRows, HardRowSoftnessMakesCreepOfHardRows) {
  // A lock on a 1 kg mass with g = 0.25 W_d: v = 0.25 p with p = -(F h) + 1 kg (-v) => v =
  // 0.25/1.25 F h.
  Description scene = empty_scene();
  TendonDescription& tendon = add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0}));
  tendon.lower_limit = tendon.upper_limit = 1;
  scene.options.hard_row_softness = 0.25;
  Trial run(scene, GetParam());
  run.world.body_wrench[0] = 10;
  run.steps(1);
  EXPECT_NEAR(run.world.qvel[0], 0.25 / 1.25 * 10 * run.h(), 1e-10);
}

TEST_P(TendonRows, NegativeGainLeavesTheDriveOut) {
  Description scene = empty_scene();
  add_tendon_from(scene, {}, add_point_mass(scene, {1, 0, 0})).force = -5;
  Trial run(scene, GetParam());
  run.world.drive_position_gain[0] = -1;
  run.steps(1);
  EXPECT_EQ(run.world.qvel.norm(), 0);
  EXPECT_EQ(run.world.status, PARAMETER_INVALID);
}

TEST(Step, SingularMassLeavesTheWorldWhereItIs) {
  Description scene = empty_scene();
  add_slider(scene, {1, 0, 0}, {}, 0);
  Trial run(scene);
  run.world.qvel[0] = 1;
  run.steps(1);
  EXPECT_EQ(run.world.qpos[0], 0);
  EXPECT_EQ(run.world.qvel[0], 1);
  EXPECT_EQ(run.world.status, SINGULAR_MASS);
}

}  // namespace
}  // namespace flexor::reference
