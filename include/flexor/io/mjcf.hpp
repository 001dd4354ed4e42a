#pragma once
// Model files: text -> Description -> Model, with a report in which every element and attribute
// stands in exactly one bin [MF-1]. Host code only.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "flexor/model/builder.hpp"

namespace flexor {

enum class Strict { kTrue, kFalse, kExact };

struct LoadOptions {
  std::string format;  ///< "" = by the root element; "mjcf"
  Strict strict = Strict::kTrue;
  std::map<std::string, std::string> assets;             ///< file name -> bytes
  std::map<std::string, std::vector<double>> overrides;  ///< parameter name -> values
  std::map<std::string, std::string> options;            ///< model option -> value as text
  std::string softness = "written";                      ///< "written", "hard", "all"
  std::set<std::string> allow;                           ///< codes downgraded to warnings
  int max_problems = 20;
  std::string paths = "any";   ///< "inside": every opened file must lie under `root`
  std::filesystem::path root;  ///< empty = folder of the main file
};

/// Loads a file, or text if `path_or_text` begins with '<' after blanks.
/// ModelError with all problems of all files, each as file:line:col.
Model load_model(const std::string& path_or_text, const LoadOptions& options = {});

/// The same without compiling: an editable builder.
ModelBuilder load_builder(const std::string& path_or_text, const LoadOptions& options = {});

/// What a loader would do with the file, without raising for its problems: report.ok says whether
/// the model can be built, report.items says all.
Report validate(const std::string& path_or_text, const LoadOptions& options = {});

/// Problem in the text form of [MF-24]; `line_text` empty = no source line.
std::string to_text(const Problem& problem, const std::string& line_text = "");

}  // namespace flexor
