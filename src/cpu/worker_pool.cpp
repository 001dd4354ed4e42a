#include "cpu/worker_pool.hpp"

#include <pthread.h>

#include <atomic>
#include <string>
#include <system_error>

#include "flexor/core/error.hpp"

namespace flexor {

namespace {

std::atomic<int> fork_generation{0};

void watch_forks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1); });
  (void)registered;
}

}  // namespace

WorkerPool::WorkerPool(int count) : count_(count) {
  watch_forks();
  start_threads();
}

WorkerPool::~WorkerPool() { stop_threads(); }

void WorkerPool::start_threads() {
  fork_generation_ = fork_generation.load();
  signals_ = std::make_unique<Signals>();
  stopping_ = false;
  running_ = 0;
  const long generation = generation_;
  try {
    for (int i = 1; i < count_; ++i) {
      threads_.emplace_back([this, i, generation] { loop(i, generation); });
    }
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size() + 1;
    stop_threads();
    throw DeviceError("num_threads: the system gave " + std::to_string(started) + " of " +
                      std::to_string(count_) + " threads (" + error.what() + ")");
  }
}

void WorkerPool::stop_threads() {
  if (fork_generation_ != fork_generation.load()) {  // they run in another process
    for (std::thread& t : threads_) t.detach();
    (void)signals_.release();
    threads_.clear();
    return;
  }
  {
    const std::lock_guard lock(signals_->mutex);
    stopping_ = true;
  }
  signals_->start.notify_all();
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

void WorkerPool::run(int parts, const void* work, Call call) {
  if (parts <= 1) {
    call(work, 0);
    return;
  }
  if (fork_generation_ != fork_generation.load()) {
    stop_threads();
    start_threads();
  }
  {
    const std::lock_guard lock(signals_->mutex);
    work_ = work;
    call_ = call;
    parts_ = parts;
    ++generation_;
    running_ = static_cast<int>(threads_.size());
  }
  signals_->start.notify_all();
  call(work, 0);
  std::unique_lock lock(signals_->mutex);
  signals_->done.wait(lock, [this] { return running_ == 0; });
}

void WorkerPool::loop(int index, long seen) {
  for (;;) {
    const void* work;
    Call call;
    int parts;
    {
      std::unique_lock lock(signals_->mutex);
      signals_->start.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) return;
      seen = generation_;
      work = work_;
      call = call_;
      parts = parts_;
    }
    if (index < parts) call(work, index);
    {
      const std::lock_guard lock(signals_->mutex);
      if (--running_ == 0) signals_->done.notify_one();
    }
  }
}

}  // namespace flexor
