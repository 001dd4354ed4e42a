// Worlds whose step failed, and what is done with them.   [IA-8]

#include <algorithm>
#include <cmath>

#include "sim/implementation.hpp"
#include "sim/logging.hpp"

namespace flexor {

std::string status_text(int status) {
  std::string text;
#define X(name, value, is_informational, cause, remedy) \
  if (status & value) text += text.empty() ? #name : "|" #name;
  FLEXOR_STATUS_BITS(X)
#undef X
  return text;
}

/// What is wrong with a world and no stage of a step looks at: its time is no number, or its
/// parameters cannot be used as they are.
int Simulation::Implementation::fault_of(long world) const {
  const double time = reinterpret_cast<const double*>(batch->column(Field::time, 0))[world];
  const Bytes& invalid = parameters.invalid();
  return (std::isfinite(time) ? 0 : NONFINITE_STATE) |
         (!invalid.empty() && invalid[world] ? PARAMETER_INVALID : 0);
}

/// Sets the bits of such worlds, which are then not stepped. Where the guard ignores failures they
/// are: bits only, and what ParameterStore::usable has in place of such parameters.
///
/// @return worlds that move (a byte each); empty = those of the mask
Bytes Simulation::Implementation::mark_faults(const std::uint8_t* mask) {
  Bytes moving;
  std::int32_t* status = statuses();
  for (long w = 0; w < num_worlds(); ++w) {
    const int fault = fault_of(w);
    if (fault == 0 || (mask != nullptr && !mask[w])) continue;
    status[w] |= fault | (options.guard == Guard::kFreeze ? FROZEN : 0);
    if (options.guard == Guard::kIgnore) continue;
    if (moving.empty() && mask != nullptr) moving.assign(mask, mask + num_worlds());
    moving.resize(num_worlds(), 1);
    moving[w] = 0;
  }
  return moving;
}

/// Before steps: which worlds stand frozen already.
void Simulation::Implementation::note_frozen() {
  if (options.guard != Guard::kFreeze || !is_logging()) return;
  const std::int32_t* status = statuses();
  for (long w = 0; w < num_worlds(); ++w) was_frozen[w] = (status[w] & FROZEN) != 0;
}

/// "world 7: NONFINITE_STATE in the step from step_count 12; <what the guard did>"
void Simulation::Implementation::log_guard(const char* code, const char* what, long world) const {
  const std::int64_t step =
      reinterpret_cast<const std::int64_t*>(batch->column(Field::step_count, 0))[world];
  log(LogLevel::kWarning, code, world, step, [&] {
    return "world " + std::to_string(world) + ": " + status_text(statuses()[world] & kGuardBits) +
           " in the step from step_count " + std::to_string(step) + "; " + what;
  });
}

/// is_stale: G arrays are to be refreshed before this call ends.
void Simulation::Implementation::act_on_failures(const std::uint8_t* mask, bool is_stale) {
  if (options.guard != Guard::kIgnore) dump_failures();
  switch (options.guard) {
    case Guard::kIgnore:
      return;
    case Guard::kFreeze:
      each_with(FROZEN, mask, [&](long w) {
        if (!was_frozen[w]) log_guard("guard-freeze", "frozen until its reset", w);
      });
      return thaw_nonfinite(mask);
    case Guard::kReset: {
      Bytes failed(num_worlds(), 0);
      bool is_any = false;
      each_with(kGuardBits, mask, [&](long w) {
        failed[w] = is_any = true;
        log_guard("guard-reset", "reset", w);
      });
      if (!is_any) return;
      for (long w = 0; w < num_worlds(); ++w) guard_resets[w] += failed[w];
      return reset(failed.data(), {});
    }
    case Guard::kRaise: {
      constexpr long kShown = 8;
      long failures = 0;
      std::vector<long> worlds;
      std::vector<int> bits;
      std::string list;
      const std::int32_t* status = statuses();
      each_with(kGuardBits, mask, [&](long w) {
        worlds.push_back(w), bits.push_back(status[w]);
        if (failures++ < kShown)
          list +=
              (list.empty() ? " " : ", ") + std::to_string(w) + " (" + status_text(status[w]) + ")";
      });
      if (failures == 0) return;
      if (is_stale) backend->step(batch->view(), 0, mask, true);
      throw SimulationError(std::to_string(failures) + " of " + std::to_string(num_worlds()) +
                                " worlds failed and stand at the start of the step: worlds" + list +
                                (failures > kShown ? ", ..." : "") + "; reset them to go on",
                            std::move(worlds), std::move(bits));
    }
  }
}

/// A frozen world whose state at the start of the step was itself no number gets its reset state;
/// its status and step count stay, and its time if that is a number.
void Simulation::Implementation::thaw_nonfinite(const std::uint8_t* mask) {
  Bytes rescued;
  each_with(FROZEN, mask, [&](long w) {
    bool is_sound = true;
    for (const Field field : {Field::time, Field::qpos, Field::qpos_compensation, Field::qvel,
                              Field::activation, Field::row_impulse, Field::reference_length})
      is_sound = is_sound && (!batch->has(field) || batch->is_finite(field, w));
    if (is_sound) return;
    rescued.resize(num_worlds(), 0);
    rescued[w] = 1;
    reset_state.apply_motion(*batch, parameters.usable(), w);
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
