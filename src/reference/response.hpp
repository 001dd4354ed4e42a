#pragma once
// How the velocity answers to a row's impulse, and what rows report that move nothing.

#include "reference/problem.hpp"

namespace flexor::reference {

/// Answer of the velocity to a unit impulse of every row.
struct Responses {
  std::vector<VectorXd> velocity;     ///< [row] M~^-1 J^T
  std::vector<double> W;              ///< [row] J M~^-1 J^T [1/kg]
  std::vector<bool> is_unresponsive;  ///< [row] [P-44]
};
Responses respond(const Problem& problem);

/// Impulses of the unresponsive rows: a soft or constant row reports its law at u = o, a hard row
/// 0. Sets `has_unsatisfiable_row` if a hard row is violated at u = o.   [P-44]
void report_unresponsive(const Problem& problem, const Responses& responses, Solution& solution);

}  // namespace flexor::reference
