#include "io/path_text.hpp"

namespace flexor::io {
namespace {

constexpr std::size_t kLongestShown = 160;

bool continues_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

}  // namespace

std::string shown(const std::string& text) {
  constexpr const char* kHex = "0123456789abcdef";
  const auto escaped = [&](std::size_t first, std::size_t last) {
    std::string out;
    for (std::size_t i = first; i < last; ++i) {
      const unsigned char c = static_cast<unsigned char>(text[i]);
      if (c >= 0x20 && c != 0x7f)
        out += text[i];
      else
        out += std::string("\\x") + kHex[c >> 4] + kHex[c & 15];
    }
    return out;
  };
  if (text.size() <= kLongestShown) return escaped(0, text.size());
  std::size_t head = kLongestShown / 2, tail = text.size() - kLongestShown / 2;
  while (head > 0 && continues_code_point(text[head])) --head;
  while (tail < text.size() && continues_code_point(text[tail])) ++tail;
  return escaped(0, head) + "..." + escaped(tail, text.size()) + " (" +
         std::to_string(text.size()) + " characters)";
}

std::string bad_path_reason(const std::filesystem::path& path) {
  const std::string& text = path.native();
  if (text.empty()) return "the path is empty; legal: the path of a file";
  if (text.find('\0') != std::string::npos)
    return "the path holds a NUL character; legal: a path without one";
  return {};
}

}  // namespace flexor::io
