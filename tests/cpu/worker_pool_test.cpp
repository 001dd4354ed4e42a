// Threads of the cpu backend: every part runs once, on a thread of its own, and all have ended when
// run returns. long_checks runs these under ThreadSanitizer.

#include "cpu/worker_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

namespace flexor {
namespace {

/// How often each part ran, and on which thread. Plain memory: what two threads wrote here without
/// an order between them would be a race.
struct Record {
  explicit Record(int parts) : runs(parts, 0), threads(parts) {}
  std::vector<int> runs;
  std::vector<std::thread::id> threads;
  void note(int part) {
    ++runs[part];
    threads[part] = std::this_thread::get_id();
  }
};

TEST(WorkerPool, RunsEveryPartOnceOnAThreadOfItsOwn) {
  for (const int size : {1, 2, 3, 8}) {
    WorkerPool pool(size);
    EXPECT_EQ(pool.size(), size);
    for (int parts = 1; parts <= size; ++parts) {
      Record record(parts);
      for (int n = 1; n <= 50; ++n) {
        pool.run(parts, [&](int part) { record.note(part); });
        EXPECT_EQ(record.runs, std::vector<int>(parts, n)) << size;
      }
      const std::set<std::thread::id> different(record.threads.begin(), record.threads.end());
      EXPECT_EQ(different.size(), static_cast<std::size_t>(parts));
      EXPECT_EQ(record.threads[0], std::this_thread::get_id());
    }
  }
}

TEST(WorkerPool, APartStaysOnItsThread) {
  WorkerPool pool(4);
  Record first(4), later(4);
  pool.run(4, [&](int part) { first.note(part); });
  for (int n = 0; n < 100; ++n) pool.run(1 + n % 4, [&](int part) { later.note(part); });
  EXPECT_EQ(first.threads, later.threads);
}

TEST(WorkerPool, WhatOneRunWroteTheNextReads) {
  WorkerPool pool(3);
  std::vector<long> sums(3, 0);
  for (int n = 0; n < 200; ++n) {
    const std::vector<long> before = sums;
    pool.run(3, [&](int part) { sums[part] = before[(part + 1) % 3] + 1; });
  }
  EXPECT_EQ(sums, std::vector<long>(3, 200));
}

TEST(WorkerPool, PoolsWorkSideBySide) {
  constexpr int kPools = 3, kRuns = 200;
  std::vector<int> done(kPools, 0);
  std::vector<std::thread> users;
  for (int user = 0; user < kPools; ++user) {
    users.emplace_back([&done, user] {
      WorkerPool pool(2);
      int parts[2] = {0, 0};
      for (int n = 0; n < kRuns; ++n) pool.run(2, [&](int part) { ++parts[part]; });
      done[user] = parts[0] + parts[1];
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(done, std::vector<int>(kPools, 2 * kRuns));
}

/// A child of fork has none of the threads: the pool starts new ones there, and ends.
TEST(WorkerPoolFork, ChildStartsItsOwnThreads) {
  WorkerPool pool(3);
  const auto is_complete = [&] {
    Record record(3);
    pool.run(3, [&](int part) { record.note(part); });
    return record.runs == std::vector<int>(3, 1);
  };
  ASSERT_TRUE(is_complete());
  const pid_t child = fork();
  if (child == 0) _exit(is_complete() && is_complete() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(is_complete()) << "the parent keeps its threads";
}

}  // namespace
}  // namespace flexor
