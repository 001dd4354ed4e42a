// Worlds whose step failed, and what is done with them.   (interfaces.md 1.8)

#include <algorithm>

#include "sim/implementation.hpp"

namespace flexor {
namespace {

std::string status_text(int status) {
  std::string text;
#define X(name, value, is_informational, cause, remedy) \
  if (status & value) text += text.empty() ? #name : "|" #name;
  FLEXOR_STATUS_BITS(X)
#undef X
  return text;
}

}  // namespace

/// is_stale: G arrays are to be refreshed before this call ends.
void Simulation::Implementation::act_on_failures(const std::uint8_t* mask, bool is_stale) {
  switch (options.guard) {
    case Guard::kIgnore:
      return;
    case Guard::kFreeze:
      return thaw_nonfinite(mask);
    case Guard::kReset: {
      Bytes failed(num_worlds(), 0);
      bool is_any = false;
      each_with(kGuardBits, mask, [&](long w) { failed[w] = is_any = true; });
      if (is_any) reset(failed.data(), {});
      return;
    }
    case Guard::kRaise: {
      constexpr long kShown = 8;
      long failures = 0;
      std::string worlds;
      const std::int32_t* status = statuses();
      each_with(kGuardBits, mask, [&](long w) {
        if (failures++ < kShown)
          worlds += (worlds.empty() ? " " : ", ") + std::to_string(w) + " (" +
                    status_text(status[w]) + ")";
      });
      if (failures == 0) return;
      if (is_stale) backend->step(batch->view(), 0, mask, true);
      throw SimulationError(std::to_string(failures) + " of " + std::to_string(num_worlds()) +
                            " worlds failed and stand at the start of the step: worlds" + worlds +
                            (failures > kShown ? ", ..." : "") + "; reset them to go on");
    }
  }
}

/// A frozen world whose state at the start of the step was itself no number gets its reset state;
/// its status, time and step count stay.
void Simulation::Implementation::thaw_nonfinite(const std::uint8_t* mask) {
  Bytes rescued;
  each_with(FROZEN, mask, [&](long w) {
    bool is_sound = true;
    for (const Field field : {Field::qpos, Field::qpos_compensation, Field::qvel, Field::activation,
                              Field::row_impulse, Field::reference_length})
      is_sound = is_sound && (!batch->has(field) || batch->is_finite(field, w));
    if (is_sound) return;
    rescued.resize(num_worlds(), 0);
    rescued[w] = 1;
    reset_state.apply_motion(*batch, w);
  });
  if (rescued.empty()) return;
  visit_fields([&](Field field) {  // the failed step has nothing to report but its failure
    if (info(field).group == FieldGroup::kStep && batch->has(field) &&
        field != Field::solver_status)
      for (int c = 0; c < batch->components(field); ++c) batch->fill(field, c, 0, rescued.data());
  });
  Bytes without_reference(num_worlds(), 0);
  for (long w = 0; w < num_worlds(); ++w)
    without_reference[w] = rescued[w] && !batch->is_finite(Field::reference_length, w);
  if (std::find(without_reference.begin(), without_reference.end(), 1) != without_reference.end())
    write_reference_lengths(without_reference.data());
  refresh(rescued.data());
}

}  // namespace flexor
