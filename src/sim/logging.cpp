#include "sim/logging.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

namespace flexor {
namespace {

using Callback = std::function<void(const LogMessage&)>;

struct Listener {
  std::atomic<bool> is_there = false;
  std::mutex
      mutex;  ///< of what follows; not held while the callback runs, which may want other locks
  std::shared_ptr<const Callback> callback;
  RateLimit limit;
};

Listener& listener() {
  static Listener it;
  return it;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<long> RateLimit::pass(const std::string& code, double now) {
  auto [at, is_new] = counts_.try_emplace(code);
  Count& count = at->second;
  if (is_new || now - count.start >= kPeriod) {
    count.start = now;
    count.passed = 0;
  }
  if (count.passed == kMost) {
    ++count.left_out;
    return std::nullopt;
  }
  ++count.passed;
  return std::exchange(count.left_out, 0);
}

void set_log(Callback callback) {
  Listener& l = listener();
  const std::lock_guard lock(l.mutex);
  l.is_there = static_cast<bool>(callback);
  l.callback = std::make_shared<const Callback>(std::move(callback));
  l.limit = {};
}

bool is_logging() { return listener().is_there; }

std::optional<std::string> begin_message(const std::string& code) {
  Listener& l = listener();
  const std::lock_guard lock(l.mutex);
  const std::optional<long> left_out = l.limit.pass(code, seconds_now());
  if (!left_out) return std::nullopt;
  return *left_out == 0 ? "" : " (" + std::to_string(*left_out) + " like it were left out before)";
}

void send(const LogMessage& message) {
  Listener& l = listener();
  std::shared_ptr<const Callback> callback;
  {
    const std::lock_guard lock(l.mutex);
    callback = l.callback;
  }
  if (callback && *callback) (*callback)(message);
}

}  // namespace flexor
