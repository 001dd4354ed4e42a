#pragma once
// Names of the stages in the order of a step, then of the refresh pass: for profiles and docs.

#include "flexor/step/step.hpp"

namespace flexor {

namespace detail {
struct StageCounter {
  int count = 0;
  template <class Stage>
  constexpr void operator()() {
    ++count;
  }
};
constexpr int count_stages() {
  StageCounter counter;
  visit_step(counter);
  visit_refresh(counter);
  return counter.count;
}
}  // namespace detail

inline constexpr int kStageCount = detail::count_stages();

/// visit(index, StageInfo) for every stage.
template <class Visit>
void visit_stage_infos(Visit visit) {
  int index = 0;
  const auto call = [&]<class Stage>() { visit(index++, Stage::info); };
  visit_step(call);
  visit_refresh(call);
}

}  // namespace flexor
