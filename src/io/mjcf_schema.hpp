#pragma once
// First pass over the expanded document: every element and attribute gets its word and its bin, and
// the text of every attribute is checked against its kind of value.   [MF-1], [MF-11]
// Last pass: what is in a bin other than read is reported, and the bins are counted.

#include <string>
#include <unordered_map>

#include "io/document.hpp"

namespace flexor::io {

/// Why single attributes and elements are in the bin they are in, where the table cannot say it.
struct Reasons {
  struct Text {
    std::string message, hint;
  };
  std::unordered_map<int, Text> attributes, elements;
};

void check_schema(Document& document, Findings& findings);

/// Moves an attribute to another bin; a bin that costs more is never given up (read < inactive <
/// approximated < output < physics < rejected).
void rebin(Document& document, Reasons& reasons, const Attribute& attribute, Binning binning,
           std::string_view code, std::string message, std::string hint = "");
void rebin(Document& document, Reasons& reasons, const Element& element, Binning binning,
           std::string_view code, std::string message, std::string hint = "");

/// Reports everything not plainly read and counts the bins into `report`.
void close_bins(const Document& document, const Reasons& reasons, Findings& findings,
                Report& report);

inline constexpr Binning kInactive{Bin::kIgnored, IgnoredClass::kInactive};
inline constexpr Binning kPhysics{Bin::kIgnored, IgnoredClass::kPhysics};
inline constexpr Binning kOutput{Bin::kIgnored, IgnoredClass::kOutput};
inline constexpr Binning kApproximated{Bin::kApproximated, IgnoredClass::kNone};
inline constexpr Binning kRejected{Bin::kRejected, IgnoredClass::kNone};

}  // namespace flexor::io
