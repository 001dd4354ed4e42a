#pragma once
// Raw parameters and derived constants of a batch in its own scalar: shared values, and slots of
// per-world values.   [E-2]

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "flexor/model/derive_constants.hpp"
#include "flexor/sim/backend.hpp"

namespace flexor {

/// A number of which only this is known: whether it may differ between worlds.
struct Dependence {
  bool per_world = false;
  Dependence() = default;
  explicit Dependence(int) {}
  explicit Dependence(double) {}
  explicit Dependence(bool p) : per_world(p) {}
};
inline Dependence operator|(Dependence a, Dependence b) {
  return Dependence(a.per_world || b.per_world);
}
inline Dependence operator+(Dependence a, Dependence b) { return a | b; }
inline Dependence operator-(Dependence a, Dependence b) { return a | b; }
inline Dependence operator*(Dependence a, Dependence b) { return a | b; }
inline Dependence operator/(Dependence a, Dependence b) { return a | b; }
inline Dependence operator-(Dependence a) { return a; }
inline bool operator<=(Dependence, Dependence) { return true; }
inline Dependence sqrt(Dependence a) { return a; }
inline Dependence abs(Dependence a) { return a; }

template <class S>
class ConstantTable {
 public:
  /// Derives anew what depends on `raw`; worlds: bytes of touched worlds, all if null.
  void commit(const Topology& topology, const Plan& plan, const RawParameters& raw, long num_worlds,
              long world_stride, const std::uint8_t* worlds) {
    const int raw_count = static_cast<int>(raw.shared.size());
    std::vector<int> slot(plan.scalar_count, -1);
    int next = 0;
    for (int i = 0; i < raw_count; ++i) {
      if (!raw.per_world[i].empty()) slot[i] = next++;
    }
    derive_constants<Dependence>(
        topology, plan, [&](int i) { return Dependence(slot[i] >= 0); },
        [&](int i, Dependence d) { slot[i] = d.per_world ? 0 : -1; });
    // vectors and matrices go per world as a whole, in consecutive slots
    for (int k = 0; k < kConstantCount; ++k) {
      const int count = width(static_cast<Constant>(k));
      const int first = plan.constant_offset[k];
      const int last = k + 1 < kConstantCount ? plan.constant_offset[k + 1] : plan.scalar_count;
      for (int i = first; i < last; i += count) {
        bool is_per_world = false;
        for (int n = 0; n < count; ++n) is_per_world = is_per_world || slot[i + n] >= 0;
        for (int n = 0; n < count; ++n) slot[i + n] = is_per_world ? next++ : -1;
      }
    }
    const bool is_new_layout = slot != slot_;
    slot_ = slot;
    shared_.assign(plan.scalar_count, S(0));
    for (int i = 0; i < raw_count; ++i) shared_[i] = static_cast<S>(raw.shared[i]);
    derive_constants<S>(
        topology, plan, [&](int i) { return shared_[i]; }, [&](int i, S x) { shared_[i] = x; });
    if (next == 0) {
      per_world_.clear();
      return;
    }
    if (is_new_layout) {
      per_world_.assign(static_cast<std::size_t>(next) * world_stride, S(0));
      worlds = nullptr;
    }
    for (long w = 0; w < world_stride; ++w) {
      const long from = w < num_worlds ? w : 0;  // padding worlds copy the first
      if (worlds && w < num_worlds && !worlds[w]) continue;
      const auto read = [&](int i) {
        return slot_[i] < 0 ? shared_[i] : static_cast<S>(raw.value(i, from));
      };
      for (int i = 0; i < raw_count; ++i) {
        if (slot_[i] >= 0)
          per_world_[static_cast<std::size_t>(slot_[i]) * world_stride + w] = read(i);
      }
      derive_constants<S>(topology, plan, read, [&](int i, S x) {
        if (slot_[i] >= 0) per_world_[static_cast<std::size_t>(slot_[i]) * world_stride + w] = x;
      });
    }
  }

  const S* shared() const { return shared_.data(); }
  const int* slot() const { return slot_.data(); }
  const S* per_world() const { return per_world_.data(); }
  bool is_shared(int index) const { return slot_[index] < 0; }

 private:
  std::vector<S> shared_, per_world_;
  std::vector<int> slot_;
};

}  // namespace flexor
