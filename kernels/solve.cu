// Folding, factorisation, impulses.

#include "stage_kernel.cuh"

namespace flexor {
FLEXOR_STAGE_GROUP(FoldAndFactor, Solve)
}  // namespace flexor
