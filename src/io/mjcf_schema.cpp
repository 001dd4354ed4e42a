#include "io/mjcf_schema.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "flexor/io/suggest.hpp"
#include "io/numbers.hpp"

namespace flexor::io {

namespace {

std::string list(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

bool is_neutral(const AttributeWord& word, std::string_view value) {
  const auto words = split(value);
  for (const std::string_view neutral : word.neutral) {
    if (trimmed(value) == neutral) return true;
    const Number number = parse_number(neutral);
    if (number.state != NumberState::kFinite || words.empty()) continue;
    if (std::all_of(words.begin(), words.end(), [&](std::string_view text) {
          const Number given = parse_number(text);
          return given.state == NumberState::kFinite && given.value == number.value;
        }))
      return true;
  }
  return false;
}

class Checker {
 public:
  Checker(Document& document, Findings& findings) : document_(document), findings_(findings) {}

  void run() {
    for (std::size_t i = 0; i < document_.elements.size(); ++i) {
      Element& element = document_.elements[i];
      if (i == 0) {
        element.word = find_word(kRootContext, "mujoco");
      } else if (element.parent >= 0) {
        find_element_word(element);
      } else if (element.name == "include") {
        element.word = find_word("any", "include");
      }  // else the root of an included file: its attributes are inactive
      check_attributes(element, i > 0 && element.parent < 0 && element.name != "include");
    }
  }

 private:
  void find_element_word(Element& element) {
    const Element& parent = document_.elements[static_cast<std::size_t>(element.parent)];
    const auto inherit = [&] {
      element.binning = parent.binning;
      element.code = parent.code;
      element.is_reported = true;
    };
    if (parent.word == nullptr || parent.binning.bin == Bin::kRejected) return inherit();
    element.word = find_word(parent.word->opens, element.name);
    if (element.word == nullptr) return refuse(element, parent);
    element.binning = element.word->binning;
    element.code = element.word->code;
    if (element.binning.bin == Bin::kRead && parent.binning.bin == Bin::kIgnored) inherit();
  }

  void refuse(Element& element, const Element& parent) {
    const bool is_known = is_word(element.name);
    const auto legal = element_names(parent.word->opens);
    Problem problem = document_.problem(
        element, is_known ? "misplaced-element" : "unknown-element",
        is_known
            ? "element " + in_quotes(element.name) + " may not stand in " + in_quotes(parent.name)
            : "unknown element " + in_quotes(element.name) + " in " + in_quotes(parent.name));
    problem.hint = suggest(element.name, legal);
    findings_.error(std::move(problem));
    element.binning = kRejected;
    element.code = is_known ? "misplaced-element" : "unknown-element";
    element.is_reported = true;
  }

  void check_attributes(Element& element, bool is_included_root) {
    for (int k = 0; k < element.attribute_count; ++k) {
      Attribute& attribute =
          document_.attributes[static_cast<std::size_t>(element.first_attribute + k)];
      if (attribute.is_duplicate) {  // the scan has reported it
        attribute.binning = kRejected;
        attribute.is_reported = true;
      } else if (is_included_root) {
        attribute.binning = kInactive;
      } else if (element.word == nullptr || element.binning.bin == Bin::kRejected) {
        attribute.binning = element.binning;
        attribute.is_reported = true;
      } else {
        check_attribute(element, attribute);
      }
    }
  }

  void check_attribute(const Element& element, Attribute& attribute) {
    const AttributeWord* word = element.word->attribute(attribute.name);
    if (word == nullptr) {
      Problem problem = document_.problem(
          attribute, "unknown-attribute",
          in_quotes(element.name) + " has no attribute " + in_quotes(attribute.name));
      problem.hint = suggest(attribute.name, attribute_names(*element.word));
      return reject(attribute, std::move(problem));
    }
    attribute.word = word;
    attribute.binning = word->binning;
    attribute.code = word->code;
    if (!check_value(*word, attribute)) return;
    if (is_neutral(*word, attribute.value)) {
      attribute.binning = word->binning.bin == Bin::kApproximated ? Binning{} : kInactive;
      attribute.code = "";
    }
    if (attribute.code == "legacy-attribute") {
      findings_.warning(document_.problem(attribute, "legacy-attribute",
                                          in_quotes(attribute.name) + " of " +
                                              in_quotes(element.name) +
                                              " belongs to older versions of MJCF"));
      attribute.is_reported = true;
    }
    if (attribute.binning.bin == Bin::kRead && element.binning.bin == Bin::kIgnored) {
      attribute.binning = element.binning;
      attribute.is_reported = true;
    }
  }

  void reject(Attribute& attribute, Problem problem) {
    findings_.error(std::move(problem));
    attribute.is_valid = false;
    attribute.binning = kRejected;
    attribute.is_reported = true;
  }

  bool check_value(const AttributeWord& word, Attribute& attribute) {
    const std::string_view value = attribute.value;
    const auto refuse = [&](const char* code, std::string message, std::string hint = "") {
      Problem problem = document_.problem(attribute, code, std::move(message));
      problem.hint = std::move(hint);
      reject(attribute, std::move(problem));
      return false;
    };
    const std::string name = in_quotes(attribute.name);
    switch (word.kind) {
      case ValueKind::kText:
        return true;
      case ValueKind::kKeyword: {
        if (std::find(word.keywords.begin(), word.keywords.end(), trimmed(value)) !=
            word.keywords.end())
          return true;
        const std::vector<std::string> legal(word.keywords.begin(), word.keywords.end());
        return refuse("bad-keyword",
                      name + " is " + in_quotes(value) + "; legal: " + list(word.keywords),
                      suggest(trimmed(value), legal));
      }
      case ValueKind::kInteger: {
        const Number number = parse_number(value);
        if (number.state != NumberState::kFinite || number.value != std::floor(number.value) ||
            std::abs(number.value) > 2147483647.0)
          return refuse("bad-number", name + " is " + in_quotes(value) + "; an integer is needed");
        return true;
      }
      case ValueKind::kReals:
        break;
    }
    const auto words = split(value);
    for (const std::string_view text : words) {
      switch (parse_number(text).state) {
        case NumberState::kFinite:
          break;
        case NumberState::kInfinite:
          if (!word.may_be_infinite)
            return refuse("not-finite", in_quotes(text) + " in " + name + " is not finite");
          break;
        case NumberState::kMalformed:
          return refuse("bad-number", in_quotes(text) + " in " + name + " is not a number");
        case NumberState::kNaN:
        case NumberState::kOverflow:
          return refuse("not-finite", in_quotes(text) + " in " + name + " is not finite");
      }
    }
    const int count = static_cast<int>(words.size());
    if (count < word.min_count || count > word.max_count) {
      const std::string legal =
          word.min_count == word.max_count
              ? std::to_string(word.min_count)
              : std::to_string(word.min_count) + " to " + std::to_string(word.max_count);
      return refuse("wrong-count", name + " has " + std::to_string(count) + " number" +
                                       (count == 1 ? "" : "s") + "; it takes " + legal);
    }
    return true;
  }

  Document& document_;
  Findings& findings_;
};

int cost(Binning binning) {
  switch (binning.bin) {
    case Bin::kRead:
      return 0;
    case Bin::kApproximated:
      return 2;
    case Bin::kRejected:
      return 5;
    case Bin::kIgnored:
      break;
  }
  return binning.ignored == IgnoredClass::kPhysics  ? 4
         : binning.ignored == IgnoredClass::kOutput ? 3
                                                    : 1;
}

/// What a bin of the table means, for words without a reason of their own.
std::string general_message(std::string_view what, std::string_view code, Binning binning) {
  if (code == "softness-mapped")
    return std::string(what) + " is mapped to position correction and compliance";
  if (code == "contact-softness")
    return std::string(what) + ": the softness of contacts is not mapped";
  if (code == "contact-margin") return std::string(what) + " inflates no contact";
  if (code == "loop-softness") return std::string(what) + " is not used; loops are exact";
  if (code == "integrator") return std::string(what) + " is not used; flexor has its own step";
  if (code == "substitute-shape") return std::string(what) + " is replaced by a simpler shape";
  if (binning == kPhysics)
    return std::string(what) + " is not simulated; without it the motion is another";
  if (binning == kOutput) return std::string(what) + " has no read-out here";
  if (binning.bin == Bin::kRejected) return std::string(what) + " is not supported";
  return std::string(what) + " is not used";
}

constexpr int kMaxPlaces = 10;
using Remarks = std::map<std::tuple<IgnoredClass, std::string_view, std::string_view>, ReportItem>;

void count(Binning binning, Report& report) {
  ++report.total;
  switch (binning.bin) {
    case Bin::kRead:
      ++report.read;
      break;
    case Bin::kApproximated:
      ++report.approximated;
      break;
    case Bin::kIgnored:
      ++report.ignored[static_cast<int>(binning.ignored)];
      break;
    case Bin::kRejected:
      ++report.rejected;
      break;
  }
}

}  // namespace

void check_schema(Document& document, Findings& findings) { Checker(document, findings).run(); }

void rebin(Document& document, Reasons& reasons, const Attribute& attribute, Binning binning,
           std::string_view code, std::string message, std::string hint) {
  if (attribute.is_reported && attribute.binning.bin == Bin::kRejected) return;
  const auto index = static_cast<std::size_t>(&attribute - document.attributes.data());
  Attribute& changed = document.attributes[index];
  const bool may_be_inactive = binning == kInactive && cost(changed.binning) <= 2;
  if (cost(binning) < cost(changed.binning) && !may_be_inactive) return;
  changed.binning = binning;
  changed.code = code;
  changed.is_reported = false;
  reasons.attributes[static_cast<int>(index)] = {std::move(message), std::move(hint)};
}

void rebin(Document& document, Reasons& reasons, const Element& element, Binning binning,
           std::string_view code, std::string message, std::string hint) {
  const auto index = static_cast<std::size_t>(&element - document.elements.data());
  Element& changed = document.elements[index];
  if (changed.is_reported && changed.binning.bin == Bin::kRejected) return;
  changed.binning = binning;
  changed.code = code;
  changed.is_reported = false;
  reasons.elements[static_cast<int>(index)] = {std::move(message), std::move(hint)};
}

void close_bins(const Document& document, const Reasons& reasons, Findings& findings,
                Report& report) {
  Remarks remarks;
  const auto report_item = [&](const auto& word, std::string_view element, std::string_view name,
                               const Reasons::Text* reason) {
    const Binning binning = word.binning;
    // words without effect are grouped at once: there may be a million of them
    ReportItem* group = nullptr;
    if (word.code.empty()) {
      group = &remarks[{binning.ignored, element, name}];
      if (group->problem.count >= kMaxPlaces && !group->places.empty()) {
        ++group->problem.count;
        return;
      }
    }
    Problem problem = document.problem(
        word, std::string(word.code),
        reason != nullptr
            ? reason->message
            : general_message((name.empty() ? "element " + in_quotes(element) : in_quotes(name)),
                              word.code, binning));
    if (reason != nullptr) problem.hint = reason->hint;
    if (group == nullptr) return findings.binned(binning, std::move(problem));
    group->places.push_back(problem.source);
    if (group->places.size() > 1) {
      ++group->problem.count;
    } else {
      problem.severity = Severity::kNote;
      problem.code = binning.ignored == IgnoredClass::kVisual   ? "ignored-visual"
                     : binning.ignored == IgnoredClass::kSolver ? "ignored-solver"
                                                                : "ignored-inactive";
      group->problem = std::move(problem);
      group->bin = binning.bin;
      group->ignored_class = binning.ignored;
    }
  };
  const auto find = [](const auto& map, std::size_t i) {
    const auto found = map.find(static_cast<int>(i));
    return found == map.end() ? nullptr : &found->second;
  };
  for (std::size_t i = 0; i < document.elements.size(); ++i) {
    const Element& element = document.elements[i];
    count(element.binning, report);
    if (element.binning.bin != Bin::kRead && !element.is_reported)
      report_item(element, element.name, "", find(reasons.elements, i));
  }
  for (std::size_t i = 0; i < document.attributes.size(); ++i) {
    const Attribute& attribute = document.attributes[i];
    count(attribute.binning, report);
    if (attribute.binning.bin != Bin::kRead && !attribute.is_reported)
      report_item(attribute, document.elements[static_cast<std::size_t>(attribute.element)].name,
                  attribute.name, find(reasons.attributes, i));
  }
  for (auto& [key, item] : remarks) findings.add(std::move(item));
}

}  // namespace flexor::io
