#pragma once
// What a loader has to say: problems with their severity, and the bins of everything not plainly
// read.   [MF-1], [MF-24]

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "flexor/io/mjcf.hpp"
#include "flexor/io/report.hpp"
#include "io/mjcf_vocabulary.hpp"

namespace flexor::io {

class Findings {
 public:
  Findings(Strict strict, std::set<std::string> allow)
      : strict_(strict), allow_(std::move(allow)) {}

  /// An error that no option downgrades; said once per place and code (replicates read an element
  /// many times).
  void error(Problem problem);
  /// A warning outside the bins (legacy words, leniencies).
  void warning(Problem problem);
  /// Something that stands in a bin other than read; its severity follows the bin.
  /// A code that ends up as a remark only (visual, solver, inactive) is a note.
  void binned(Binning binning, Problem problem);

  /// A remark that is already grouped.
  void add(ReportItem item) { found_.push_back(std::move(item)); }

  /// Files in order of first opening: problems are sorted in this order.
  void set_file_order(std::vector<std::string> files) { files_ = std::move(files); }

  /// Errors sorted by file, line, column.
  std::vector<Problem> errors() const;
  /// Everything as report items: errors one by one, the rest grouped by code, element and
  /// attribute, with up to 10 places.
  std::vector<ReportItem> items() const;
  bool has_errors() const { return error_count_ > 0; }

 private:
  Severity severity(Binning binning, const std::string& code) const;
  void add(Binning binning, Problem problem);

  Strict strict_;
  std::set<std::string> allow_;
  std::vector<std::string> files_;
  std::vector<ReportItem> found_;
  std::set<std::tuple<std::string, int, int, std::string>> said_;  ///< errors: place and code
  long error_count_ = 0;
};

/// Sorts problems by file in the order given, then line, column.
void sort_problems(std::vector<Problem>& problems, const std::vector<std::string>& files);

}  // namespace flexor::io
