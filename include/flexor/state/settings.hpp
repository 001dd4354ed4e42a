#pragma once
// Solver choices and guard, the same for all worlds of a batch.

namespace flexor {

struct SolverSettings {
  int method;          ///< 0 active_set, 1 jacobi
  int iterations;      ///< cap of the method
  double tolerance;    ///< of jacobi, relative [P-57]
  int freeze;          ///< guard "freeze": failed worlds get FROZEN
  int ignore;          ///< guard "ignore": only a world that cannot be factored is held back
  int warm_start = 1;  ///< begin with the pieces of the last step's impulses
};

}  // namespace flexor
