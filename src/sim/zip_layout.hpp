#pragma once
// The one way a zip archive of arrays is laid out here (PKWARE's APPNOTE.TXT): members stored one
// behind the other, sizes in 64 bits, every fixed field with one legal value, so that a reader can
// hold each byte of a file against what must stand there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace flexor {

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0);

struct ZipMember {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t size = 0, offset = 0;
  bool operator==(const ZipMember&) const = default;
};

/// The directory at the end of a file: where it begins and what it holds.
struct ZipDirectory {
  std::uint64_t offset = 0, size = 0, count = 0;
};

using ZipBytes = std::vector<std::byte>;

/// What stands before a member's data.
ZipBytes zip_header(const ZipMember& member);
ZipBytes zip_directory_entry(const ZipMember& member);
/// What stands behind the entries, to the end of the file.
ZipBytes zip_end(const ZipDirectory& directory);

inline constexpr std::size_t kZipHeaderSize = 50;  ///< and the name
inline constexpr std::size_t kZipEntrySize = 74;   ///< and the name
inline constexpr std::size_t kZipEndSize = 98;

/// Bytes that a header or an entry takes, by its first kZipHeaderSize or kZipEntrySize bytes.
std::size_t zip_header_length(std::span<const std::byte> head);
std::size_t zip_entry_length(std::span<const std::byte> head);
/// What whole headers, entries and ends say; nothing if they are not as written above.
std::optional<ZipMember> read_zip_header(std::span<const std::byte> bytes, std::uint64_t offset);
std::optional<ZipMember> read_zip_entry(std::span<const std::byte> bytes);
std::optional<ZipDirectory> read_zip_end(std::span<const std::byte> bytes);

/// Little-endian number at a place; 0 behind the end.
template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t offset) {
  T number{};
  if (offset + sizeof number > bytes.size()) return number;
  for (std::size_t i = 0; i < sizeof number; ++i)
    number = static_cast<T>(number | static_cast<T>(static_cast<T>(bytes[offset + i]) << (8 * i)));
  return number;
}

}  // namespace flexor
