#pragma once
// States and commands of one precision as those of the other.   [IA-6]

#include <map>
#include <string>
#include <vector>

#include "sim/npz.hpp"

namespace flexor {

/// Converts the arrays <prefix><field> of a file for each of the prefixes that has them. qpos and
/// its remainder, which float32 batches alone have, stand for one number: their difference.
///
/// @return name of an array with a finite number that float32 cannot hold; empty if there is none
std::string convert_fields(std::map<std::string, NpyArray>& arrays,
                           const std::vector<std::string>& prefixes, bool to_float);

}  // namespace flexor
