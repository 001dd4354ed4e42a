#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "flexor/core/error.hpp"
#include "io/path_text.hpp"
#include "sim/npz.hpp"

namespace flexor {
namespace {

/// A file read in pieces; every piece is checked against its end.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path) {
    const std::string reason = io::bad_path_reason(path_);
    if (!reason.empty()) damaged(reason);
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) damaged(std::strerror(errno));
    std::error_code error;
    size_ = std::filesystem::file_size(path, error);
    if (error) damaged("no regular file: " + error.message());
  }
  std::uint64_t size() const { return size_; }
  /// The member that is being read, for messages.
  void set_member(const std::string& name) { part_ = "member '" + io::shown(name) + "'"; }
  void leave_member() { part_.clear(); }
  [[noreturn]] void damaged(const std::string& what) const {
    throw CheckpointError(io::shown(path_) + (part_.empty() ? "" : ", " + part_) + ": " + what);
  }
  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t count) const {
    if (offset > size_ || count > size_ - offset) damaged("truncated: it ends before its data");
    std::vector<std::byte> bytes(count);
    if (count == 0) return bytes;
    if (fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0 ||
        std::fread(bytes.data(), 1, count, file_.get()) != count)
      damaged("cannot be read");
    return bytes;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_ = 0;
  std::string part_;
};

/// The header that stands at a place, if a whole one does.
std::optional<ZipMember> header_at(const Reader& file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < kZipHeaderSize) return std::nullopt;
  const std::size_t length = zip_header_length(file.read(offset, kZipHeaderSize));
  if (file.size() - offset < length) return std::nullopt;
  return read_zip_header(file.read(offset, length), offset);
}

std::uint64_t data_offset(const ZipMember& member) {
  return member.offset + kZipHeaderSize + member.name.size();
}
std::uint64_t end_of(const ZipMember& member) { return data_offset(member) + member.size; }

/// Of a file without a whole end: names the member in which it stops.
[[noreturn]] void refuse_without_end(Reader& file) {
  std::string last;
  std::optional<ZipMember> member = header_at(file, 0);
  while (member) {
    if (member->size > file.size() - data_offset(*member)) {
      file.set_member(member->name);
      file.damaged("truncated: the file ends within its data");
    }
    last = member->name;
    member = header_at(file, end_of(*member));
  }
  if (last.empty())
    file.damaged("truncated or no checkpoint; legal: a file that Simulation.save wrote");
  file.damaged("truncated or damaged: behind member '" + io::shown(last) +
               "' there is no whole zip directory");
}

ZipDirectory find_directory(Reader& file) {
  if (file.size() >= kZipEndSize) {
    const std::uint64_t at = file.size() - kZipEndSize;
    const auto directory = read_zip_end(file.read(at, kZipEndSize));
    if (directory && directory->size <= at && directory->offset == at - directory->size)
      return *directory;
  }
  refuse_without_end(file);
}

/// Entries of the directory, up to the first that is not whole.
std::vector<ZipMember> read_directory(const Reader& file, const ZipDirectory& directory) {
  const ZipBytes bytes = file.read(directory.offset, directory.size);
  const std::span<const std::byte> all(bytes);
  std::vector<ZipMember> entries;
  for (std::size_t at = 0; at + kZipEntrySize <= all.size();) {
    const std::size_t length = zip_entry_length(all.subspan(at, kZipEntrySize));
    if (length > all.size() - at) break;
    auto entry = read_zip_entry(all.subspan(at, length));
    if (!entry) break;
    entries.push_back(std::move(*entry));
    at += length;
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
  if (item == 0) file.damaged("of a number type not known here: '" + io::shown(array.descr) + "'");
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

/// The array of one member. Its header must say what the directory says of it.
NpyArray read_member(Reader& file, const ZipMember& entry) {
  file.set_member(entry.name);
  const auto header = header_at(file, entry.offset);
  if (header != entry)
    file.damaged("damaged: its header is not what the zip directory says of it" +
                 (header && header->name != entry.name
                      ? ", which is of '" + io::shown(header->name) + "'"
                      : std::string()));
  ZipBytes bytes = file.read(data_offset(entry), entry.size);
  if (crc32(bytes) != entry.crc) file.damaged("damaged: its checksum is wrong");
  if (!entry.name.ends_with(kNpySuffix)) file.damaged("is not an array (.npy)");
  return parse_npy(file, std::move(bytes));
}

std::string array_name(const ZipMember& entry) {
  return entry.name.substr(0, entry.name.size() - std::string_view(kNpySuffix).size());
}

/// A place in the file where a member must begin and the directory has none.
[[noreturn]] void refuse_unlisted(Reader& file, std::uint64_t offset) {
  if (const auto header = header_at(file, offset)) {
    file.set_member(header->name);
    file.damaged("damaged: its entry in the zip directory is not whole");
  }
  file.leave_member();
  file.damaged("damaged: its zip directory does not end where the members end");
}

}  // namespace

std::map<std::string, NpyArray> read_npz(const std::filesystem::path& path) {
  Reader file(path);
  const ZipDirectory directory = find_directory(file);
  const std::vector<ZipMember> entries = read_directory(file, directory);
  std::map<std::string, NpyArray> arrays;
  std::uint64_t offset = 0;
  for (const ZipMember& entry : entries) {
    if (entry.offset != offset) {
      file.set_member(entry.name);
      file.damaged("damaged: it does not stand where the zip directory says");
    }
    if (!arrays.emplace(array_name(entry), read_member(file, entry)).second)
      file.damaged("stands there twice");
    offset = end_of(entry);
  }
  if (entries.size() != directory.count || offset != directory.offset)
    refuse_unlisted(file, offset);
  return arrays;
}

NpyArray read_npz_member(const std::filesystem::path& path, const std::string& name) {
  Reader file(path);
  for (const ZipMember& entry : read_directory(file, find_directory(file)))
    if (entry.name == name + kNpySuffix) return read_member(file, entry);
  file.damaged("member '" + name + "' is missing");
}

}  // namespace flexor
