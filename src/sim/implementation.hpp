#pragma once
// What a Simulation holds, and the work behind its calls, split by task: simulation.cpp (the
// calls), guard.cpp (worlds that failed), failure_dump.cpp (what they did), jacobian.cpp (of points
// of bodies), rollout.cpp (steps with commands given ahead), snapshot.cpp (states taken out, put
// back, written and read).

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flexor/core/status.hpp"
#include "flexor/sim/backend.hpp"
#include "sim/batch.hpp"
#include "sim/history.hpp"
#include "sim/parameter_store.hpp"
#include "sim/reset_pose.hpp"
#include "sim/reset_state.hpp"

namespace flexor {

struct Checkpoint;

/// Names of status bits, with | between them.
std::string status_text(int status);

struct Simulation::Implementation {
  Model model;
  SimulationOptions options;
  std::vector<std::pair<int, double>> idle;  ///< parameter values that keep idle elements idle
  std::shared_ptr<Batch> batch;
  ParameterStore parameters;
  ResetState reset_state;
  History history;
  std::unique_ptr<Backend> backend;
  Bytes reference_given;  ///< [tendon] 1 = a number, 0 = measured when geometry is committed
  std::vector<std::int64_t> guard_resets;  ///< [world] times the guard has reset it
  std::size_t dumps_left = 8;              ///< worlds that failed and may still be dumped
  Bytes was_frozen;                        ///< [world] 1 = before the steps that run
  std::atomic_flag is_busy;

  Implementation(Model m, const SimulationOptions& asked);

  bool is_float() const { return options.precision == Precision::kFloat32; }
  long num_worlds() const { return options.num_worlds; }

  void check_mask(WorldMask mask) const;
  std::int32_t* statuses() const {
    return reinterpret_cast<std::int32_t*>(batch->column(Field::status, 0));
  }
  /// act(world) for the worlds of a mask whose status has one of the bits.
  template <class Act>
  void each_with(int bits, const std::uint8_t* mask, Act&& act) const {
    const std::int32_t* status = statuses();
    for (long w = 0; w < num_worlds(); ++w)
      if ((status[w] & bits) && (mask == nullptr || mask[w])) act(w);
  }

  void commit();
  void write_reference_lengths(const std::uint8_t* worlds);
  template <class Act>
  void with_thawed(const std::uint8_t* worlds, Act&& act);
  void refresh(const std::uint8_t* worlds);
  void step(int count, const std::uint8_t* mask, bool refresh);
  void reset(const std::uint8_t* mask, const ResetPose& pose);

  // jacobian.cpp
  std::vector<double> jacobian(int body, int site);
  std::vector<double> zero_jacobian() const;

  // rollout.cpp
  void roll_out(const Rollout& rollout);

  // snapshot.cpp
  Snapshot take(const std::vector<long>& worlds) const;
  void put_back(const Snapshot& snapshot, const std::vector<long>& worlds);
  void check_fits(const Snapshot& snapshot, const std::vector<long>& worlds) const;
  void take_over(Checkpoint checkpoint);

  // guard.cpp
  int fault_of(long world) const;
  Bytes mark_faults(const std::uint8_t* mask);
  void note_frozen();
  void log_guard(const char* code, const char* what, long world) const;
  void thaw_nonfinite(const std::uint8_t* mask);
  void act_on_failures(const std::uint8_t* mask, bool is_stale);
  void dump_failures();
};

/// One call at a time; a second one is refused at once.
class Exclusive {
 public:
  explicit Exclusive(std::atomic_flag& flag) : flag_(flag) {
    if (flag_.test_and_set(std::memory_order_acquire))
      throw ConcurrencyError(
          "another thread is inside this Simulation; legal: one call at a time (other Simulations "
          "run freely beside it)");
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;
  ~Exclusive() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag_;
};

inline const std::uint8_t* bytes_or_null(WorldMask mask) {
  return mask.empty() ? nullptr : mask.data();
}

/// act() with frozen worlds in reach, whose bits a backend leaves alone.
template <class Act>
void Simulation::Implementation::with_thawed(const std::uint8_t* worlds, Act&& act) {
  std::int32_t* status = statuses();
  std::vector<std::pair<long, std::int32_t>> frozen;
  each_with(FROZEN, worlds, [&](long w) { frozen.emplace_back(w, status[w]); });
  for (const auto& [w, bits] : frozen) status[w] = bits & ~FROZEN;
  act();
  for (const auto& [w, bits] : frozen) status[w] = bits;
}

}  // namespace flexor
