#include "io/scan.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_set>

#include "io/numbers.hpp"

namespace flexor::io {

namespace {

bool is_name_start(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || c >= 0x80;
}
bool is_name_char(unsigned char c) {
  return is_name_start(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/// Length of the UTF-8 sequence at `i`, 0 if it is not legal (overlong, surrogate, too large, cut).
std::size_t utf8_length(std::string_view bytes, std::size_t i) {
  const auto at = [&](std::size_t k) {
    return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u;
  };
  const unsigned c = at(i);
  if (c < 0x80) return 1;
  const std::size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4) return 0;
  std::uint32_t code = c & (0x7Fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((at(i + k) & 0xC0u) != 0x80u) return 0;
    code = (code << 6) | (at(i + k) & 0x3Fu);
  }
  if (length == 3 && (code < 0x800 || (code >= 0xD800 && code <= 0xDFFF))) return 0;
  if (length == 4 && (code < 0x10000 || code > 0x10FFFF)) return 0;
  return length;
}

class Scanner {
 public:
  Scanner(std::string_view bytes, const ScanLimits& limits) : bytes_(bytes), limits_(limits) {}

  ScanResult run() {
    result_.is_well_formed = check_encoding() && scan_document();
    if (result_.is_well_formed) {
      result_.text.append(bytes_.substr(copied_));
    } else {
      result_.text.clear();
    }
    return std::move(result_);
  }

 private:
  // Every check returns true to go on; fail() reports and returns false.
  bool fail(std::size_t offset, const char* code, std::string message) {
    result_.findings.push_back({offset, Severity::kError, code, std::move(message)});
    return false;
  }
  void warn(std::size_t offset, const char* code, std::string message) {
    result_.findings.push_back({offset, Severity::kWarning, code, std::move(message)});
  }
  bool starts_with(std::string_view word) const { return bytes_.substr(i_).starts_with(word); }
  bool at_end() const { return i_ >= bytes_.size(); }
  void skip_blanks() {
    while (!at_end() && is_blank(bytes_[i_])) ++i_;
  }
  std::string_view read_name() {
    const std::size_t start = i_;
    if (!at_end() && is_name_start(static_cast<unsigned char>(bytes_[i_])))
      while (!at_end() && is_name_char(static_cast<unsigned char>(bytes_[i_]))) ++i_;
    return bytes_.substr(start, i_ - start);
  }

  bool check_encoding() {
    for (const std::string_view mark :
         {std::string_view("\xFF\xFE", 2), std::string_view("\xFE\xFF", 2),
          std::string_view("\0\0\xFE\xFF", 4)})
      if (bytes_.starts_with(mark))
        return fail(0, "encoding", "the file is UTF-16 or UTF-32; only UTF-8 is read");
    std::size_t i = 0;
    while (i < bytes_.size()) {
      const auto c = static_cast<unsigned char>(bytes_[i]);
      if (c == 0) return fail(i, "encoding", "NUL byte; only UTF-8 text is read");
      if (c < 0x20 && !is_blank(bytes_[i]))
        return fail(i, "xml-syntax", "control character " + std::to_string(c) + " is not legal");
      const std::size_t length = utf8_length(bytes_, i);
      if (length == 0) return fail(i, "encoding", "byte that is not legal UTF-8");
      i += length;
    }
    return true;
  }

  bool scan_document() {
    while (!at_end()) {
      if (bytes_[i_] != '<') {
        if (!scan_text()) return false;
      } else if (!scan_markup()) {
        return false;
      }
    }
    if (!open_.empty())
      return fail(open_.back().first, "xml-syntax",
                  "element '" + std::string(open_.back().second) + "' is never closed");
    if (!has_root_) return fail(bytes_.size(), "xml-syntax", "the text has no element");
    return true;
  }

  bool scan_text() {
    std::size_t first = bytes_.size();
    while (!at_end() && bytes_[i_] != '<') {
      if (!is_blank(bytes_[i_]) && first == bytes_.size()) first = i_;
      if (bytes_[i_] == '&') {
        if (open_.empty()) return fail(first, "stray-text", "text outside the root element");
        if (!scan_entity(bytes_.size())) return false;
      } else {
        ++i_;
      }
    }
    if (first == bytes_.size()) return true;
    if (open_.empty()) return fail(first, "stray-text", "text outside the root element");
    warn(first, "stray-text",
         "text between elements is ignored, inside '" + std::string(open_.back().second) + "'");
    return true;
  }

  /// At '&': one of the five named entities or a reference to a legal character.
  bool scan_entity(std::size_t limit) {
    const std::size_t start = i_;
    const std::size_t end = bytes_.find(';', i_);
    if (end == std::string_view::npos || end >= limit || end - i_ > 12)
      return fail(start, "unknown-entity", "bare '&'; write &amp;");
    const std::string_view name = bytes_.substr(i_ + 1, end - i_ - 1);
    i_ = end + 1;
    for (const std::string_view legal : {"lt", "gt", "amp", "quot", "apos"})
      if (name == legal) return true;
    const auto refuse = [&] {
      return fail(start, "unknown-entity",
                  "entity '&" + std::string(name) +
                      ";'; legal are lt, gt, amp, quot, apos and references to characters");
    };
    if (name.size() < 2 || name[0] != '#') return refuse();
    const bool is_hex = name[1] == 'x';
    std::uint32_t code = 0;
    const std::string_view digits = name.substr(is_hex ? 2 : 1);
    if (digits.empty()) return refuse();
    for (const char c : digits) {
      const int digit = c >= '0' && c <= '9'             ? c - '0'
                        : is_hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : is_hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                         : -1;
      if (digit < 0) return refuse();
      code = code * (is_hex ? 16u : 10u) + static_cast<std::uint32_t>(digit);
      if (code > 0x10FFFF) return refuse();
    }
    const bool is_control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
    if (is_control || (code >= 0xD800 && code <= 0xDFFF)) return refuse();
    return true;
  }

  bool scan_markup() {
    if (starts_with("<!--")) return scan_comment();
    if (starts_with("<![CDATA["))
      return fail(i_, "stray-text", "CDATA section; model files hold attributes, no text");
    if (starts_with("<!DOCTYPE") || starts_with("<!ENTITY"))
      return fail(i_, "doctype", "document type declarations are not read and never expanded");
    if (starts_with("<!")) return fail(i_, "xml-syntax", "unknown markup '<!'");
    if (starts_with("<?")) return scan_declaration();
    if (starts_with("</")) return scan_end_tag();
    return scan_start_tag();
  }

  bool scan_comment() {
    const std::size_t start = i_;
    const std::size_t end = bytes_.find("-->", i_ + 4);
    if (end == std::string_view::npos)
      return fail(start, "xml-syntax", "the comment is never closed by '-->'");
    const std::size_t dashes = bytes_.find("--", i_ + 4);
    if (dashes < end) warn(dashes, "xml-leniency", "'--' inside a comment is not legal XML");
    i_ = end + 3;
    return true;
  }

  bool scan_declaration() {
    const std::size_t start = i_;
    const bool is_first = !has_root_ && !has_declaration_ && trimmed(bytes_.substr(0, i_)).empty();
    const std::size_t end = bytes_.find("?>", i_);
    if (end == std::string_view::npos)
      return fail(start, "xml-syntax", "'<?' is never closed by '?>'");
    const std::string_view body = bytes_.substr(i_ + 2, end - i_ - 2);
    if (!is_first || !body.starts_with("xml") || body.size() < 4 || !is_blank(body[3]))
      return fail(start, "xml-syntax",
                  "processing instruction; only an XML declaration at the top is legal");
    has_declaration_ = true;
    const std::size_t word = body.find("encoding");
    if (word != std::string_view::npos) {
      std::string_view rest = trimmed(body.substr(word + 8));
      if (!rest.empty() && rest[0] == '=') rest = trimmed(rest.substr(1));
      const char quote = rest.empty() ? '\0' : rest[0];
      const std::size_t close = rest.find(quote, 1);
      if ((quote != '"' && quote != '\'') || close == std::string_view::npos)
        return fail(start, "xml-syntax", "malformed encoding in the XML declaration");
      std::string name(rest.substr(1, close - 1));
      for (char& c : name)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      if (name != "UTF-8" && name != "US-ASCII")
        return fail(start + 2 + word, "encoding",
                    "encoding '" + name + "'; only UTF-8 and US-ASCII are read");
    }
    i_ = end + 2;
    return true;
  }

  bool scan_end_tag() {
    const std::size_t start = i_;
    i_ += 2;
    const std::string_view name = read_name();
    skip_blanks();
    if (name.empty() || at_end() || bytes_[i_] != '>')
      return fail(start, "xml-syntax", "malformed end tag");
    ++i_;
    if (open_.empty())
      return fail(start, "xml-syntax", "end tag '" + std::string(name) + "' without a start tag");
    if (open_.back().second != name)
      return fail(start, "xml-syntax",
                  "end tag '" + std::string(name) + "' where '" + std::string(open_.back().second) +
                      "' is open");
    open_.pop_back();
    return true;
  }

  bool scan_start_tag() {
    const std::size_t start = i_;
    ++i_;
    const std::string_view name = read_name();
    if (name.empty()) return fail(start, "xml-syntax", "'<' without an element name");
    if (name.size() > limits_.max_name_bytes) return too_long_name(start);
    if (open_.empty() && has_root_)
      return fail(start, "xml-syntax", "second root element '" + std::string(name) + "'");
    has_root_ = true;
    if (++result_.element_count > limits_.max_elements)
      return fail(start, "limit-exceeded",
                  "more than " + std::to_string(limits_.max_elements) + " elements");
    if (open_.size() + 1 > limits_.max_depth)
      return fail(start, "element-depth",
                  "elements are nested deeper than " + std::to_string(limits_.max_depth));
    names_.clear();
    name_set_.clear();
    while (true) {
      const std::size_t before = i_;
      skip_blanks();
      if (at_end())
        return fail(start, "xml-syntax", "start tag '" + std::string(name) + "' is cut off");
      if (bytes_[i_] == '>') {
        ++i_;
        open_.emplace_back(start, name);
        return true;
      }
      if (starts_with("/>")) {
        i_ += 2;
        return true;
      }
      if (!scan_attribute(start, name, before == i_)) return false;
    }
  }

  bool scan_attribute(std::size_t element, std::string_view element_name, bool is_blank_missing) {
    const std::size_t start = i_;
    const std::string_view name = read_name();
    if (name.empty())
      return fail(start, "xml-syntax",
                  "unexpected character in the start tag of '" + std::string(element_name) + "'");
    if (name.size() > limits_.max_name_bytes) return too_long_name(start);
    if (is_blank_missing) {
      if (names_.empty()) return fail(start, "xml-syntax", "malformed element name");
      warn(start, "xml-leniency", "no blank before attribute '" + std::string(name) + "'");
      result_.text.append(bytes_.substr(copied_, start - copied_));
      result_.inserted.push_back(result_.text.size());
      result_.text.push_back(' ');
      copied_ = start;
    }
    if (names_.size() >= limits_.max_attributes)
      return fail(element, "limit-exceeded",
                  "element '" + std::string(element_name) + "' has more than " +
                      std::to_string(limits_.max_attributes) + " attributes");
    if (is_duplicate(name))
      result_.findings.push_back({start, Severity::kError, "duplicate-attribute",
                                  "attribute '" + std::string(name) + "' of '" +
                                      std::string(element_name) + "' is given twice"});
    names_.push_back(name);
    skip_blanks();
    if (at_end() || bytes_[i_] != '=')
      return fail(start, "xml-syntax", "attribute '" + std::string(name) + "' has no value");
    ++i_;
    skip_blanks();
    if (at_end() || (bytes_[i_] != '"' && bytes_[i_] != '\''))
      return fail(start, "xml-syntax",
                  "the value of attribute '" + std::string(name) + "' is not in quotes");
    const char quote = bytes_[i_++];
    const std::size_t end = bytes_.find(quote, i_);
    if (end == std::string_view::npos)
      return fail(start, "xml-syntax",
                  "the value of attribute '" + std::string(name) + "' is never closed");
    if (end - i_ > limits_.max_attribute_bytes)
      return fail(start, "limit-exceeded",
                  "the value of attribute '" + std::string(name) + "' is longer than " +
                      std::to_string(limits_.max_attribute_bytes) + " bytes");
    while (i_ < end) {
      if (bytes_[i_] == '<')
        return fail(i_, "xml-syntax", "'<' in the value of attribute '" + std::string(name) + "'");
      if (bytes_[i_] == '&') {
        if (!scan_entity(end)) return false;
      } else {
        ++i_;
      }
    }
    i_ = end + 1;
    return true;
  }

  bool is_duplicate(std::string_view name) {
    constexpr std::size_t kFew = 16;
    if (names_.size() < kFew) return std::find(names_.begin(), names_.end(), name) != names_.end();
    if (name_set_.empty()) name_set_.insert(names_.begin(), names_.end());
    return !name_set_.insert(name).second;
  }

  bool too_long_name(std::size_t offset) {
    return fail(offset, "limit-exceeded",
                "a name is longer than " + std::to_string(limits_.max_name_bytes) + " bytes");
  }

  std::string_view bytes_;
  ScanLimits limits_;
  ScanResult result_;
  std::size_t i_ = 0;       ///< next byte
  std::size_t copied_ = 0;  ///< bytes already in result_.text
  bool has_root_ = false, has_declaration_ = false;
  std::vector<std::pair<std::size_t, std::string_view>> open_;  ///< offset and name
  std::vector<std::string_view> names_;                         ///< attributes of this element
  std::unordered_set<std::string_view> name_set_;
};

}  // namespace

ScanResult scan_xml(std::string_view bytes, const ScanLimits& limits) {
  return Scanner(bytes, limits).run();
}

std::size_t original_offset(const std::vector<std::size_t>& inserted, std::size_t offset) {
  return offset -
         static_cast<std::size_t>(std::lower_bound(inserted.begin(), inserted.end(), offset) -
                                  inserted.begin());
}

std::size_t attribute_offset(std::string_view bytes, std::size_t element, int ordinal) {
  std::size_t i = element + 1;
  while (i < bytes.size() && is_name_char(static_cast<unsigned char>(bytes[i]))) ++i;
  for (int k = 0; i < bytes.size(); ++k) {
    while (i < bytes.size() && is_blank(bytes[i])) ++i;
    if (i >= bytes.size() || bytes[i] == '>' || bytes[i] == '/') break;
    if (k == ordinal) return i;
    i = bytes.find_first_of("\"'", i);
    if (i == std::string_view::npos) break;
    i = bytes.find(bytes[i], i + 1);
    if (i == std::string_view::npos) break;
    ++i;
  }
  return element;
}

}  // namespace flexor::io
