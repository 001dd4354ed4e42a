#pragma once
// What a loader did with every element and attribute of its files.   [MF-1], [MF-25]

#include <string>
#include <utility>
#include <vector>

#include "flexor/core/error.hpp"

namespace flexor {

enum class Bin { kRead, kApproximated, kIgnored, kRejected };
enum class IgnoredClass { kNone, kVisual, kSolver, kInactive, kPhysics, kOutput };

/// One element or attribute that is not plainly read (equal ones are grouped, with a count), or a
/// remark of the model compiler.
struct ReportItem {
  Bin bin = Bin::kRead;
  IgnoredClass ignored_class = IgnoredClass::kNone;
  Problem problem;
  std::vector<Source> places;  ///< up to 10
};

struct ReportFile {
  std::string path;
  std::string role;  ///< main, include
  long bytes = 0;
  std::string sha256;  ///< of the bytes, 64 hex digits
  Source from;         ///< where it was included
};

struct Report {
  std::string file;    ///< main file, or "<string>", "<builder>"
  std::string format;  ///< "mjcf", "builder"
  std::string model;
  std::string strict = "true";
  bool ok = true;
  std::vector<ReportFile> files;
  long read = 0, approximated = 0, rejected = 0, total = 0;
  long ignored[6] = {};                                ///< by IgnoredClass
  std::vector<std::pair<std::string, double>> counts;  ///< "bodies", "nq", "moving_mass" ...
  std::vector<ReportItem> items;
};

/// The machine report as JSON, one line.   [MF-25]
std::string to_json(const Report& report);

}  // namespace flexor
