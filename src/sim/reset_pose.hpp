#pragma once
// Configuration and velocity a reset asks for in place of the reference pose at rest.

#include "sim/batch.hpp"

namespace flexor {

class ResetPose {
 public:
  ResetPose() = default;
  /// keyframe: index, or -1. qpos, qvel: rows [selected world][nq], [selected world][nv], or one
  /// row for all; they win over the keyframe. Quaternions are normalised. ConfigError, ShapeError.
  ResetPose(const Model& model, const Batch& batch, WorldMask mask, int keyframe,
            std::span<const double> qpos, std::span<const double> qvel);

  void apply(Batch& batch, const std::uint8_t* worlds) const;

 private:
  std::vector<double> qpos_, qvel_;  ///< empty, one row, or one row per selected world
};

}  // namespace flexor
