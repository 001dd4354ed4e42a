#pragma once
// One world per lane set: float and double behave like a pack of one. These overloads must be
// declared before any stage template (no argument-dependent lookup for built-in types).

#include <cstdint>

#include "flexor/core/config.hpp"

namespace flexor {

template <class Real>
struct Lanes;  ///< Scalar, Bits (integer lanes of the same size), count

template <>
struct Lanes<float> {
  using Scalar = float;
  using Mask = bool;
  using Bits = std::int32_t;
  static constexpr int count = 1;
};
template <>
struct Lanes<double> {
  using Scalar = double;
  using Mask = bool;
  using Bits = std::int64_t;
  static constexpr int count = 1;
};

FLEXOR_INLINE constexpr float infinity(float) { return __builtin_huge_valf(); }
FLEXOR_INLINE constexpr double infinity(double) { return __builtin_huge_val(); }

template <class Real>
using Scalar = typename Lanes<Real>::Scalar;
template <class Real>
using Mask = typename Lanes<Real>::Mask;
template <class Real>
using Bits = typename Lanes<Real>::Bits;

/// Unit roundoff of 1 of a scalar type.
template <class S>
struct Epsilon;
template <>
struct Epsilon<float> {
  static constexpr float value = 1.1920929e-7f;
};
template <>
struct Epsilon<double> {
  static constexpr double value = 2.220446049250313e-16;
};
template <class Real>
inline constexpr auto kEpsilon = Epsilon<Scalar<Real>>::value;

/// a for float32, b for float64.
template <class Real>
FLEXOR_INLINE constexpr Scalar<Real> by_precision(double float32, double float64) {
  return static_cast<Scalar<Real>>(sizeof(Scalar<Real>) == 4 ? float32 : float64);
}

#define FLEXOR_SCALAR_FUNCTIONS(T, sqrt_builtin, abs_builtin, floor_builtin) \
  FLEXOR_INLINE T select(bool mask, T a, T b) { return mask ? a : b; }       \
  FLEXOR_INLINE T min(T a, T b) { return a < b ? a : b; }                    \
  FLEXOR_INLINE T max(T a, T b) { return a > b ? a : b; }                    \
  FLEXOR_INLINE T sqrt(T a) { return sqrt_builtin(a); }                      \
  FLEXOR_INLINE T abs(T a) { return abs_builtin(a); }                        \
  FLEXOR_INLINE T floor(T a) { return floor_builtin(a); }                    \
  FLEXOR_INLINE bool is_finite(T a) { return a - a == T(0); }                \
  FLEXOR_INLINE T load(const T* p, T) { return *p; }                         \
  FLEXOR_INLINE void store(T* p, T a) { *p = a; }

FLEXOR_SCALAR_FUNCTIONS(float, __builtin_sqrtf, __builtin_fabsf, __builtin_floorf)
FLEXOR_SCALAR_FUNCTIONS(double, __builtin_sqrt, __builtin_fabs, __builtin_floor)
#undef FLEXOR_SCALAR_FUNCTIONS

FLEXOR_INLINE bool any(bool mask) { return mask; }
FLEXOR_INLINE bool all(bool mask) { return mask; }
FLEXOR_INLINE bool andnot(bool a, bool b) { return a && !b; }

/// value where mask, else 0: lanes of status bits.
FLEXOR_INLINE std::int32_t bits_where(bool mask, int value, float) { return mask ? value : 0; }
FLEXOR_INLINE std::int64_t bits_where(bool mask, int value, double) { return mask ? value : 0; }
/// Whether any bit of `value` is set, per lane.
FLEXOR_INLINE bool has_bits(std::int32_t bits, int value) { return (bits & value) != 0; }
FLEXOR_INLINE bool has_bits(std::int64_t bits, int value) { return (bits & value) != 0; }

FLEXOR_INLINE float bits_to_real(std::int32_t bits) { return __builtin_bit_cast(float, bits); }
FLEXOR_INLINE double bits_to_real(std::int64_t bits) { return __builtin_bit_cast(double, bits); }
FLEXOR_INLINE std::int32_t real_to_bits(float a) { return __builtin_bit_cast(std::int32_t, a); }
FLEXOR_INLINE std::int64_t real_to_bits(double a) { return __builtin_bit_cast(std::int64_t, a); }
/// 2^k for the integer k held in a.
FLEXOR_INLINE float power_of_two(float k) {
  return __builtin_bit_cast(float, (static_cast<std::int32_t>(k) + 127) << 23);
}
FLEXOR_INLINE double power_of_two(double k) {
  return __builtin_bit_cast(double, (static_cast<std::int64_t>(k) + 1023) << 52);
}
/// k as integer lanes, for a real that holds a small integer.
FLEXOR_INLINE std::int32_t to_integer(float a) { return static_cast<std::int32_t>(a); }
FLEXOR_INLINE std::int64_t to_integer(double a) { return static_cast<std::int64_t>(a); }

// integer lanes in memory are int32 in every precision
FLEXOR_INLINE std::int32_t load_int32(const std::int32_t* p, float) { return *p; }
FLEXOR_INLINE std::int64_t load_int32(const std::int32_t* p, double) { return *p; }
FLEXOR_INLINE void store_int32(std::int32_t* p, std::int32_t bits) { *p = bits; }
FLEXOR_INLINE void store_int32(std::int32_t* p, std::int64_t bits) {
  *p = static_cast<std::int32_t>(bits);
}
/// Adds to the counters and clocks of the lanes of a mask.
FLEXOR_INLINE void add_where(bool mask, double* p, double x, float) { *p += mask ? x : 0.0; }
FLEXOR_INLINE void add_where(bool mask, double* p, double x, double) { *p += mask ? x : 0.0; }
FLEXOR_INLINE void add_where(bool mask, std::int64_t* p, int x, float) { *p += mask ? x : 0; }
FLEXOR_INLINE void add_where(bool mask, std::int64_t* p, int x, double) { *p += mask ? x : 0; }
/// Lanes whose byte is not zero.
FLEXOR_INLINE bool load_flags(const std::uint8_t* p, float) { return *p != 0; }
FLEXOR_INLINE bool load_flags(const std::uint8_t* p, double) { return *p != 0; }

}  // namespace flexor
