#include "sim/convert_precision.hpp"

#include <cmath>
#include <cstring>

#include "sim/batch.hpp"

namespace flexor {
namespace {

template <class T>
std::vector<T> numbers_of(const NpyArray& array) {
  std::vector<T> numbers(array.data.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), array.data.data(), array.data.size());
  return numbers;
}

template <class T>
void put_numbers(NpyArray& array, const std::vector<T>& numbers) {
  array.descr = sizeof(T) == 4 ? "<f4" : "<f8";
  array.data.resize(numbers.size() * sizeof(T));
  if (!numbers.empty()) std::memcpy(array.data.data(), numbers.data(), array.data.size());
}

/// False if a finite number becomes infinite.
bool to_float32(NpyArray& array, NpyArray* remainder) {
  std::vector<float> rounded, rest;
  for (const double exact : numbers_of<double>(array)) {
    rounded.push_back(static_cast<float>(exact));
    rest.push_back(static_cast<float>(static_cast<double>(rounded.back()) - exact));
    if (std::isinf(rounded.back()) != std::isinf(exact)) return false;
    if (!std::isfinite(rest.back())) rest.back() = 0;
  }
  put_numbers(array, rounded);
  if (remainder != nullptr) {
    remainder->shape = array.shape;
    put_numbers(*remainder, rest);
  }
  return true;
}

void to_float64(NpyArray& array, const NpyArray* remainder) {
  std::vector<double> exact;
  for (const float number : numbers_of<float>(array)) exact.push_back(number);
  if (remainder != nullptr) {
    const std::vector<float> rest = numbers_of<float>(*remainder);
    for (std::size_t i = 0; i < rest.size(); ++i) exact[i] -= static_cast<double>(rest[i]);
  }
  put_numbers(array, exact);
}

}  // namespace

std::string convert_fields(std::map<std::string, NpyArray>& arrays,
                           const std::vector<std::string>& prefixes, bool to_float) {
  std::string lost;
  for (const std::string& prefix : prefixes) {
    const std::string remainder = prefix + info(Field::qpos_compensation).name;
    visit_fields([&](Field field) {
      const auto found = arrays.find(prefix + info(field).name);
      if (info(field).type != FieldType::kReal || !is_in_checkpoints(field, false) ||
          found == arrays.end() || !lost.empty())
        return;
      NpyArray* rest = field == Field::qpos ? &arrays[remainder] : nullptr;
      if (!to_float)
        to_float64(found->second, rest);
      else if (!to_float32(found->second, rest))
        lost = found->first;
    });
    if (!to_float) arrays.erase(remainder);
  }
  return lost;
}

}  // namespace flexor
