#pragma once
// Collecting what is wrong with a model, and saying all of it in one ModelError.   [MF-24]

#include <span>
#include <string>
#include <vector>

#include "flexor/model/builder.hpp"

namespace flexor {

/// What a finding is about: "tendon 'flexor', element 2 (sphere)".
struct Subject {
  std::string kind;  ///< "joint"
  std::string name;  ///< "shoulder"; may be empty
  Source source;
  int element = -1;  ///< number of a path element, -1 = the object itself
  std::string element_kind;

  std::string text() const;
};

/// Shortest decimal form that reads back to the same number; several are separated by blanks.
std::string number_text(double value);
std::string number_text(std::span<const double> values);
/// Six digits: what was computed, rather than written by a user.
std::string rounded_text(double value);

class Findings {
 public:
  /// The message is put behind the subject's text. `value` as a user would write it.
  Problem& error(const Subject& subject, std::string code, std::string attribute, std::string value,
                 std::string message);
  Problem& warning(const Subject& subject, std::string code, std::string attribute,
                   std::string value, std::string message);
  Problem& note(const Subject& subject, std::string code, std::string attribute, std::string value,
                std::string message);

  int error_count() const { return error_count_; }
  bool has_errors() const { return error_count_ > 0; }
  const std::vector<Problem>& problems() const { return problems_; }
  std::vector<Problem> take(bool errors) const;  ///< the errors, or all the rest

 private:
  Problem& add(Severity severity, const Subject& subject, std::string code, std::string attribute,
               std::string value, std::string message);
  std::vector<Problem> problems_;
  int error_count_ = 0;
};

/// Sorts by file (in the order given, then of first appearance), line, column; stable.
void sort_problems(std::vector<Problem>& problems, const std::vector<ReportFile>& files);

/// Throws a ModelError that shows and keeps the first `max_problems` (0 = all) and counts all.
[[noreturn]] void throw_problems(std::vector<Problem> problems, int max_problems);

/// Throws if the findings hold an error.
void throw_if_wrong(const Findings& findings);

/// Adds findings that do not stop a model to its report; warnings of equal code, element and
/// attribute are shown once with a count and up to ten places.
void add_to_report(Report& report, const std::vector<Problem>& problems);

}  // namespace flexor
