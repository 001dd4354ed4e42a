#include "model/findings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "flexor/io/mjcf.hpp"

namespace flexor {

std::string Subject::text() const {
  std::string text = name.empty() ? kind : kind + " '" + name + "'";
  if (element >= 0) {
    text += ", element " + std::to_string(element);
    if (!element_kind.empty()) text += " (" + element_kind + ")";
  }
  return text;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string number_text(std::span<const double> values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + number_text(value);
  return text;
}

std::string rounded_text(double value) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6).ptr;
  return {buffer, end};
}

Problem& Findings::add(Severity severity, const Subject& subject, std::string code,
                       std::string attribute, std::string value, std::string message) {
  Problem problem;
  problem.severity = severity;
  problem.code = std::move(code);
  problem.message = subject.text() + ": " + message;
  problem.source = subject.source;
  if (problem.source.file.empty()) problem.source.file = "<builder>";
  problem.element = subject.kind;
  problem.name = subject.name;
  problem.attribute = std::move(attribute);
  problem.value = std::move(value);
  if (severity == Severity::kError) ++error_count_;
  problems_.push_back(std::move(problem));
  return problems_.back();
}

Problem& Findings::error(const Subject& subject, std::string code, std::string attribute,
                         std::string value, std::string message) {
  return add(Severity::kError, subject, std::move(code), std::move(attribute), std::move(value),
             std::move(message));
}
Problem& Findings::warning(const Subject& subject, std::string code, std::string attribute,
                           std::string value, std::string message) {
  return add(Severity::kWarning, subject, std::move(code), std::move(attribute), std::move(value),
             std::move(message));
}
Problem& Findings::note(const Subject& subject, std::string code, std::string attribute,
                        std::string value, std::string message) {
  return add(Severity::kNote, subject, std::move(code), std::move(attribute), std::move(value),
             std::move(message));
}

std::vector<Problem> Findings::take(bool errors) const {
  std::vector<Problem> taken;
  for (const Problem& problem : problems_)
    if ((problem.severity == Severity::kError) == errors) taken.push_back(problem);
  return taken;
}

void sort_problems(std::vector<Problem>& problems, const std::vector<ReportFile>& files) {
  std::map<std::string, int> order;
  for (const ReportFile& file : files) order.emplace(file.path, static_cast<int>(order.size()));
  for (const Problem& problem : problems)
    order.emplace(problem.source.file, static_cast<int>(order.size()));
  const auto key = [&](const Problem& problem) {
    return std::tuple(order[problem.source.file], problem.source.line, problem.source.column);
  };
  std::stable_sort(problems.begin(), problems.end(),
                   [&](const Problem& a, const Problem& b) { return key(a) < key(b); });
}

void throw_problems(std::vector<Problem> problems, int max_problems) {
  const std::size_t all = problems.size();
  if (max_problems > 0 && all > static_cast<std::size_t>(max_problems))
    problems.resize(max_problems);
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += to_text(problem);
  }
  if (all > 1) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += std::to_string(all) + " problems";
    if (problems.size() < all) text += ", the first " + std::to_string(problems.size()) + " shown";
  }
  throw ModelError(text, std::move(problems));
}

void throw_if_wrong(const Findings& findings) {
  if (findings.has_errors()) throw_problems(findings.take(true), 0);
}

void add_to_report(Report& report, const std::vector<Problem>& problems) {
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> rows;
  for (const Problem& problem : problems) {
    const auto key = std::tuple(problem.code, problem.element, problem.attribute);
    const auto [row, is_new] = rows.emplace(key, report.items.size());
    if (is_new) {
      ReportItem item;
      item.problem = problem;
      report.items.push_back(std::move(item));
    } else {
      report.items[row->second].problem.count += problem.count;
    }
    auto& places = report.items[row->second].places;
    if (places.size() < 10) places.push_back(problem.source);
  }
}

}  // namespace flexor
