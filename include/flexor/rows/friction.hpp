#pragma once
// Dry friction of a tendon or joint: target 0, |p| <= h F, softness c_f / h^2. Without compliance a
// load below the bound is held at rest for ever.   [P-10], [P-30]

#include "flexor/rows/row.hpp"

namespace flexor {

template <class Real>
FLEXOR_INLINE Row<Real> friction_row(const Real& bound, const Real& compliance, const Real& h) {
  const auto acts = bound > Real(0);
  const Row<Real> row{Real(0), compliance / (h * h), -(h * bound), h * bound};
  return select(acts, row, dead_row<Real>());
}

}  // namespace flexor
