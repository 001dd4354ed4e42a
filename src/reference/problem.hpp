#pragma once
// The shared impulse problem: rows, laws, the solvers' interface.
//
// Every row has u = J v + o and the impulse law
//   lo < p < hi => u - b + g p = 0;   p = lo => u - b + g p >= 0;   p = hi => u - b + g p <= 0
// with v = v* + M~^-1 sum J^T p.   [P-39], [P-40]

#include <vector>

#include "reference/types.hpp"

namespace flexor::reference {

struct Row {
  VectorXd jacobian;                             ///< J
  double offset = 0;                             ///< o [m/s]
  double target = 0;                             ///< b [m/s]
  double softness = 0;                           ///< g [1/kg]; 0 = hard
  double lower = -kInfinity, upper = kInfinity;  ///< lo, hi [N s]; equal = a constant impulse
  int law = 0;             ///< rows of one law share J and o, and stand in the order of [P-54]
  VectorXd contributions;  ///< [nv] S of [P-44]; empty = |J|

  bool is_constant() const { return lower == upper; }
  bool is_hard() const { return softness == 0 && !is_constant(); }
  bool is_unbounded() const { return lower == -kInfinity && upper == kInfinity; }
};

struct Problem {
  MatrixXd mass;           ///< M~
  VectorXd free_velocity;  ///< v*
  std::vector<Row> rows;   ///< in row order
  int law_count = 0;       ///< laws are visited by number
};

struct SolverOptions {
  int iterations = 0;    ///< sweeps or rounds
  double tolerance = 0;  ///< residual at which to stop
};

inline constexpr SolverOptions kSweepDefaults{150, 1e-8}, kExactDefaults{60, 1e-12};

enum SolverStatus { kConverged = 0, kIterationLimit = 1, kInconsistentRows = 2, kNonfinite = 3 };

struct Solution {
  VectorXd velocity;  ///< v_+
  VectorXd impulse;   ///< p per row
  int iterations = 0;
  double residual = 0;  ///< [m/s]
  int status = kConverged;
  bool has_unsatisfiable_row = false;  ///< a hard row that nothing can move [P-44]
};

/// Row by row, nothing folded.   [P-48], stop [P-47]; defaults 150 sweeps, 1e-8 m/s
Solution solve_gauss_seidel(const Problem& problem, const VectorXd& start,
                            const SolverOptions& options = kSweepDefaults);
/// Law by law after folding and collapsing.   [P-49], stop [P-47]; defaults 150 sweeps, 1e-8 m/s
Solution solve_gauss_seidel_blocks(const Problem& problem, const VectorXd& start,
                                   const SolverOptions& options = kSweepDefaults);
/// Block sweeps and Newton polish to rounding: the yardstick.   [P-50], [P-59]; defaults 60 rounds,
/// 1e-12 relative to max(1, max|c|)
Solution solve_exact(const Problem& problem, const VectorXd& start,
                     const SolverOptions& options = kExactDefaults);

/// Largest violation of [P-40] by (v, p), in m/s: of the row conditions, as the change
/// (W + g) |p - clamp(p - (u - b + g p)/(W + g), lo, hi)| that one update would ask for, and of
/// v = v* + M~^-1 sum J^T p.
double optimality_violation(const Problem& problem, const VectorXd& velocity,
                            const VectorXd& impulse);

/// Does nothing in the world answer to this row?   |J_i| <= 64 eps S_i for all i   [P-44]
bool is_unresponsive(const VectorXd& jacobian, const VectorXd& contributions);

}  // namespace flexor::reference
