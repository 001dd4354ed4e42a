#pragma once
// The state and commands a world is reset to.   [IA-5]

#include "flexor/sim/backend.hpp"
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
  /// reported of them becomes 0. Free joints start at the pose that `raw` gives their bodies.
  void apply(Batch& batch, const RawParameters& raw, const std::uint8_t* worlds) const;
  /// Puts q, v, activation and the stored impulses of one world there, its time too if that is no
  /// number, and nothing else.
  void apply_motion(Batch& batch, const RawParameters& raw, long world) const;

 private:
  /// A number of q that is a parameter: pose of a body with a free joint.
  struct AuthoredCoordinate {
    int coordinate, address;
  };
  std::vector<AuthoredCoordinate> authored_;
  std::array<std::vector<double>, kFieldCount> values_;
};

}  // namespace flexor
