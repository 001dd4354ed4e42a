#include "io/source_file.hpp"

#include <algorithm>

#include "io/sha256.hpp"

namespace flexor::io {

namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

}  // namespace

SourceFile::SourceFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  has_mark_ = text_.starts_with(kByteOrderMark);
  if (has_mark_) text_.erase(0, kByteOrderMark.size());
  line_starts_.push_back(0);
  for (std::size_t i = text_.find('\n'); i != std::string::npos; i = text_.find('\n', i + 1))
    line_starts_.push_back(i + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i % kBlock == 0) code_points_.push_back(count);
    count += begins_code_point(text_[i]) ? 1 : 0;
  }
  code_points_.push_back(count);
}

std::size_t SourceFile::code_points_before(std::size_t offset) const {
  const std::size_t block = std::min(offset / kBlock, code_points_.size() - 1);
  std::size_t count = code_points_[block];
  for (std::size_t i = block * kBlock; i < offset; ++i)
    count += begins_code_point(text_[i]) ? 1 : 0;
  return count;
}

std::string SourceFile::sha256() const {
  return io::sha256(has_mark_ ? std::string(kByteOrderMark) + text_ : text_);
}

Source SourceFile::place(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t start = *(next - 1);
  const std::size_t column = code_points_before(offset) - code_points_before(start);
  return {path_, static_cast<int>(next - line_starts_.begin()), static_cast<int>(column) + 1};
}

std::size_t SourceFile::offset_of(int line, int column) const {
  if (line < 1 || line > static_cast<int>(line_starts_.size()) || column < 1)
    return std::string::npos;
  std::size_t i = line_starts_[static_cast<std::size_t>(line - 1)];
  for (int k = 1; k < column; ++k) {
    if (i >= text_.size() || text_[i] == '\n') return std::string::npos;
    ++i;
    while (i < text_.size() && !begins_code_point(text_[i])) ++i;
  }
  return i;
}

std::string SourceFile::line_text(int line) const {
  const std::size_t start = offset_of(line, 1);
  if (start == std::string::npos) return "";
  std::string text = text_.substr(start, text_.find('\n', start) - start);
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

}  // namespace flexor::io
