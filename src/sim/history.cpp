#include "sim/history.hpp"

#include <algorithm>
#include <cstring>

#include "flexor/sim/backend.hpp"
#include "sim/memory.hpp"

namespace flexor {
namespace {

std::size_t size(long number) { return static_cast<std::size_t>(number); }

std::size_t components(const Batch& batch, Field field) { return size(batch.components(field)); }

std::size_t item(const Batch& batch, Field field) {
  return size(item_size(field, batch.is_float()));
}

const std::int32_t* statuses(const Batch& batch) {
  return reinterpret_cast<const std::int32_t*>(batch.column(Field::status, 0));
}

/// visit(Field) for what a row holds now; wrenches once they are in use.
template <class Visit>
void visit_rows(const Batch& batch, Visit&& visit) {
  visit_fields([&](Field field) {
    if (batch.is_kept(field) && !batch.is_idle(field)) visit(field);
  });
}

}  // namespace

const char* npy_type(Field field, bool is_float) {
  switch (info(field).type) {
    case FieldType::kReal:
      return is_float ? "<f4" : "<f8";
    case FieldType::kInt32:
      return "<i4";
    case FieldType::kInt64:
      return "<i8";
    case FieldType::kUint8:
      return "|u1";
    case FieldType::kDouble:
      break;
  }
  return "<f8";
}

std::vector<long> npy_shape(const Batch& batch, Field field, long num_worlds) {
  const FieldInfo& row = info(field);
  std::vector<long> shape = {num_worlds};
  if (row.index != FieldIndex::kWorldIndex) shape.push_back(batch.components(field) / row.width);
  if (row.width > 1) shape.push_back(row.width);
  return shape;
}

History::History(const Batch& batch, int length) : length_(length) {
  if (length == 0) return;
  count_.assign(size(batch.num_worlds()), 0);
  is_sound_.assign(count_.size(), 0);
  make_room(batch);
}

/// Rows for every field in use that has none yet.
void History::make_room(const Batch& batch) {
  const auto visit_missing = [&](auto&& act) {
    visit_rows(batch, [&](Field field) {
      std::vector<std::byte>& rows = rows_[size(static_cast<int>(field))];
      const std::size_t bytes = size(length_) * row_bytes(batch, field);
      if (rows.size() < bytes) act(rows, bytes);
    });
  };
  std::size_t missing = 0;
  visit_missing([&](std::vector<std::byte>&, std::size_t bytes) { missing += bytes; });
  if (missing == 0) return;
  allocated(
      "history " + std::to_string(length_) + " of " + std::to_string(count_.size()) + " worlds",
      missing, [&] {
        visit_missing([](std::vector<std::byte>& rows, std::size_t bytes) { rows.resize(bytes); });
      });
}

std::size_t History::row_bytes(const Batch& batch, Field field) const {
  return components(batch, field) * count_.size() * item(batch, field);
}

void History::keep(const Batch& batch, const std::uint8_t* mask) {
  if (length_ == 0) return;
  make_room(batch);  // for wrenches, once they are in use
  const std::int32_t* status = statuses(batch);
  const auto is_kept = [&](std::size_t w) {
    return (mask == nullptr || mask[w]) && !(status[w] & FROZEN);
  };
  visit_rows(batch, [&](Field field) {
    std::vector<std::byte>& rows = rows_[size(static_cast<int>(field))];
    const std::size_t bytes = row_bytes(batch, field), number = item(batch, field);
    for (std::size_t c = 0; c < components(batch, field); ++c) {
      const std::byte* column = batch.column(field, static_cast<int>(c));
      for (std::size_t w = 0; w < count_.size(); ++w)
        if (is_kept(w))
          std::memcpy(
              rows.data() + size(count_[w] % length_) * bytes + (c * count_.size() + w) * number,
              column + w * number, number);
    }
  });
  for (std::size_t w = 0; w < count_.size(); ++w) {
    count_[w] += is_kept(w);
    is_sound_[w] = is_kept(w) && !(status[w] & kGuardBits);
  }
}

std::vector<long> History::find_failed(const Batch& batch) const {
  const std::int32_t* status = statuses(batch);
  std::vector<long> failed;
  for (std::size_t w = 0; w < is_sound_.size(); ++w)
    if (is_sound_[w] && (status[w] & kGuardBits)) failed.push_back(static_cast<long>(w));
  return failed;
}

std::vector<std::string> History::list_members(bool is_float) {
  std::vector<std::string> members = {"count"};
  visit_fields([&](Field field) {
    if (is_in_checkpoints(field, is_float)) members.push_back(info(field).name);
  });
  return members;
}

void History::write_members(NpzWriter& file, const std::string& prefix, const Batch& batch,
                            std::span<const long> worlds) const {
  std::vector<std::int64_t> count;
  for (const long w : worlds) count.push_back(std::min<long>(count_[size(w)], length_));
  const long rows = *std::max_element(count.begin(), count.end());
  const long n = static_cast<long>(worlds.size());
  file.add(prefix + "count", "<i8", {n}, std::as_bytes(std::span(count)));
  visit_fields([&](Field field) {
    if (!batch.is_kept(field)) return;
    const std::vector<std::byte>& kept = rows_[size(static_cast<int>(field))];
    const std::size_t number = item(batch, field), width = components(batch, field);
    const std::size_t bytes = row_bytes(batch, field);
    std::vector<std::byte> data(size(rows) * size(n) * width * number);  // zero where none is
    for (long row = 0; row < rows && !kept.empty(); ++row)
      for (long i = 0; i < n; ++i) {
        const long age = rows - row, w = worlds[size(i)];  // 1 = the last
        if (age > count[size(i)]) continue;
        const std::byte* from = kept.data() + size((count_[size(w)] - age) % length_) * bytes;
        for (std::size_t c = 0; c < width; ++c)
          std::memcpy(data.data() + ((size(row) * size(n) + size(i)) * width + c) * number,
                      from + (c * count_.size() + size(w)) * number, number);
      }
    std::vector<long> shape = npy_shape(batch, field, n);
    shape.insert(shape.begin(), rows);
    file.add(prefix + info(field).name, npy_type(field, batch.is_float()), shape, data);
  });
}

void History::take_members(const std::map<std::string, NpyArray>& arrays, const std::string& prefix,
                           const Batch& batch,
                           const std::function<std::size_t(std::size_t)>& row_of) {
  const NpyArray& counts = arrays.at(prefix + "count");
  const long rows = arrays.at(prefix + info(Field::time).name).shape.front();
  const std::size_t worlds = size(counts.shape.front());
  make_room(batch);
  std::fill(is_sound_.begin(), is_sound_.end(), 0);
  for (std::size_t w = 0; w < count_.size(); ++w) {
    std::int64_t count = 0;
    std::memcpy(&count, counts.data.data() + row_of(w) * sizeof count, sizeof count);
    count_[w] = std::min<long>(count, length_);
  }
  visit_rows(batch, [&](Field field) {
    const std::vector<std::byte>& data = arrays.at(prefix + info(field).name).data;
    std::vector<std::byte>& kept = rows_[size(static_cast<int>(field))];
    const std::size_t number = item(batch, field), width = components(batch, field);
    const std::size_t bytes = row_bytes(batch, field);
    for (std::size_t w = 0; w < count_.size(); ++w)
      for (long i = 0; i < count_[w]; ++i)
        for (std::size_t c = 0; c < width; ++c)
          std::memcpy(kept.data() + size(i) * bytes + (c * count_.size() + w) * number,
                      data.data() +
                          ((size(rows - count_[w] + i) * worlds + row_of(w)) * width + c) * number,
                      number);
  });
}

void History::write(const std::filesystem::path& path, const std::string& header,
                    const Batch& batch, std::span<const long> worlds) const {
  const std::vector<std::int64_t> world(worlds.begin(), worlds.end());
  NpzWriter file(path);
  file.add("header", "|u1", {static_cast<long>(header.size())},
           std::as_bytes(std::span<const char>(header)));
  file.add("world", "<i8", {static_cast<long>(worlds.size())}, std::as_bytes(std::span(world)));
  write_members(file, "", batch, worlds);
  file.finish();
}

}  // namespace flexor
