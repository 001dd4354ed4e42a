#include "cpu/tile.inl"

namespace flexor {
namespace FLEXOR_ISA {

extern const TileKernels kFloatKernels;
const TileKernels kFloatKernels = kKernels<float>;

}  // namespace FLEXOR_ISA
}  // namespace flexor
