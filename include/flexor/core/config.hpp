#pragma once
// Which functions host and device share, and how hard they are inlined.

#ifdef __CUDACC__
#define FLEXOR_HD __host__ __device__
#else
#define FLEXOR_HD
#endif

// Large functions of stage code that kernels call rather than inline: compile time.
#ifdef __CUDACC__
#define FLEXOR_OUTLINE __host__ __device__ __noinline__
#else
#define FLEXOR_OUTLINE
#endif

// Small functions of stage code. Forced, because a weak copy compiled for one ISA must never be
// picked by the linker for another (tests/rules looks at the symbols).
#if defined(__GNUC__) && !defined(__CUDACC__)
#define FLEXOR_INLINE FLEXOR_HD inline __attribute__((always_inline))
#else
#define FLEXOR_INLINE FLEXOR_HD inline
#endif
