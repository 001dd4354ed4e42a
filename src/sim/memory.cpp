#include "sim/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "flexor/core/error.hpp"

namespace flexor {

std::size_t memory_limit() {
  std::size_t limit = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream file(path);
    if (unsigned long long bytes = 0; file >> bytes)
      limit = std::min<std::size_t>(limit, static_cast<std::size_t>(bytes));
  }
  return limit;
}

void refuse_memory(const std::string& what, std::size_t bytes) {
  throw DeviceError("out of memory: " + what + " needs " + std::to_string(bytes) +
                    " bytes, this process may have " + std::to_string(memory_limit()) +
                    " in all; use fewer worlds, outputs or rows of history");
}

}  // namespace flexor
