#include "cpu/worker_pool.hpp"

#include <cstdlib>
#include <string>

#include "flexor/core/error.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace flexor {

WorkerPool::WorkerPool(int count) {
  for (int i = 1; i < count; ++i) threads_.emplace_back([this, i] { loop(i); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  start_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void WorkerPool::run(const void* work, Call call) {
  if (threads_.empty()) {
    call(work, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    work_ = work;
    call_ = call;
    ++generation_;
    running_ = static_cast<int>(threads_.size());
  }
  start_.notify_all();
  call(work, 0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
}

void WorkerPool::loop(int index) {
  long seen = 0;
  for (;;) {
    const void* work;
    Call call;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
      work = work_;
      call = call_;
    }
    call(work, index);
    {
      const std::lock_guard lock(mutex_);
      if (--running_ == 0) done_.notify_one();
    }
  }
}

int thread_count(int num_threads) {
  if (num_threads > 0) return num_threads;
  if (const char* text = std::getenv("FLEXOR_NUM_THREADS"); text && *text) {
    char* end = nullptr;
    const long n = std::strtol(text, &end, 10);
    if (*end || n < 1 || n > 4096) {
      throw ConfigError("FLEXOR_NUM_THREADS=" + std::string(text) + ": legal is 1 to 4096");
    }
    return static_cast<int>(n);
  }
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  const unsigned n = std::thread::hardware_concurrency();
  return n ? static_cast<int>(n) : 1;
}

}  // namespace flexor
