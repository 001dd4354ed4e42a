#pragma once
// N worlds in lockstep: native vectors of gcc and clang, as wide as the registers of the ISA and
// never wider (4, 8, 16 floats; 2, 4, 8 doubles). A pack has no indexing by lane on purpose: stage
// code chooses by select and goes on until all lanes are done. Host only: nvcc never sees it.

#ifdef __CUDACC__
#error "packs are host code; kernels use scalars"
#endif

#include <cstring>

#include "flexor/core/scalar.hpp"

namespace flexor {

// A dependent vector_size typedef degrades to its scalar in overloads (g++ 12), hence one
// specialisation per width.
template <class T, int N>
struct Vector;
#define FLEXOR_VECTOR(T, I, N)                                      \
  template <>                                                       \
  struct Vector<T, N> {                                             \
    typedef T Type __attribute__((vector_size(N * sizeof(T))));     \
    typedef I Integers __attribute__((vector_size(N * sizeof(I)))); \
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

FLEXOR_PACK PackMask<T, N> operator<(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v < b.v};
}
FLEXOR_PACK PackMask<T, N> operator<=(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v <= b.v};
}
FLEXOR_PACK PackMask<T, N> operator>(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v > b.v};
}
FLEXOR_PACK PackMask<T, N> operator>=(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v >= b.v};
}
FLEXOR_PACK PackMask<T, N> operator==(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v == b.v};
}
FLEXOR_PACK PackMask<T, N> operator!=(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v != b.v};
}

FLEXOR_PACK PackMask<T, N> operator&(const PackMask<T, N>& a, const PackMask<T, N>& b) {
  return {a.v & b.v};
}
FLEXOR_PACK PackMask<T, N> operator|(const PackMask<T, N>& a, const PackMask<T, N>& b) {
  return {a.v | b.v};
}
FLEXOR_PACK PackMask<T, N> operator!(const PackMask<T, N>& a) { return {~a.v}; }
FLEXOR_PACK PackMask<T, N> andnot(const PackMask<T, N>& a, const PackMask<T, N>& b) {
  return {a.v & ~b.v};
}

FLEXOR_PACK Pack<T, N> select(const PackMask<T, N>& m, const Pack<T, N>& a, const Pack<T, N>& b) {
  return {m.v ? a.v : b.v};
}
FLEXOR_PACK Pack<T, N> min(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v < b.v ? a.v : b.v};
}
FLEXOR_PACK Pack<T, N> max(const Pack<T, N>& a, const Pack<T, N>& b) {
  return {a.v > b.v ? a.v : b.v};
}
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
FLEXOR_PACK PackMask<T, N> is_finite(const Pack<T, N>& a) { return {(a.v - a.v) == a.v * 0}; }

FLEXOR_PACK bool any(const PackMask<T, N>& m) {
  constexpr int words = N * sizeof(T) / 8;
  std::uint64_t w[words];
  std::memcpy(w, &m.v, sizeof w);
  std::uint64_t r = w[0];
  for (int i = 1; i < words; ++i) r |= w[i];
  return r != 0;
}
FLEXOR_PACK bool all(const PackMask<T, N>& m) { return !any(!m); }

FLEXOR_PACK Pack<T, N> load(const T* p, const Pack<T, N>&) {
  Pack<T, N> r;
  std::memcpy(&r.v, p, sizeof r.v);
  return r;
}
FLEXOR_PACK void store(T* p, const Pack<T, N>& a) { std::memcpy(p, &a.v, sizeof a.v); }

FLEXOR_PACK PackBits<T, N> bits_where(const PackMask<T, N>& m, int value, const Pack<T, N>&) {
  return {m.v & value};
}
FLEXOR_PACK PackMask<T, N> has_bits(const PackBits<T, N>& b, int value) {
  return {(b.v & value) != 0};
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
  for (int i = 0; i < N; ++i) p[i] += m.v[i] ? x : 0.0;
}
FLEXOR_PACK void add_where(const PackMask<T, N>& m, std::int64_t* p, int x, const Pack<T, N>&) {
  for (int i = 0; i < N; ++i) p[i] += m.v[i] ? x : 0;
}
FLEXOR_PACK PackMask<T, N> load_flags(const std::uint8_t* p, const Pack<T, N>&) {
  PackMask<T, N> r;
  for (int i = 0; i < N; ++i) r.v[i] = -static_cast<int>(p[i] != 0);
  return r;
}
#undef FLEXOR_PACK

}  // namespace flexor
