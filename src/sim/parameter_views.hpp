#pragma once
// Memory in which callers see and write parameters of worlds: [address][world] in the batch's
// scalar, world fastest, `world_stride` apart.   [IA-4]
//
// Address space for every number of the table is taken at once, memory only for those that are
// opened. So a number never moves, and numbers that are neighbours in the table lie evenly spaced.

#include <cstddef>
#include <memory>
#include <vector>

#include "flexor/model/model.hpp"
#include "flexor/sim/simulation.hpp"

namespace flexor {

/// Address space without memory.
class Reservation {
 public:
  /// DeviceError naming the call if the system refuses it.
  explicit Reservation(std::size_t bytes);
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation();
  std::byte* data() const { return data_; }
  /// Puts zeroed memory under [first, first + bytes), keeping what is already there.
  void back(std::size_t first, std::size_t bytes);

 private:
  std::byte* data_;
  std::size_t bytes_;
};

class ParameterViews {
 public:
  /// scalars: numbers of the table.
  ParameterViews(std::size_t scalars, long num_worlds, bool is_float);

  bool is_open(int address) const { return !is_open_.empty() && is_open_[address]; }
  /// Parameter's numbers as an array; their content is the caller's to write when they are new.
  ArrayRef open(const Parameter& parameter);
  double read(int address, long world) const;
  void write(int address, long world, double value);
  /// Owner of the memory; null while nothing is open.
  std::shared_ptr<void> storage() const { return memory_; }

 private:
  std::size_t item_size() const { return is_float_ ? sizeof(float) : sizeof(double); }
  std::byte* column(int address) const;

  std::size_t scalars_;
  long num_worlds_, world_stride_;
  bool is_float_;
  std::shared_ptr<Reservation> memory_;
  std::vector<bool> is_open_;  ///< [address]; empty while nothing is open
};

}  // namespace flexor
