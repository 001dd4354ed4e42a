#pragma once
// A batch in a file, bit for bit.   [IA-6]
//
// Members: `header` (JSON as bytes; it lists all others), one array (world, entry[, number]) per
// state and command field, `shared_parameters` (every scalar of the table), `parameter/<name>`
// (world, number) for each parameter that is per world, `reference_length_given` (tendon; 0 =
// measured when geometry changes).

#include <filesystem>

#include "sim/batch.hpp"
#include "sim/npz.hpp"
#include "sim/parameter_store.hpp"

namespace flexor {

void write_checkpoint(const std::filesystem::path& path, const Model& model,
                      const SimulationOptions& options, const Batch& batch,
                      const RawParameters& raw, const Bytes& reference_given,
                      std::span<const long> worlds);

/// Type and shape of an array of a file that holds a field of so many worlds.
const char* npy_type(const ArrayRef& ref);
std::vector<long> npy_shape(const ArrayRef& ref, long num_worlds);
/// Header of a history: which model, precision, timestep and fields.
std::string history_header(const Model& model, const Batch& batch);

/// CheckpointError if the file is none.
CheckpointInfo read_checkpoint_info(const std::filesystem::path& path);

/// A checkpoint whose every member has been found whole and of this model, batch and precision.
struct Checkpoint {
  std::map<std::string, NpyArray> arrays;
  RawParameters raw;
  Bytes reference_given;

  /// Writes the fields.
  void apply(Batch& batch) const;
};

/// CheckpointError otherwise.
Checkpoint read_checkpoint(const std::filesystem::path& path, const Model& model,
                           const Batch& batch);

}  // namespace flexor
