// Tendon routes.

#include "stage_kernel.cuh"

namespace flexor {
FLEXOR_STAGE_GROUP(Route)
}  // namespace flexor
