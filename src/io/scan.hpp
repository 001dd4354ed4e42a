#pragma once
// One linear pass over the bytes of an XML file, before any parser sees them.   [MF-26]
//
// The parser behind it passes much that is not XML (NUL bytes, entities, a second root, loose text)
// and refuses one thing that public files have (no blank between attributes). So this scan is the
// judge of well-formedness; it puts the missing blanks into the copy that is parsed.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flexor/core/error.hpp"

namespace flexor::io {

struct ScanFinding {
  std::size_t offset = 0;  ///< byte in the original text
  Severity severity = Severity::kError;
  std::string code;
  std::string message;
};

struct ScanLimits {
  std::size_t max_elements = 2'000'000;
  std::size_t max_depth = 10'000;
  std::size_t max_attributes = 1'000;
  std::size_t max_attribute_bytes = std::size_t{16} << 20;
  std::size_t max_name_bytes = 1'024;
};

struct ScanResult {
  bool is_well_formed = false;        ///< false: the last finding says why
  std::vector<ScanFinding> findings;  ///< warnings, duplicate attributes, the first XML error
  std::string text;                   ///< what the parser gets
  std::vector<std::size_t> inserted;  ///< bytes of `text` that are not in the original, ascending
  std::size_t element_count = 0;
};

/// Scans a whole file, without its byte order mark. Stops at the first XML error; duplicate
/// attributes and the leniencies (missing blank, "--" in a comment, loose text inside the root) do
/// not stop it.
ScanResult scan_xml(std::string_view bytes, const ScanLimits& limits = {});

/// Offset in the original of a byte of ScanResult::text.
std::size_t original_offset(const std::vector<std::size_t>& inserted, std::size_t offset);

/// Offset of the name of attribute number `ordinal` (from 0) of the start tag at `element` (its
/// '<') in a text that passed the scan; the element's own offset if there is no such attribute.
std::size_t attribute_offset(std::string_view bytes, std::size_t element, int ordinal);

}  // namespace flexor::io
