#pragma once
// Memory that a caller's numbers ask for: what cannot be had is one error that says how much it
// was.

#include <cstddef>
#include <new>
#include <string>
#include <vector>

namespace flexor {

/// Bytes this process may have: the machine's, or less if its control group says so. Asking the
/// kernel alone is not enough, since it promises more than there is.
std::size_t memory_limit();

/// DeviceError "out of memory: <what> needs <bytes> bytes ...".
[[noreturn]] void refuse_memory(const std::string& what, std::size_t bytes);

/// make(), which allocates that many bytes; refused before it is tried if nobody could have them.
template <class Make>
auto allocated(const std::string& what, std::size_t bytes, Make&& make) -> decltype(make()) {
  if (bytes > memory_limit()) refuse_memory(what, bytes);
  try {
    return make();
  } catch (const std::bad_alloc&) {
    refuse_memory(what, bytes);
  }
}

/// Zeros.
inline std::vector<double> allocated_numbers(const std::string& what, std::size_t count) {
  return allocated(what, count * sizeof(double), [&] { return std::vector<double>(count); });
}

}  // namespace flexor
