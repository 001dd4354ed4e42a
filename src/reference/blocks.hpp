#pragma once
// The impulse problem after folding and collapsing: one scalar law per tendon and joint entry.
// [P-51], [P-52]

#include "reference/law.hpp"
#include "reference/response.hpp"

namespace flexor::reference {

/// One law that is left, with its impulse P on the way to the answer.
struct Block {
  Law law;
  std::vector<int> rows;  ///< problem rows in the order of law.rows
  VectorXd jacobian;
  double offset = 0;
  VectorXd response;   ///< M^^-1 J^T
  double W = 0;        ///< J M^^-1 J^T
  double impulse = 0;  ///< P
  LawPoint point;      ///< where the last update met the law
};

class BlockProblem {
 public:
  BlockProblem(const Problem& problem, const VectorXd& start);

  /// One pass over the laws in their order; returns max W |dP| [m/s].   [P-49]
  double sweep();
  /// One Newton step on the laws that can move; kept if it lowers `residual()`, or always if
  /// `is_forced`. Returns whether it was kept.   [P-59]
  bool polish(bool is_forced = false);
  /// rho = max W_i |P_i - update of P_i|, all laws updated from the same velocity.   [P-57]
  double residual() const;
  /// Velocity afresh from the impulses, without the rounding of many increments.
  void update_velocity();
  /// Whether a residual is within `relative` of max(1, max |J v^ + o|), or within its own rounding
  /// where impulses are so large that it stands above that, as long as rates are known.   [P-50]
  bool is_met(double residual, double relative) const;
  /// max(1, max |J v^ + o|)
  double scale() const { return scale_; }
  /// Largest |u - b| of the hard rows without bounds.
  double bilateral_error() const;
  /// Velocity and all rows' impulses, folded and unresponsive ones included.
  Solution solution() const;

 private:
  LawPoint update(const Block& block) const;

  const Problem& problem_;
  Responses responses_;
  std::vector<bool> is_folded_;
  std::vector<Block> blocks_;
  VectorXd free_velocity_;  ///< v^
  VectorXd velocity_;
  double scale_ = 1;
};

}  // namespace flexor::reference
