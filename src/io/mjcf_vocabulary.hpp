#pragma once
// Every element and attribute of MJCF and the bin it falls into.   [MF-1]
//
// One table (mjcf_vocabulary.cpp). A word's bin there is where it lands with an ordinary value; the
// readers move single attributes to another bin where the value or the user of it decides.

#include <string>
#include <string_view>
#include <vector>

#include "flexor/io/report.hpp"

namespace flexor::io {

struct Binning {
  Bin bin = Bin::kRead;
  IgnoredClass ignored = IgnoredClass::kNone;
  bool operator==(const Binning&) const = default;
};

enum class ValueKind { kText, kKeyword, kInteger, kReals };

struct AttributeWord {
  std::string_view name;
  Binning binning;
  std::string_view code;      ///< of the problem, if the bin gives one
  bool is_in_classes = true;  ///< also legal in <default>
  ValueKind kind = ValueKind::kText;
  int min_count = 0, max_count = 0;        ///< kReals
  bool may_be_infinite = false;            ///< kReals
  bool is_tail_kept = false;               ///< a shorter vector keeps the rest of the class [MF-11]
  std::vector<std::string_view> keywords;  ///< kKeyword
  std::vector<std::string_view> neutral;   ///< values without effect: words, or "0" for all zeros
};

struct ElementWord {
  std::string_view name;
  std::string_view context;  ///< where it may stand: "body", "default", "tendon", "spatial" ...
  std::string_view opens;    ///< context of its children, "" = none
  Binning binning;
  std::string_view code;
  std::vector<AttributeWord> attributes;

  const AttributeWord* attribute(std::string_view attribute_name) const;
};

inline constexpr std::string_view kRootContext = "document";

/// The word for `name` in `context`, null if MJCF has none there.
const ElementWord* find_word(std::string_view context, std::string_view name);
/// Whether MJCF knows `name` in any context.
bool is_word(std::string_view name);
/// Names of the elements that may stand in `context`.
std::vector<std::string> element_names(std::string_view context);
std::vector<std::string> attribute_names(const ElementWord& word);

}  // namespace flexor::io
