#include "flexor/io/suggest.hpp"

#include <algorithm>
#include <utility>

namespace flexor {

int edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table of prefixes of a against prefixes of b; two rows back for transpositions.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& legal,
                                       int max_count) {
  constexpr std::size_t kMaxCandidates = 5000, kMaxLength = 64;
  if (name.empty() || name.size() > kMaxLength) return {};
  const int allowed = std::max(1, static_cast<int>(name.size() / 3));
  std::vector<std::pair<int, std::size_t>> found;
  for (std::size_t i = 0; i < std::min(legal.size(), kMaxCandidates); ++i) {
    const int gap = std::abs(static_cast<int>(legal[i].size()) - static_cast<int>(name.size()));
    if (gap > allowed || legal[i].empty()) continue;
    const int distance = edit_distance(name, legal[i]);
    if (distance <= allowed) found.emplace_back(distance, i);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (const auto& [distance, i] : found) {
    if (static_cast<int>(names.size()) == max_count) break;
    names.push_back(legal[i]);
  }
  return names;
}

std::string suggest(std::string_view name, const std::vector<std::string>& legal) {
  const auto names = nearest_names(name, legal);
  return names.empty() ? "" : "did you mean '" + names[0] + "'?";
}

}  // namespace flexor
