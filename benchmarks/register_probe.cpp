// What threads are worth on this machine, whatever they run: a chain of dependent multiplications
// and additions in a register, without memory, on some threads at once. It waits for its own
// results most of the time, so that it gains more from a core's second thread than code that fills
// the core: the stricter measure.
//
//   register_probe THREADS STEPS      prints the seconds until all threads have done STEPS steps

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

double run_chain(long steps) {
  double x = 0.5;
  for (long i = 0; i < steps; ++i) x = x * 0.999 + 1e-3;  // goes to 1
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc == 3 ? std::atoi(argv[1]) : 0;
  const long steps = argc == 3 ? std::atol(argv[2]) : 0;
  if (count < 1 || steps < 1) {
    std::fprintf(stderr, "usage: register_probe THREADS STEPS, both >= 1\n");
    return 2;
  }
  std::vector<double> results(count);
  std::vector<std::thread> threads;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&results, i, steps] { results[i] = run_chain(steps); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  for (const double x : results) {
    if (!(x > 0 && x < 2)) return 1;  // uses the results
  }
  std::printf("%.9f\n", passed.count());
  return 0;
}
