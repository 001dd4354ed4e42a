#pragma once
// Random numbers by counting: a draw is a pure function of seed, stream, episode, step and its own
// number, so no world, thread or batch size enters into another's.   [RN-1]
//
// Philox-4x32-10 (Salmon et al. 2011): ten rounds of two 32 x 32 -> 64 bit products over a counter
// of four words, keyed by the seed. Draw j of a stream is word j mod 4 of block j div 4, counter
// (block, step, episode, stream). `flexor.rng` in Python gives the same bits.

#include <cstdint>

#include "flexor/math/functions.hpp"

namespace flexor {

/// Four words: a counter, or what Philox makes of it.
struct RandomBlock {
  std::uint32_t word[4];
};

/// What a stream is for; `step` is 0 for draws at reset, else the control step counted from 1.
enum RandomPurpose : std::uint32_t {
  kRandomInitialState = 0,
  kRandomParameters = 1,
  kRandomTask = 2,
  kRandomSensorNoise = 3,
  kRandomSensorDelay = 4,
  kRandomActionNoise = 5,
  kRandomDisturbance = 6,
  kRandomUser = 16  ///< and up
};

/// Philox-4x32-10 of a counter; key = (low, high) words of the seed.   [RN-1]
FLEXOR_INLINE RandomBlock philox(std::uint64_t seed, RandomBlock counter) {
  std::uint32_t low = static_cast<std::uint32_t>(seed);
  std::uint32_t high = static_cast<std::uint32_t>(seed >> 32);
  std::uint32_t* x = counter.word;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53u} * x[0];
    const std::uint64_t q = std::uint64_t{0xCD9E8D57u} * x[2];
    x[0] = static_cast<std::uint32_t>(q >> 32) ^ x[1] ^ low;
    x[2] = static_cast<std::uint32_t>(p >> 32) ^ x[3] ^ high;
    x[1] = static_cast<std::uint32_t>(q);
    x[3] = static_cast<std::uint32_t>(p);
    low += 0x9E3779B9u;
    high += 0xBB67AE85u;
  }
  return counter;
}

/// ln x of a positive normal number: x = m 2^e with m in [sqrt(1/2), sqrt 2), then the rational
/// approximation of Cephes in m - 1. Error <= 1 ulp.
FLEXOR_INLINE double log(double x) {
  constexpr std::int64_t kMantissa = (std::int64_t{1} << 52) - 1;
  const std::int64_t bits = real_to_bits(x);
  double e = static_cast<double>((bits >> 52) - 1022);
  double m = bits_to_real((bits & kMantissa) | (std::int64_t{1022} << 52));  // [1/2, 1)
  const bool is_low = m < 0.70710678118654752440;
  m = is_low ? m + m : m;
  e = is_low ? e - 1.0 : e;
  const double z = m - 1.0, z2 = z * z;
  const double p =
      polynomial(z, 7.70838733755885391666e0, 1.79368678507819816313e1, 1.44989225341610930846e1,
                 4.70579119878881725854e0, 4.97494994976747001425e-1, 1.01875663804580931796e-4);
  const double q =
      polynomial(z, 2.31251620126765340583e1, 7.11544750618563894466e1, 8.29875266912776603211e1,
                 4.52279145837532221105e1, 1.12873587189167450590e1, 1.0);
  const double y = (z * (z2 * p / q) - e * 2.121944400546905827679e-4) - 0.5 * z2;
  return (z + y) + e * 0.693359375;
}

/// The draws of one stream in one step of one episode of a world known by its seed.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;
  std::uint32_t episode = 0;
  std::uint32_t step = 0;

  /// Word j.   [RN-1]
  FLEXOR_INLINE std::uint32_t word(std::uint32_t j) const {
    return philox(seed, {{j / 4, step, episode, stream}}).word[j % 4];
  }
  /// In [0, 1), a multiple of 2^-24: the same number in every precision.   [RN-2]
  FLEXOR_INLINE double uniform(std::uint32_t j) const { return (word(j) >> 8) * 0x1p-24; }
  /// In [low, high), with two roundings after those of high - low.   [RN-2]
  FLEXOR_INLINE double uniform(std::uint32_t j, double low, double high) const {
    const double spread = (high - low) * uniform(j);
    return low + spread;
  }
  /// Mean 0, variance 1, |z| <= 5.77: Box and Muller, one pair of words for two draws.   [RN-3]
  FLEXOR_INLINE double normal(std::uint32_t j) const {
    const RandomBlock block = philox(seed, {{j / 4, step, episode, stream}});
    const std::uint32_t* pair = block.word + (j % 4 / 2) * 2;
    const double radius = sqrt(-2.0 * log(((pair[0] >> 8) + 1.0) * 0x1p-24));
    double s, c;
    sincos(6.28318530717958647693 * ((pair[1] >> 8) * 0x1p-24), s, c);
    return radius * (j % 2 == 0 ? c : s);
  }
  /// Whole number in [0, n).   [RN-3]
  FLEXOR_INLINE std::uint32_t integer(std::uint32_t j, std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{word(j)} * n) >> 32);
  }
  /// Uniform in the logarithm; 0 < low <= high.   [RN-3]
  FLEXOR_INLINE double log_uniform(std::uint32_t j, double low, double high) const {
    const double a = log(low), spread = (log(high) - a) * uniform(j);
    return exp(a + spread);
  }
};

/// Seed of world g of all that one seed stands for, below 2^63, however worlds are shared out over
/// batches.   [RN-4]
FLEXOR_INLINE std::uint64_t seed_for(std::uint64_t seed, std::uint64_t g) {
  const RandomBlock block = philox(
      seed, {{static_cast<std::uint32_t>(g), static_cast<std::uint32_t>(g >> 32), 0, 0xFFFFFFFFu}});
  return (block.word[0] | std::uint64_t{block.word[1]} << 32) & 0x7FFFFFFFFFFFFFFFu;
}

}  // namespace flexor
