#pragma once
// The header of a checkpoint: JSON that says what the file holds, and of which batch.   [IA-6]

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sim/batch.hpp"
#include "sim/npz.hpp"

namespace flexor {

struct CheckpointHeader {
  CheckpointInfo info;
  std::set<std::string> members;  ///< all but the header
  bool is_float() const { return info.options.precision == Precision::kFloat32; }
};

std::string make_checkpoint_header(const Model& model, const SimulationOptions& options,
                                   long num_worlds, const std::vector<std::string>& members);
/// CheckpointError naming the file and what its header lacks.
CheckpointHeader read_checkpoint_header(const std::filesystem::path& path, const NpyArray& header);

/// Header of a history: which model, precision, timestep and fields.
std::string make_history_header(const Model& model, const SimulationOptions& options);

}  // namespace flexor
