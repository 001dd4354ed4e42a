#include "sim/checkpoint_header.hpp"

#include <charconv>
#include <concepts>
#include <string_view>

#include "flexor/sim/option_names.hpp"
#include "io/json.hpp"
#include "io/path_text.hpp"
#include "sim/options.hpp"

namespace flexor {
namespace {

constexpr const char* kFormat = "3";
constexpr const char* kHistoryFormat = "history 1";

std::string json_value(const std::string& value) { return io::json_text(value); }
std::string json_value(const char* value) { return io::json_text(value); }
std::string json_value(bool value) { return value ? "true" : "false"; }
template <class T>
requires(std::integral<T> || std::floating_point<T>) std::string json_value(T value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// {"key": value, ...}, or with the other brackets a list without keys.
class Writer {
 public:
  explicit Writer(char open = '{') : text_(1, open), close_(open == '{' ? '}' : ']') {}
  template <class T>
  Writer& put(const char* key, const T& value) {
    return put_json(key, json_value(value));
  }
  Writer& put_json(const char* key, const std::string& json) {
    return item(io::json_text(key) + ": " + json);
  }
  Writer& item(const std::string& json) {
    text_ += (text_.size() > 1 ? ", " : "") + json;
    return *this;
  }
  std::string finish() const { return text_ + close_; }

 private:
  std::string text_;
  char close_;
};

std::string list_of(const std::vector<std::string>& texts) {
  Writer list('[');
  for (const std::string& text : texts) list.item(io::json_text(text));
  return list.finish();
}

std::string list_fields(bool is_float) {
  Writer list('[');
  visit_fields([&](Field field) {
    if (is_in_checkpoints(field, is_float))
      list.item(Writer().put("name", info(field).name).put("unit", info(field).unit).finish());
  });
  return list.finish();
}

std::string list_counts(const Model& model) {
  const Description& d = model.description();
  return Writer()
      .put("nq", model.nq())
      .put("nv", model.nv())
      .put("body", d.bodies.size())
      .put("joint", d.joints.size())
      .put("site", d.sites.size())
      .put("geom", d.geoms.size())
      .put("tendon", d.tendons.size())
      .finish();
}

/// What every header begins with.
Writer begin_header(const char* format, const Model& model, const SimulationOptions& options) {
  Writer header;
  header.put("format", format)
      .put("library", FLEXOR_VERSION)
      .put("model", model.description().name)
      .put("model_hash", model_hash(model))
      .put("precision", name_of(options.precision, kPrecisionNames))
      .put("timestep", model.timestep());
  return header;
}

/// Members of a header, each of which must be there.
class Reader {
 public:
  Reader(const std::filesystem::path& path, const io::Json& json) : path_(path), json_(json) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw CheckpointError(io::shown(path_) + ": member 'header': " + what +
                          "; legal: a file that Simulation.save wrote");
  }
  const io::Json& get(const char* key, io::Json::Kind kind) const {
    const io::Json* value = json_.find(key);
    if (value == nullptr) fail("it names no " + std::string(key));
    if (value->kind != kind) fail(std::string(key) + " is of another kind");
    return *value;
  }
  std::string text(const char* key) const { return get(key, io::Json::Kind::kText).text; }
  bool flag(const char* key) const { return get(key, io::Json::Kind::kBool).text == "true"; }
  template <class T>
  T number(const char* key, T low, T high) const {
    const std::string& text = get(key, io::Json::Kind::kNumber).text;
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(low <= value) ||
        !(value <= high))
      fail(std::string(key) + " '" + io::shown(text) + "' is not a number from " + json_value(low) +
           " to " + json_value(high));
    return value;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> texts;
    for (const io::Json& item : get(key, io::Json::Kind::kList).items) {
      if (item.kind != io::Json::Kind::kText) fail(std::string(key) + " is no list of texts");
      texts.push_back(item.text);
    }
    return texts;
  }
  template <class T, std::size_t kCount>
  T choice(const char* key, const OptionName<T> (&names)[kCount]) const try {
    return value_of(key, text(key), names);
  } catch (const ConfigError& error) {
    fail(error.what());
  }

 private:
  const std::filesystem::path& path_;
  const io::Json& json_;
};

SimulationOptions read_options(const Reader& header) {
  constexpr int kMost = std::numeric_limits<int>::max();
  SimulationOptions options;
  options.num_worlds = header.number("num_worlds", 1L, kMostWorlds);
  options.precision = header.choice("precision", kPrecisionNames);
  options.numeric = header.choice("numeric", kNumericNames);
  options.seed = header.number<std::uint64_t>("seed", 0, ~std::uint64_t{0});
  options.device = header.text("device");
  options.guard = header.choice("guard", kGuardNames);
  options.history = header.number("history", 0, kMost);
  options.solver = header.choice("solver", kSolverNames);
  options.iterations = header.number("iterations", 1, kMost);
  options.tolerance = header.number("tolerance", 0.0, std::numeric_limits<double>::max());
  options.warm_start = header.flag("warm_start");
  options.inert = header.texts("inert");
  options.outputs = header.texts("outputs");
  if (options.device != "cpu" && options.device != "reference")
    header.fail("device '" + io::shown(options.device) + "' is not 'cpu' or 'reference'");
  return options;
}

}  // namespace

std::string make_checkpoint_header(const Model& model, const SimulationOptions& options,
                                   long num_worlds, const std::vector<std::string>& members) {
  return begin_header(kFormat, model, options)
      .put("num_worlds", num_worlds)
      .put("numeric", name_of(options.numeric, kNumericNames))
      .put("seed", options.seed)
      .put("device", options.device)
      .put("guard", name_of(options.guard, kGuardNames))
      .put("history", options.history)
      .put("solver", name_of(options.solver, kSolverNames))
      .put("iterations", options.iterations)
      .put("tolerance", options.tolerance)
      .put("warm_start", options.warm_start)
      .put_json("inert", list_of(options.inert))
      .put_json("outputs", list_of(options.outputs))
      .put_json("counts", list_counts(model))
      .put_json("fields", list_fields(options.precision == Precision::kFloat32))
      .put_json("members", list_of(members))
      .finish();
}

CheckpointHeader read_checkpoint_header(const std::filesystem::path& path, const NpyArray& member) {
  const std::string_view text(reinterpret_cast<const char*>(member.data.data()),
                              member.data.size());
  const std::optional<io::Json> json = io::parse_json(text);
  const io::Json nothing;
  const Reader header(path, json ? *json : nothing);
  if (!json || json->kind != io::Json::Kind::kObject) header.fail("it is no JSON object");
  if (const std::string format = header.text("format"); format != kFormat)
    header.fail("format '" + io::shown(format) + "', this version reads '" + kFormat + "'");
  CheckpointHeader read;
  read.info.model_hash = header.text("model_hash");
  read.info.model_name = header.text("model");
  read.info.library = header.text("library");
  read.info.options = read_options(header);
  for (std::string& name : header.texts("members")) read.members.insert(std::move(name));
  return read;
}

std::string make_history_header(const Model& model, const SimulationOptions& options) {
  return begin_header(kHistoryFormat, model, options)
      .put_json("fields", list_fields(options.precision == Precision::kFloat32))
      .finish();
}

}  // namespace flexor
