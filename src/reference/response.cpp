#include "reference/response.hpp"

#include <algorithm>

namespace flexor::reference {

bool is_unresponsive(const VectorXd& jacobian, const VectorXd& contributions) {
  if (contributions.size() == 0) return jacobian.isZero(0);
  return (jacobian.array().abs() <= 64 * kEpsilon * contributions.array()).all();
}

Responses respond(const Problem& problem) {
  const Eigen::LLT<MatrixXd> factor(problem.mass);
  Responses responses;
  for (const Row& row : problem.rows) {
    const VectorXd velocity = factor.solve(row.jacobian);
    const double W = row.jacobian.dot(velocity);
    responses.velocity.push_back(velocity);
    responses.W.push_back(W);
    responses.is_unresponsive.push_back(is_unresponsive(row.jacobian, row.contributions));
  }
  return responses;
}

void report_unresponsive(const Problem& problem, const Responses& responses, Solution& solution) {
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    if (!responses.is_unresponsive[r]) continue;
    const Row& row = problem.rows[r];
    double& impulse = solution.impulse[r];
    if (row.is_constant()) {
      impulse = row.lower;
    } else if (!row.is_hard()) {
      impulse = std::clamp((row.target - row.offset) / row.softness, row.lower, row.upper);
    } else {
      impulse = 0;
      // A one-sided row is violated only on the side from which it may push.
      const double error = row.target - row.offset;
      const bool is_violated = (error > 1e-9 && row.upper > 0) || (error < -1e-9 && row.lower < 0);
      if (is_violated) solution.has_unsatisfiable_row = true;
    }
  }
}

double optimality_violation(const Problem& problem, const VectorXd& velocity,
                            const VectorXd& impulse) {
  const Responses responses = respond(problem);
  VectorXd expected = problem.free_velocity;
  double violation = 0;
  for (std::size_t r = 0; r < problem.rows.size(); ++r) {
    if (responses.is_unresponsive[r]) continue;
    const Row& row = problem.rows[r];
    const double p = impulse[r];
    expected += responses.velocity[r] * p;
    const double stiffness = responses.W[r] + row.softness;
    const double u = row.jacobian.dot(velocity) + row.offset;
    const double error = u - row.target + row.softness * p;
    const double updated =
        row.is_constant() ? row.lower : std::clamp(p - error / stiffness, row.lower, row.upper);
    violation = std::max(violation, stiffness * std::abs(updated - p));
  }
  if (velocity.size() > 0)
    violation = std::max(violation, (velocity - expected).lpNorm<Eigen::Infinity>());
  return violation;
}

}  // namespace flexor::reference
