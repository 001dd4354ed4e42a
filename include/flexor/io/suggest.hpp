#pragma once
// Nearest names for problem texts: "did you mean 'hinge'?"   [MF-24]. Host code only.

#include <string>
#include <string_view>
#include <vector>

namespace flexor {

/// Number of insertions, deletions, substitutions and swaps of neighbours that turn a into b.
int edit_distance(std::string_view a, std::string_view b);

/// Legal names nearest to `name`, best first, ties in the order given: those at a distance of at
/// most max(1, length / 3). Looks at 5,000 candidates at most; names above 64 bytes get none.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& legal,
                                       int max_count = 1);

/// "did you mean 'x'?", or "" if nothing is near.
std::string suggest(std::string_view name, const std::vector<std::string>& legal);

}  // namespace flexor
