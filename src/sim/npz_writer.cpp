#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "flexor/core/error.hpp"
#include "io/path_text.hpp"
#include "sim/npz.hpp"

namespace flexor {
namespace {

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

void NpzWriter::add(const std::string& name, const std::string& descr,
                    const std::vector<long>& shape,
                    const std::function<void(const Sink&)>& produce) {
  ZipMember member;
  member.name = name + kNpySuffix;
  member.offset = position_;
  write(zip_header(member));
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
  write(zip_header(member));
  if (fseeko(file_, static_cast<off_t>(end), SEEK_SET) != 0) fail("writing");
  position_ = end;
  members_.push_back(std::move(member));
}

void NpzWriter::add(const std::string& name, const std::string& descr,
                    const std::vector<long>& shape, std::span<const std::byte> data) {
  add(name, descr, shape, [&](const Sink& sink) { sink(data); });
}

void NpzWriter::finish() {
  ZipDirectory directory{position_, 0, members_.size()};
  for (const ZipMember& member : members_) write(zip_directory_entry(member));
  directory.size = position_ - directory.offset;
  write(zip_end(directory));
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

}  // namespace flexor
