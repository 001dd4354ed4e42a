#pragma once
// Names for elements that were given none: <kind>_<index>, the next free one.

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

namespace flexor {

/// The first of <kind>_<index>, <kind>_<index + 1> ... that no element has.
template <class Element>
std::string next_free_name(const std::vector<Element>& elements, const char* kind,
                           std::size_t index) {
  for (;; ++index) {
    std::string name = std::string(kind) + "_" + std::to_string(index);
    const bool is_taken = std::any_of(elements.begin(), elements.end(),
                                      [&](const Element& other) { return other.name == name; });
    if (!is_taken) return name;
  }
}

/// Gives every nameless element the next free <kind>_<its own index>, in order.
template <class Element>
void name_all(std::vector<Element>& elements, const char* kind) {
  std::unordered_set<std::string> taken;
  for (const Element& element : elements) taken.insert(element.name);
  if (!taken.contains("")) return;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].name.empty()) continue;
    std::size_t index = i;
    std::string name;
    do {
      name = std::string(kind) + "_" + std::to_string(index++);
    } while (!taken.insert(name).second);
    elements[i].name = std::move(name);
  }
}

}  // namespace flexor
