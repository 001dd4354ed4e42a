#pragma once
// JSON: texts written, values read.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flexor::io {

/// A text in quotes; bytes from 0x80 on go through as they are (UTF-8).
std::string json_text(const std::string& text);

/// One value.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kText, kList, kObject };
  Kind kind = Kind::kNull;
  std::string text;               ///< of a text, unescaped; of a number or bool, as written
  std::vector<Json> items;        ///< of a list or an object
  std::vector<std::string> keys;  ///< of an object, one for each item

  /// Member of an object; null if there is none.
  const Json* find(std::string_view key) const;
};

/// Nothing if the text is not one whole JSON value.
std::optional<Json> parse_json(std::string_view text);

}  // namespace flexor::io
