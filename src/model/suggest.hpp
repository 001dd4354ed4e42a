#pragma once
// "did you mean ...": the nearest legal word.   [MF-24]

#include <string>
#include <string_view>
#include <vector>

namespace flexor {

/// "did you mean 'x'?" with the candidate at the smallest edit distance (transpositions count one),
/// if that is at most max(1, length / 3); else empty. Looks at the first 5,000 candidates;
/// words above 64 bytes get no suggestion.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace flexor
