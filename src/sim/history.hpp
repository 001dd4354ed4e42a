#pragma once
// The last states and commands of every world, each as a step began: what a world that failed was
// doing.   [IA-8]

#include <array>
#include <filesystem>
#include <span>
#include <vector>

#include "sim/batch.hpp"

namespace flexor {

class History {
 public:
  /// length 0: keeps nothing and costs nothing. DeviceError if there is not enough memory.
  History(const Batch& batch, int length);

  int length() const { return length_; }
  /// Keeps the present state and commands of the worlds that a step is about to move: those of the
  /// mask (all if null) that are not frozen.
  void keep(const Batch& batch, const std::uint8_t* mask);
  /// Members: `header` (JSON as bytes), `world` (n), `count` (n: how many of the rows are a world's
  /// own), one array (row, world, entry[, number]) per state and command field, oldest row first; a
  /// world with fewer rows than others has them at the end.
  void write(const std::filesystem::path& path, const Model& model, const Batch& batch,
             std::span<const long> worlds) const;

 private:
  void make_room(const Batch& batch);

  int length_;
  std::vector<long> count_;  ///< [world] rows kept so far
  /// [row][component][world] of each field; empty until it is in use.
  std::array<std::vector<std::byte>, kFieldCount> rows_;
};

}  // namespace flexor
