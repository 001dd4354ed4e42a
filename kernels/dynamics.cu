// Poses, mass matrix, bias.

#include "stage_kernel.cuh"

namespace flexor {
FLEXOR_STAGE_GROUP(Kinematics, InertiaAndBias)
}  // namespace flexor
