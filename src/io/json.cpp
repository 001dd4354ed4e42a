#include "io/json.hpp"

#include <algorithm>
#include <charconv>

namespace flexor::io {
namespace {

constexpr int kDeepest = 64;

void append_utf8(std::string& text, unsigned code) {
  const auto put = [&](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0u | code >> 6), put(0x80u | (code & 0x3fu));
  } else if (code < 0x10000) {
    put(0xe0u | code >> 12), put(0x80u | (code >> 6 & 0x3fu)), put(0x80u | (code & 0x3fu));
  } else {
    put(0xf0u | code >> 18), put(0x80u | (code >> 12 & 0x3fu));
    put(0x80u | (code >> 6 & 0x3fu)), put(0x80u | (code & 0x3fu));
  }
}

/// Each read_* takes what it reads off the front; false where it does not stand there.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool read_value(Json& value, int depth = 0) {
    skip_space();
    if (rest_.empty() || depth > kDeepest) return false;
    switch (rest_.front()) {
      case '{':
        return read_items(value, Json::Kind::kObject, '}', depth);
      case '[':
        return read_items(value, Json::Kind::kList, ']', depth);
      case '"':
        value.kind = Json::Kind::kText;
        return read_text(value.text);
      default:
        return read_word(value);
    }
  }
  bool is_at_end() {
    skip_space();
    return rest_.empty();
  }

 private:
  void skip_space() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  bool take(char expected) {
    skip_space();
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool read_items(Json& value, Json::Kind kind, char end, int depth) {
    value.kind = kind;
    rest_.remove_prefix(1);
    if (take(end)) return true;
    do {
      if (kind == Json::Kind::kObject) {
        skip_space();
        if (!read_text(value.keys.emplace_back()) || !take(':')) return false;
      }
      if (!read_value(value.items.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(end);
  }
  bool read_code(unsigned& code) {
    constexpr std::size_t kDigits = 4;
    if (rest_.size() < kDigits) return false;
    const char* end = rest_.data() + kDigits;
    if (std::from_chars(rest_.data(), end, code, 16).ptr != end) return false;
    rest_.remove_prefix(kDigits);
    return true;
  }
  bool read_escape(std::string& text) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kNames.find(c); i != std::string_view::npos) {
      text += kMeanings[i];
      return true;
    }
    unsigned code = 0, low = 0;
    if (c != 'u' || !read_code(code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {  // first half of a pair
      if (!rest_.starts_with("\\u")) return false;
      rest_.remove_prefix(2);
      if (!read_code(low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(text, code);
    return true;
  }
  bool read_text(std::string& text) {
    if (!rest_.starts_with('"')) return false;
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c != '\\')
        text += c;
      else if (!read_escape(text))
        return false;
    }
    return false;
  }
  bool read_word(Json& value) {
    const std::size_t length = std::min(rest_.find_first_of(" \t\r\n,]}"), rest_.size());
    value.text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (value.text == "null") return true;
    value.kind = Json::Kind::kBool;
    if (value.text == "true" || value.text == "false") return true;
    value.kind = Json::Kind::kNumber;
    double number = 0;
    const char* end = value.text.data() + value.text.size();
    return std::from_chars(value.text.data(), end, number).ptr == end && length > 0;
  }
  std::string_view rest_;
};

}  // namespace

std::string json_text(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      result += "\\u00";
      result += {kDigits[byte >> 4], kDigits[byte & 15u]};
    } else {
      result += c;
    }
  }
  return result + "\"";
}

const Json* Json::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i] == key) return &items[i];
  return nullptr;
}

std::optional<Json> parse_json(std::string_view text) {
  Json value;
  Parser parser(text);
  if (!parser.read_value(value) || !parser.is_at_end()) return std::nullopt;
  return value;
}

}  // namespace flexor::io
