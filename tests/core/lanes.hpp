#pragma once
// Lane by lane comparison of flexor's scalars and packs with plain C++.

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "flexor/core/pack.hpp"
#include "gtest/gtest.h"

namespace flexor::tests {

#ifdef __AVX2__  // the widths of AVX-512 too, which two registers hold where it cannot run
using LaneTypes = ::testing::Types<float, double, Pack<float, 4>, Pack<double, 2>, Pack<float, 8>,
                                   Pack<double, 4>, Pack<float, 16>, Pack<double, 8>>;
#else  // packs wider than the registers are no types of the library
using LaneTypes = ::testing::Types<float, double, Pack<float, 4>, Pack<double, 2>>;
#endif

template <class S>
bool same_bits(S a, S b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}
/// Same bits, where any two NaN are the same: payload and sign of a computed NaN are not promised.
template <class S>
bool same_value(S a, S b) {
  return same_bits(a, b) || (std::isnan(a) && std::isnan(b));
}

/// Zeros of both signs, ties, the ends of the range, subnormal, infinite and NaN, then ordinary
/// numbers of both signs.
template <class S>
std::vector<S> probes() {
  using L = std::numeric_limits<S>;
  std::vector<S> x = {S(0),        S(-0.0),         S(1),           S(-1),         S(0.5),
                      S(-0.5),     S(1.5),          S(-1.5),        S(2.5),        S(-2.5),
                      S(3.7),      S(-3.7),         S(1e-10),       S(-1e-10),     S(1e10),
                      S(-1e10),    L::denorm_min(), L::min(),       -L::min(),     L::max(),
                      L::lowest(), L::infinity(),   -L::infinity(), L::quiet_NaN()};
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, 10);
  while (x.size() < 32) x.push_back(static_cast<S>(normal(random)));
  return x;
}

/// All pairs of probes, as two lists whose length is a multiple of every lane count.
template <class S>
struct ProbePairs {
  std::vector<S> a, b;
  ProbePairs() {
    for (const S x : probes<S>()) {
      for (const S y : probes<S>()) {
        a.push_back(x);
        b.push_back(y);
      }
    }
  }
};

/// Lanes of a mask as numbers, 1 where set: what select sees.
template <class Real>
std::vector<bool> lanes_of(const Mask<Real>& mask) {
  Scalar<Real> out[Lanes<Real>::count];
  store(out, select(mask, Real(Scalar<Real>(1)), Real(Scalar<Real>(0))));
  std::vector<bool> set;
  for (const auto x : out) set.push_back(x == 1);
  return set;
}

/// A mask from the low bits of `pattern`, lane 0 first.
template <class Real>
Mask<Real> mask_of(int pattern) {
  using S = Scalar<Real>;
  S x[Lanes<Real>::count];
  for (int i = 0; i < Lanes<Real>::count; ++i) x[i] = S((pattern >> i) & 1);
  return load(x, Real()) > Real(S(0));
}

/// Integer lanes as numbers.
template <class Real>
std::vector<int> integers_of(const Bits<Real>& bits) {
  std::int32_t out[Lanes<Real>::count];
  store_int32(out, bits);
  return {out, out + Lanes<Real>::count};
}

}  // namespace flexor::tests
