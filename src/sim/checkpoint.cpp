#include "sim/checkpoint.hpp"

#include <algorithm>
#include <cstring>

#include "io/path_text.hpp"
#include "model/findings.hpp"
#include "sim/clock.hpp"
#include "sim/convert_precision.hpp"
#include "sim/options.hpp"

namespace flexor {
namespace {

/// Parameters that have a member of their own.
template <class Visit>
void visit_per_world(const Model& model, const RawParameters& raw, Visit&& visit) {
  for (const Parameter& parameter : model.parameters())
    if (!raw.per_world[parameter.address].empty()) visit(parameter);
}

std::string member_of(const Parameter& parameter) { return "parameter/" + parameter.name; }

/// Every member but the header that a file without the guard's history has, in its order.
std::vector<std::string> list_members(const Model& model, const RawParameters& raw, bool is_float) {
  std::vector<std::string> members = {"model"};
  visit_fields([&](Field field) {
    if (is_in_checkpoints(field, is_float)) members.push_back(info(field).name);
  });
  members.push_back("shared_parameters");
  visit_per_world(model, raw, [&](const Parameter& p) { members.push_back(member_of(p)); });
  members.push_back("reference_length_given");
  return members;
}

std::vector<std::string> list_members(const CheckpointSource& source) {
  const bool is_float = source.batch.is_float();
  std::vector<std::string> members = list_members(source.model, source.raw, is_float);
  if (source.guard_resets != nullptr) members.push_back(kGuardResetsMember);
  if (source.history != nullptr)
    for (const std::string& name : History::list_members(is_float))
      members.push_back(kHistoryPrefix + name);
  return members;
}

template <class T>
std::span<const std::byte> bytes_of(const T& numbers) {
  return std::as_bytes(std::span(numbers));
}

/// Rows of worlds, a block at a time.
void write_field(NpzWriter& file, const Batch& batch, Field field, std::span<const long> worlds) {
  const std::size_t item = static_cast<std::size_t>(item_size(field, batch.is_float()));
  const std::size_t components = static_cast<std::size_t>(batch.components(field));
  file.add(info(field).name, npy_type(field, batch.is_float()),
           npy_shape(batch, field, static_cast<long>(worlds.size())),
           [&](const NpzWriter::Sink& sink) {
             constexpr std::size_t kBlock = 4096;
             std::vector<std::byte> rows;
             for (std::size_t first = 0; first < worlds.size(); first += kBlock) {
               const std::size_t count = std::min(kBlock, worlds.size() - first);
               rows.resize(count * components * item);
               for (std::size_t c = 0; c < components; ++c) {
                 const std::byte* column = batch.column(field, static_cast<int>(c));
                 for (std::size_t i = 0; i < count; ++i)
                   std::memcpy(rows.data() + (i * components + c) * item,
                               column + static_cast<std::size_t>(worlds[first + i]) * item, item);
               }
               sink(rows);
             }
           });
}

void write_parameters(NpzWriter& file, const Model& model, const RawParameters& raw,
                      std::span<const long> worlds) {
  file.add("shared_parameters", "<f8", {static_cast<long>(raw.shared.size())},
           bytes_of(raw.shared));
  visit_per_world(model, raw, [&](const Parameter& parameter) {
    const int count = info(parameter.kind).count;
    std::vector<double> rows;
    for (const long w : worlds)
      for (int c = 0; c < count; ++c) rows.push_back(raw.per_world[parameter.address + c][w]);
    file.add(member_of(parameter), "<f8", {static_cast<long>(worlds.size()), count},
             bytes_of(rows));
  });
}

void check_clocks(const Batch& batch, std::span<const long> worlds) {
  for (const long w : worlds)
    if (const std::string reason = clock_fault(batch, w); !reason.empty())
      throw ConfigError("save: world " + std::to_string(w) + ": " + reason);
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const CheckpointSource& source,
                      std::span<const long> worlds) {
  check_clocks(source.batch, worlds);
  NpzWriter file(path);
  const long num_worlds = static_cast<long>(worlds.size());
  const auto add_text = [&](const char* name, const std::string& text) {
    file.add(name, "|u1", {static_cast<long>(text.size())}, bytes_of(text));
  };
  add_text("header",
           make_checkpoint_header(source.model, source.options, num_worlds, list_members(source)));
  add_text("model", to_bytes(source.model));
  visit_fields([&](Field field) {
    if (source.batch.is_kept(field)) write_field(file, source.batch, field, worlds);
  });
  write_parameters(file, source.model, source.raw, worlds);
  file.add("reference_length_given", "|u1", {static_cast<long>(source.reference_given.size())},
           bytes_of(source.reference_given));
  if (source.guard_resets != nullptr) {
    std::vector<std::int64_t> resets;
    for (const long w : worlds)
      resets.push_back((*source.guard_resets)[static_cast<std::size_t>(w)]);
    file.add(kGuardResetsMember, "<i8", {num_worlds}, bytes_of(resets));
  }
  if (source.history != nullptr)
    source.history->write_members(file, kHistoryPrefix, source.batch, worlds);
  file.finish();
}

namespace {

/// The arrays of a file, taken one by one.
struct Members {
  const std::filesystem::path& path;
  const std::map<std::string, NpyArray>& arrays;

  [[noreturn]] void fail(const std::string& what) const {
    throw CheckpointError(io::shown(path) + ": " + what);
  }
  const NpyArray& get(const std::string& name, const std::string& descr,
                      const std::vector<long>& shape) const {
    const auto found = arrays.find(name);
    if (found == arrays.end()) fail("member '" + io::shown(name) + "' is missing");
    if (found->second.descr != descr || found->second.shape != shape)
      fail("member '" + io::shown(name) + "' is " + text(found->second.descr, found->second.shape) +
           ", " + text(descr, shape) + " expected");
    return found->second;
  }
  std::vector<double> numbers(const std::string& name, const std::vector<long>& shape) const {
    const NpyArray& array = get(name, "<f8", shape);
    std::vector<double> values(array.data.size() / sizeof(double));
    if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
    return values;
  }
  static std::string text(const std::string& descr, const std::vector<long>& shape) {
    std::string out = descr + " (";
    for (std::size_t i = 0; i < shape.size(); ++i)
      out += (i ? ", " : "") + std::to_string(shape[i]);
    return out + ")";
  }
};

bool is_zero(const NpyArray& array) {
  return std::all_of(array.data.begin(), array.data.end(),
                     [](std::byte b) { return b == std::byte(0); });
}

const char* precision_name(bool is_float) { return is_float ? "float32" : "float64"; }

/// What the header lists, and nothing else.
void check_listed(const Members& members, const std::set<std::string>& listed) {
  for (const std::string& name : listed)
    if (!members.arrays.contains(name)) members.fail("member '" + io::shown(name) + "' is missing");
  for (const auto& [name, array] : members.arrays)
    if (name != "header" && !listed.contains(name))
      members.fail("member '" + io::shown(name) + "' is not one that the header lists");
}

void check_header(const Members& members, const CheckpointHeader& header, const Model& model,
                  const Batch& batch, bool convert) {
  const CheckpointInfo& saved = header.info;
  if (saved.model_hash != model_hash(model))
    members.fail("checkpoint of another model, '" + io::shown(saved.model_name) + "' with hash '" +
                 io::shown(saved.model_hash) + "', this simulation has '" + model_hash(model) +
                 "'");
  if (header.is_float() != batch.is_float() && !convert)
    members.fail(std::string("checkpoint of precision '") + precision_name(header.is_float()) +
                 "', this simulation has '" + precision_name(batch.is_float()) +
                 "'; legal: the same, or the other with convert");
  if (const long worlds = saved.options.num_worlds; worlds != batch.num_worlds() && worlds != 1)
    members.fail("checkpoint of num_worlds " + std::to_string(worlds) + ", this simulation has " +
                 std::to_string(batch.num_worlds()) +
                 "; legal: as many, or a checkpoint of one world, which goes to all");
  check_listed(members, header.members);
}

void check_members_known(const Members& members, const Model& model, const RawParameters& raw,
                         bool is_float) {
  std::set<std::string> known = {"header", kGuardResetsMember};
  for (std::string& member : list_members(model, raw, is_float)) known.insert(std::move(member));
  for (const std::string& member : History::list_members(is_float))
    known.insert(kHistoryPrefix + member);
  for (const auto& [name, array] : members.arrays)
    if (!known.contains(name))
      members.fail("member '" + io::shown(name) + "' is not known for this model");
}

/// Numbers of a parameter as the batch stores them. What a float32 batch had of the model's own
/// numbers is the model's in float64.
double stored(double value, double nominal, bool from_float, bool to_float) {
  if (from_float == to_float) return value;
  if (to_float) return static_cast<double>(static_cast<float>(value));
  return value == static_cast<double>(static_cast<float>(nominal)) ? nominal : value;
}

RawParameters read_parameters(const Members& members, const CheckpointHeader& header,
                              const Model& model, const Batch& batch) {
  const std::vector<double>& nominal = model.nominal();
  const long rows = header.info.options.num_worlds;
  RawParameters raw;
  raw.shared = members.numbers("shared_parameters", {static_cast<long>(nominal.size())});
  raw.per_world.resize(raw.shared.size());
  for (const Parameter& parameter : model.parameters()) {
    const ParameterInfo& kind = info(parameter.kind);
    const std::size_t count = static_cast<std::size_t>(kind.count);
    const std::string member = member_of(parameter);
    const bool is_per_world = members.arrays.contains(member);
    double* shared = raw.shared.data() + parameter.address;
    std::vector<double> numbers = is_per_world ? members.numbers(member, {rows, kind.count})
                                               : std::vector<double>(shared, shared + count);
    const std::string place =
        "member '" + (is_per_world ? member : std::string("shared_parameters")) + "': ";
    for (std::size_t i = 0; i < numbers.size(); i += count) {
      const std::span<double> row(numbers.data() + i, count);
      if (!can_hold(row, batch.is_float()))
        members.fail(place + "float32 cannot hold " + parameter.name + " = " + number_text(row));
      for (std::size_t c = 0; c < count; ++c)
        row[c] =
            stored(row[c], nominal[parameter.address + c], header.is_float(), batch.is_float());
      const std::string reason = illegal_reason(kind.legal, row);
      // a world with such a number has PARAMETER_INVALID, and had it
      if (!reason.empty() && !is_per_world)
        members.fail(place + parameter.name + " is out of its range; " + reason);
    }
    if (!is_per_world) {
      std::copy(numbers.begin(), numbers.end(), shared);
      continue;
    }
    for (std::size_t c = 0; c < count; ++c) {
      std::vector<double>& column = raw.per_world[parameter.address + static_cast<int>(c)];
      for (long w = 0; w < batch.num_worlds(); ++w)
        column.push_back(numbers[static_cast<std::size_t>(rows == 1 ? 0 : w) * count + c]);
    }
  }
  return raw;
}

void check_fields(const Members& members, const Batch& batch, const CheckpointHeader& header) {
  const long rows = header.info.options.num_worlds;
  visit_fields([&](Field field) {
    if (is_in_checkpoints(field, header.is_float()))
      members.get(info(field).name, npy_type(field, header.is_float()),
                  npy_shape(batch, field, rows));
  });
  const std::byte* times = members.arrays.at(info(Field::time).name).data.data();
  const std::byte* counts = members.arrays.at(info(Field::step_count).name).data.data();
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
    if (const std::string reason = clock_fault(times + 8 * row, counts + 8 * row); !reason.empty())
      members.fail("row " + std::to_string(row) + " of members 'time', 'step_count': " + reason);
}

void check_guard_history(const Members& members, const Batch& batch,
                         const CheckpointHeader& header) {
  const long rows = header.info.options.num_worlds;
  if (members.arrays.contains(kGuardResetsMember)) members.get(kGuardResetsMember, "<i8", {rows});
  const std::string count = std::string(kHistoryPrefix) + "count";
  if (!members.arrays.contains(count)) return;
  const NpyArray& counts = members.get(count, "<i8", {rows});
  const std::string first = kHistoryPrefix + std::string(info(Field::time).name);
  const auto found = members.arrays.find(first);
  const long kept = found == members.arrays.end() || found->second.shape.empty()
                        ? 0
                        : found->second.shape.front();
  for (long row = 0; row < rows; ++row) {
    std::int64_t number = 0;
    std::memcpy(&number, counts.data.data() + 8 * row, sizeof number);
    if (number < 0 || number > kept)
      members.fail("member '" + count + "': " + std::to_string(number) + " rows of " +
                   std::to_string(kept));
  }
  visit_fields([&](Field field) {
    if (!is_in_checkpoints(field, header.is_float())) return;
    std::vector<long> shape = npy_shape(batch, field, rows);
    shape.insert(shape.begin(), kept);
    members.get(kHistoryPrefix + std::string(info(field).name), npy_type(field, header.is_float()),
                shape);
  });
}

}  // namespace

CheckpointHeader read_checkpoint_header(const std::filesystem::path& path) {
  return read_checkpoint_header(path, read_npz_member(path, "header"));
}

Model read_checkpoint_model(const std::filesystem::path& path) {
  const NpyArray member = read_npz_member(path, "model");
  try {
    return model_from_bytes(
        {reinterpret_cast<const char*>(member.data.data()), member.data.size()});
  } catch (const FlexorError& error) {
    throw CheckpointError(io::shown(path) + ": member 'model': " + error.what());
  }
}

Checkpoint read_checkpoint(const std::filesystem::path& path, const Model& model,
                           const Batch& batch, bool convert) {
  Checkpoint checkpoint;
  checkpoint.arrays = read_npz(path);
  const Members members{path, checkpoint.arrays};
  const auto header = checkpoint.arrays.find("header");
  if (header == checkpoint.arrays.end()) members.fail("no checkpoint: member 'header' is missing");
  checkpoint.header = read_checkpoint_header(path, header->second);
  check_header(members, checkpoint.header, model, batch, convert);
  check_fields(members, batch, checkpoint.header);
  check_guard_history(members, batch, checkpoint.header);
  checkpoint.raw = read_parameters(members, checkpoint.header, model, batch);
  check_members_known(members, model, checkpoint.raw, checkpoint.header.is_float());
  const long tendons = static_cast<long>(model.description().tendons.size());
  const NpyArray& given = members.get("reference_length_given", "|u1", {tendons});
  for (const std::byte byte : given.data)
    checkpoint.reference_given.push_back(static_cast<std::uint8_t>(byte));
  if (checkpoint.header.is_float() != batch.is_float()) {
    const std::string lost =
        convert_fields(checkpoint.arrays, {"", kHistoryPrefix}, batch.is_float());
    if (!lost.empty()) members.fail("member '" + lost + "': float32 cannot hold a number of it");
  }
  return checkpoint;
}

void Checkpoint::apply(Batch& batch) const {
  for (const char* prefix : {"", kHistoryPrefix})
    if (const auto wrenches = arrays.find(std::string(prefix) + info(Field::body_wrench).name);
        wrenches != arrays.end() && !is_zero(wrenches->second))
      batch.use_wrenches();
  visit_fields([&](Field field) {
    if (!batch.is_kept(field) || batch.is_idle(field)) return;
    const std::size_t item = static_cast<std::size_t>(item_size(field, batch.is_float()));
    const std::size_t components = static_cast<std::size_t>(batch.components(field));
    const std::byte* rows = arrays.at(info(field).name).data.data();
    for (std::size_t c = 0; c < components; ++c) {
      std::byte* column = batch.column(field, static_cast<int>(c));
      for (std::size_t w = 0; w < static_cast<std::size_t>(batch.num_worlds()); ++w)
        std::memcpy(column + w * item, rows + (row(w) * components + c) * item, item);
    }
  });
}

}  // namespace flexor
