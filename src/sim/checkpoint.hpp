#pragma once
// A batch in a file, bit for bit.   [IA-6]
//
// Members: `header` (JSON as bytes; it lists all others), `model` (to_bytes), one array (world,
// entry[, number]) per state and command field, `shared_parameters` (every scalar of the table),
// `parameter/<name>` (world, number) for each parameter that is per world, `reference_length_given`
// (tendon; 0 = measured when geometry changes); with the guard's history `guard_resets` (world)
// and, where one is kept, `history/count` and `history/<field>` as History writes them.

#include <filesystem>

#include "sim/checkpoint_header.hpp"
#include "sim/history.hpp"
#include "sim/parameter_store.hpp"

namespace flexor {

inline constexpr const char* kGuardResetsMember = "guard_resets";
inline constexpr const char* kHistoryPrefix = "history/";

/// What goes into a file.
struct CheckpointSource {
  const Model& model;
  const SimulationOptions& options;
  const Batch& batch;
  const RawParameters& raw;
  const Bytes& reference_given;
  const std::vector<std::int64_t>* guard_resets = nullptr;  ///< with the guard's history
  const History* history = nullptr;                         ///< and where one is kept
};

void write_checkpoint(const std::filesystem::path& path, const CheckpointSource& source,
                      std::span<const long> worlds);

/// CheckpointError if the file is none.
CheckpointHeader read_checkpoint_header(const std::filesystem::path& path);
Model read_checkpoint_model(const std::filesystem::path& path);

/// A checkpoint whose every byte has been found as it was written, of this model, and of this
/// batch's precision by now. One of one world goes to all.
struct Checkpoint {
  CheckpointHeader header;
  std::map<std::string, NpyArray> arrays;
  RawParameters raw;
  Bytes reference_given;

  /// Row of a world.
  std::size_t row(std::size_t world) const {
    return header.info.options.num_worlds == 1 ? 0 : world;
  }
  /// Writes the fields.
  void apply(Batch& batch) const;
};

/// CheckpointError otherwise.
Checkpoint read_checkpoint(const std::filesystem::path& path, const Model& model,
                           const Batch& batch, bool convert);

}  // namespace flexor
