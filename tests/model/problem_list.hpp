#pragma once
// What finalize complains about, as text to compare.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flexor/model/builder.hpp"

namespace flexor::test {

/// All problems of a builder, none if it makes a model.
inline std::vector<Problem> problems_of(const ModelBuilder& builder) {
  FinalizeOptions options;
  options.max_problems = 0;
  try {
    builder.finalize(options);
  } catch (const ModelError& error) {
    return error.problems();
  }
  return {};
}

/// Codes in order, blank between.
inline std::string codes(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : " ") + problem.code;
  return text;
}
inline std::string codes(const ModelBuilder& builder) { return codes(problems_of(builder)); }

/// The messages, one a line: shown when a test fails.
inline std::string messages(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += problem.code + ": " + problem.message + "\n";
  return text;
}

/// Codes of warnings and notes of a model, in order.
inline std::string remarks(const Model& model) {
  std::string text;
  for (const ReportItem& item : model.report().items)
    text += (text.empty() ? "" : " ") + item.problem.code;
  return text;
}

/// Message of the exception that a call throws; empty if it throws none.
template <class Exception, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return {};
}

#define EXPECT_CONTAINS(text, part)                          \
  EXPECT_NE(std::string(text).find(part), std::string::npos) \
      << "\"" << (text) << "\" lacks \"" << (part) << "\""

}  // namespace flexor::test
