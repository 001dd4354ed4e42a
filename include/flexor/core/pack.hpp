#pragma once
// N worlds in lockstep: native vectors of gcc and clang, as wide as the registers of the ISA and
// never wider (4, 8, 16 floats; 2, 4, 8 doubles). A pack has no indexing by lane on purpose: stage
// code chooses by select and goes on until all lanes are done. Host only: nvcc never sees it.

#ifdef __CUDACC__
#error "packs are host code; kernels use scalars"
#endif

#include <cstring>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "flexor/core/scalar.hpp"

namespace flexor {

// A dependent vector_size typedef degrades to its scalar in overloads (g++ 12), hence one
// specialisation per width.
template <class T, int N>
struct Vector;
#define FLEXOR_VECTOR(T, I, N)                                                           \
  template <>                                                                            \
  struct Vector<T, N> {                                                                  \
    typedef T Type __attribute__((vector_size(N * sizeof(T))));                          \
    typedef I Integers __attribute__((vector_size(N * sizeof(I))));                      \
    /* in memory: aliases T and nothing else, where a memcpy would alias all */          \
    typedef T Unaligned __attribute__((vector_size(N * sizeof(T)), aligned(sizeof(T)))); \
  };
FLEXOR_VECTOR(float, std::int32_t, 4)
FLEXOR_VECTOR(float, std::int32_t, 8)
FLEXOR_VECTOR(float, std::int32_t, 16)
FLEXOR_VECTOR(double, std::int64_t, 2)
FLEXOR_VECTOR(double, std::int64_t, 4)
FLEXOR_VECTOR(double, std::int64_t, 8)
#undef FLEXOR_VECTOR

template <class T, int N>
struct PackMask {
  typename Vector<T, N>::Integers v;  ///< all ones or all zeros per lane
};
#ifdef __AVX512F__
// One bit per lane in a mask register.
template <>
struct PackMask<float, 16> {
  __mmask16 v;
};
template <>
struct PackMask<double, 8> {
  __mmask8 v;
};
#endif

template <class T, int N>
struct PackBits {
  typename Vector<T, N>::Integers v;
};

template <class T, int N>
struct Pack {
  typename Vector<T, N>::Type v;
  Pack() = default;
  FLEXOR_INLINE Pack(typename Vector<T, N>::Type x) : v(x) {}
  FLEXOR_INLINE explicit Pack(T x) : v(x - typename Vector<T, N>::Type{}) {}
  FLEXOR_INLINE explicit Pack(int x) : Pack(static_cast<T>(x)) {}
  template <class U>
  requires(!__is_same(U, T) && !__is_same(U, int) &&
           (__is_same(U, float) || __is_same(U, double))) FLEXOR_INLINE explicit Pack(U x)
      : Pack(static_cast<T>(x)) {}
  FLEXOR_INLINE Pack& operator+=(const Pack& b) {
    v += b.v;
    return *this;
  }
  FLEXOR_INLINE Pack& operator-=(const Pack& b) {
    v -= b.v;
    return *this;
  }
  FLEXOR_INLINE Pack& operator*=(const Pack& b) {
    v *= b.v;
    return *this;
  }
};

template <class T, int N>
struct Lanes<Pack<T, N>> {
  using Scalar = T;
  using Mask = PackMask<T, N>;
  using Bits = PackBits<T, N>;
  static constexpr int count = N;
};

#define FLEXOR_PACK         \
  template <class T, int N> \
  FLEXOR_INLINE

FLEXOR_PACK Pack<T, N> operator+(const Pack<T, N>& a, const Pack<T, N>& b) { return {a.v + b.v}; }
FLEXOR_PACK Pack<T, N> operator-(const Pack<T, N>& a, const Pack<T, N>& b) { return {a.v - b.v}; }
FLEXOR_PACK Pack<T, N> operator*(const Pack<T, N>& a, const Pack<T, N>& b) { return {a.v * b.v}; }
FLEXOR_PACK Pack<T, N> operator/(const Pack<T, N>& a, const Pack<T, N>& b) { return {a.v / b.v}; }
FLEXOR_PACK Pack<T, N> operator-(const Pack<T, N>& a) { return {-a.v}; }

// Comparisons, choices and tests of lanes, by what the registers of the ISA offer.
#define FLEXOR_COMPARE(op)                                                           \
  FLEXOR_PACK PackMask<T, N> operator op(const Pack<T, N>& a, const Pack<T, N>& b) { \
    return {a.v op b.v};                                                             \
  }
FLEXOR_COMPARE(<)
FLEXOR_COMPARE(<=)
FLEXOR_COMPARE(>)
FLEXOR_COMPARE(>=)
FLEXOR_COMPARE(==)
FLEXOR_COMPARE(!=)
#undef FLEXOR_COMPARE

FLEXOR_PACK PackMask<T, N> operator&(const PackMask<T, N>& a, const PackMask<T, N>& b) {
  return {static_cast<decltype(a.v)>(a.v & b.v)};
}
FLEXOR_PACK PackMask<T, N> operator|(const PackMask<T, N>& a, const PackMask<T, N>& b) {
  return {static_cast<decltype(a.v)>(a.v | b.v)};
}
FLEXOR_PACK PackMask<T, N> operator!(const PackMask<T, N>& a) {
  return {static_cast<decltype(a.v)>(~a.v)};
}
FLEXOR_PACK PackMask<T, N> andnot(const PackMask<T, N>& a, const PackMask<T, N>& b) {
  return {static_cast<decltype(a.v)>(a.v & ~b.v)};
}

FLEXOR_PACK Pack<T, N> select(const PackMask<T, N>& m, const Pack<T, N>& a, const Pack<T, N>& b) {
  using Type = typename Vector<T, N>::Type;
  using I = typename Vector<T, N>::Integers;
  if constexpr (N * sizeof(T) == 16) {  // no blend before SSE4.1
    const I x = reinterpret_cast<I>(a.v), y = reinterpret_cast<I>(b.v);
    return {reinterpret_cast<Type>((x & m.v) | (y & ~m.v))};
  } else {
    return {m.v ? a.v : b.v};
  }
}
FLEXOR_PACK Pack<T, N> min(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v < b.v ? a.v : b.v};
}
FLEXOR_PACK Pack<T, N> max(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v > b.v ? a.v : b.v};
}
FLEXOR_PACK bool any(const PackMask<T, N>& m) {
  constexpr int words = N * sizeof(T) / 8;
  std::uint64_t w[words];
  std::memcpy(w, &m.v, sizeof w);
  std::uint64_t r = w[0];
  for (int i = 1; i < words; ++i) r |= w[i];
  return r != 0;
}
/// The mask as integer lanes, all ones or all zeros, and back.
FLEXOR_PACK typename Vector<T, N>::Integers to_lanes(const PackMask<T, N>& m) { return m.v; }
FLEXOR_PACK PackMask<T, N> to_mask(const typename Vector<T, N>::Integers& lanes, Pack<T, N>) {
  return {lanes};
}

#ifdef __SSE2__
// By intrinsics: g++ 12 fails on some combinations of generic comparisons of two doubles.
#define FLEXOR_COMPARE128(op, name)                                                                \
  FLEXOR_INLINE PackMask<float, 4> operator op(const Pack<float, 4>& a, const Pack<float, 4>& b) { \
    return {reinterpret_cast<Vector<float, 4>::Integers>(                                          \
        _mm_cmp##name##_ps(reinterpret_cast<__m128>(a.v), reinterpret_cast<__m128>(b.v)))};        \
  }                                                                                                \
  FLEXOR_INLINE PackMask<double, 2> operator op(const Pack<double, 2>& a,                          \
                                                const Pack<double, 2>& b) {                        \
    return {reinterpret_cast<Vector<double, 2>::Integers>(                                         \
        _mm_cmp##name##_pd(reinterpret_cast<__m128d>(a.v), reinterpret_cast<__m128d>(b.v)))};      \
  }
FLEXOR_COMPARE128(<, lt)
FLEXOR_COMPARE128(<=, le)
FLEXOR_COMPARE128(>, gt)
FLEXOR_COMPARE128(>=, ge)
FLEXOR_COMPARE128(==, eq)
FLEXOR_COMPARE128(!=, neq)
#undef FLEXOR_COMPARE128
#endif
// min and max of x86 are a < b ? a : b and a > b ? a : b.
#define FLEXOR_MIN_MAX(T, N, V, prefix, suffix)                                      \
  FLEXOR_INLINE Pack<T, N> min(const Pack<T, N>& a, const Pack<T, N>& b) {           \
    return {reinterpret_cast<Vector<T, N>::Type>(                                    \
        prefix##_min_##suffix(reinterpret_cast<V>(a.v), reinterpret_cast<V>(b.v)))}; \
  }                                                                                  \
  FLEXOR_INLINE Pack<T, N> max(const Pack<T, N>& a, const Pack<T, N>& b) {           \
    return {reinterpret_cast<Vector<T, N>::Type>(                                    \
        prefix##_max_##suffix(reinterpret_cast<V>(a.v), reinterpret_cast<V>(b.v)))}; \
  }
#ifdef __SSE2__
FLEXOR_MIN_MAX(float, 4, __m128, _mm, ps)
FLEXOR_MIN_MAX(double, 2, __m128d, _mm, pd)
#endif
#ifdef __AVX2__
FLEXOR_MIN_MAX(float, 8, __m256, _mm256, ps)
FLEXOR_MIN_MAX(double, 4, __m256d, _mm256, pd)
#endif
#undef FLEXOR_MIN_MAX
#ifdef __AVX2__
FLEXOR_INLINE bool any(const PackMask<float, 8>& m) {
  return _mm256_movemask_ps(reinterpret_cast<__m256>(m.v)) != 0;
}
FLEXOR_INLINE bool any(const PackMask<double, 4>& m) {
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(m.v)) != 0;
}
#endif
#ifdef __AVX512F__
#define FLEXOR_COMPARE512(op, code)                                                                \
  FLEXOR_INLINE PackMask<float, 16> operator op(const Pack<float, 16>& a,                          \
                                                const Pack<float, 16>& b) {                        \
    return {                                                                                       \
        _mm512_cmp_ps_mask(reinterpret_cast<__m512>(a.v), reinterpret_cast<__m512>(b.v), code)};   \
  }                                                                                                \
  FLEXOR_INLINE PackMask<double, 8> operator op(const Pack<double, 8>& a,                          \
                                                const Pack<double, 8>& b) {                        \
    return {                                                                                       \
        _mm512_cmp_pd_mask(reinterpret_cast<__m512d>(a.v), reinterpret_cast<__m512d>(b.v), code)}; \
  }
FLEXOR_COMPARE512(<, _CMP_LT_OQ)
FLEXOR_COMPARE512(<=, _CMP_LE_OQ)
FLEXOR_COMPARE512(>, _CMP_GT_OQ)
FLEXOR_COMPARE512(>=, _CMP_GE_OQ)
FLEXOR_COMPARE512(==, _CMP_EQ_OQ)
FLEXOR_COMPARE512(!=, _CMP_NEQ_UQ)
#undef FLEXOR_COMPARE512
// min and max by their zero-masking forms: the plain ones of g++ 12 warn of uninitialised values.
#define FLEXOR_PACK512(T, N, V, suffix, lane)                                                    \
  FLEXOR_INLINE Pack<T, N> select(const PackMask<T, N>& m, const Pack<T, N>& a,                  \
                                  const Pack<T, N>& b) {                                         \
    return {reinterpret_cast<Vector<T, N>::Type>(                                                \
        _mm512_mask_blend_##suffix(m.v, reinterpret_cast<V>(b.v), reinterpret_cast<V>(a.v)))};   \
  }                                                                                              \
  FLEXOR_INLINE Pack<T, N> min(const Pack<T, N>& a, const Pack<T, N>& b) {                       \
    return {reinterpret_cast<Vector<T, N>::Type>(_mm512_maskz_min_##suffix(                      \
        decltype(PackMask<T, N>::v)(-1), reinterpret_cast<V>(a.v), reinterpret_cast<V>(b.v)))};  \
  }                                                                                              \
  FLEXOR_INLINE Pack<T, N> max(const Pack<T, N>& a, const Pack<T, N>& b) {                       \
    return {reinterpret_cast<Vector<T, N>::Type>(_mm512_maskz_max_##suffix(                      \
        decltype(PackMask<T, N>::v)(-1), reinterpret_cast<V>(a.v), reinterpret_cast<V>(b.v)))};  \
  }                                                                                              \
  FLEXOR_INLINE bool any(const PackMask<T, N>& m) { return m.v != 0; }                           \
  FLEXOR_INLINE Vector<T, N>::Integers to_lanes(const PackMask<T, N>& m) {                       \
    return reinterpret_cast<Vector<T, N>::Integers>(_mm512_movm_##lane(m.v));                    \
  }                                                                                              \
  FLEXOR_INLINE PackMask<T, N> to_mask(const Vector<T, N>::Integers& lanes, const Pack<T, N>&) { \
    return {_mm512_mov##lane##_mask(reinterpret_cast<__m512i>(lanes))};                          \
  }
FLEXOR_PACK512(float, 16, __m512, ps, epi32)
FLEXOR_PACK512(double, 8, __m512d, pd, epi64)
#undef FLEXOR_PACK512
#endif
FLEXOR_PACK bool all(const PackMask<T, N>& m) { return !any(!m); }

FLEXOR_PACK Pack<T, N> sqrt(const Pack<T, N>& a) {
  Pack<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = flexor::sqrt(a.v[i]);
  return r;
}
FLEXOR_PACK Pack<T, N> abs(const Pack<T, N>& a) {
  using I = typename Vector<T, N>::Integers;
  const I sign = reinterpret_cast<I>(-(typename Vector<T, N>::Type{}));
  return {reinterpret_cast<typename Vector<T, N>::Type>(reinterpret_cast<I>(a.v) & ~sign)};
}
FLEXOR_PACK Pack<T, N> floor(const Pack<T, N>& a) {
  // round to nearest by the 1.5 * 2^mantissa trick, then step down: for |a| below
  // 2^22 (float), 2^51 (double); -0 gives +0, other than in scalars
  constexpr T big = sizeof(T) == 4 ? T(12582912.0) : T(6755399441055744.0);
  const Pack<T, N> r = (a + Pack<T, N>(big)) - Pack<T, N>(big);
  return select(r > a, r - Pack<T, N>(T(1)), r);
}
FLEXOR_PACK PackMask<T, N> is_finite(const Pack<T, N>& a) {
  return Pack<T, N>(a.v - a.v) == Pack<T, N>(T(0));
}

FLEXOR_PACK Pack<T, N> load(const T* p, const Pack<T, N>&) {
  return {*reinterpret_cast<const typename Vector<T, N>::Unaligned*>(p)};
}
FLEXOR_PACK void store(T* p, const Pack<T, N>& a) {
  *reinterpret_cast<typename Vector<T, N>::Unaligned*>(p) = a.v;
}

FLEXOR_PACK PackBits<T, N> bits_where(const PackMask<T, N>& m, int value, const Pack<T, N>&) {
  return {to_lanes(m) & value};
}
FLEXOR_PACK PackMask<T, N> has_bits(const PackBits<T, N>& b, int value) {
  return to_mask((b.v & value) != 0, Pack<T, N>());
}
FLEXOR_PACK PackBits<T, N> operator|(const PackBits<T, N>& a, const PackBits<T, N>& b) {
  return {a.v | b.v};
}
FLEXOR_PACK Pack<T, N> bits_to_real(const PackBits<T, N>& b) {
  return {reinterpret_cast<typename Vector<T, N>::Type>(b.v)};
}
FLEXOR_PACK PackBits<T, N> real_to_bits(const Pack<T, N>& a) {
  return {reinterpret_cast<typename Vector<T, N>::Integers>(a.v)};
}
FLEXOR_PACK Pack<T, N> power_of_two(const Pack<T, N>& k) {
  constexpr int bias = sizeof(T) == 4 ? 127 : 1023, shift = sizeof(T) == 4 ? 23 : 52;
  return {reinterpret_cast<typename Vector<T, N>::Type>(
      (__builtin_convertvector(k.v, typename Vector<T, N>::Integers) + bias) << shift)};
}
FLEXOR_PACK PackBits<T, N> to_integer(const Pack<T, N>& a) {
  return {__builtin_convertvector(a.v, typename Vector<T, N>::Integers)};
}

FLEXOR_PACK PackBits<T, N> load_int32(const std::int32_t* p, const Pack<T, N>&) {
  PackBits<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = p[i];
  return r;
}
FLEXOR_PACK void store_int32(std::int32_t* p, const PackBits<T, N>& b) {
  for (int i = 0; i < N; ++i) p[i] = static_cast<std::int32_t>(b.v[i]);
}
FLEXOR_PACK void add_where(const PackMask<T, N>& m, double* p, double x, const Pack<T, N>&) {
  const auto lanes = to_lanes(m);
  for (int i = 0; i < N; ++i) p[i] += lanes[i] ? x : 0.0;
}
FLEXOR_PACK void add_where(const PackMask<T, N>& m, std::int64_t* p, int x, const Pack<T, N>&) {
  const auto lanes = to_lanes(m);
  for (int i = 0; i < N; ++i) p[i] += lanes[i] ? x : 0;
}
FLEXOR_PACK PackMask<T, N> load_flags(const std::uint8_t* p, const Pack<T, N>&) {
  typename Vector<T, N>::Integers lanes;
  for (int i = 0; i < N; ++i) lanes[i] = -static_cast<int>(p[i] != 0);
  return to_mask(lanes, Pack<T, N>());
}
#undef FLEXOR_PACK

}  // namespace flexor
