// States of worlds taken out, put back, written and read.   [IA-6], [IA-7]

#include <cstring>
#include <numeric>

#include "sim/checkpoint.hpp"
#include "sim/implementation.hpp"
#include "sim/state_hash.hpp"

namespace flexor {

namespace {

/// The worlds given, or all.
std::vector<long> selected(const char* call, std::span<const long> worlds, long num_worlds) {
  std::vector<long> list(worlds.begin(), worlds.end());
  for (const long world : list)
    if (world < 0 || world >= num_worlds)
      throw ConfigError(std::string(call) + ": world " + std::to_string(world) +
                        " given; legal: 0 to " + std::to_string(num_worlds - 1));
  if (list.empty()) {
    list.resize(static_cast<std::size_t>(num_worlds));
    std::iota(list.begin(), list.end(), 0L);
  }
  return list;
}

/// visit(Field, bytes of one number, components) for what a snapshot of the batch holds.
template <class Visit>
void visit_kept(const Batch& batch, Visit&& visit) {
  visit_fields([&](Field field) {
    if (is_kept_in_checkpoints(field) && batch.has(field) && !batch.is_idle(field))
      visit(field, static_cast<std::size_t>(batch.array(field).item_size()),
            static_cast<std::size_t>(batch.components(field)));
  });
}

}  // namespace

Snapshot Simulation::Implementation::take(const std::vector<long>& worlds) const {
  Snapshot snapshot;
  snapshot.model_hash = model_hash(model);
  snapshot.is_float = is_float();
  snapshot.num_worlds = static_cast<long>(worlds.size());
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

void Simulation::set_state(const Snapshot& snapshot, std::span<const long> worlds) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  const std::vector<long> list = selected("set_state", worlds, s.num_worlds());
  if (snapshot.model_hash != model_hash(s.model))
    throw ConfigError("set_state: a snapshot of another model, with hash '" + snapshot.model_hash +
                      "'; legal: of the model with hash '" + model_hash(s.model) + "'");
  if (snapshot.is_float != s.is_float())
    throw ConfigError(std::string("set_state: a snapshot of precision ") +
                      (snapshot.is_float ? "float32" : "float64") +
                      "; legal: " + (s.is_float() ? "float32" : "float64"));
  if (snapshot.num_worlds != static_cast<long>(list.size()))
    throw ShapeError("set_state: a snapshot of " + std::to_string(snapshot.num_worlds) +
                     " worlds given, " + std::to_string(list.size()) + " expected");
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
  const std::vector<long> to = selected("clone_worlds", destination, s.num_worlds());
  s.put_back(s.take(selected("clone_worlds", source, s.num_worlds())), to);
}

void Simulation::save(const std::filesystem::path& path, std::span<const long> worlds) const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  const std::vector<long> list = selected("save", worlds, s.num_worlds());
  s.commit();
  write_checkpoint(path, s.model, s.options, *s.batch, s.parameters.raw(), s.reference_given, list);
}

void Simulation::dump(std::span<const long> worlds, const std::filesystem::path& path) const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  if (s.history.length() == 0)
    throw ConfigError("dump: history 0 given when this simulation was made; legal: >= 1");
  s.history.write(path, s.model, *s.batch, selected("dump", worlds, s.num_worlds()));
}

CheckpointInfo Simulation::checkpoint_info(const std::filesystem::path& path) {
  return read_checkpoint_info(path);
}

Simulation Simulation::load(const std::filesystem::path& path, Model model,
                            SimulationOptions options) {
  const CheckpointInfo info = read_checkpoint_info(path);
  options.num_worlds = info.num_worlds;
  options.device = info.device;
  options.precision = info.precision;
  Simulation simulation(std::move(model), options);
  simulation.load_state(path);
  return simulation;
}

void Simulation::load_state(const std::filesystem::path& path) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  Checkpoint checkpoint = read_checkpoint(path, s.model, *s.batch);
  s.parameters.replace(s.model, std::move(checkpoint.raw));
  s.reference_given = std::move(checkpoint.reference_given);
  s.commit();
  checkpoint.apply(*s.batch);
  visit_fields([&](Field field) {  // no step of this batch has led here
    if (info(field).group == FieldGroup::kStep && s.batch->has(field))
      for (int c = 0; c < s.batch->components(field); ++c) s.batch->fill(field, c, 0, nullptr);
  });
  s.refresh(nullptr);
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
