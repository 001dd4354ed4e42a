// G arrays after the last step.

#include "stage_kernel.cuh"

namespace flexor {
FLEXOR_STAGE_GROUP(Kinematics, Route, StoreGeometry)
}  // namespace flexor
