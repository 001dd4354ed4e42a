#include "io/mjcf_classes.hpp"

#include <algorithm>

#include "flexor/io/suggest.hpp"
#include "io/numbers.hpp"

namespace flexor::io {

bool is_orientation(std::string_view name) {
  return name == "quat" || name == "axisangle" || name == "euler" || name == "xyaxes" ||
         name == "zaxis";
}

namespace {

Value written(const Attribute& attribute, bool is_own) {
  return {&attribute, split(attribute.value), is_own};
}

/// A shorter vector overwrites the leading components and keeps the rest.   [MF-11]
void keep_tail(Value& value, const Value& inherited) {
  if (!inherited || !value.attribute->word->is_tail_kept) return;
  for (std::size_t i = value.words.size(); i < inherited.words.size(); ++i)
    value.words.push_back(inherited.words[i]);
}

}  // namespace

Classes::Classes(const Document& document, Findings& findings)
    : document_(document), findings_(findings) {
  classes_.push_back({"main", {}});
  index_.emplace("main", kMain);
  if (!document.has_root()) return;
  // Values of a class hold for its children whatever the order of siblings, so each level is merged
  // before its nested classes are opened, all sections of the outermost level first.
  std::vector<std::pair<const Element*, int>> open;
  const auto read_level = [&](const Element& element, int index) {
    std::vector<const Element*> nested;
    for (int i = element.first_child; i >= 0;
         i = document_.elements[static_cast<std::size_t>(i)].next_sibling) {
      const Element& child = document_.elements[static_cast<std::size_t>(i)];
      if (child.word == nullptr) continue;
      if (child.name == "default") {
        nested.push_back(&child);
      } else {
        merge(index, child);
      }
    }
    return nested;
  };
  std::vector<const Element*> outermost;
  for (int i = document.elements[0].first_child; i >= 0;
       i = document.elements[static_cast<std::size_t>(i)].next_sibling) {
    const Element& section = document.elements[static_cast<std::size_t>(i)];
    if (section.word == nullptr || section.name != "default") continue;
    if (const Attribute* name = document.find(section, "class"); name && name->value != "main")
      findings.error(document.problem(
          *name, "bad-keyword", "the outermost class is 'main', not " + in_quotes(name->value)));
    for (const Element* child : read_level(section, kMain)) outermost.push_back(child);
  }
  const auto open_all = [&](const std::vector<const Element*>& nested, int parent) {
    std::vector<std::pair<const Element*, int>> opened;
    for (const Element* child : nested) opened.emplace_back(child, open_class(*child, parent));
    open.insert(open.end(), opened.rbegin(), opened.rend());
  };
  open_all(outermost, kMain);
  while (!open.empty()) {
    const auto [element, index] = open.back();
    open.pop_back();
    const auto nested = read_level(*element, index);
    open_all(nested, index);
  }
}

int Classes::open_class(const Element& element, int parent) {
  const int index = static_cast<int>(classes_.size());
  Class opened = classes_[static_cast<std::size_t>(parent)];
  const Attribute* name = document_.find(element, "class");
  if (name == nullptr || name->value.empty()) {
    findings_.error(document_.problem(element, "missing-attribute",
                                      "a nested default needs the attribute 'class'"));
  } else if (!index_.emplace(name->value, index).second) {
    findings_.error(document_.problem(*name, "duplicate-class",
                                      "class " + in_quotes(name->value) + " is defined twice"));
  } else {
    opened.name = name->value;
  }
  classes_.push_back(std::move(opened));
  return index;
}

void Classes::merge(int class_index, const Element& element) {
  auto& records = classes_[static_cast<std::size_t>(class_index)].records;
  auto found = std::find_if(records.begin(), records.end(),
                            [&](const Record& record) { return record.kind == element.name; });
  if (found == records.end()) found = records.insert(records.end(), {element.name, {}});
  auto& entries = found->entries;
  const auto find = [&](std::string_view name) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const Entry& entry) { return entry.name == name; });
  };
  bool has_orientation = false;
  for (int k = 0; k < element.attribute_count; ++k) {
    const Attribute& attribute =
        document_.attributes[static_cast<std::size_t>(element.first_attribute + k)];
    if (attribute.word == nullptr || !attribute.is_valid || attribute.is_duplicate) continue;
    if (is_orientation(attribute.name) && !has_orientation) {
      std::erase_if(entries, [](const Entry& entry) { return is_orientation(entry.name); });
      has_orientation = true;
    }
    Value value = written(attribute, false);
    const auto entry = find(attribute.name);
    if (entry == entries.end()) {
      entries.push_back({attribute.name, std::move(value)});
    } else {
      keep_tail(value, entry->value);
      entry->value = std::move(value);
    }
  }
}

const Classes::Record* Classes::record(int class_index, std::string_view kind) const {
  const auto& records = classes_[static_cast<std::size_t>(class_index)].records;
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const Record& record) { return record.kind == kind; });
  return found == records.end() ? nullptr : &*found;
}

int Classes::named(const Element& element, std::string_view attribute, int otherwise) const {
  const Attribute* name = document_.find(element, attribute);
  if (name == nullptr) return otherwise;
  const auto found = index_.find(std::string(name->value));
  if (found != index_.end()) return found->second;
  Problem problem =
      document_.problem(*name, "unknown-class", "no default class " + in_quotes(name->value));
  std::vector<std::string> legal;
  for (const auto& [known, index] : index_) legal.push_back(known);
  std::sort(legal.begin(), legal.end());
  problem.hint = suggest(name->value, legal);
  findings_.error(std::move(problem));
  return otherwise;
}

int Classes::class_of(const Element& element, int inherited) const {
  return named(element, "class", inherited);
}

int Classes::child_class(const Element& element, int inherited) const {
  return named(element, "childclass", inherited);
}

Value Classes::value(const Element& element, std::string_view kind, int class_index,
                     std::string_view name) const {
  Value inherited;
  if (class_index >= 0) {
    if (const Record* found = record(class_index, kind)) {
      for (const Entry& entry : found->entries)
        if (entry.name == name) inherited = entry.value;
    }
  }
  const Attribute* own = document_.find(element, name);
  if (own == nullptr || own->word == nullptr || !own->is_valid) return inherited;
  Value value = written(*own, true);
  keep_tail(value, inherited);
  return value;
}

}  // namespace flexor::io
