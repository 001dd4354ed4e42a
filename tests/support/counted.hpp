#pragma once
// A float32 number that counts what stage code does with it, and cells that count how often they
// are looked at. Include it before any stage (as packs: stages name some functions with their
// namespace). Masks, integers and addresses are not counted, nor are the shared constants, which a
// pack reads once for all of its worlds.

#include <cstdint>

#include "flexor/core/scalar.hpp"

namespace flexor {

/// Operations since they were last set to zero.
struct Counts {
  double add = 0;       ///< sums, differences
  double multiply = 0;  ///< products
  double divide = 0;    ///< quotients and square roots
  double choose = 0;    ///< comparisons, select, min, max, abs, floor, sign, powers of two
  double cells = 0;     ///< cells of the workspace read or written, each reference once
  double arrays = 0;    ///< numbers of fields and per-world constants loaded or stored

  double flops() const { return add + multiply + divide; }
};
inline constexpr double Counts::*kCountKinds[] = {&Counts::add,    &Counts::multiply,
                                                  &Counts::divide, &Counts::choose,
                                                  &Counts::cells,  &Counts::arrays};
inline Counts counts;

struct Counted {
  float v;
  Counted() = default;
  FLEXOR_INLINE explicit Counted(float x) : v(x) {}
  FLEXOR_INLINE explicit Counted(double x) : v(static_cast<float>(x)) {}
  FLEXOR_INLINE explicit Counted(int x) : v(static_cast<float>(x)) {}
  FLEXOR_INLINE Counted& operator+=(const Counted& b);
  FLEXOR_INLINE Counted& operator-=(const Counted& b);
  FLEXOR_INLINE Counted& operator*=(const Counted& b);
};

struct CountedBits {
  std::int32_t v;
};

template <>
struct Lanes<Counted> {
  using Scalar = float;
  using Mask = bool;
  using Bits = CountedBits;
  static constexpr int count = 1;
};

/// x, and one more operation of the kind.
FLEXOR_INLINE Counted count(double Counts::*kind, float x) {
  counts.*kind += 1;
  return Counted(x);
}

FLEXOR_INLINE Counted operator+(const Counted& a, const Counted& b) {
  return count(&Counts::add, a.v + b.v);
}
FLEXOR_INLINE Counted operator-(const Counted& a, const Counted& b) {
  return count(&Counts::add, a.v - b.v);
}
FLEXOR_INLINE Counted operator*(const Counted& a, const Counted& b) {
  return count(&Counts::multiply, a.v * b.v);
}
FLEXOR_INLINE Counted operator/(const Counted& a, const Counted& b) {
  return count(&Counts::divide, a.v / b.v);
}
FLEXOR_INLINE Counted operator-(const Counted& a) { return count(&Counts::choose, -a.v); }
FLEXOR_INLINE Counted& Counted::operator+=(const Counted& b) { return *this = *this + b; }
FLEXOR_INLINE Counted& Counted::operator-=(const Counted& b) { return *this = *this - b; }
FLEXOR_INLINE Counted& Counted::operator*=(const Counted& b) { return *this = *this * b; }

#define FLEXOR_COUNTED_COMPARE(op)                                     \
  FLEXOR_INLINE bool operator op(const Counted& a, const Counted& b) { \
    counts.choose += 1;                                                \
    return a.v op b.v;                                                 \
  }
FLEXOR_COUNTED_COMPARE(<)
FLEXOR_COUNTED_COMPARE(<=)
FLEXOR_COUNTED_COMPARE(>)
FLEXOR_COUNTED_COMPARE(>=)
FLEXOR_COUNTED_COMPARE(==)
FLEXOR_COUNTED_COMPARE(!=)
#undef FLEXOR_COUNTED_COMPARE

FLEXOR_INLINE Counted select(bool mask, const Counted& a, const Counted& b) {
  return count(&Counts::choose, mask ? a.v : b.v);
}
FLEXOR_INLINE Counted min(const Counted& a, const Counted& b) {
  return count(&Counts::choose, min(a.v, b.v));
}
FLEXOR_INLINE Counted max(const Counted& a, const Counted& b) {
  return count(&Counts::choose, max(a.v, b.v));
}
FLEXOR_INLINE Counted sqrt(const Counted& a) { return count(&Counts::divide, sqrt(a.v)); }
FLEXOR_INLINE Counted abs(const Counted& a) { return count(&Counts::choose, abs(a.v)); }
FLEXOR_INLINE Counted floor(const Counted& a) { return count(&Counts::choose, floor(a.v)); }
FLEXOR_INLINE bool is_finite(const Counted& a) {
  counts.choose += 1;
  return is_finite(a.v);
}
FLEXOR_INLINE Counted power_of_two(const Counted& k) {
  return count(&Counts::choose, power_of_two(k.v));
}
FLEXOR_INLINE Counted load(const float* p, const Counted&) { return count(&Counts::arrays, *p); }
FLEXOR_INLINE void store(float* p, const Counted& a) {
  counts.arrays += 1;
  *p = a.v;
}
FLEXOR_INLINE CountedBits bits_where(bool mask, int value, const Counted&) {
  return {bits_where(mask, value, 0.0f)};
}
FLEXOR_INLINE bool has_bits(const CountedBits& bits, int value) { return has_bits(bits.v, value); }
FLEXOR_INLINE CountedBits operator|(const CountedBits& a, const CountedBits& b) {
  return {a.v | b.v};
}
FLEXOR_INLINE Counted bits_to_real(const CountedBits& bits) {
  return Counted(bits_to_real(bits.v));
}
FLEXOR_INLINE CountedBits real_to_bits(const Counted& a) { return {real_to_bits(a.v)}; }
FLEXOR_INLINE CountedBits to_integer(const Counted& a) { return {to_integer(a.v)}; }
FLEXOR_INLINE CountedBits load_int32(const std::int32_t* p, const Counted&) { return {*p}; }
FLEXOR_INLINE void store_int32(std::int32_t* p, const CountedBits& bits) { *p = bits.v; }
FLEXOR_INLINE void add_where(bool mask, double* p, double x, const Counted&) {
  add_where(mask, p, x, 0.0f);
}
FLEXOR_INLINE void add_where(bool mask, std::int64_t* p, int x, const Counted&) {
  add_where(mask, p, x, 0.0f);
}
FLEXOR_INLINE bool load_flags(const std::uint8_t* p, const Counted&) { return *p != 0; }

struct CountedCells {
  using Real = Counted;
  Counted* base;
  int stride = 1;
  FLEXOR_INLINE const Counted& operator[](Index i) const {
    counts.cells += 1;
    return base[static_cast<long>(i) * stride];
  }
  FLEXOR_INLINE CountedCells from(Index i) const {
    return {base + static_cast<long>(i) * stride, stride};
  }
};
struct WritableCountedCells {
  using Real = Counted;
  Counted* base;
  int stride = 1;
  FLEXOR_INLINE Counted& operator[](Index i) const {
    counts.cells += 1;
    return base[static_cast<long>(i) * stride];
  }
  FLEXOR_INLINE WritableCountedCells from(Index i) const {
    return {base + static_cast<long>(i) * stride, stride};
  }
};
FLEXOR_INLINE WritableCountedCells writable(const CountedCells& c) { return {c.base, c.stride}; }

}  // namespace flexor
