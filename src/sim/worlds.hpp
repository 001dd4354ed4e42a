#pragma once
// Lists of worlds that calls take.

#include <span>
#include <string>
#include <vector>

namespace flexor {

/// `Error` naming the call and a world that there is not, or that stands there twice.
template <class Error>
void check_worlds(const std::string& call, std::span<const long> worlds, long num_worlds,
                  bool may_repeat = false) {
  std::vector<bool> is_taken(may_repeat ? 0 : static_cast<std::size_t>(num_worlds));
  for (const long world : worlds) {
    if (world < 0 || world >= num_worlds)
      throw Error(call + ": world " + std::to_string(world) + " given; legal: 0 to " +
                  std::to_string(num_worlds - 1));
    if (may_repeat) continue;
    if (is_taken[static_cast<std::size_t>(world)])
      throw Error(call + ": world " + std::to_string(world) +
                  " given twice; legal: different worlds");
    is_taken[static_cast<std::size_t>(world)] = true;
  }
}

}  // namespace flexor
