#include "cpu/tile.inl"

namespace flexor {
namespace FLEXOR_ISA {

extern const TileKernels kDoubleKernels;
const TileKernels kDoubleKernels = kKernels<double>;

}  // namespace FLEXOR_ISA
}  // namespace flexor
