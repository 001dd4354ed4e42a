#pragma once
// Uncompressed .npz files, as numpy.load(allow_pickle=False) reads them: a zip archive (always with
// 64-bit sizes, every member with its CRC-32) of .npy members (version 1.0, C order, little
// endian). Written to a temporary name, flushed, renamed: a reader sees a whole file or none.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/zip_layout.hpp"

namespace flexor {

inline constexpr const char* kNpySuffix = ".npy";

/// One array of a file.
struct NpyArray {
  std::string descr;  ///< "<f8", "<f4", "<i8", "<i4", "|u1"
  std::vector<long> shape;
  std::vector<std::byte> data;
};

class NpzWriter {
 public:
  /// FlexorError naming the path if it cannot be written.
  explicit NpzWriter(std::filesystem::path path);
  NpzWriter(const NpzWriter&) = delete;
  NpzWriter& operator=(const NpzWriter&) = delete;
  ~NpzWriter();  ///< without finish(): removes the temporary file

  /// Takes bytes of the array's data, in order.
  using Sink = std::function<void(std::span<const std::byte>)>;
  /// Adds `name`; produce(sink) hands over the data piece by piece.
  void add(const std::string& name, const std::string& descr, const std::vector<long>& shape,
           const std::function<void(const Sink&)>& produce);
  void add(const std::string& name, const std::string& descr, const std::vector<long>& shape,
           std::span<const std::byte> data);
  /// Writes the directory, flushes to the disk, renames.
  void finish();

 private:
  void write(std::span<const std::byte> bytes);
  [[noreturn]] void fail(const char* doing) const;

  std::filesystem::path path_, temporary_;
  std::FILE* file_ = nullptr;
  std::uint64_t position_ = 0;
  std::vector<ZipMember> members_;
};

/// All arrays of a file by name. CheckpointError naming the file and the damaged member if a single
/// byte is not as NpzWriter wrote it.
std::map<std::string, NpyArray> read_npz(const std::filesystem::path& path);
/// One of them, without a look at the others.
NpyArray read_npz_member(const std::filesystem::path& path, const std::string& name);

}  // namespace flexor
