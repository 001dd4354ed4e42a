#pragma once
// The last states and commands of every world, each as a step began: what a world that failed was
// doing.   [IA-8]

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/batch.hpp"
#include "sim/npz.hpp"

namespace flexor {

/// Type and shape of the rows of so many worlds of a field in a file.
const char* npy_type(Field field, bool is_float);
std::vector<long> npy_shape(const Batch& batch, Field field, long num_worlds);

class History {
 public:
  /// length 0: keeps nothing and costs nothing. DeviceError if there is not enough memory.
  History(const Batch& batch, int length);

  int length() const { return length_; }
  /// Keeps the present state and commands of the worlds that a step is about to move: those of the
  /// mask (all if null) that are not frozen.
  void keep(const Batch& batch, const std::uint8_t* mask);
  /// Worlds on which the step since then has brought the guard.
  std::vector<long> find_failed(const Batch& batch) const;

  /// Members `<prefix>count` (n: how many of the rows are a world's own), and one array (row,
  /// world, entry[, number]) per state and command field, oldest row first; a world with fewer rows
  /// than others has them at the end.
  void write_members(NpzWriter& file, const std::string& prefix, const Batch& batch,
                     std::span<const long> worlds) const;
  static std::vector<std::string> list_members(bool is_float);
  /// Takes over such members, whose types and shapes have been checked; row_of(world) is the row of
  /// a world in them. The oldest rows are dropped where there are too many.
  void take_members(const std::map<std::string, NpyArray>& arrays, const std::string& prefix,
                    const Batch& batch, const std::function<std::size_t(std::size_t)>& row_of);
  /// A file of them behind `header` (JSON as bytes) and `world` (n).
  void write(const std::filesystem::path& path, const std::string& header, const Batch& batch,
             std::span<const long> worlds) const;

 private:
  std::size_t row_bytes(const Batch& batch, Field field) const;
  void make_room(const Batch& batch);

  int length_;
  std::vector<long> count_;  ///< [world] rows kept so far
  /// [world] 1 = the last row was kept for the present step, which began without a failure.
  std::vector<std::uint8_t> is_sound_;
  /// [row][component][world] of each field; empty until it is in use.
  std::array<std::vector<std::byte>, kFieldCount> rows_;
};

}  // namespace flexor
