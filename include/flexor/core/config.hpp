#pragma once
// Which functions host and device share, and how hard they are inlined.

#ifdef __CUDACC__
#define FLEXOR_HD __host__ __device__
#else
#define FLEXOR_HD
#endif

// Large functions of stage code that are called rather than inlined: compile time. On the host all
// they call is inlined in them, so that what is the same for all elements stays out of their loops.
#ifdef __CUDACC__
#define FLEXOR_OUTLINE __host__ __device__ __noinline__
#elif defined(__GNUC__)
#define FLEXOR_OUTLINE __attribute__((noinline, flatten))
#else
#define FLEXOR_OUTLINE
#endif

// The body of a stage or of a large part of one: a function of its own on the host, part of a
// kernel on a device.
#ifdef __CUDACC__
#define FLEXOR_STAGE FLEXOR_HD
#else
#define FLEXOR_STAGE FLEXOR_OUTLINE
#endif

namespace flexor {
/// What stage code counts and addresses with: as wide as an address where that is cheapest.
#ifdef __CUDACC__
using Index = int;
#else
using Index = long;
#endif
}  // namespace flexor

// Small functions of stage code. Forced, because a weak copy compiled for one ISA must never be
// picked by the linker for another (tests/rules looks at the symbols).
#if defined(__GNUC__) && !defined(__CUDACC__)
#define FLEXOR_INLINE FLEXOR_HD inline __attribute__((always_inline))
#else
#define FLEXOR_INLINE FLEXOR_HD inline
#endif
