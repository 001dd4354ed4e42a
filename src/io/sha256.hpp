#pragma once
// SHA-256 (FIPS 180-4), for the identity of files in reports.

#include <string>
#include <string_view>

namespace flexor::io {

/// 64 lower-case hex digits.
std::string sha256(std::string_view bytes);

}  // namespace flexor::io
