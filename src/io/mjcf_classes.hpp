#pragma once
// Default classes of MJCF: what an element's attribute is, own or inherited.   [MF-12], [MF-11]

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/document.hpp"
#include "io/mjcf_schema.hpp"

namespace flexor::io {

/// The value an element has for one attribute after its class has been consulted.
struct Value {
  const Attribute* attribute = nullptr;  ///< where it is written (the place for problems)
  std::vector<std::string_view> words;   ///< its words; a shorter vector has the class's tail
  bool is_own = false;                   ///< written at the element itself

  explicit operator bool() const { return attribute != nullptr; }
  /// A keyword.
  std::string_view word() const { return words.empty() ? std::string_view() : words[0]; }
  /// A name: the whole text, blanks included.
  std::string name() const { return attribute ? std::string(attribute->value) : ""; }
};

class Classes {
 public:
  /// Reads all <default> sections. Problems: unknown, duplicate and missing class names.
  Classes(const Document& document, Findings& findings);

  static constexpr int kMain = 0;
  /// Class of an element: its own `class`, else `inherited` (of the nearest childclass).
  int class_of(const Element& element, int inherited) const;
  /// Class that `childclass` of a body, frame or replicate names, else `inherited`.
  int child_class(const Element& element, int inherited) const;

  /// `kind` is the word under <default>; `class_index` < 0 reads the element alone.
  Value value(const Element& element, std::string_view kind, int class_index,
              std::string_view name) const;

 private:
  struct Entry {
    std::string_view name;
    Value value;
  };
  struct Record {
    std::string_view kind;
    std::vector<Entry> entries;
  };
  struct Class {
    std::string name;
    std::vector<Record> records;
  };

  int open_class(const Element& element, int parent);
  void merge(int class_index, const Element& element);
  int named(const Element& element, std::string_view attribute, int otherwise) const;
  const Record* record(int class_index, std::string_view kind) const;

  const Document& document_;
  Findings& findings_;
  std::vector<Class> classes_;
  std::unordered_map<std::string, int> index_;
};

/// Whether `name` is one of the five ways to say an orientation; the nearest level that has one
/// hides those further away.
bool is_orientation(std::string_view name);

}  // namespace flexor::io
