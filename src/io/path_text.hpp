#pragma once
// Paths in messages, and paths that no file can have.

#include <filesystem>
#include <string>

namespace flexor::io {

/// A text for a message: control characters as \\x00, and of a long one only its two ends.
std::string shown(const std::string& text);
inline std::string shown(const std::filesystem::path& path) { return shown(path.string()); }

/// Why no file can have this path; empty if one can.
std::string bad_path_reason(const std::filesystem::path& path);

}  // namespace flexor::io
