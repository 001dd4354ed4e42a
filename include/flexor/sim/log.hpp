#pragma once
// What the library has to say while it runs: one callback takes it all. The core never prints.

#include <cstdint>
#include <functional>
#include <string>

namespace flexor {

enum class LogLevel { kInfo, kWarning, kError };

struct LogMessage {
  LogLevel level = LogLevel::kWarning;
  std::string code;  ///< "guard-freeze", "guard-reset"
  std::string text;
  long world = -1;         ///< -1: no one world
  std::int64_t step = -1;  ///< that world's step count
};

/// Where messages go from now on; an empty function: nowhere, as at the start. Of one code at most
/// 10 pass in a minute; the next says how many did not. The callback runs on the thread whose call
/// the message is about, inside that call; it may be called by several threads at once.
void set_log(std::function<void(const LogMessage&)> callback);

}  // namespace flexor
