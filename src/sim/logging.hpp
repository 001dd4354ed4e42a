#pragma once
// Messages on their way to the callback of flexor/sim/log.hpp.

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "flexor/sim/log.hpp"

namespace flexor {

/// At most 10 messages of one code in a minute.
class RateLimit {
 public:
  static constexpr int kMost = 10;
  static constexpr double kPeriod = 60;  ///< [s]

  /// Whether a message may pass at time `now` [s]: how many of its code did not since the last one
  /// that did; nothing: it may not.
  std::optional<long> pass(const std::string& code, double now);

 private:
  struct Count {
    double start = 0;
    int passed = 0;
    long left_out = 0;
  };
  std::map<std::string, Count> counts_;
};

/// Whether anybody listens.
bool is_logging();
/// Whether a message of that code may pass now; the text to put behind it ("; 12 more ...").
std::optional<std::string> begin_message(const std::string& code);
void send(const LogMessage& message);

/// text() is made only if it is heard.
template <class Text>
void log(LogLevel level, const char* code, long world, std::int64_t step, Text&& text) {
  if (!is_logging()) return;
  if (const std::optional<std::string> end = begin_message(code))
    send({level, code, std::forward<Text>(text)() + *end, world, step});
}

}  // namespace flexor
