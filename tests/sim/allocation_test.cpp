// No memory is asked for inside a step.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "flexor/model/builder.hpp"
#include "flexor/sim/simulation.hpp"
#include "support/random_model.hpp"

// g++ sees the malloc inside operator new and the free inside operator delete, not that they pair
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
void* operator new(std::size_t size) {
  if (void* p = ::operator new(size, std::nothrow)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t align) {
  ++allocations;
  const auto a = static_cast<std::size_t>(align);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace flexor {
namespace {

TEST(Step, AllocatesNothing) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    for (const int threads : {1, 2}) {
      SimulationOptions options;
      options.num_worlds = 37;
      options.num_threads = threads;
      options.inert = {"*"};
      Simulation sim(ModelBuilder(support::random_model(seed)).finalize(), options);
      sim.step(1);
      const std::vector<std::uint8_t> mask(37, 1);
      const long before = allocations;
      sim.step(3);
      sim.step(2, mask, false);
      sim.forward();
      EXPECT_EQ(allocations - before, 0) << "model " << seed << ", " << threads << " threads";
    }
  }
}

TEST(Step, AllocationCounterCounts) {
  const long before = allocations;
  ::operator delete(::operator new(4));  // a direct call, so that it cannot be left out
  EXPECT_EQ(allocations - before, 1);
}

}  // namespace
}  // namespace flexor
