// Commands, joint forces, rows.

#include "stage_kernel.cuh"

namespace flexor {
FLEXOR_STAGE_GROUP(ImplicitDiagonal, Activate, JointForces, AssembleRows)
}  // namespace flexor
