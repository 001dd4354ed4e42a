#include "sim/reset_pose.hpp"

#include <algorithm>
#include <cmath>

#include "model/findings.hpp"

namespace flexor {
namespace {

void check_rows(const char* argument, std::span<const double> rows, long selected, int width) {
  const long size = static_cast<long>(rows.size());
  if (size != width && size != selected * width)
    throw ShapeError("reset: " + std::string(argument) + ": " + std::to_string(size) +
                     " numbers given, " + std::to_string(selected) + " x " + std::to_string(width) +
                     " (selected worlds x coordinates) or " + std::to_string(width) + " expected");
}

/// Every number, given or of a keyframe, must be one in the batch's scalar.
void check_numbers(const char* argument, const std::vector<double>& rows, long width,
                   bool is_float) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (std::isfinite(is_float ? static_cast<double>(static_cast<float>(rows[i])) : rows[i]))
      continue;
    const long at = static_cast<long>(i);
    throw ConfigError("reset: " + std::string(argument) + ": row " + std::to_string(at / width) +
                      ", coordinate " + std::to_string(at % width) + ": " + number_text(rows[i]) +
                      " given; legal: finite numbers" + (is_float ? " that float32 can hold" : ""));
  }
}

/// Where the quaternions of ball and free joints begin in q.
std::vector<int> quaternion_places(const Model& model) {
  std::vector<int> places;
  const auto& joints = model.description().joints;
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    if (joints[j].type == JointType::kBall) places.push_back(model.qpos_slice(j).first);
    if (joints[j].type == JointType::kFree) places.push_back(model.qpos_slice(j).first + 3);
  }
  return places;
}

void normalise_quaternions(const Model& model, std::vector<double>& rows) {
  const std::size_t width = static_cast<std::size_t>(model.nq());
  for (const int place : quaternion_places(model))
    for (std::size_t row = 0; row < rows.size() / width; ++row) {
      double* q = rows.data() + row * width + place;
      const std::string reason = illegal_reason(Legal::kQuaternion, {q, 4});
      if (!reason.empty())
        throw ConfigError("reset: qpos: row " + std::to_string(row) + ", quaternion " +
                          number_text({q, 4}) + "; " + reason);
      const Quatd unit = unit_quaternion({q[0], q[1], q[2], q[3]});
      q[0] = unit.w, q[1] = unit.x, q[2] = unit.y, q[3] = unit.z;
    }
}

void write_rows(Batch& batch, Field field, const std::vector<double>& rows,
                const std::uint8_t* worlds) {
  const int width = batch.components(field);
  const bool is_one_row = rows.size() == static_cast<std::size_t>(width);
  for (int c = 0; c < width; ++c)
    batch.visit_column(field, c, [&]<class T>(T* x) {
      std::size_t row = 0;
      for (long w = 0; w < batch.num_worlds(); ++w)
        if (worlds == nullptr || worlds[w])
          x[w] = static_cast<T>(rows[(is_one_row ? 0 : row++) * static_cast<std::size_t>(width) +
                                     static_cast<std::size_t>(c)]);
    });
}

}  // namespace

ResetPose::ResetPose(const Model& model, const Batch& batch, WorldMask mask, int keyframe,
                     std::span<const double> qpos, std::span<const double> qvel) {
  const auto& keyframes = model.description().keyframes;
  if (keyframe < -1 || keyframe >= static_cast<int>(keyframes.size()))
    throw ConfigError("reset: keyframe: " + std::to_string(keyframe) + " given; legal: " +
                      (keyframes.empty() ? std::string("none, since the model has no keyframe")
                                         : "0 to " + std::to_string(keyframes.size() - 1)));
  if (keyframe >= 0) {
    qpos_ = keyframes[keyframe].qpos;
    qvel_ = keyframes[keyframe].qvel;
  }
  const long selected =
      mask.empty() ? batch.num_worlds()
                   : static_cast<long>(mask.size() - std::count(mask.begin(), mask.end(), 0));
  if (!qpos.empty()) {
    check_rows("qpos", qpos, selected, model.nq());
    qpos_.assign(qpos.begin(), qpos.end());
  }
  if (!qvel.empty()) {
    check_rows("qvel", qvel, selected, model.nv());
    qvel_.assign(qvel.begin(), qvel.end());
  }
  check_numbers("qpos", qpos_, model.nq(), batch.is_float());
  check_numbers("qvel", qvel_, model.nv(), batch.is_float());
  if (!qpos_.empty()) normalise_quaternions(model, qpos_);
}

void ResetPose::apply(Batch& batch, const std::uint8_t* worlds) const {
  if (!qpos_.empty()) write_rows(batch, Field::qpos, qpos_, worlds);
  if (!qvel_.empty()) write_rows(batch, Field::qvel, qvel_, worlds);
}

}  // namespace flexor
