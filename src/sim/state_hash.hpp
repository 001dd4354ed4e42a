#pragma once
// 64-bit FNV-1a.   [IA-7]

#include <cstddef>
#include <cstdint>

namespace flexor {

inline constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325u;

/// hash <- (hash xor byte) * 0x100000001b3, for each byte.
inline std::uint64_t fnv1a(const void* bytes, std::size_t count, std::uint64_t hash = kFnvStart) {
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

}  // namespace flexor
