#include "io/findings.hpp"

#include <algorithm>
#include <tuple>

namespace flexor::io {

namespace {

class FileOrder {
 public:
  explicit FileOrder(const std::vector<std::string>& files) {
    for (const auto& file : files) rank_.emplace(file, static_cast<int>(rank_.size()));
  }
  bool operator()(const Source& a, const Source& b) const {
    return std::tuple(rank(a.file), a.line, a.column) < std::tuple(rank(b.file), b.line, b.column);
  }

 private:
  int rank(const std::string& file) const {
    const auto found = rank_.find(file);
    return found == rank_.end() ? static_cast<int>(rank_.size()) : found->second;
  }
  std::map<std::string, int> rank_;
};

}  // namespace

void sort_problems(std::vector<Problem>& problems, const std::vector<std::string>& files) {
  const FileOrder order(files);
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return order(a.source, b.source); });
}

Severity Findings::severity(Binning binning, const std::string& code) const {
  const bool is_allowed = allow_.contains(code);
  switch (binning.bin) {
    case Bin::kRejected:
      return Severity::kError;
    case Bin::kApproximated:
      return strict_ == Strict::kExact && !is_allowed ? Severity::kError : Severity::kWarning;
    case Bin::kIgnored:
      if (binning.ignored == IgnoredClass::kPhysics || binning.ignored == IgnoredClass::kOutput)
        return strict_ != Strict::kFalse && !is_allowed ? Severity::kError : Severity::kWarning;
      return Severity::kNote;
    case Bin::kRead:
      break;
  }
  return Severity::kWarning;
}

void Findings::add(Binning binning, Problem problem) {
  if (problem.severity == Severity::kError) ++error_count_;
  found_.push_back({binning.bin, binning.ignored, std::move(problem), {}});
}

void Findings::error(Problem problem) {
  problem.severity = Severity::kError;
  const Source& place = problem.source;
  if (place.line > 0 && !said_.emplace(place.file, place.line, place.column, problem.code).second)
    return;
  add({Bin::kRejected, IgnoredClass::kNone}, std::move(problem));
}

void Findings::warning(Problem problem) {
  problem.severity = Severity::kWarning;
  add({Bin::kRead, IgnoredClass::kNone}, std::move(problem));
}

void Findings::binned(Binning binning, Problem problem) {
  problem.severity = severity(binning, problem.code);
  add(binning, std::move(problem));
}

std::vector<Problem> Findings::errors() const {
  std::vector<Problem> problems;
  for (const ReportItem& item : found_)
    if (item.problem.severity == Severity::kError) problems.push_back(item.problem);
  sort_problems(problems, files_);
  return problems;
}

std::vector<ReportItem> Findings::items() const {
  constexpr std::size_t kMaxPlaces = 10;
  std::vector<ReportItem> sorted = found_;
  const FileOrder order(files_);
  std::stable_sort(sorted.begin(), sorted.end(), [&](const ReportItem& a, const ReportItem& b) {
    return order(a.problem.source, b.problem.source);
  });
  using Key = std::tuple<Bin, IgnoredClass, std::string, std::string, std::string>;
  std::map<Key, std::size_t> groups;
  std::vector<ReportItem> items;
  for (ReportItem& item : sorted) {
    const Problem& problem = item.problem;
    if (problem.severity == Severity::kError) {
      item.places = {problem.source};
      items.push_back(std::move(item));
      continue;
    }
    // contact softness is said once per file, whatever the word   [MF-17]
    const bool is_one_line = problem.code == "contact-softness";
    const Key key(item.bin, item.ignored_class, problem.code,
                  is_one_line ? problem.source.file : problem.element,
                  is_one_line ? "" : problem.attribute);
    const auto [found, is_new] = groups.emplace(key, items.size());
    if (is_new) {
      if (item.places.empty()) item.places = {problem.source};
      items.push_back(std::move(item));
    } else {
      ReportItem& group = items[found->second];
      ++group.problem.count;
      if (group.places.size() < kMaxPlaces) group.places.push_back(problem.source);
    }
  }
  return items;
}

}  // namespace flexor::io
