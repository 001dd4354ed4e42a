#pragma once
// All files of a model as one expanded tree: every <include> is replaced by the children of the
// root of the file it names.   [MF-10]
//
// Elements stand in one array, parents before children; nothing recurses over depth.

#include <filesystem>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "io/findings.hpp"
#include "io/source_file.hpp"

namespace flexor::io {

struct Attribute {
  std::string_view name, value;
  int element = 0;
  int ordinal = 0;                      ///< position in its start tag
  const AttributeWord* word = nullptr;  ///< null if unknown or given twice
  bool is_duplicate = false;
  bool is_valid = true;  ///< its text fits its kind of value
  Binning binning;
  std::string_view code;     ///< of the problem that `binning` gives
  bool is_reported = false;  ///< its problem is already among the findings
};

struct Element {
  std::string_view name;
  int file = 0;
  std::size_t offset = 0;  ///< of its '<'
  int parent = -1, first_child = -1, last_child = -1, next_sibling = -1;
  int depth = 0;
  int first_attribute = 0, attribute_count = 0;
  const ElementWord* word = nullptr;
  Binning binning;
  std::string_view code;
  bool is_reported = false;
};

struct OpenedFile {
  std::unique_ptr<SourceFile> source;
  std::unique_ptr<pugi::xml_document> parsed;  ///< owns the strings of its elements
  std::vector<std::size_t> inserted;
  std::filesystem::path folder;
  std::string identity;  ///< canonical path, or "asset:" + name
  std::string role;
  Source from;
  int includer = -1;
  bool has_duplicates = false;
};

class Document {
 public:
  std::vector<OpenedFile> files;
  std::vector<Element> elements;  ///< [0] is the root; includes and included roots hang nowhere
  std::vector<Attribute> attributes;

  bool has_root() const { return !elements.empty(); }
  Source place(const Element& element) const;
  Source place(const Attribute& attribute) const;
  const Attribute* find(const Element& element, std::string_view name) const;
  Attribute* find(const Element& element, std::string_view name);
  std::vector<std::string> paths() const;

  /// A problem that points at an element (a missing attribute, too).
  Problem problem(const Element& element, std::string code, std::string message) const;
  /// A problem that points at the name of an attribute and carries its value.
  Problem problem(const Attribute& attribute, std::string code, std::string message) const;
};

/// Reads the main file (or text, if `path_or_text` begins with '<' after blanks) and all it
/// includes. Whatever goes wrong is in `findings`; a file that cannot be read or is not well-formed
/// contributes no elements.
Document read_document(const std::string& path_or_text, const LoadOptions& options,
                       Findings& findings);

bool is_text_input(std::string_view path_or_text);

}  // namespace flexor::io
