#include "sim/batch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "sim/memory.hpp"

namespace flexor {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kStagger = 256;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

int bytes_of(FieldType type, bool is_float) {
  switch (type) {
    case FieldType::kReal:
      return is_float ? 4 : 8;
    case FieldType::kInt32:
      return 4;
    case FieldType::kUint8:
      return 1;
    case FieldType::kDouble:
    case FieldType::kInt64:
      return 8;
  }
  return 8;
}

}  // namespace

int item_size(Field field, bool is_float) { return bytes_of(info(field).type, is_float); }

int ArrayRef::item_size() const { return bytes_of(type, is_float); }

std::vector<long> ArrayRef::shape() const {
  std::vector<long> sizes = {num_worlds, count, width};
  sizes.resize(static_cast<std::size_t>(rank));
  return sizes;
}

std::vector<long> ArrayRef::strides() const {
  const long item = item_size();
  std::vector<long> bytes = {item, width * world_stride * item, world_stride * item};
  bytes.resize(static_cast<std::size_t>(rank));
  return bytes;
}

int entry_count(const Model& model, FieldIndex index) {
  const Description& description = model.description();
  const int tendons = static_cast<int>(description.tendons.size());
  switch (index) {
    case FieldIndex::kWorldIndex:
      return 1;
    case FieldIndex::kQpos:
      return model.nq();
    case FieldIndex::kQvel:
      return model.nv();
    case FieldIndex::kTendon:
      return tendons;
    case FieldIndex::kRow:
      return kTendonRowCount * tendons + kJointRowCount * model.nv();
    case FieldIndex::kBody:
      return static_cast<int>(description.bodies.size());
    case FieldIndex::kSite:
      return static_cast<int>(description.sites.size());
    case FieldIndex::kTendonQvel:
      return tendons * model.nv();
    case FieldIndex::kBranch:
      return model.plan().branch_count;
  }
  return 0;
}

Pages::Pages(std::size_t bytes, const std::string& what) {
  if (bytes > memory_limit()) refuse_memory(what, bytes);
  const bool is_big = bytes >= kHugePage / 4;
  const std::size_t used = round_up(bytes, is_big ? kHugePage : kPage);
  mapped_bytes_ = used + (is_big ? kHugePage : 0);
  mapped_ =
      mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped_ == MAP_FAILED) {
    mapped_ = nullptr;
    refuse_memory(what, bytes);
  }
  std::size_t first = reinterpret_cast<std::size_t>(mapped_);
  if (is_big) {
    first = round_up(first, kHugePage);
    madvise(reinterpret_cast<void*>(first), used, MADV_HUGEPAGE);
  }
  data_ = reinterpret_cast<std::byte*>(first);
}

Pages::~Pages() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
}

namespace {

/// Where the fields begin, from the start of a page.
struct FieldLayout {
  std::array<std::size_t, kFieldCount> offset{};
  std::size_t bytes = 0;
};

FieldLayout lay_out(const std::array<int, kFieldCount>& components, long world_stride,
                    bool is_float, const FieldSet& kept) {
  FieldLayout layout;
  int order = 0;
  visit_fields([&](Field field) {
    const int f = static_cast<int>(field);
    if (!kept[f]) return;
    const std::size_t phase = kStagger * (order++ % (kPage / kStagger));
    std::size_t offset = layout.bytes / kPage * kPage + phase;
    if (offset < layout.bytes) offset += kPage;
    layout.offset[f] = offset;
    layout.bytes = offset + static_cast<std::size_t>(components[f]) *
                                static_cast<std::size_t>(world_stride) *
                                static_cast<std::size_t>(item_size(field, is_float));
  });
  // An empty field at the very end has an address inside the pages, too.
  layout.bytes = std::max(layout.bytes + 1, kPage);
  return layout;
}

Pages allocate(std::size_t bytes, long num_worlds) {
  return Pages(bytes, "num_worlds " + std::to_string(num_worlds) + " (" +
                          std::to_string(bytes / static_cast<std::size_t>(num_worlds)) +
                          " bytes a world in the arrays of the batch)");
}

std::array<int, kFieldCount> all_entries(const Model& model) {
  std::array<int, kFieldCount> entries;
  visit_fields([&](Field field) {
    entries[static_cast<int>(field)] = entry_count(model, info(field).index);
  });
  return entries;
}

std::array<int, kFieldCount> all_components(const Model& model) {
  std::array<int, kFieldCount> components;
  visit_fields(
      [&](Field field) { components[static_cast<int>(field)] = component_count(model, field); });
  return components;
}

}  // namespace

Batch::Batch(const Model& model, long num_worlds, bool is_float, const FieldSet& kept)
    : num_worlds_(num_worlds),
      world_stride_(flexor::world_stride(num_worlds)),
      is_float_(is_float),
      entries_(all_entries(model)),
      components_(all_components(model)),
      pages_(allocate(lay_out(components_, world_stride_, is_float, kept).bytes, num_worlds)) {
  const FieldLayout layout = lay_out(components_, world_stride_, is_float, kept);
  for (int f = 0; f < kFieldCount; ++f)
    if (kept[f]) data_[f] = pages_.data() + layout.offset[f];
}

ArrayRef Batch::array(Field field) const {
  const int f = static_cast<int>(field);
  const bool is_real = info(field).type == FieldType::kReal;
  ArrayRef ref;
  ref.is_float = is_real && is_float_;
  ref.type = is_real && !is_float_ ? FieldType::kDouble : info(field).type;
  ref.data = data_[f];
  ref.num_worlds = num_worlds_;
  ref.world_stride = world_stride_;
  ref.count = entries_[f];
  ref.width = info(field).width;
  ref.rank = ref.width > 1 ? 3 : 2;
  if (info(field).index == FieldIndex::kWorldIndex) ref.rank = 1;
  if (info(field).index == FieldIndex::kTendonQvel) {  // a row of the entries for each tendon
    ref.count = components_[static_cast<int>(Field::tendon_length)];
    ref.width = components_[static_cast<int>(Field::qvel)];
    ref.rank = 3;
  }
  ref.unit = info(field).unit;
  return ref;
}

BatchView Batch::view() const {
  BatchView view{};
  for (int f = 0; f < kFieldCount; ++f)
    view.field[f] = is_idle(static_cast<Field>(f)) ? nullptr : data_[f];
  view.world_stride = world_stride_;
  view.num_worlds = num_worlds_;
  return view;
}

double Batch::bytes_per_world(FieldGroup group) const {
  double bytes = 0;
  visit_fields([&](Field field) {
    if (info(field).group == group && has(field) && !is_idle(field))
      bytes += components(field) * item_size(field, is_float_);
  });
  return bytes;
}

double Batch::read(Field field, int component, long world) const {
  double value = 0;
  visit_column(field, component, [&](auto* x) { value = static_cast<double>(x[world]); });
  return value;
}

void Batch::write(Field field, int component, long world, double value) {
  visit_column(field, component, [&]<class T>(T* x) { x[world] = static_cast<T>(value); });
}

void Batch::fill(Field field, int component, double value, const std::uint8_t* worlds) {
  visit_column(field, component, [&]<class T>(T* x) {
    const T number = static_cast<T>(value);
    if (worlds == nullptr) {
      std::fill(x, x + world_stride_, number);
    } else {
      for (long w = 0; w < num_worlds_; ++w)
        if (worlds[w]) x[w] = number;
    }
  });
}

bool Batch::is_finite(Field field, long world) const {
  for (int c = 0; c < components(field); ++c)
    if (!std::isfinite(read(field, c, world))) return false;
  return true;
}

}  // namespace flexor
