#pragma once
// The time and the step count of a world: what may not come in from a file or a snapshot.

#include <cmath>
#include <cstring>
#include <string>

#include "model/findings.hpp"
#include "sim/batch.hpp"

namespace flexor {

/// What is wrong with them, given where they lie (double, int64); empty if nothing is.
inline std::string clock_fault(const std::byte* time, const std::byte* step_count) {
  double seconds;
  std::int64_t count;
  std::memcpy(&seconds, time, sizeof seconds);
  std::memcpy(&count, step_count, sizeof count);
  if (!std::isfinite(seconds)) return "time " + number_text(seconds) + "; legal: finite numbers";
  if (count < 0) return "step_count " + std::to_string(count) + "; legal: >= 0";
  return {};
}

inline std::string clock_fault(const Batch& batch, long world) {
  return clock_fault(batch.column(Field::time, 0) + 8 * world,
                     batch.column(Field::step_count, 0) + 8 * world);
}

}  // namespace flexor
