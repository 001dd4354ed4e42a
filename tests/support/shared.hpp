#pragma once
// Public models beside the project; tests that need them are skipped where they are absent.

#include <cstdlib>
#include <filesystem>

namespace flexor::test {

/// $FLEXOR_SHARED, else ../shared beside the repository, and this path below it.
inline std::filesystem::path shared(const char* path) {
  const char* const given = std::getenv("FLEXOR_SHARED");
  const std::filesystem::path root =
      given ? std::filesystem::path(given)
            : std::filesystem::path(FLEXOR_SOURCE_DIR).parent_path() / "shared";
  return root / path;
}

#define FLEXOR_NEEDS_SHARED(file) \
  if (!std::filesystem::exists(file)) GTEST_SKIP() << (file) << " is not there"

}  // namespace flexor::test
