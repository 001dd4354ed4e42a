#pragma once
// MJCF text -> Description with a report; nothing is judged yet that finalize judges.

#include <string>
#include <vector>

#include "io/document.hpp"

namespace flexor::io {

struct Loaded {
  Document document;
  Description description;
  Report report;
  std::vector<Problem> errors;  ///< sorted; the report's items have the rest
  bool is_read = false;         ///< false: there was no document to read
};

/// ConfigError if an option is illegal; everything else is in the result.
Loaded load_mjcf(const std::string& path_or_text, const LoadOptions& options);

/// Nominal values by parameter name ("joint/elbow/damping", "tendon/t/route/1/radius"), applied to
/// the description. ConfigError for a wrong count, UnknownNameError for an unknown name.
void apply_overrides(Description& description,
                     const std::map<std::string, std::vector<double>>& overrides);

/// Text of a ModelError: problems in the form of [MF-24] with their source lines, at most
/// `max_shown` (0 = all), and the exact count.
std::string problems_text(const Document& document, const std::vector<Problem>& problems,
                          int max_shown);

}  // namespace flexor::io
