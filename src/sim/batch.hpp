#pragma once
// The memory of a batch: every field of the one list as [component][world], world fastest. [E-1]
//
// A field's components lie `world_stride` worlds apart, the smallest odd multiple of 32 that holds
// all worlds: tiles of 32 are aligned, and the components of one tile fall into different cache
// sets. Field i begins 256 (i mod 16) bytes into a page, so that fields do not share sets either.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "flexor/sim/simulation.hpp"
#include "flexor/state/batch_view.hpp"

namespace flexor {

/// Bytes of one number of a field.
int item_size(Field field, bool is_float);

/// Which fields a batch keeps.
using FieldSet = std::array<bool, kFieldCount>;

inline bool is_read_out(Field field) {
  return info(field).group == FieldGroup::kGeometry || info(field).group == FieldGroup::kStep;
}
/// State and commands, which batches always keep, and checkpoints; the remainder of qpos in float32
/// only.
inline bool is_in_checkpoints(Field field, bool is_float) {
  return !is_read_out(field) && (is_float || field != Field::qpos_compensation);
}

/// Entries a field has by what its components belong to.
int entry_count(const Model& model, FieldIndex index);
inline int component_count(const Model& model, Field field) {
  return entry_count(model, info(field).index) * info(field).width;
}

/// Zeroed pages, huge ones where they pay.
class Pages {
 public:
  Pages() = default;
  /// DeviceError naming `what` they are for if there is not so much memory.
  Pages(std::size_t bytes, const std::string& what);
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();
  std::byte* data() const { return data_; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* data_ = nullptr;
};

class Batch {
 public:
  /// All zero. DeviceError naming bytes and worlds if there is not enough memory.
  Batch(const Model& model, long num_worlds, bool is_float, const FieldSet& kept);

  long num_worlds() const { return num_worlds_; }
  /// Worlds in memory: those of the batch, then padding.
  long world_stride() const { return world_stride_; }
  bool is_float() const { return is_float_; }
  /// State or command of this batch.
  bool is_kept(Field field) const { return is_in_checkpoints(field, is_float_); }
  bool has(Field field) const { return data_[static_cast<int>(field)] != nullptr; }
  int components(Field field) const { return components_[static_cast<int>(field)]; }
  ArrayRef array(Field field) const;
  BatchView view() const;
  /// Body wrenches have an address from the start, but steps look at them, and memory is spent on
  /// them, only once somebody has asked for the array.
  void use_wrenches() { uses_wrenches_ = true; }
  bool is_idle(Field field) const {
    return !uses_wrenches_ && (field == Field::body_wrench || field == Field::valid_body_wrench);
  }
  /// Bytes of one world in the fields of one group.
  double bytes_per_world(FieldGroup group) const;

  /// First world of a component.
  std::byte* column(Field field, int component) const {
    return static_cast<std::byte*>(data_[static_cast<int>(field)]) +
           component * world_stride_ * array(field).item_size();
  }
  /// visit(T* first world of a component) with the type the component is stored in.
  template <class Visit>
  void visit_column(Field field, int component, Visit&& visit) const;
  double read(Field field, int component, long world) const;
  void write(Field field, int component, long world, double value);
  /// Writes a component in the worlds whose byte is set (all, padding too, if null).
  void fill(Field field, int component, double value, const std::uint8_t* worlds);
  /// Whether every number of a field is finite in one world.
  bool is_finite(Field field, long world) const;

 private:
  long num_worlds_, world_stride_;
  bool is_float_;
  std::array<int, kFieldCount> entries_{}, components_{};
  std::array<void*, kFieldCount> data_{};
  bool uses_wrenches_ = false;
  Pages pages_;
};

template <class Visit>
void Batch::visit_column(Field field, int component, Visit&& visit) const {
  std::byte* first = column(field, component);
  switch (info(field).type) {
    case FieldType::kReal:
      return is_float_ ? visit(reinterpret_cast<float*>(first))
                       : visit(reinterpret_cast<double*>(first));
    case FieldType::kDouble:
      return visit(reinterpret_cast<double*>(first));
    case FieldType::kInt32:
      return visit(reinterpret_cast<std::int32_t*>(first));
    case FieldType::kInt64:
      return visit(reinterpret_cast<std::int64_t*>(first));
    case FieldType::kUint8:
      return visit(reinterpret_cast<std::uint8_t*>(first));
  }
}

/// visit(Field) for each of the list, in its order.
template <class Visit>
void visit_fields(Visit&& visit) {
  for (int f = 0; f < kFieldCount; ++f) visit(static_cast<Field>(f));
}

}  // namespace flexor
