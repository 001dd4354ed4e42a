#include "io/sha256.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace flexor::io {

namespace {

/// First 32 bits of the fractional part of the root of the first primes: how the standard defines
/// its constants. long double (64-bit mantissa) holds them exactly for these primes; elsewhere the
/// cube roots are found in integers.
std::uint64_t cube_root_bits(std::uint64_t prime) {
  // largest x with x^3 <= prime 2^96; its low 32 bits are wanted
  std::uint64_t x = 0;
  for (int bit = 35; bit >= 0; --bit) {
    const std::uint64_t y = x | (std::uint64_t{1} << bit);
    // compare y^3 with prime << 96 in 128 bits: y < 2^36, so y^3 < 2^108
    const unsigned __int128 cube = static_cast<unsigned __int128>(y) * y * y;
    if (cube <= (static_cast<unsigned __int128>(prime) << 96)) x = y;
  }
  return x & 0xFFFFFFFFu;
}

std::uint64_t square_root_bits(std::uint64_t prime) {
  std::uint64_t x = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const std::uint64_t y = x | (std::uint64_t{1} << bit);
    if (static_cast<unsigned __int128>(y) * y <= (static_cast<unsigned __int128>(prime) << 64))
      x = y;
  }
  return x & 0xFFFFFFFFu;
}

struct Constants {
  std::array<std::uint32_t, 64> round;
  std::array<std::uint32_t, 8> start;
};

const Constants& constants() {
  static const Constants result = [] {
    Constants c{};
    std::size_t n = 0;
    for (std::uint64_t candidate = 2; n < 64; ++candidate) {
      bool is_prime = true;
      for (std::uint64_t d = 2; d * d <= candidate; ++d) is_prime &= candidate % d != 0;
      if (!is_prime) continue;
      c.round[n] = static_cast<std::uint32_t>(cube_root_bits(candidate));
      if (n < 8) c.start[n] = static_cast<std::uint32_t>(square_root_bits(candidate));
      ++n;
    }
    return c;
  }();
  return result;
}

void add_block(std::array<std::uint32_t, 8>& hash, const unsigned char* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t k = 0; k < 4; ++k) w[i] = (w[i] << 8) | block[4 * i + k];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                             ((e & f) ^ (~e & g)) + constants().round[i] + w[i];
    const std::uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> change = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += change[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<std::uint32_t, 8> hash = constants().start;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t whole = bytes.size() / 64 * 64;
  for (std::size_t i = 0; i < whole; i += 64) add_block(hash, data + i);
  std::array<unsigned char, 128> tail{};
  const std::size_t rest = bytes.size() - whole;
  for (std::size_t i = 0; i < rest; ++i) tail[i] = data[whole + i];
  tail[rest] = 0x80;
  const std::size_t length = rest + 9 <= 64 ? 64 : 128;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i)
    tail[length - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  for (std::size_t i = 0; i < length; i += 64) add_block(hash, tail.data() + i);
  std::string text;
  constexpr char kDigits[] = "0123456789abcdef";
  for (const std::uint32_t word : hash)
    for (int shift = 28; shift >= 0; shift -= 4) text.push_back(kDigits[(word >> shift) & 15u]);
  return text;
}

}  // namespace flexor::io
