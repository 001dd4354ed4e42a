// Projected Gauss-Seidel, row by row: the impulse rule itself, made executable.   [P-48]

#include <algorithm>

#include "reference/response.hpp"

namespace flexor::reference {

Solution solve_gauss_seidel(const Problem& problem, const VectorXd& start,
                            const SolverOptions& options) {
  const Responses responses = respond(problem);
  const int row_count = static_cast<int>(problem.rows.size());
  Solution solution;
  solution.impulse = VectorXd::Zero(row_count);
  solution.velocity = problem.free_velocity;
  VectorXd& p = solution.impulse;
  VectorXd& v = solution.velocity;
  report_unresponsive(problem, responses, solution);
  for (int r = 0; r < row_count; ++r) {
    if (responses.is_unresponsive[r]) continue;
    p[r] = std::clamp(start[r], problem.rows[r].lower, problem.rows[r].upper);
    v += responses.velocity[r] * p[r];
  }
  for (int sweep = 1; sweep <= options.iterations; ++sweep) {
    solution.iterations = sweep;
    solution.residual = 0;
    for (int r = 0; r < row_count; ++r) {
      const Row& row = problem.rows[r];
      if (responses.is_unresponsive[r] || row.is_constant()) continue;
      const double W = responses.W[r], g = row.softness;
      const double u = row.jacobian.dot(v) + row.offset;
      const double next =
          std::clamp(p[r] - (u - row.target + g * p[r]) / (W + g), row.lower, row.upper);  // [P-39]
      v += responses.velocity[r] * (next - p[r]);
      solution.residual = std::max(solution.residual, W * std::abs(next - p[r]));
      p[r] = next;
    }
    if (solution.residual <= options.tolerance) return solution;  // [P-47]
  }
  solution.status = kIterationLimit;
  return solution;
}

}  // namespace flexor::reference
