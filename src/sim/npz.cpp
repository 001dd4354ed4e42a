#include "sim/npz.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "flexor/core/error.hpp"
#include "io/path_text.hpp"

namespace flexor {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

// Zip, PKWARE's APPNOTE.TXT: signatures and sizes of the fixed parts.
constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50,
                        kEnd64 = 0x06064b50, kLocator64 = 0x07064b50, kEnd = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kEntrySize = 46, kEnd64Size = 56, kLocatorSize = 20,
                      kEndSize = 22;
constexpr std::uint16_t kVersion64 = 45, kExtra64 = 1, kUtf8Flag = 1 << 11;
constexpr std::uint32_t kIn64 = 0xffffffff;
constexpr std::string_view kSuffix = ".npy";
constexpr std::uint16_t kDate = (1 << 5) | 1;  // 1 January 1980: equal states give equal files

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
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

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

std::string npy_header(const std::string& descr, const std::vector<long>& shape) {
  std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (const long n : shape) dictionary += std::to_string(n) + ", ";
  if (shape.size() > 1) dictionary.resize(dictionary.size() - 2);
  if (shape.size() == 1) dictionary.resize(dictionary.size() - 1);
  dictionary += "), }";
  constexpr std::size_t kPrefix = 10;
  const std::size_t total = (kPrefix + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - kPrefix - 1, ' ');
  dictionary += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t crc) {
  crc = ~crc;
  for (const std::byte byte : bytes)
    crc = kCrcTable[(crc ^ static_cast<std::uint32_t>(byte)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

NpzWriter::NpzWriter(std::filesystem::path path) : path_(std::move(path)) {
  const std::string reason = io::bad_path_reason(path_);
  if (!reason.empty()) throw ConfigError("'" + io::shown(path_) + "': " + reason);
  std::error_code none;
  if (std::filesystem::exists(path_, none) && !std::filesystem::is_regular_file(path_, none))
    throw FlexorError(io::shown(path_) + ": exists and is not a regular file; it is left as it is");
  temporary_ = path_;
  temporary_ += ".part" + std::to_string(getpid());
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) fail("opening");
}

NpzWriter::~NpzWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void NpzWriter::fail(const char* doing) const {
  const std::string cause = std::strerror(errno);
  throw FlexorError(io::shown(path_) + ": " + doing + " " + io::shown(temporary_) + ": " + cause);
}

void NpzWriter::write(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // fwrite takes no null pointer
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("writing");
  position_ += bytes.size();
}

void NpzWriter::write_local_header(const Member& member) {
  Packer p;
  p.put(kLocalHeader).put(kVersion64).put(kUtf8Flag).put<std::uint16_t>(0);  // stored
  p.put<std::uint16_t>(0).put(kDate).put(member.crc).put(kIn64).put(kIn64);
  p.put(static_cast<std::uint16_t>(member.name.size())).put<std::uint16_t>(20);
  p.put_text(member.name);
  p.put(kExtra64).put<std::uint16_t>(16).put(member.size).put(member.size);
  write(p.bytes());
}

void NpzWriter::add(const std::string& name, const std::string& descr,
                    const std::vector<long>& shape,
                    const std::function<void(const Sink&)>& produce) {
  Member member;
  member.name = name + std::string(kSuffix);
  member.offset = position_;
  write_local_header(member);
  const auto take = [&](std::span<const std::byte> bytes) {
    write(bytes);
    member.crc = crc32(bytes, member.crc);
    member.size += bytes.size();
  };
  take(as_bytes(npy_header(descr, shape)));
  produce(take);
  // now that checksum and size are known
  const std::uint64_t end = position_;
  if (fseeko(file_, static_cast<off_t>(member.offset), SEEK_SET) != 0) fail("writing");
  write_local_header(member);
  if (fseeko(file_, static_cast<off_t>(end), SEEK_SET) != 0) fail("writing");
  position_ = end;
  members_.push_back(std::move(member));
}

void NpzWriter::add(const std::string& name, const std::string& descr,
                    const std::vector<long>& shape, std::span<const std::byte> data) {
  add(name, descr, shape, [&](const Sink& sink) { sink(data); });
}

void NpzWriter::finish() {
  const std::uint64_t directory = position_;
  for (const Member& member : members_) {
    Packer p;
    p.put(kDirectoryEntry).put(kVersion64).put(kVersion64).put(kUtf8Flag).put<std::uint16_t>(0);
    p.put<std::uint16_t>(0).put(kDate).put(member.crc).put(kIn64).put(kIn64);
    p.put(static_cast<std::uint16_t>(member.name.size())).put<std::uint16_t>(28);
    p.put<std::uint16_t>(0).put<std::uint16_t>(0).put<std::uint16_t>(0);  // comment, disk, kind
    p.put<std::uint32_t>(0).put(kIn64).put_text(member.name);
    p.put(kExtra64).put<std::uint16_t>(24).put(member.size).put(member.size).put(member.offset);
    write(p.bytes());
  }
  const std::uint64_t end = position_, count = members_.size();
  Packer p;
  p.put(kEnd64).put<std::uint64_t>(kEnd64Size - 12).put(kVersion64).put(kVersion64);
  p.put<std::uint32_t>(0).put<std::uint32_t>(0).put(count).put(count);
  p.put(end - directory).put(directory);
  p.put(kLocator64).put<std::uint32_t>(0).put(end).put<std::uint32_t>(1);
  p.put(kEnd).put<std::uint16_t>(0).put<std::uint16_t>(0);
  p.put<std::uint16_t>(0xffff).put<std::uint16_t>(0xffff).put(kIn64).put(kIn64);
  p.put<std::uint16_t>(0);
  write(p.bytes());
  if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) fail("flushing");
  std::FILE* file = std::exchange(file_, nullptr);
  if (std::fclose(file) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int cause = errno;
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
    errno = cause;
    fail("renaming");
  }
}

namespace {

/// A file read in pieces; every piece is checked against its end.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path) {
    const std::string reason = io::bad_path_reason(path_);
    if (!reason.empty()) damaged(reason);
    file_ = std::fopen(path.c_str(), "rb");
    if (file_ == nullptr) damaged(std::strerror(errno));
    std::error_code error;
    size_ = std::filesystem::file_size(path, error);
    if (error) damaged("no regular file: " + error.message());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (file_ != nullptr) std::fclose(file_);
  }

  std::uint64_t size() const { return size_; }
  /// What is being read, for messages.
  void set_part(std::string part) { part_ = std::move(part); }
  [[noreturn]] void damaged(const std::string& what) const {
    throw CheckpointError(io::shown(path_) + (part_.empty() ? "" : ", " + part_) + ": " + what);
  }
  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset) damaged("truncated: it ends before its data");
    std::vector<std::byte> bytes(count);
    if (count == 0) return bytes;
    if (fseeko(file_, static_cast<off_t>(offset), SEEK_SET) != 0 ||
        std::fread(bytes.data(), 1, count, file_) != count)
      damaged("cannot be read");
    return bytes;
  }

 private:
  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  std::uint64_t size_ = 0;
  std::string part_;
};

/// Little-endian number at a place; 0 behind the end.
template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t offset) {
  T number{};
  if (offset + sizeof number <= bytes.size())
    std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

struct Directory {
  std::uint64_t offset = 0, size = 0, count = 0;
};

Directory find_directory(const Reader& file) {
  const std::uint64_t tail = std::min<std::uint64_t>(file.size(), kEndSize + 0xffff);
  const std::vector<std::byte> bytes = file.read(file.size() - tail, tail);
  for (std::size_t at = tail < kEndSize ? 0 : tail - kEndSize + 1; at-- > 0;) {
    if (number_at<std::uint32_t>(bytes, at) != kEnd) continue;
    Directory directory{number_at<std::uint32_t>(bytes, at + 16),
                        number_at<std::uint32_t>(bytes, at + 12),
                        number_at<std::uint16_t>(bytes, at + 10)};
    if (directory.offset != kIn64 && directory.count != 0xffff) return directory;
    if (at < kLocatorSize || number_at<std::uint32_t>(bytes, at - kLocatorSize) != kLocator64)
      file.damaged("damaged: no 64-bit directory");
    const auto end64 =
        file.read(number_at<std::uint64_t>(bytes, at - kLocatorSize + 8), kEnd64Size);
    if (number_at<std::uint32_t>(end64, 0) != kEnd64) file.damaged("damaged: no 64-bit directory");
    return {number_at<std::uint64_t>(end64, 48), number_at<std::uint64_t>(end64, 40),
            number_at<std::uint64_t>(end64, 32)};
  }
  file.damaged(
      "truncated or no checkpoint: it has no zip directory; legal: a file that Simulation.save "
      "wrote");
}

struct Entry {
  std::string name;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t size = 0, stored_size = 0, offset = 0;
};

/// Sizes and offset that do not fit 32 bits stand in the extra field, in this order.
void read_extra64(std::span<const std::byte> extra, Entry& entry) {
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    const auto kind = number_at<std::uint16_t>(extra, at);
    const auto length = number_at<std::uint16_t>(extra, at + 2);
    std::size_t next = at + 4;
    if (kind == kExtra64)
      for (std::uint64_t* number : {&entry.size, &entry.stored_size, &entry.offset})
        if (*number == kIn64) {
          *number = number_at<std::uint64_t>(extra, next);
          next += 8;
        }
    at += 4 + length;
  }
}

std::vector<Entry> read_directory(const Reader& file) {
  const Directory directory = find_directory(file);
  const std::vector<std::byte> bytes = file.read(directory.offset, directory.size);
  const std::span<const std::byte> all(bytes);
  std::vector<Entry> entries;
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    const auto name_size = number_at<std::uint16_t>(all, at + 28);
    const auto extra_size = number_at<std::uint16_t>(all, at + 30);
    const auto comment_size = number_at<std::uint16_t>(all, at + 32);
    if (number_at<std::uint32_t>(all, at) != kDirectoryEntry ||
        at + kEntrySize + name_size + extra_size > all.size())
      file.damaged("damaged: its zip directory is not one");
    Entry entry;
    entry.name.assign(reinterpret_cast<const char*>(all.data()) + at + kEntrySize, name_size);
    entry.method = number_at<std::uint16_t>(all, at + 10);
    entry.crc = number_at<std::uint32_t>(all, at + 16);
    entry.stored_size = number_at<std::uint32_t>(all, at + 20);
    entry.size = number_at<std::uint32_t>(all, at + 24);
    entry.offset = number_at<std::uint32_t>(all, at + 42);
    read_extra64(all.subspan(at + kEntrySize + name_size, extra_size), entry);
    entries.push_back(std::move(entry));
    at += kEntrySize + name_size + extra_size + comment_size;
  }
  return entries;
}

int item_size_of(const std::string& descr) {
  for (const char* known : {"<f8", "<f4", "<i8", "<i4", "|u1"})
    if (descr == known) return known[2] - '0';
  return 0;
}

/// Value of 'key' in the header's dictionary, as written, up to the matching end.
std::string dictionary_value(const std::string& text, const std::string& key, char end) {
  const std::size_t at = text.find("'" + key + "':");
  if (at == std::string::npos) return {};
  const std::size_t first = text.find_first_not_of(' ', at + key.size() + 3);
  const std::size_t last = first == std::string::npos ? first : text.find(end, first + 1);
  return last == std::string::npos ? std::string() : text.substr(first, last - first);
}

NpyArray parse_npy(const Reader& file, std::vector<std::byte> bytes) {
  constexpr std::size_t kPrefix = 10;
  const std::size_t length = number_at<std::uint16_t>(bytes, 8);
  if (bytes.size() < kPrefix + length || std::memcmp(bytes.data(), "\x93NUMPY\x01", 7) != 0)
    file.damaged("damaged: no .npy array of version 1");
  const std::string text(reinterpret_cast<const char*>(bytes.data()) + kPrefix, length);
  NpyArray array;
  array.descr = dictionary_value(text, "descr", '\'');
  if (!array.descr.empty()) array.descr.erase(0, 1);  // opening quote
  const std::uint64_t item = static_cast<std::uint64_t>(item_size_of(array.descr));
  if (item == 0) file.damaged("of a number type not known here: '" + array.descr + "'");
  if (dictionary_value(text, "fortran_order", ',') != "False")
    file.damaged("not in row-major order");
  const std::string shape = dictionary_value(text, "shape", ')');
  std::uint64_t expected = item;
  for (std::size_t at = 1; at < shape.size();) {
    char* end = nullptr;
    const long n = std::strtol(shape.c_str() + at, &end, 10);
    const std::size_t next = static_cast<std::size_t>(end - shape.c_str());
    if (next == at) break;
    if (n < 0 || __builtin_mul_overflow(expected, static_cast<std::uint64_t>(n), &expected))
      file.damaged("damaged: its shape is not one");
    array.shape.push_back(n);
    at = shape.find_first_not_of(", ", next);
    if (at == std::string::npos) break;
  }
  if (shape.empty() || expected != bytes.size() - kPrefix - length)
    file.damaged("damaged: its shape does not fit its size");
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<long>(kPrefix + length));
  array.data = std::move(bytes);
  return array;
}

/// The array of one member, its checksum verified.
NpyArray read_member(Reader& file, const Entry& entry) {
  file.set_part("member '" + io::shown(entry.name) + "'");
  if (entry.method != 0 || entry.size != entry.stored_size) file.damaged("is compressed");
  const std::vector<std::byte> header = file.read(entry.offset, kLocalSize);
  if (number_at<std::uint32_t>(header, 0) != kLocalHeader) file.damaged("damaged: no header");
  const std::uint64_t data = entry.offset + kLocalSize + number_at<std::uint16_t>(header, 26) +
                             number_at<std::uint16_t>(header, 28);
  std::vector<std::byte> bytes = file.read(data, entry.size);
  if (crc32(bytes) != entry.crc) file.damaged("damaged: its checksum is wrong");
  if (!entry.name.ends_with(kSuffix)) file.damaged("is not an array (.npy)");
  return parse_npy(file, std::move(bytes));
}

std::string name_of(const Entry& entry) {
  return entry.name.substr(0, entry.name.size() - kSuffix.size());
}

}  // namespace

std::map<std::string, NpyArray> read_npz(const std::filesystem::path& path) {
  Reader file(path);
  std::map<std::string, NpyArray> arrays;
  for (const Entry& entry : read_directory(file))
    if (NpyArray array = read_member(file, entry);
        !arrays.emplace(name_of(entry), std::move(array)).second)
      file.damaged("stands there twice");
  return arrays;
}

NpyArray read_npz_member(const std::filesystem::path& path, const std::string& name) {
  Reader file(path);
  for (const Entry& entry : read_directory(file))
    if (entry.name == name + std::string(kSuffix)) return read_member(file, entry);
  file.damaged("no checkpoint: member '" + name + "' is missing");
}

}  // namespace flexor
