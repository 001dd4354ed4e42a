#include "reference/blocks.hpp"

#include <algorithm>
#include <limits>

namespace flexor::reference {

namespace {

constexpr double kFoldLimit = 1e6;  ///< float64 limit of [P-51]

/// Rows without bounds may be merged into the mass matrix unless they are stiffer than rounding
/// allows.   [P-51]
bool is_foldable(const Problem& problem, const Row& row) {
  if (!row.is_unbounded() || row.softness <= 0) return false;
  const double stiffest =
      (row.jacobian.array().square() / problem.mass.diagonal().array()).maxCoeff();
  return stiffest <= kFoldLimit * row.softness;
}

/// x with A x = b from the factor of a matrix near A: refined while that halves the defect, since
/// rows that nearly repeat one another need more than one pass.   [P-59]
VectorXd refined(const MatrixXd& A, const Eigen::LLT<MatrixXd>& near, const VectorXd& b) {
  constexpr int kMost = 40;
  VectorXd x = near.solve(b), defect = b - A * x;
  for (int n = 0; n < kMost; ++n) {
    const VectorXd next = x + near.solve(defect), left = b - A * next;
    const bool is_better = n == 0 || left.norm() < 0.5 * defect.norm();
    if (!is_better) break;
    x = next;
    defect = left;
  }
  return x;
}

}  // namespace

BlockProblem::BlockProblem(const Problem& problem, const VectorXd& start)
    : problem_(problem), responses_(respond(problem)) {
  const int row_count = static_cast<int>(problem.rows.size());
  // M^ = M~ + sum J^T J/g,   M^ v^ = M~ v* + sum J^T (b - o)/g   [P-51]
  MatrixXd mass = problem.mass;
  VectorXd momentum = problem.mass * problem.free_velocity;
  for (int r = 0; r < row_count; ++r) {
    const Row& row = problem.rows[r];
    is_folded_.push_back(!responses_.is_unresponsive[r] && is_foldable(problem, row));
    if (!is_folded_[r]) continue;
    mass += row.jacobian * row.jacobian.transpose() / row.softness;
    momentum += row.jacobian * (row.target - row.offset) / row.softness;
  }
  const Eigen::LLT<MatrixXd> factor(mass);
  free_velocity_ = factor.solve(momentum);

  std::vector<int> block_of_law(problem.law_count, -1);
  for (int law = 0; law < problem.law_count; ++law) {
    for (int r = 0; r < row_count; ++r) {
      const Row& row = problem.rows[r];
      if (row.law != law || is_folded_[r] || responses_.is_unresponsive[r]) continue;
      if (block_of_law[law] < 0) {
        block_of_law[law] = static_cast<int>(blocks_.size());
        Block block;
        block.jacobian = row.jacobian;
        block.offset = row.offset;
        block.response = factor.solve(row.jacobian);
        block.W = row.jacobian.dot(block.response);
        blocks_.push_back(block);
        scale_ = std::max(scale_, std::abs(row.jacobian.dot(free_velocity_) + row.offset));
      }
      Block& block = blocks_[block_of_law[law]];
      block.law.rows.push_back({row.target, row.softness, row.lower, row.upper});
      block.rows.push_back(r);
      block.impulse += std::clamp(start[r], row.lower, row.upper);
    }
  }
  update_velocity();
}

void BlockProblem::update_velocity() {
  velocity_ = free_velocity_;
  for (const Block& block : blocks_) velocity_ += block.response * block.impulse;
}

LawPoint BlockProblem::update(const Block& block) const {
  const double u = block.jacobian.dot(velocity_) + block.offset;
  return solve_law(block.law, u - block.W * block.impulse, block.W);
}

double BlockProblem::sweep() {
  double largest = 0;
  for (Block& block : blocks_) {
    block.point = update(block);
    const double change = block.point.impulse - block.impulse;
    velocity_ += block.response * change;
    block.impulse = block.point.impulse;
    largest = std::max(largest, block.W * std::abs(change));
  }
  return largest;
}

double BlockProblem::residual() const {
  double largest = 0;
  for (const Block& block : blocks_)
    largest = std::max(largest, block.W * std::abs(update(block).impulse - block.impulse));
  return largest;
}

bool BlockProblem::is_met(double residual, double relative) const {
  // W |dP| is a difference of W P and of sums J v of its size
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  constexpr double kKnown = 1e-9;  // of rates, as the parity of one step asks
  double rounding = 0, rate = scale_;
  for (const Block& block : blocks_) {
    const double u = std::abs(block.jacobian.dot(velocity_) + block.offset);
    rounding = std::max(rounding, kRounding * (u + block.W * std::abs(block.impulse)));
    rate = std::max(rate, u);
  }
  return residual <= std::max(relative * scale_, rounding) && rounding <= kKnown * rate;
}

bool BlockProblem::polish(bool is_forced) {
  const double before = residual();
  const std::vector<Block> old = blocks_;
  std::vector<int> free;
  VectorXd fixed_velocity = free_velocity_;  // v^ and the flat laws
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    Block& block = blocks_[i];
    block.point = update(block);
    if (block.point.piece == Piece::kFlat) {
      block.impulse = block.point.impulse;
      fixed_velocity += block.response * block.impulse;
    } else {
      free.push_back(static_cast<int>(i));
    }
  }
  // vertical: (A P + c)_i = b_i;   sloped: (A P)_i + P_i/kappa = alpha/kappa - c_i
  const int n = static_cast<int>(free.size());
  MatrixXd A(n, n);
  VectorXd right(n);
  for (int i = 0; i < n; ++i) {
    const Block& row = blocks_[free[i]];
    for (int j = 0; j < n; ++j) A(i, j) = row.jacobian.dot(blocks_[free[j]].response);
    const double c = row.jacobian.dot(fixed_velocity) + row.offset;
    if (row.point.piece == Piece::kVertical) {
      right[i] = row.point.rate - c;
    } else {
      A(i, i) += 1 / row.point.slope;
      right[i] = row.point.constant / row.point.slope - c;
    }
  }
  MatrixXd regularised = A;  // against redundant rows
  for (int i = 0; i < n; ++i) regularised(i, i) += 1e-10 * blocks_[free[i]].W;
  const VectorXd P = refined(A, Eigen::LLT<MatrixXd>(regularised), right);
  for (int i = 0; i < n; ++i) blocks_[free[i]].impulse = P[i];
  update_velocity();
  if (residual() < before || is_forced) {
    for (Block& block : blocks_) {  // where the new rates meet the laws
      block.point = update(block);
      block.point.impulse = block.impulse;
    }
    return true;
  }
  blocks_ = old;
  update_velocity();
  return false;
}

double BlockProblem::bilateral_error() const {
  double largest = 0;
  for (std::size_t r = 0; r < problem_.rows.size(); ++r) {
    const Row& row = problem_.rows[r];
    if (!row.is_hard() || !row.is_unbounded() || responses_.is_unresponsive[r]) continue;
    largest = std::max(largest, std::abs(row.jacobian.dot(velocity_) + row.offset - row.target));
  }
  return largest;
}

Solution BlockProblem::solution() const {
  Solution solution;
  solution.velocity = velocity_;
  solution.impulse = VectorXd::Zero(problem_.rows.size());
  report_unresponsive(problem_, responses_, solution);
  for (std::size_t r = 0; r < problem_.rows.size(); ++r) {
    const Row& row = problem_.rows[r];
    if (!is_folded_[r]) continue;
    solution.impulse[r] =
        (row.target - row.offset - row.jacobian.dot(velocity_)) / row.softness;  // [P-51]
  }
  for (const Block& block : blocks_) {
    const std::vector<double> split = split_impulse(block.law, block.point);
    for (std::size_t i = 0; i < block.rows.size(); ++i) solution.impulse[block.rows[i]] = split[i];
  }
  return solution;
}

Solution solve_gauss_seidel_blocks(const Problem& problem, const VectorXd& start,
                                   const SolverOptions& options) {
  BlockProblem blocks(problem, start);
  double residual = 0;
  int sweep = 0;
  do {
    residual = blocks.sweep();
    ++sweep;
  } while (residual > options.tolerance && sweep < options.iterations);  // [P-47]
  Solution solution = blocks.solution();
  solution.iterations = sweep;
  solution.residual = residual;
  if (!(residual <= options.tolerance)) solution.status = kIterationLimit;
  return solution;
}

namespace {

/// Sweeps alone: each lowers the objective, where rounds with a polish may circle. Returns their
/// number, negative if they did not converge: they creep while rows nearly repeat one another, and
/// for ever where rows cannot be met.
int sweep_alone(BlockProblem& blocks, double relative) {
  constexpr int kCap = 5000;
  for (int n = 1; n <= kCap; ++n) {
    if (!blocks.is_met(blocks.sweep(), relative)) continue;
    blocks.update_velocity();
    blocks.polish();  // creeping sweeps stop short of the answer
    double residual = 0;
    for (int k = 0; k < 4; ++k) residual = blocks.sweep();
    return blocks.is_met(residual, relative) ? n : -n;
  }
  return -kCap;
}

Solution finished(const BlockProblem& blocks, int status, int iterations) {
  Solution solution = blocks.solution();
  solution.iterations = iterations;
  solution.residual = blocks.residual();
  solution.status = status;
  solution.has_unsatisfiable_row |= status == kInconsistentRows;
  return solution;
}

/// Newton steps on the pieces of all laws [P-82]: rows that nearly repeat one another make sweeps
/// creep and their residual rise on the way. Returns their number, negative if they did not
/// converge.
int pieces_alone(BlockProblem& blocks, double relative) {
  constexpr int kCap = 30;
  for (int n = 1; n <= kCap; ++n) {
    blocks.polish(true);
    if (blocks.is_met(blocks.residual(), relative)) return n;
  }
  return -kCap;
}

}  // namespace

Solution solve_exact(const Problem& problem, const VectorXd& start, const SolverOptions& options) {
  BlockProblem blocks(problem, start);
  double residual = 0;
  int round = 0;
  bool is_converged = false;
  while (!is_converged && round < options.iterations) {
    ++round;
    for (int sweep = 0; sweep < 4; ++sweep) residual = blocks.sweep();
    // Creeping sweeps look converged long before they are: a polish has to come first.
    is_converged = round > 1 && blocks.is_met(residual, options.tolerance);
    if (is_converged) break;
    blocks.update_velocity();
    blocks.polish();
  }
  if (!is_converged) {
    for (const auto way : {pieces_alone, sweep_alone}) {
      BlockProblem anew(problem, start);
      const int passes = way(anew, options.tolerance);
      if (passes > 0) return finished(anew, kConverged, round + passes);
    }
  }
  if (is_converged) return finished(blocks, kConverged, round);
  BlockProblem forced = blocks;
  forced.polish(true);
  const bool is_inconsistent = forced.bilateral_error() > 1e-8 * forced.scale();
  if (is_inconsistent) return finished(forced, kInconsistentRows, round);
  const bool is_better = forced.residual() < blocks.residual();
  return finished(is_better ? forced : blocks, kIterationLimit, round);
}

}  // namespace flexor::reference
