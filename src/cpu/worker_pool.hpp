#pragma once
// Threads that share one job by a static partition: part i of n, the same parts every time.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace flexor {

class WorkerPool {
 public:
  /// `count` threads in all, the caller included.
  /// DeviceError if the system does not give that many.
  explicit WorkerPool(int count);
  ~WorkerPool();
  int size() const { return count_; }

  /// work(i) for i = 0 .. parts - 1, parts <= size(), each on its own thread (0 on the caller's,
  /// who wakes nobody for one part); waits for all. Allocates nothing.
  template <class Work>
  void run(int parts, const Work& work) {
    run(parts, &work, [](const void* w, int part) { (*static_cast<const Work*>(w))(part); });
  }

 private:
  using Call = void (*)(const void* work, int part);
  void run(int parts, const void* work, Call call);
  void loop(int index, long seen);

  void start_threads();
  void stop_threads();

  struct Signals {
    std::mutex mutex;
    std::condition_variable start, done;
  };
  int count_;
  int fork_generation_ = 0;  ///< a forked child has none of the threads: it starts its own
  std::unique_ptr<Signals> signals_;
  const void* work_ = nullptr;
  Call call_ = nullptr;
  long generation_ = 0;
  int parts_ = 0, running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace flexor
