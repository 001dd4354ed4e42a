#include "io/numbers.hpp"

#include <charconv>
#include <cmath>
#include <string>

namespace flexor::io {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// Whether a decimal number that from_chars found out of range is too large (else too small):
/// the power of ten of its first non-zero digit decides.
bool is_too_large(std::string_view digits) {
  long power = -1, exponent = 0;
  bool has_point = false, has_digit = false;
  std::size_t i = 0;
  for (; i < digits.size() && digits[i] != 'e' && digits[i] != 'E'; ++i) {
    if (digits[i] == '.') {
      has_point = true;
    } else if (digits[i] >= '0' && digits[i] <= '9') {
      if (digits[i] != '0') has_digit = true;
      if (!has_point && has_digit) ++power;
      if (has_point && !has_digit) --power;
    }
  }
  if (i + 1 < digits.size()) {
    std::string_view rest = digits.substr(i + 1);
    if (rest[0] == '+') rest.remove_prefix(1);
    const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
    if (result.ec == std::errc::result_out_of_range) return rest[0] != '-';
  }
  return power + exponent > 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && is_blank(text[i])) ++i;
    std::size_t end = i;
    while (end < text.size() && !is_blank(text[end])) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

Number parse_number(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return {};
  }
  const bool is_negative = !text.empty() && text[0] == '-';
  const std::string_view digits = is_negative ? text.substr(1) : text;
  if (digits.empty()) return {};
  if (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9')) {
    const std::string word = lower(digits);
    if (word == "inf" || word == "infinity")
      return {NumberState::kInfinite, is_negative ? -HUGE_VAL : HUGE_VAL};
    if (word == "nan") return {NumberState::kNaN, std::nan("")};
    return {};
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return {};
  if (result.ec == std::errc::result_out_of_range) {
    if (is_too_large(digits)) return {NumberState::kOverflow, HUGE_VAL};
    return {NumberState::kFinite, 0.0};
  }
  return {NumberState::kFinite, value};
}

}  // namespace flexor::io
