#include "sim/history.hpp"

#include <algorithm>
#include <cstring>

#include "flexor/core/status.hpp"
#include "sim/checkpoint.hpp"
#include "sim/memory.hpp"
#include "sim/npz.hpp"

namespace flexor {
namespace {

std::size_t size(long number) { return static_cast<std::size_t>(number); }

std::size_t row_bytes(const Batch& batch, Field field) {
  return size(batch.components(field)) * size(batch.num_worlds()) *
         size(batch.array(field).item_size());
}

}  // namespace

History::History(const Batch& batch, int length) : length_(length) {
  if (length == 0) return;
  count_.assign(size(batch.num_worlds()), 0);
  make_room(batch);
}

/// Rows for every field in use that has none yet.
void History::make_room(const Batch& batch) {
  const auto visit_missing = [&](auto&& act) {
    visit_fields([&](Field field) {
      if (!is_kept_in_checkpoints(field) || !batch.has(field) || batch.is_idle(field)) return;
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

void History::keep(const Batch& batch, const std::uint8_t* mask) {
  if (length_ == 0) return;
  make_room(batch);  // for wrenches, once they are in use
  const auto* status = reinterpret_cast<const std::int32_t*>(batch.column(Field::status, 0));
  const auto is_kept = [&](std::size_t w) {
    return (mask == nullptr || mask[w]) && !(status[w] & FROZEN);
  };
  visit_fields([&](Field field) {
    if (!is_kept_in_checkpoints(field) || !batch.has(field) || batch.is_idle(field)) return;
    std::vector<std::byte>& rows = rows_[size(static_cast<int>(field))];
    const std::size_t bytes = row_bytes(batch, field), item = size(batch.array(field).item_size());
    for (int c = 0; c < batch.components(field); ++c) {
      const std::byte* column = batch.column(field, c);
      for (std::size_t w = 0; w < count_.size(); ++w)
        if (is_kept(w))
          std::memcpy(rows.data() + size(count_[w] % length_) * bytes +
                          (size(c) * count_.size() + w) * item,
                      column + w * item, item);
    }
  });
  for (std::size_t w = 0; w < count_.size(); ++w) count_[w] += is_kept(w);
}

void History::write(const std::filesystem::path& path, const Model& model, const Batch& batch,
                    std::span<const long> worlds) const {
  std::vector<std::int64_t> world(worlds.begin(), worlds.end()), count;
  for (const long w : worlds) count.push_back(std::min<long>(count_[size(w)], length_));
  const long rows = *std::max_element(count.begin(), count.end());
  const long n = static_cast<long>(worlds.size());

  NpzWriter file(path);
  const std::string header = history_header(model, batch);
  file.add("header", "|u1", {static_cast<long>(header.size())},
           std::as_bytes(std::span<const char>(header)));
  file.add("world", "<i8", {n}, std::as_bytes(std::span<const std::int64_t>(world)));
  file.add("count", "<i8", {n}, std::as_bytes(std::span<const std::int64_t>(count)));
  visit_fields([&](Field field) {
    if (!is_kept_in_checkpoints(field) || !batch.has(field)) return;
    const ArrayRef ref = batch.array(field);
    const std::vector<std::byte>& kept = rows_[size(static_cast<int>(field))];
    const std::size_t item = size(ref.item_size()), components = size(batch.components(field));
    const std::size_t bytes = row_bytes(batch, field);
    std::vector<std::byte> data(size(rows) * size(n) * components * item);  // zero where none is
    for (long row = 0; row < rows && !kept.empty(); ++row)
      for (long i = 0; i < n; ++i) {
        const long age = rows - row, w = worlds[size(i)];  // 1 = the last
        if (age > count[size(i)]) continue;
        const std::byte* from = kept.data() + size((count_[size(w)] - age) % length_) * bytes;
        for (std::size_t c = 0; c < components; ++c)
          std::memcpy(data.data() + ((size(row) * size(n) + size(i)) * components + c) * item,
                      from + (c * count_.size() + size(w)) * item, item);
      }
    std::vector<long> shape = npy_shape(ref, n);
    shape.insert(shape.begin(), rows);
    file.add(info(field).name, npy_type(ref), shape, data);
  });
  file.finish();
}

}  // namespace flexor
