#include "sim/zip_layout.hpp"

#include <array>
#include <bit>

namespace flexor {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are written as they lie in memory");

constexpr std::uint32_t kHeader = 0x04034b50, kEntry = 0x02014b50, kEnd64 = 0x06064b50,
                        kLocator64 = 0x07064b50, kEnd = 0x06054b50;
constexpr std::uint16_t kVersion64 = 45, kExtra64 = 1, kUtf8Flag = 1 << 11, kStored = 0;
constexpr std::uint16_t kHeaderExtra = 20, kEntryExtra = 28, kEnd64Size = 56;
constexpr std::uint32_t kIn64 = 0xffffffff;
constexpr std::uint16_t kTime = 0, kDate = (1 << 5) | 1;  // 1980-01-01: equal states, equal files

/// Little-endian numbers one behind the other.
class Packer {
 public:
  template <class T>
  Packer& put(T number) {
    const auto* bytes = reinterpret_cast<const std::byte*>(&number);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof number);
    return *this;
  }
  Packer& put_text(const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), bytes, bytes + text.size());
    return *this;
  }
  ZipBytes take() { return std::move(bytes_); }

 private:
  ZipBytes bytes_;
};

std::uint16_t name_size(const ZipMember& member) {
  return static_cast<std::uint16_t>(member.name.size());
}

std::string name_at(std::span<const std::byte> bytes, std::size_t offset, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes.data()) + offset, size};
}

bool is_equal(std::span<const std::byte> bytes, const ZipBytes& expected) {
  return std::equal(bytes.begin(), bytes.end(), expected.begin(), expected.end());
}

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
    table[i] = crc;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  crc = ~crc;
  for (const std::byte byte : bytes)
    crc = kCrcTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

ZipBytes zip_header(const ZipMember& member) {
  Packer p;
  p.put(kHeader).put(kVersion64).put(kUtf8Flag).put(kStored).put(kTime).put(kDate);
  p.put(member.crc).put(kIn64).put(kIn64).put(name_size(member)).put(kHeaderExtra);
  p.put_text(member.name);
  p.put(kExtra64).put<std::uint16_t>(16).put(member.size).put(member.size);
  return p.take();
}

ZipBytes zip_directory_entry(const ZipMember& member) {
  Packer p;
  p.put(kEntry).put(kVersion64).put(kVersion64).put(kUtf8Flag).put(kStored).put(kTime).put(kDate);
  p.put(member.crc).put(kIn64).put(kIn64).put(name_size(member)).put(kEntryExtra);
  p.put<std::uint16_t>(0).put<std::uint16_t>(0).put<std::uint16_t>(0);  // comment, disk, kind
  p.put<std::uint32_t>(0).put(kIn64).put_text(member.name);
  p.put(kExtra64).put<std::uint16_t>(24).put(member.size).put(member.size).put(member.offset);
  return p.take();
}

ZipBytes zip_end(const ZipDirectory& directory) {
  Packer p;
  p.put(kEnd64).put<std::uint64_t>(kEnd64Size - 12).put(kVersion64).put(kVersion64);
  p.put<std::uint32_t>(0).put<std::uint32_t>(0).put(directory.count).put(directory.count);
  p.put(directory.size).put(directory.offset);
  p.put(kLocator64).put<std::uint32_t>(0).put(directory.offset + directory.size);
  p.put<std::uint32_t>(1);
  p.put(kEnd).put<std::uint16_t>(0).put<std::uint16_t>(0);
  p.put<std::uint16_t>(0xffff).put<std::uint16_t>(0xffff).put(kIn64).put(kIn64);
  p.put<std::uint16_t>(0);
  return p.take();
}

std::size_t zip_header_length(std::span<const std::byte> head) {
  return kZipHeaderSize + number_at<std::uint16_t>(head, 26);
}

std::size_t zip_entry_length(std::span<const std::byte> head) {
  return kZipEntrySize + number_at<std::uint16_t>(head, 28);
}

std::optional<ZipMember> read_zip_header(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (bytes.size() < kZipHeaderSize || bytes.size() != zip_header_length(bytes))
    return std::nullopt;
  const std::size_t name = bytes.size() - kZipHeaderSize;
  ZipMember member{name_at(bytes, 30, name), number_at<std::uint32_t>(bytes, 14),
                   number_at<std::uint64_t>(bytes, 30 + name + 4), offset};
  if (!is_equal(bytes, zip_header(member))) return std::nullopt;
  return member;
}

std::optional<ZipMember> read_zip_entry(std::span<const std::byte> bytes) {
  if (bytes.size() < kZipEntrySize || bytes.size() != zip_entry_length(bytes)) return std::nullopt;
  const std::size_t name = bytes.size() - kZipEntrySize;
  ZipMember member{name_at(bytes, 46, name), number_at<std::uint32_t>(bytes, 16),
                   number_at<std::uint64_t>(bytes, 46 + name + 4),
                   number_at<std::uint64_t>(bytes, 46 + name + 20)};
  if (!is_equal(bytes, zip_directory_entry(member))) return std::nullopt;
  return member;
}

std::optional<ZipDirectory> read_zip_end(std::span<const std::byte> bytes) {
  if (bytes.size() != kZipEndSize) return std::nullopt;
  const ZipDirectory directory{number_at<std::uint64_t>(bytes, 48),
                               number_at<std::uint64_t>(bytes, 40),
                               number_at<std::uint64_t>(bytes, 24)};
  if (!is_equal(bytes, zip_end(directory))) return std::nullopt;
  return directory;
}

}  // namespace flexor
