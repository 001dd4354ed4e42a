#pragma once
// Numbers of model files: from_chars rules, never the locale.   [MF-11], [MF-26]

#include <string>
#include <string_view>
#include <vector>

namespace flexor::io {

enum class NumberState {
  kFinite,
  kInfinite,  ///< the word inf, with an optional sign
  kNaN,       ///< the word nan
  kOverflow,  ///< a number beyond the range of float64
  kMalformed  ///< anything else: trailing characters, hexadecimal, commas
};

struct Number {
  NumberState state = NumberState::kMalformed;
  double value = 0;
};

/// Reads one number; blanks around it and one leading '+' are dropped, underflow is 0.
Number parse_number(std::string_view text);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
std::string_view trimmed(std::string_view text);

inline std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

/// Words between blanks and line breaks.
std::vector<std::string_view> split(std::string_view text);

}  // namespace flexor::io
