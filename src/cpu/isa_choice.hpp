#pragma once
// Which ISA variant runs here.

#include "cpu/tile_kernels.hpp"

namespace flexor {

/// The best variant that this processor has, or the one that the environment variable FLEXOR_ISA
/// names ("scalar", "baseline", "avx2", "avx512"). ConfigError if it names one that cannot run
/// here.
const TileKernels& choose_kernels(bool is_float);

}  // namespace flexor
