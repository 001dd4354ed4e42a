#include "sim/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>

#include "io/path_text.hpp"
#include "sim/options.hpp"

namespace flexor {
namespace {

constexpr const char* kFormat = "2";

const char* precision_name(const Batch& batch) { return batch.is_float() ? "float32" : "float64"; }

std::string json_text(const std::string& text) {
  constexpr const char* kHex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += std::string("\\u00") + kHex[(c >> 4) & 15] + kHex[c & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

/// Parameters that have a member of their own.
template <class Visit>
void visit_per_world(const Model& model, const RawParameters& raw, Visit&& visit) {
  for (const Parameter& parameter : model.parameters())
    if (!raw.per_world[parameter.address].empty()) visit(parameter);
}

std::string member_of(const Parameter& parameter) { return "parameter/" + parameter.name; }

/// Every member but the header, in the order of the file.
std::vector<std::string> list_members(const Model& model, const Batch& batch,
                                      const RawParameters& raw) {
  std::vector<std::string> members;
  visit_fields([&](Field field) {
    if (!is_read_out(field) && batch.has(field)) members.push_back(info(field).name);
  });
  members.push_back("shared_parameters");
  visit_per_world(model, raw, [&](const Parameter& p) { members.push_back(member_of(p)); });
  members.push_back("reference_length_given");
  return members;
}

std::string list_fields(const Batch& batch) {
  std::string json;
  visit_fields([&](Field field) {
    if (is_read_out(field) || !batch.has(field)) return;
    if (!json.empty()) json += ", ";
    json += "{\"name\": \"" + std::string(info(field).name) +
            "\", \"unit\": " + json_text(info(field).unit) + "}";
  });
  return json;
}

std::string timestep_text(const Model& model) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", model.timestep());
  return text;
}

std::string make_header(const Model& model, const SimulationOptions& options, const Batch& batch,
                        const RawParameters& raw, long num_worlds) {
  std::string json =
      "{\"format\": \"" + std::string(kFormat) + "\", \"model_hash\": \"" + model_hash(model) +
      "\", \"precision\": \"" + precision_name(batch) +
      "\", \"num_worlds\": " + std::to_string(num_worlds) + ", \"library\": \"" + FLEXOR_VERSION +
      "\", \"model\": " + json_text(model.description().name) +
      ", \"device\": " + json_text(options.device) + ", \"timestep\": " + timestep_text(model) +
      ", \"nq\": " + std::to_string(model.nq()) + ", \"nv\": " + std::to_string(model.nv()) +
      ", \"fields\": [" + list_fields(batch) + "], \"members\": [";
  for (const std::string& member : list_members(model, batch, raw))
    json += (json.back() == '[' ? "" : ", ") + json_text(member);
  return json + "]}";
}

/// The texts of a list in the header; nothing if it is none.
std::optional<std::set<std::string>> header_list(const std::string& json, const std::string& key) {
  std::size_t at = json.find("\"" + key + "\": [");
  if (at == std::string::npos) return std::nullopt;
  std::set<std::string> texts;
  for (at = json.find('[', at) + 1; at < json.size() && json[at] != ']';) {
    if (json[at] == ',' || json[at] == ' ') {
      ++at;
      continue;
    }
    if (json[at] != '"') return std::nullopt;
    std::string text;
    for (++at; at < json.size() && json[at] != '"'; ++at) {
      if (json[at] == '\\' && json.compare(at, 4, "\\u00") == 0 && at + 5 < json.size()) {
        unsigned code = 0;
        std::from_chars(json.data() + at + 4, json.data() + at + 6, code, 16);
        text += static_cast<char>(code);
        at += 5;
      } else {
        if (json[at] == '\\') ++at;
        if (at < json.size()) text += json[at];
      }
    }
    ++at;  // closing quote
    texts.insert(std::move(text));
  }
  if (at >= json.size()) return std::nullopt;
  return texts;
}

/// Value of a key of the flat part of the header, without quotes.
std::string header_value(const std::string& json, const std::string& key) {
  const std::size_t at = json.find('"' + key + "\":");
  if (at == std::string::npos) return {};
  std::size_t first = json.find_first_not_of(' ', at + key.size() + 3);
  if (first == std::string::npos) return {};
  const bool is_text = json[first] == '"';
  first += is_text;
  const std::size_t last = json.find_first_of(is_text ? "\"" : ",} ", first);
  return json.substr(first, last == std::string::npos ? last : last - first);
}

std::span<const std::byte> bytes_of(const std::vector<double>& numbers) {
  return std::as_bytes(std::span<const double>(numbers));
}

/// Rows of worlds, a block at a time.
void write_field(NpzWriter& file, const Batch& batch, Field field, std::span<const long> worlds) {
  const ArrayRef ref = batch.array(field);
  const std::size_t item = static_cast<std::size_t>(ref.item_size());
  const std::size_t components = static_cast<std::size_t>(batch.components(field));
  file.add(info(field).name, npy_type(ref), npy_shape(ref, static_cast<long>(worlds.size())),
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

}  // namespace

const char* npy_type(const ArrayRef& ref) {
  if (ref.is_float) return "<f4";
  switch (ref.type) {
    case FieldType::kInt32:
      return "<i4";
    case FieldType::kInt64:
      return "<i8";
    case FieldType::kUint8:
      return "|u1";
    default:
      return "<f8";
  }
}

std::vector<long> npy_shape(const ArrayRef& ref, long num_worlds) {
  std::vector<long> shape = ref.shape();
  shape[0] = num_worlds;
  return shape;
}

std::string history_header(const Model& model, const Batch& batch) {
  return std::string("{\"format\": \"history 1\", \"model_hash\": \"") + model_hash(model) +
         "\", \"precision\": \"" + precision_name(batch) + "\", \"library\": \"" + FLEXOR_VERSION +
         "\", \"model\": " + json_text(model.description().name) +
         ", \"timestep\": " + timestep_text(model) + ", \"fields\": [" + list_fields(batch) + "]}";
}

void write_checkpoint(const std::filesystem::path& path, const Model& model,
                      const SimulationOptions& options, const Batch& batch,
                      const RawParameters& raw, const Bytes& reference_given,
                      std::span<const long> worlds) {
  NpzWriter file(path);
  const long num_worlds = static_cast<long>(worlds.size());
  const std::string header = make_header(model, options, batch, raw, num_worlds);
  file.add("header", "|u1", {static_cast<long>(header.size())},
           std::as_bytes(std::span<const char>(header)));
  visit_fields([&](Field field) {
    if (!is_read_out(field) && batch.has(field)) write_field(file, batch, field, worlds);
  });
  file.add("shared_parameters", "<f8", {static_cast<long>(raw.shared.size())},
           bytes_of(raw.shared));
  visit_per_world(model, raw, [&](const Parameter& parameter) {
    const int count = info(parameter.kind).count;
    std::vector<double> rows;
    for (const long w : worlds)
      for (int c = 0; c < count; ++c) rows.push_back(raw.per_world[parameter.address + c][w]);
    file.add(member_of(parameter), "<f8", {num_worlds, count}, bytes_of(rows));
  });
  file.add("reference_length_given", "|u1", {static_cast<long>(reference_given.size())},
           std::as_bytes(std::span<const std::uint8_t>(reference_given)));
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

std::string text_of(const NpyArray& array) {
  return std::string(reinterpret_cast<const char*>(array.data.data()), array.data.size());
}

void check_header(const Members& members, const Model& model, const Batch& batch) {
  const auto found = members.arrays.find("header");
  if (found == members.arrays.end()) members.fail("no checkpoint: member 'header' is missing");
  const std::string json = text_of(found->second);
  const auto check = [&](const std::string& key, const std::string& expected,
                         const std::string& meaning) {
    const std::string given = header_value(json, key);
    if (given != expected)
      members.fail(meaning + " '" + io::shown(given) + "', this simulation has '" + expected + "'");
  };
  check("format", kFormat, "checkpoint of format");
  check("model_hash", model_hash(model),
        "checkpoint of another model, '" + io::shown(header_value(json, "model")) + "' with hash");
  check("precision", precision_name(batch), "checkpoint of precision");
  check("num_worlds", std::to_string(batch.num_worlds()), "checkpoint of num_worlds");

  // What the header lists, and nothing else: a member that the zip directory has lost, or found
  // under another name, does not go by unseen.
  const auto listed = header_list(json, "members");
  if (!listed) members.fail("member 'header': it does not list the members");
  for (const std::string& name : *listed)
    if (!members.arrays.contains(name)) members.fail("member '" + io::shown(name) + "' is missing");
  for (const auto& [name, array] : members.arrays)
    if (name != "header" && !listed->contains(name))
      members.fail("member '" + io::shown(name) + "' is not one that the header lists");
}

RawParameters read_parameters(const Members& members, const Model& model, long num_worlds) {
  RawParameters raw;
  raw.shared = members.numbers("shared_parameters", {static_cast<long>(model.nominal().size())});
  raw.per_world.resize(raw.shared.size());
  for (const Parameter& parameter : model.parameters()) {
    const ParameterInfo& kind = info(parameter.kind);
    const std::size_t count = static_cast<std::size_t>(kind.count);
    const std::string member = member_of(parameter);
    const bool is_per_world = members.arrays.contains(member);
    const std::vector<double> rows =
        is_per_world ? members.numbers(member, {num_worlds, kind.count})
                     : std::vector<double>(raw.shared.begin() + parameter.address,
                                           raw.shared.begin() + parameter.address + kind.count);
    for (std::size_t row = 0; row < rows.size() / count; ++row) {
      if (is_per_world) continue;  // such a world has PARAMETER_INVALID, and had it
      const std::string reason = illegal_reason(kind.legal, {rows.data() + row * count, count});
      if (!reason.empty())
        members.fail("member 'shared_parameters': " + parameter.name + " is out of its range; " +
                     reason);
    }
    if (!is_per_world) continue;
    for (std::size_t c = 0; c < count; ++c) {
      std::vector<double>& column = raw.per_world[parameter.address + static_cast<int>(c)];
      for (long w = 0; w < num_worlds; ++w)
        column.push_back(rows[static_cast<std::size_t>(w) * count + c]);
    }
  }
  return raw;
}

}  // namespace

CheckpointInfo read_checkpoint_info(const std::filesystem::path& path) {
  const NpyArray header = read_npz_member(path, "header");
  const auto fail = [&](const std::string& what) {
    throw CheckpointError(io::shown(path) + ": member 'header': " + what +
                          "; legal: a file that Simulation.save wrote");
  };
  const std::string json = text_of(header);
  const auto value = [&](const std::string& key) {
    const std::string text = header_value(json, key);
    if (text.empty()) fail("it names no " + key);
    return text;
  };
  if (const std::string format = value("format"); format != kFormat)
    fail("format '" + io::shown(format) + "', this version reads '" + kFormat + "'");
  CheckpointInfo info;
  info.device = value("device");
  const std::string worlds = value("num_worlds"), precision = value("precision");
  const auto [end, error] =
      std::from_chars(worlds.data(), worlds.data() + worlds.size(), info.num_worlds);
  if (error != std::errc() || end != worlds.data() + worlds.size() || info.num_worlds < 1 ||
      info.num_worlds > kMostWorlds)
    fail("num_worlds '" + io::shown(worlds) + "' is not a whole number from 1 to " +
         std::to_string(kMostWorlds));
  if (precision != "float32" && precision != "float64")
    fail("precision '" + io::shown(precision) + "' is not 'float32' or 'float64'");
  info.precision = precision == "float32" ? Precision::kFloat32 : Precision::kFloat64;
  if (info.device != "cpu" && info.device != "reference")
    fail("device '" + io::shown(info.device) + "' is not 'cpu' or 'reference'");
  return info;
}

Checkpoint read_checkpoint(const std::filesystem::path& path, const Model& model,
                           const Batch& batch) {
  Checkpoint checkpoint;
  checkpoint.arrays = read_npz(path);
  const Members members{path, checkpoint.arrays};
  check_header(members, model, batch);
  visit_fields([&](Field field) {
    if (is_read_out(field) || !batch.has(field)) return;
    const ArrayRef ref = batch.array(field);
    members.get(info(field).name, npy_type(ref), npy_shape(ref, ref.num_worlds));
  });
  checkpoint.raw = read_parameters(members, model, batch.num_worlds());
  std::set<std::string> known = {"header"};
  for (std::string& member : list_members(model, batch, checkpoint.raw))
    known.insert(std::move(member));
  for (const auto& [name, array] : checkpoint.arrays)
    if (!known.contains(name))
      members.fail("member '" + io::shown(name) + "' is not known for this model");
  const long tendons = static_cast<long>(model.description().tendons.size());
  const NpyArray& given = members.get("reference_length_given", "|u1", {tendons});
  for (const std::byte byte : given.data)
    checkpoint.reference_given.push_back(static_cast<std::uint8_t>(byte));
  return checkpoint;
}

void Checkpoint::apply(Batch& batch) const {
  const std::vector<std::byte>& wrenches = arrays.at(info(Field::body_wrench).name).data;
  if (std::any_of(wrenches.begin(), wrenches.end(), [](std::byte b) { return b != std::byte(0); }))
    batch.use_wrenches();
  visit_fields([&](Field field) {
    if (is_read_out(field) || !batch.has(field) || batch.is_idle(field)) return;
    const std::size_t item = static_cast<std::size_t>(batch.array(field).item_size());
    const std::size_t components = static_cast<std::size_t>(batch.components(field));
    const std::byte* rows = arrays.at(info(field).name).data.data();
    for (std::size_t c = 0; c < components; ++c) {
      std::byte* column = batch.column(field, static_cast<int>(c));
      for (std::size_t w = 0; w < static_cast<std::size_t>(batch.num_worlds()); ++w)
        std::memcpy(column + w * item, rows + (w * components + c) * item, item);
    }
  });
}

}  // namespace flexor
