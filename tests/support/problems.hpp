#pragma once
// Impulse problems posed directly (mechanics cases 43, 45, 46), for the solvers of every path.

#include <random>

#include "reference/problem.hpp"

namespace flexor::reference {

inline Row make_row(const VectorXd& J, double b, double g, double lo, double hi, int law) {
  Row row;
  row.jacobian = J;
  row.target = b;
  row.softness = g;
  row.lower = lo;
  row.upper = hi;
  row.law = law;
  return row;
}

inline VectorXd cold(const Problem& problem) { return VectorXd::Zero(problem.rows.size()); }

inline Problem case_43() {
  const double h = 1e-3;
  Problem problem;
  problem.mass.resize(2, 2);
  problem.mass << 2, .5, .5, 1;
  problem.free_velocity = Vector2(1, -.5);
  problem.law_count = 2;
  const Vector2 first(1, .5), second(-.3, 1);
  const double D = 8 + h * 500;
  problem.rows = {make_row(first, -500 * .01 / D, 1 / (h * D), -kInfinity, kInfinity, 0),
                  make_row(first, -12 / 10.2, 1 / (h * 10.2), h * -20, h * 5, 0),
                  make_row(first, .298, 1 / .4, -kInfinity, kInfinity, 0),
                  make_row(first, 0, 0, h * -3, h * 3, 0),
                  make_row(first, 2e-4 / h, 0, -kInfinity, 0, 0),
                  make_row(second, 0, 0, h * -1, h * 1, 1),
                  make_row(second, .2 * -.001 / h, 1e-6 / (h * h), -kInfinity, kInfinity, 1)};
  return problem;
}

/// Two hard locks of one motion and a friction along it; x must stop, y must not notice.
inline Problem case_45() {
  Problem problem;
  problem.mass = MatrixXd::Identity(2, 2);
  problem.free_velocity = Vector2(1, 2);
  problem.law_count = 3;
  problem.rows = {make_row(Vector2(1, 0), 0, 0, -kInfinity, kInfinity, 0),
                  make_row(Vector2(2, 0), 0, 0, -kInfinity, kInfinity, 1),
                  make_row(Vector2(1, 0), 0, 0, -.25, .25, 2)};
  return problem;
}

/// sum J^T p
template <class Impulses>
VectorXd generalised_impulse(const Problem& problem, const Impulses& impulse) {
  VectorXd sum = VectorXd::Zero(problem.mass.rows());
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    sum += problem.rows[r].jacobian * impulse[r];
  }
  return sum;
}

/// Random problems of case 46: every tendon has all six rows, one in four a lock for its limits.
/// Some common velocity meets all hard rows.
class RandomProblems {
 public:
  struct Shape {
    int unknowns, tendons;
    bool has_joint_laws = false;  ///< law tendons + i is that of unknown i
  };

  explicit RandomProblems(unsigned seed) : random_(seed) {}

  Shape shape() {
    const int n = integer(3, 8);
    return {n, integer(1, 5)};
  }
  Problem next() { return next(shape()); }
  Problem next(const Shape& shape) {
    const int n = shape.unknowns, tendons = shape.tendons;
    Problem problem;
    const MatrixXd factor = MatrixXd::NullaryExpr(n, n, [this] { return uniform(-1, 1); });
    problem.mass = factor * factor.transpose() + 0.3 * MatrixXd::Identity(n, n);
    problem.free_velocity = VectorXd::NullaryExpr(n, [this] { return uniform(-1, 1); });
    problem.law_count = tendons;
    const VectorXd feasible = VectorXd::NullaryExpr(n, [this] { return uniform(-.5, .5); });
    for (int t = 0; t < tendons; ++t) add_tendon(problem, feasible, t);
    if (!shape.has_joint_laws) return problem;
    problem.law_count += n;
    for (int i = 0; i < n; ++i) add_joint(problem, feasible[i], i, tendons + i);
    return problem;
  }

 private:
  void add_tendon(Problem& problem, const VectorXd& feasible, int t) {
    const int n = static_cast<int>(feasible.size());
    const double h = 1e-3;
    const VectorXd J = VectorXd::NullaryExpr(n, [this] { return uniform(-1, 1); });
    const double k = uniform(10, 1000), d = uniform(1, 20), D = d + h * k;
    const double G = uniform(1, 30), friction = uniform(.1, 5);
    const auto add = [&](double b, double g, double lo, double hi) {
      problem.rows.push_back(make_row(J, b, g, lo, hi, t));
    };
    add(-k * uniform(-.05, .05) / D, 1 / (h * D), -kInfinity, kInfinity);
    add(uniform(-2, 2), 1 / (h * G), h * uniform(-30, -1), h * uniform(0, 20));
    add(uniform(-.5, .5), 1 / uniform(.05, 1), -kInfinity, kInfinity);
    add(0, integer(0, 1) * uniform(1e-3, 1e-1), -h * friction, h * friction);
    const double softness = integer(0, 1) * uniform(1e-2, 1), u = J.dot(feasible);
    if (integer(0, 3) == 0) {
      add(u, softness, -kInfinity, kInfinity);
    } else {
      add(u - uniform(0, .3), softness, 0, kInfinity);
      add(u + uniform(0, .3), softness, -kInfinity, 0);
    }
  }

  /// Nothing, hard one-sided limits alone, friction with limits of any softness, or a lock.
  void add_joint(Problem& problem, double feasible, int i, int law) {
    const VectorXd J = VectorXd::Unit(problem.mass.rows(), i);
    const auto add = [&](double b, double g, double lo, double hi) {
      problem.rows.push_back(make_row(J, b, g, lo, hi, law));
    };
    const int kind = integer(0, 8);
    if (kind < 3) return;
    const double softness = kind < 6 ? 0 : integer(0, 1) * uniform(1e-2, 1);
    if (kind >= 6) {
      const double friction = 1e-3 * uniform(.1, 5);
      add(0, integer(0, 1) * uniform(1e-3, 1e-1), -friction, friction);
    }
    if (kind == 8) {
      add(feasible, softness, -kInfinity, kInfinity);
    } else {
      add(feasible - uniform(0, .3), softness, 0, kInfinity);
      add(feasible + uniform(0, .3), softness, -kInfinity, 0);
    }
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  std::mt19937 random_;
};

}  // namespace flexor::reference
