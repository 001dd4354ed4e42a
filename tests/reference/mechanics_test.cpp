// Kinematics, mass matrix and bias against independent routes: differences, body Jacobians,
// closed forms.

#include "reference/mechanics.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/random_model.hpp"

namespace flexor::reference {
namespace {

/// q (+) h v.
VectorXd moved(const Description& description, const Layout& layout, const VectorXd& q,
               const VectorXd& v, double h) {
  VectorXd next = q;
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const int i = layout.joint_qpos[j], k = layout.joint_qvel[j];
    const auto turn = [&](int at, int rate) {
      store_quaternion(next, at, quaternion_at(q, at) * exponential(h * v.segment<3>(rate)));
    };
    switch (description.joints[j].type) {
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
}

struct RandomState {
  Description description;
  Layout layout;
  VectorXd q, v;
  explicit RandomState(unsigned seed)
      : description(support::random_model(seed)), layout(description) {
    const support::State state = support::random_state(description, seed);
    q = Eigen::Map<const VectorXd>(state.qpos.data(), state.qpos.size());
    v = Eigen::Map<const VectorXd>(state.qvel.data(), state.qvel.size());
  }
};

class RandomTrees : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrees, ::testing::Range(0, 40));

TEST_P(RandomTrees, VelocityIsTheRateOfThePose) {
  const RandomState s(GetParam());
  const double step = 1e-6;
  const Kinematics now = kinematics(s.description, s.layout, s.q, s.v);
  const auto at = [&](double h) {
    return kinematics(s.description, s.layout, moved(s.description, s.layout, s.q, s.v, h), s.v);
  };
  const Kinematics before = at(-step), after = at(step);
  const Vec3d local{.2, -.1, .3};
  for (int b = 0; b < static_cast<int>(s.description.bodies.size()); ++b) {
    const Vector3 rate = (after.point(b, local) - before.point(b, local)) / (2 * step);
    const Vector3 velocity = now.point_velocity(b, now.point(b, local));
    EXPECT_NEAR((rate - velocity).norm(), 0, 1e-7) << b;
    const Vector3 velocity_rate = (after.point_velocity(b, after.point(b, local)) -
                                   before.point_velocity(b, before.point(b, local))) /
                                  (2 * step);
    EXPECT_NEAR((velocity_rate - now.point_acceleration(b, now.point(b, local))).norm(), 0, 1e-6)
        << b;
    const MatrixXd J = point_jacobian(s.layout, now, b, now.point(b, local));
    EXPECT_NEAR((J * s.v - velocity).norm(), 0, 1e-12) << b;
  }
}

TEST_P(RandomTrees, MassMatrixIsTheSumOverBodies) {
  const RandomState s(GetParam());
  const Kinematics kin = kinematics(s.description, s.layout, s.q, s.v);
  MatrixXd expected = MatrixXd::Zero(s.layout.nv, s.layout.nv);
  for (int b = 0; b < static_cast<int>(s.description.bodies.size()); ++b) {
    const BodyDescription& body = s.description.bodies[b];
    const MatrixXd Jc = point_jacobian(s.layout, kin, b, kin.point(b, body.com));
    const MatrixXd Jw = body_jacobian(s.layout, kin, b).topRows<3>();
    const auto& i = body.inertia;
    Matrix3 local;
    local << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
    const Matrix3 inertia = kin.rotation[b] * local * kin.rotation[b].transpose();
    expected += body.mass * Jc.transpose() * Jc + Jw.transpose() * inertia * Jw;
  }
  for (int k = 0; k < s.layout.nv; ++k)
    expected(k, k) += s.description.joints[s.layout.dof_joint[k]].armature;
  const MatrixXd M = mass_matrix(s.description, s.layout, kin);
  EXPECT_NEAR((M - expected).norm(), 0, 1e-12 * (1 + expected.norm()));
}

TEST_P(RandomTrees, BiasIsTheForceThatKeepsTheVelocity) {
  // For every body m a_c = forces and dL/dt = moments at zero generalised acceleration, projected.
  const RandomState s(GetParam());
  const Kinematics kin = kinematics(s.description, s.layout, s.q, s.v);
  const Vector3 gravity = to_eigen(s.description.options.gravity);
  VectorXd expected = VectorXd::Zero(s.layout.nv);
  for (int b = 0; b < static_cast<int>(s.description.bodies.size()); ++b) {
    const BodyDescription& body = s.description.bodies[b];
    const Vector3 com = kin.point(b, body.com);
    const auto& i = body.inertia;
    Matrix3 local;
    local << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
    const Matrix3 inertia = kin.rotation[b] * local * kin.rotation[b].transpose();
    const Vector3 omega = kin.velocity[b].head<3>(), alpha = kin.acceleration[b].head<3>();
    const Vector3 force = body.mass * (kin.point_acceleration(b, com) - gravity +
                                       body.gravity_compensation * gravity);
    const Vector3 moment = inertia * alpha + omega.cross(inertia * omega);
    expected += point_jacobian(s.layout, kin, b, com).transpose() * force +
                body_jacobian(s.layout, kin, b).topRows<3>().transpose() * moment;
  }
  const VectorXd c = bias_force(s.description, s.layout, kin);
  EXPECT_NEAR((c - expected).norm(), 0, 1e-11 * (1 + expected.norm()));
}

TEST_P(RandomTrees, AppliedWrenchesDoTheWorkOfTheirBodies) {
  const RandomState s(GetParam());
  const Kinematics kin = kinematics(s.description, s.layout, s.q, s.v);
  VectorXd wrench(6 * s.description.bodies.size());
  for (Eigen::Index i = 0; i < wrench.size(); ++i) wrench[i] = std::sin(1.7 * i + GetParam());
  double power = 0;
  for (int b = 0; b < static_cast<int>(s.description.bodies.size()); ++b) {
    const Vector3 com = kin.point(b, s.description.bodies[b].com);
    power += wrench.segment<3>(6 * b).dot(kin.point_velocity(b, com)) +
             wrench.segment<3>(6 * b + 3).dot(Vector3(kin.velocity[b].head<3>()));
  }
  const VectorXd tau = applied_force(s.description, s.layout, kin, wrench);
  EXPECT_NEAR(tau.dot(s.v), power, 1e-11 * (1 + std::abs(power)));
}

}  // namespace
}  // namespace flexor::reference
