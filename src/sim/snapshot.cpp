// States of worlds taken out, put back, written and read.   [IA-6], [IA-7]

#include <cstring>
#include <numeric>

#include "flexor/sim/option_names.hpp"
#include "sim/checkpoint.hpp"
#include "sim/clock.hpp"
#include "sim/implementation.hpp"
#include "sim/state_hash.hpp"
#include "sim/worlds.hpp"

namespace flexor {

namespace {

enum class Repeats { kRefused, kAllowed };

/// The worlds given, or all.
std::vector<long> selected(const char* call, std::span<const long> worlds, long num_worlds,
                           Repeats repeats = Repeats::kRefused) {
  std::vector<long> list(worlds.begin(), worlds.end());
  if (list.empty()) {
    list.resize(static_cast<std::size_t>(num_worlds));
    std::iota(list.begin(), list.end(), 0L);
  }
  check_worlds<ConfigError>(call, list, num_worlds, repeats == Repeats::kAllowed);
  return list;
}

/// visit(Field, bytes of one number, components) for what a snapshot of the batch holds.
template <class Visit>
void visit_kept(const Batch& batch, Visit&& visit) {
  visit_fields([&](Field field) {
    if (batch.is_kept(field) && !batch.is_idle(field))
      visit(field, static_cast<std::size_t>(item_size(field, batch.is_float())),
            static_cast<std::size_t>(batch.components(field)));
  });
}

}  // namespace

Snapshot Simulation::Implementation::take(const std::vector<long>& worlds) const {
  Snapshot snapshot;
  snapshot.model_hash = model_hash(model);
  snapshot.is_float = is_float();
  snapshot.num_worlds = static_cast<long>(worlds.size());
  visit_fields([&](Field field) {
    if (batch->is_kept(field))
      snapshot.count[static_cast<std::size_t>(field)] =
          batch->components(field) / info(field).width;
  });
  visit_kept(*batch, [&](Field field, std::size_t item, std::size_t components) {
    std::vector<std::byte>& bytes = snapshot.field[static_cast<std::size_t>(field)];
    bytes.resize(components * worlds.size() * item);
    for (std::size_t c = 0; c < components; ++c)
      for (std::size_t i = 0; i < worlds.size(); ++i)
        std::memcpy(
            bytes.data() + (c * worlds.size() + i) * item,
            batch->column(field, static_cast<int>(c)) + static_cast<std::size_t>(worlds[i]) * item,
            item);
  });
  return snapshot;
}

/// One world of the snapshot goes to all.
void Simulation::Implementation::put_back(const Snapshot& snapshot,
                                          const std::vector<long>& worlds) {
  if (!snapshot.field[static_cast<std::size_t>(Field::body_wrench)].empty()) batch->use_wrenches();
  const std::size_t rows = static_cast<std::size_t>(snapshot.num_worlds);
  visit_kept(*batch, [&](Field field, std::size_t item, std::size_t components) {
    const std::vector<std::byte>& bytes = snapshot.field[static_cast<std::size_t>(field)];
    for (std::size_t c = 0; c < components; ++c)
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        std::byte* number =
            batch->column(field, static_cast<int>(c)) + static_cast<std::size_t>(worlds[i]) * item;
        if (bytes.empty())  // wrenches, which the snapshot's batch had not in use
          std::memset(number, 0, item);
        else
          std::memcpy(number, bytes.data() + (c * rows + (rows == 1 ? 0 : i)) * item, item);
      }
  });
}

Snapshot Simulation::state(std::span<const long> worlds) const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  return s.take(selected("state", worlds, s.num_worlds()));
}

/// Before anything is written.
void Simulation::Implementation::check_fits(const Snapshot& snapshot,
                                            const std::vector<long>& worlds) const {
  const auto refuse = [](const std::string& what) { throw ConfigError("set_state: " + what); };
  if (snapshot.model_hash != model_hash(model))
    refuse("a snapshot of another model, with hash '" + snapshot.model_hash +
           "'; legal: of the model with hash '" + model_hash(model) + "'");
  if (snapshot.is_float != is_float())
    refuse(std::string("a snapshot of precision '") + (snapshot.is_float ? "float32" : "float64") +
           "'; legal: '" + name_of(options.precision, kPrecisionNames) + "'");
  if (snapshot.num_worlds != static_cast<long>(worlds.size()))
    throw ShapeError("set_state: a snapshot of " + std::to_string(snapshot.num_worlds) +
                     " worlds given, " + std::to_string(worlds.size()) + " expected");
  visit_fields([&](Field field) {
    const std::vector<std::byte>& bytes = snapshot.field[static_cast<std::size_t>(field)];
    const std::size_t whole = static_cast<std::size_t>(batch->components(field)) * worlds.size() *
                              static_cast<std::size_t>(item_size(field, is_float()));
    const bool is_wrench = field == Field::body_wrench || field == Field::valid_body_wrench;
    if (batch->is_kept(field) && bytes.size() != whole && !(is_wrench && bytes.empty()))
      refuse("a snapshot with " + std::to_string(bytes.size()) + " bytes of " + info(field).name +
             "; legal: " + std::to_string(whole));
  });
  const auto place = [&](Field field, std::size_t row) {
    return snapshot.field[static_cast<std::size_t>(field)].data() + 8 * row;
  };
  for (std::size_t row = 0; row < worlds.size(); ++row)
    if (const std::string reason =
            clock_fault(place(Field::time, row), place(Field::step_count, row));
        !reason.empty())
      refuse("row " + std::to_string(row) + " of the snapshot: " + reason);
}

void Simulation::set_state(const Snapshot& snapshot, std::span<const long> worlds) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  const std::vector<long> list = selected("set_state", worlds, s.num_worlds());
  s.check_fits(snapshot, list);
  s.put_back(snapshot, list);
}

void Simulation::clone_worlds(std::span<const long> source, std::span<const long> destination) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  if (destination.empty()) return;
  if (source.size() != 1 && source.size() != destination.size())
    throw ShapeError("clone_worlds: " + std::to_string(source.size()) +
                     " source worlds given, 1 or " + std::to_string(destination.size()) +
                     " (destination worlds) expected");
  const std::vector<long> to = selected("clone_worlds: destination", destination, s.num_worlds());
  const std::vector<long> from =
      selected("clone_worlds: source", source, s.num_worlds(), Repeats::kAllowed);
  s.put_back(s.take(from), to);
}

void Simulation::save(const std::filesystem::path& path, std::span<const long> worlds,
                      bool guard_history) const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  const std::vector<long> list = selected("save", worlds, s.num_worlds());
  s.commit();
  CheckpointSource source{s.model, s.options, *s.batch, s.parameters.raw(), s.reference_given};
  if (guard_history) {
    source.guard_resets = &s.guard_resets;
    if (s.history.length() > 0) source.history = &s.history;
  }
  write_checkpoint(path, source, list);
}

void Simulation::dump(std::span<const long> worlds, const std::filesystem::path& path) const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  if (s.history.length() == 0)
    throw ConfigError("dump: history 0 given when this simulation was made; legal: >= 1");
  s.history.write(path, make_history_header(s.model, s.options), *s.batch,
                  selected("dump", worlds, s.num_worlds()));
}

CheckpointInfo Simulation::checkpoint_info(const std::filesystem::path& path) {
  return read_checkpoint_header(path).info;
}

Model Simulation::checkpoint_model(const std::filesystem::path& path) {
  return read_checkpoint_model(path);
}

Simulation Simulation::load(const std::filesystem::path& path) {
  return load(path, checkpoint_model(path), checkpoint_info(path).options);
}

Simulation Simulation::load(const std::filesystem::path& path, Model model,
                            const SimulationOptions& options, bool convert) {
  Simulation simulation(std::move(model), options);
  simulation.load_state(path, convert);
  return simulation;
}

void Simulation::load_state(const std::filesystem::path& path, bool convert) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.take_over(read_checkpoint(path, s.model, *s.batch, convert));
}

void Simulation::Implementation::take_over(Checkpoint checkpoint) {
  parameters.replace(model, std::move(checkpoint.raw));
  reference_given = std::move(checkpoint.reference_given);
  commit();
  checkpoint.apply(*batch);
  const auto row_of = [&](std::size_t world) { return checkpoint.row(world); };
  if (const auto resets = checkpoint.arrays.find(kGuardResetsMember);
      resets != checkpoint.arrays.end())
    for (std::size_t w = 0; w < guard_resets.size(); ++w)
      std::memcpy(&guard_resets[w], resets->second.data.data() + 8 * row_of(w), 8);
  if (history.length() > 0 && checkpoint.arrays.contains(kHistoryPrefix + std::string("count")))
    history.take_members(checkpoint.arrays, kHistoryPrefix, *batch, row_of);
  visit_fields([&](Field field) {  // no step of this batch has led here
    if (info(field).group == FieldGroup::kStep && batch->has(field))
      for (int c = 0; c < batch->components(field); ++c) batch->fill(field, c, 0, nullptr);
  });
  refresh(nullptr);
}

std::vector<std::uint64_t> Simulation::state_hash() const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(s.num_worlds()), kFnvStart);
  visit_fields([&](Field field) {
    if (info(field).group != FieldGroup::kState || !s.batch->has(field)) return;
    for (int c = 0; c < s.batch->components(field); ++c)
      s.batch->visit_column(field, c, [&](const auto* x) {
        for (std::size_t w = 0; w < hashes.size(); ++w)
          hashes[w] = fnv1a(x + w, sizeof x[w], hashes[w]);
      });
  });
  return hashes;
}

}  // namespace flexor
