// Reports and the next state.

#include "stage_kernel.cuh"

namespace flexor {
FLEXOR_STAGE_GROUP(ReportForces, Integrate)
}  // namespace flexor
