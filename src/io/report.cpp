// Reports as JSON, problems as text.   [MF-24], [MF-25]
#include "flexor/io/report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "flexor/io/mjcf.hpp"
#include "io/json.hpp"

namespace flexor {

using io::json_text;

namespace {

const char* name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

const char* name(Bin bin) {
  switch (bin) {
    case Bin::kRead:
      return "read";
    case Bin::kApproximated:
      return "approximated";
    case Bin::kIgnored:
      return "ignored";
    case Bin::kRejected:
      break;
  }
  return "rejected";
}

const char* name(IgnoredClass ignored) {
  constexpr const char* kNames[] = {"", "visual", "solver", "inactive", "physics", "output"};
  return kNames[static_cast<int>(ignored)];
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string place(const Source& source) {
  return "[" + json_text(source.file) + ", " + std::to_string(source.line) + ", " +
         std::to_string(source.column) + "]";
}

constexpr int kLongestLine = 160, kShownBefore = 60;

/// Part of a long line around a column (from 1), with dots for what is left out; `column` becomes
/// that within the part. Columns count code points.
std::string part_of_line(const std::string& line, int& column) {
  if (line.size() <= kLongestLine) return line;
  const int first = std::max(0, column - 1 - kShownBefore), end = first + kLongestLine;
  std::size_t begin_byte = 0, end_byte = line.size();
  int count = 0;  // of the code points before byte i
  for (std::size_t i = 0; i < line.size(); ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xC0) == 0x80) continue;
    if (count == first) begin_byte = i;
    if (count == end) {
      end_byte = i;
      break;
    }
    ++count;
  }
  const bool is_cut = first > 0;
  column += (is_cut ? 3 : 0) - first;
  return (is_cut ? "..." : "") + line.substr(begin_byte, end_byte - begin_byte) +
         (end_byte < line.size() ? "..." : "");
}

std::string item_text(const ReportItem& item) {
  const Problem& p = item.problem;
  std::string json =
      "{\"bin\": " + json_text(name(item.bin)) +
      ", \"class\": " + json_text(name(item.ignored_class)) +
      ", \"severity\": " + json_text(name(p.severity)) + ", \"code\": " + json_text(p.code) +
      ", \"file\": " + json_text(p.source.file) + ", \"line\": " + std::to_string(p.source.line) +
      ", \"column\": " + std::to_string(p.source.column) +
      ", \"element\": " + json_text(p.element) + ", \"name\": " + json_text(p.name) +
      ", \"attribute\": " + json_text(p.attribute) + ", \"value\": " + json_text(p.value) +
      ", \"text\": " + json_text(p.message) + ", \"hint\": " + json_text(p.hint) +
      ", \"count\": " + std::to_string(p.count) + ", \"places\": [";
  for (std::size_t i = 0; i < item.places.size(); ++i)
    json += (i == 0 ? "" : ", ") + place(item.places[i]);
  return json + "]}";
}

}  // namespace

std::string to_json(const Report& report) {
  std::string json =
      "{\"report_version\": 1, \"file\": " + json_text(report.file) +
      ", \"format\": " + json_text(report.format) + ", \"model\": " + json_text(report.model) +
      ", \"ok\": " + (report.ok ? "true" : "false") + ", \"strict\": " + json_text(report.strict) +
      ", \"compat\": \"flexor\"" + ", \"files\": [";
  for (std::size_t i = 0; i < report.files.size(); ++i) {
    const ReportFile& file = report.files[i];
    json += std::string(i == 0 ? "" : ", ") + "{\"path\": " + json_text(file.path) +
            ", \"role\": " + json_text(file.role) + ", \"bytes\": " + std::to_string(file.bytes) +
            ", \"sha256\": " + json_text(file.sha256) +
            ", \"from\": " + (file.from.line > 0 ? place(file.from) : "null") + "}";
  }
  json += "], \"counts\": {";
  for (std::size_t i = 0; i < report.counts.size(); ++i)
    json += (i == 0 ? "" : ", ") + json_text(report.counts[i].first) + ": " +
            number(report.counts[i].second);
  json += "}, \"bins\": {\"read\": " + std::to_string(report.read) +
          ", \"approximated\": " + std::to_string(report.approximated) + ", \"ignored\": {";
  for (int k = 1; k <= 5; ++k)
    json += std::string(k == 1 ? "" : ", ") + json_text(name(static_cast<IgnoredClass>(k))) + ": " +
            std::to_string(report.ignored[k]);
  json += "}, \"rejected\": " + std::to_string(report.rejected) +
          ", \"total\": " + std::to_string(report.total) + "}, \"items\": [";
  for (std::size_t i = 0; i < report.items.size(); ++i)
    json += (i == 0 ? "" : ", ") + item_text(report.items[i]);
  return json + "]}";
}

std::string to_text(const Problem& problem, const std::string& line_text) {
  const Source& source = problem.source;
  std::string result = source.file.empty() ? "<builder>" : source.file;
  if (source.line > 0)
    result += ":" + std::to_string(source.line) + ":" + std::to_string(source.column);
  result += std::string(": ") + name(problem.severity) + ": " + problem.message + " [" +
            problem.code + "]";
  if (problem.count > 1) result += " (and " + std::to_string(problem.count - 1) + " more)";
  const std::string number = source.line > 0 ? std::to_string(source.line) : "";
  const std::string margin(std::max<std::size_t>(5, number.size()), ' ');
  if (!line_text.empty() && source.line > 0) {
    int column = source.column;
    std::string line = part_of_line(line_text, column);
    std::replace(line.begin(), line.end(), '\t', ' ');
    result += "\n" + margin.substr(number.size()) + number + " | " + line;
    // one column per code point; the mark spans the attribute's name, else the word at '<'
    std::size_t width = problem.attribute.size();
    if (width == 0) width = problem.element.empty() ? 1 : problem.element.size() + 1;
    result += "\n" + margin + " | " +
              std::string(static_cast<std::size_t>(std::max(0, column - 1)), ' ') + "^" +
              std::string(width - 1, '~');
  }
  if (!problem.hint.empty()) result += "\n" + margin + " = help: " + problem.hint;
  return result;
}

}  // namespace flexor
