#pragma once
// <worldbody>: bodies, frames, replicates, joints, geoms, sites, inertials.   [MF-13], [MF-14]

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "io/mjcf_context.hpp"
#include "io/mjcf_mass.hpp"

namespace flexor::io {

/// What contacts and tendons need to know of a geom beyond its description.
struct GeomFacts {
  int contype = 1, conaffinity = 1;
  Value type;  ///< empty if the type is the default
  int element = 0;
};

struct Bodies {
  std::vector<GeomFacts> geoms;  ///< beside Description::geoms
  std::vector<bool> is_moving;   ///< per body: has a joint
  std::vector<int> parents;      ///< per body, kWorld for children of the world
  std::vector<int> body_elements;

  /// Copies that replicates made, by kind and name as written: their suffixes, in order.  [MF-13]
  struct Copies {
    std::vector<std::string> suffixes;
    std::unordered_set<std::string> known;
  };
  std::map<std::pair<std::string_view, std::string>, Copies> copies;
  std::unordered_map<std::string, int> geom_index, body_index;
};

Bodies read_bodies(Context& context);

/// Suffixes for the copies of a referring element: those of the named thing replicated most often;
/// {""} if none of the names was replicated. Names are (kind, name) pairs.
std::vector<std::string> copy_suffixes(
    const Bodies& bodies, const std::vector<std::pair<std::string_view, std::string>>& names);
/// Name that a copy with `suffix` means by `name`: the copy with the longest matching end of
/// `suffix`, or the name itself if it was not replicated.
std::string copied_name(const Bodies& bodies, std::string_view kind, const std::string& name,
                        const std::string& suffix);

}  // namespace flexor::io
