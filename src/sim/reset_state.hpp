#pragma once
// The state and commands a world is reset to.   [IA-5]

#include "sim/batch.hpp"

namespace flexor {

class ResetState {
 public:
  /// ConfigError if the batch's scalar cannot hold one of the model's numbers.
  ResetState(const Model& model, const Batch& batch);

  /// Value of a component; state and command fields, without reference_length, which a reset keeps.
  double value(Field field, int component) const {
    return values_[static_cast<int>(field)][component];
  }
  static bool covers(Field field) {
    return !is_read_out(field) && field != Field::reference_length;
  }

  /// Puts the worlds whose byte is set (all, padding too, if null) there; what the last step
  /// reported of them becomes 0.
  void apply(Batch& batch, const std::uint8_t* worlds) const;
  /// Puts q, v, activation and the stored impulses of one world there, and nothing else.
  void apply_motion(Batch& batch, long world) const;

 private:
  std::array<std::vector<double>, kFieldCount> values_;
};

}  // namespace flexor
