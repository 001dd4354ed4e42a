// Steps with commands given ahead.   [IA-11]

#include <cstring>

#include "sim/implementation.hpp"

namespace flexor {
namespace {

std::size_t size(long number) { return static_cast<std::size_t>(number); }

/// Numbers [world][row][component] of a field.
struct Rows {
  const Batch& batch;
  Field field;
  std::size_t rows;

  std::size_t item() const { return size(batch.array(field).item_size()); }
  /// move(number of the batch, number of the rows) for one row of all worlds.
  template <class Byte, class Move>
  void visit(Byte* data, std::size_t row, bool is_shared, Move&& move) const {
    const std::size_t components = size(batch.components(field)), bytes = item();
    for (std::size_t c = 0; c < components; ++c) {
      std::byte* column = batch.column(field, static_cast<int>(c));
      Byte* first = data + (row * components + c) * bytes;
      for (std::size_t w = 0; w < size(batch.num_worlds()); ++w)
        move(column + w * bytes, first + (is_shared ? 0 : w * rows * components * bytes), bytes);
    }
  }
};

void check(const Rollout& rollout, const Batch& batch) {
  const auto legal = [](const char* argument, long given, const char* set) {
    throw ConfigError(std::string("rollout: ") + argument + ": " + std::to_string(given) +
                      " given; legal: " + set);
  };
  if (rollout.count < 0) legal("count", rollout.count, ">= 0");
  if (rollout.every < 1) legal("every", rollout.every, ">= 1");
  for (const RolloutCommand& command : rollout.commands)
    if (info(command.field).group != FieldGroup::kCommand)
      throw ConfigError(std::string("rollout: commands: '") + info(command.field).name +
                        "' given; legal: command arrays");
  for (const RolloutRecord& record : rollout.record)
    if (!batch.has(record.field))
      throw ConfigError(std::string("rollout: record: '") + info(record.field).name +
                        "' given; legal: arrays among the outputs of this batch");
}

}  // namespace

void Simulation::Implementation::roll_out(const Rollout& rollout) {
  bool wants_geometry = false;
  for (const RolloutRecord& record : rollout.record)
    wants_geometry = wants_geometry || info(record.field).group == FieldGroup::kGeometry;
  const std::size_t rows = size(rollout.count / rollout.every);

  const auto move_number = [](std::byte* to, const std::byte* from, std::size_t bytes) {
    bytes == 4   ? std::memcpy(to, from, 4)
    : bytes == 8 ? std::memcpy(to, from, 8)
                 : std::memcpy(to, from, bytes);
  };
  if (rollout.count == 0) return refresh(nullptr);
  for (int i = 0; i < rollout.count; ++i) {
    for (const RolloutCommand& command : rollout.commands)
      Rows{*batch, command.field, size(rollout.count)}.visit(
          static_cast<const std::byte*>(command.data), size(i), command.is_shared, move_number);
    const bool is_recorded = (i + 1) % rollout.every == 0;
    const bool is_last = i + 1 == rollout.count;
    step(1, nullptr, is_last || (is_recorded && wants_geometry));
    if (is_recorded)
      for (const RolloutRecord& record : rollout.record)
        Rows{*batch, record.field, rows}.visit(
            static_cast<std::byte*>(record.data), size(i / rollout.every), false,
            [&](const std::byte* from, std::byte* to, std::size_t bytes) {
              move_number(to, from, bytes);
            });
    if (!is_last && rollout.between_steps) rollout.between_steps();
  }
}

void Simulation::rollout(const Rollout& rollout) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  check(rollout, *s.batch);
  s.commit();
  std::vector<long> worlds;
  Snapshot start;
  if (rollout.restore) {
    for (long w = 0; w < s.num_worlds(); ++w) worlds.push_back(w);
    start = s.take(worlds);
  }
  for (const RolloutCommand& command : rollout.commands)
    if (s.batch->is_idle(command.field)) s.batch->use_wrenches();
  const auto put_back = [&] {
    if (rollout.restore) s.put_back(start, worlds);
  };
  try {
    s.roll_out(rollout);
  } catch (...) {  // a guard that raises, or a caller who has had enough
    put_back();
    s.refresh(nullptr);
    throw;
  }
  if (!rollout.restore) return;
  put_back();
  s.refresh(nullptr);
}

}  // namespace flexor
