#pragma once
// The text of one opened file, and how bytes become line and column.   [MF-24]

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/error.hpp"

namespace flexor::io {

class SourceFile {
 public:
  SourceFile(std::string path, std::string text);

  const std::string& path() const { return path_; }
  std::string_view text() const { return text_; }
  std::size_t byte_count() const { return text_.size() + (has_mark_ ? 3 : 0); }
  std::string sha256() const;  ///< of the bytes, mark included

  /// Line and column from 1; a column is one Unicode code point, a tab is one.
  Source place(std::size_t offset) const;
  /// Byte offset of a line and column of this file; npos if there is none.
  std::size_t offset_of(int line, int column) const;
  /// Text of a line without its line break; "" beyond the end.
  std::string line_text(int line) const;

 private:
  std::size_t code_points_before(std::size_t offset) const;

  std::string path_;  ///< as shown in problems
  std::string text_;  ///< without byte order mark
  bool has_mark_ = false;
  std::vector<std::size_t> line_starts_;
  std::vector<std::size_t>
      code_points_;  ///< before each block, so that places cost the same anywhere
};

}  // namespace flexor::io
