#include "sim/parameter_store.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "model/findings.hpp"
#include "sim/inert.hpp"
#include "sim/worlds.hpp"

namespace flexor {
namespace {

/// Most numbers a parameter has: an inertia.
constexpr int kMostNumbers = 6;

bool is_spring_bound(ParameterKind kind) {
  return kind == ParameterKind::tendon_spring_lower || kind == ParameterKind::tendon_spring_upper;
}

[[noreturn]] void reject(const Parameter& parameter, const std::string& where,
                         std::span<const double> numbers, const std::string& reason) {
  throw ParameterError(parameter.name + ": " + number_text(numbers) + " in " + where + "; " +
                       reason + " [" + info(parameter.kind).unit + "]");
}

double rounded(double value, bool is_float) {
  return is_float ? static_cast<double>(static_cast<float>(value)) : value;
}

std::string world_text(long world) { return "world " + std::to_string(world); }

void normalise(std::span<double> quaternion) {
  const Quatd unit = unit_quaternion({quaternion[0], quaternion[1], quaternion[2], quaternion[3]});
  const double parts[4] = {unit.w, unit.x, unit.y, unit.z};
  std::copy(parts, parts + 4, quaternion.begin());
}

/// Path elements are numbered over all tendons.
int tendon_of_element(const Description& description, int element) {
  for (int t = 0; t < static_cast<int>(description.tendons.size()); ++t) {
    element -= static_cast<int>(description.tendons[t].path.size());
    if (element < 0) return t;
  }
  return -1;
}

bool passes_site(const TendonDescription& tendon, int site) {
  return std::any_of(tendon.path.begin(), tendon.path.end(), [&](const PathElement& element) {
    return element.site.index == site || element.side_site.index == site;
  });
}

}  // namespace

int address_of(const Model& model, ParameterKind kind, int element) {
  return model.plan().parameter_offset[static_cast<int>(kind)] + element * info(kind).count;
}

Bytes tendons_shaped_by(const Model& model, const Parameter& parameter) {
  const Description& description = model.description();
  Bytes tendons(description.tendons.size(), 0);
  switch (parameter.kind) {
    case ParameterKind::body_pos:
    case ParameterKind::body_quat:
    case ParameterKind::joint_axis:
    case ParameterKind::joint_pos:
      for (std::size_t t = 0; t < tendons.size(); ++t)
        tendons[t] = description.tendons[t].type == TendonType::kSpatial;
      break;
    case ParameterKind::site_pos:
    case ParameterKind::site_quat:
      for (std::size_t t = 0; t < tendons.size(); ++t)
        tendons[t] = passes_site(description.tendons[t], parameter.element);
      break;
    default:
      if (info(parameter.kind).owner == Owner::kElement)
        tendons[tendon_of_element(description, parameter.element)] = 1;
  }
  return tendons;
}

bool can_hold(std::span<const double> numbers, bool is_float) {
  const bool is_lost =
      std::any_of(numbers.begin(), numbers.end(), [](double x) { return x != 0; }) &&
      std::all_of(numbers.begin(), numbers.end(),
                  [&](double x) { return rounded(x, is_float) == 0; });
  return !is_lost && std::all_of(numbers.begin(), numbers.end(), [&](double x) {
    return std::isinf(x) == std::isinf(rounded(x, is_float));
  });
}

ParameterStore::ParameterStore(const Model& model, long num_worlds, bool is_float,
                               const std::vector<std::pair<int, double>>& idle)
    : num_worlds_(num_worlds),
      is_float_(is_float),
      views_(model.nominal().size(), num_worlds, is_float) {
  raw_.shared = model.nominal();
  raw_.per_world.resize(raw_.shared.size());
  for (const auto& [address, value] : idle) raw_.shared[address] = value;
  const std::vector<double> exact = raw_.shared;
  for (double& value : raw_.shared) value = rounded(value);
  for (const Parameter& parameter : model.parameters()) {
    const std::size_t count = info(parameter.kind).count;
    const std::span<const double> stored{raw_.shared.data() + parameter.address, count};
    check_held(parameter.name, {exact.data() + parameter.address, count},
               illegal_reason(info(parameter.kind).legal, stored));
  }
  const OptionsDescription& options = model.description().options;
  check_held("option/hard_row_softness", {&options.hard_row_softness, 1}, {});
  for (const TendonDescription& tendon : model.description().tendons)
    if (!std::isnan(tendon.reference_length))
      check_held("tendon/" + tendon.name + "/reference_length", {&tendon.reference_length, 1}, {});
  nominal_ = raw_.shared;
  clear_touched();
}

double ParameterStore::rounded(double value) const { return flexor::rounded(value, is_float_); }

void ParameterStore::check_held(const std::string& name, std::span<const double> numbers,
                                std::string reason) const {
  if (reason.empty() && !can_hold(numbers, is_float_)) {
    std::vector<double> stored;
    for (const double x : numbers) stored.push_back(rounded(x));
    reason = "it becomes " + number_text(stored);
  }
  if (reason.empty()) return;
  throw ConfigError("precision: 'float32' cannot hold " + name + " = " + number_text(numbers) +
                    " (" + reason + "); legal for this model: 'float64'");
}

void ParameterStore::set(const Model& model, std::string_view name, std::span<const double> values,
                         std::span<const long> worlds) {
  const Parameter& parameter = model.parameter(name);
  const ParameterInfo& kind = info(parameter.kind);
  const std::size_t count = static_cast<std::size_t>(kind.count);
  const bool is_all = worlds.empty();
  const std::size_t selected = is_all ? static_cast<std::size_t>(num_worlds_) : worlds.size();
  check_worlds<ParameterError>(parameter.name, worlds, num_worlds_);
  const bool is_broadcast = values.size() == 1 || values.size() == count;
  if (!is_broadcast && values.size() != selected * count)
    throw ShapeError(parameter.name + ": " + std::to_string(values.size()) + " values given, 1, " +
                     std::to_string(count) + " or " + std::to_string(selected) + " x " +
                     std::to_string(count) + " expected");

  // the numbers as they would be stored
  const std::size_t rows = is_broadcast ? 1 : selected;
  std::vector<double> numbers(rows * count);
  for (std::size_t row = 0; row < rows; ++row) {
    double* number = numbers.data() + row * count;
    for (std::size_t c = 0; c < count; ++c)
      number[c] = values.size() == 1 ? values[0] : values[row * count + c];
    const std::vector<double> given(number, number + count);
    const std::string where = is_broadcast && is_all
                                  ? std::string("every world")
                                  : world_text(is_all ? static_cast<long>(row) : worlds[row]);
    std::string reason = illegal_reason(kind.legal, given);
    if (!reason.empty()) reject(parameter, where, given, reason);
    if (kind.legal == Legal::kQuaternion) normalise({number, count});
    const bool is_held = can_hold({number, count}, is_float_);
    for (std::size_t c = 0; c < count; ++c) number[c] = rounded(number[c]);
    reason = illegal_reason(kind.legal, {number, count});
    if (!reason.empty()) reject(parameter, where, given, reason + " once rounded to float32");
    if (!is_held)
      reject(parameter, where, given,
             "float32 makes it " + number_text({number, count}) + "; legal: what float32 can hold");
    reason = unsimulated_reason(model, parameter, number[0]);
    if (!reason.empty()) reject(parameter, where, given, reason);
  }
  check_pairs(model, parameter, numbers, worlds);

  const bool stays_shared = is_all && is_broadcast && raw_.per_world[parameter.address].empty();
  std::vector<std::vector<double>> columns;
  if (!stays_shared) {
    for (std::size_t c = 0; c < count; ++c) {
      const int address = parameter.address + static_cast<int>(c);
      std::vector<double>& column = columns.emplace_back(raw_.per_world[address]);
      if (column.empty()) column.assign(num_worlds_, raw_.shared[address]);
      for (std::size_t i = 0; i < selected; ++i)
        column[is_all ? i : worlds[i]] = numbers[(is_broadcast ? 0 : i) * count + c];
    }
  }
  touch(model, parameter, worlds);  // the last that may throw
  for (std::size_t c = 0; c < count; ++c) {
    const int address = parameter.address + static_cast<int>(c);
    if (stays_shared) {
      raw_.shared[address] = numbers[c];
      continue;
    }
    raw_.per_world[address] = std::move(columns[c]);
    if (!views_.is_open(address)) continue;
    for (std::size_t i = 0; i < selected; ++i) {
      const long world = is_all ? static_cast<long>(i) : worlds[i];
      views_.write(address, world, raw_.per_world[address][world]);
    }
  }
  if (out_of_range_.empty()) return;
  for (std::size_t i = 0; i < selected; ++i)
    judge_again(model, is_all ? static_cast<long>(i) : worlds[i]);
}

void ParameterStore::check_pairs(const Model& model, const Parameter& parameter,
                                 std::span<const double> numbers,
                                 std::span<const long> worlds) const {
  const ParameterInfo& kind = info(parameter.kind);
  if (kind.count != 1) return;
  const auto check = [&](long world, double number, const std::string& where) {
    const std::string reason =
        illegal_pair_reason(model.description(), parameter, [&](ParameterKind other) {
          return other == parameter.kind
                     ? number
                     : raw_.value(address_of(model, other, parameter.element), world);
        });
    if (reason.empty()) return;
    if (is_spring_bound(parameter.kind)) {
      const double lower = raw_.value(
          address_of(model, ParameterKind::tendon_spring_lower, parameter.element), world);
      const double upper = raw_.value(
          address_of(model, ParameterKind::tendon_spring_upper, parameter.element), world);
      const double other = parameter.kind == ParameterKind::tendon_spring_lower ? upper : lower;
      if (std::isnan(number) != std::isnan(other)) return;  // judged at commit
    }
    reject(parameter, where, {&number, 1}, reason);
  };
  // With nothing per world all worlds are alike.
  bool is_alike = worlds.empty() && numbers.size() == 1;
  for (int k = 0; is_alike && k < kParameterKindCount; ++k)
    if (kParameterInfo[k].owner == kind.owner && kParameterInfo[k].count == 1)
      is_alike = raw_.per_world[address_of(model, static_cast<ParameterKind>(k), parameter.element)]
                     .empty();
  if (is_alike) return check(0, numbers[0], "every world");
  const long selected = worlds.empty() ? num_worlds_ : static_cast<long>(worlds.size());
  for (long i = 0; i < selected; ++i) {
    const long world = worlds.empty() ? i : worlds[i];
    check(world, numbers.size() == 1 ? numbers[0] : numbers[i], world_text(world));
  }
}

void ParameterStore::touch(const Model& model, const Parameter& parameter,
                           std::span<const long> worlds) {
  const auto mark = [&](Bytes& bytes) {
    bytes.resize(num_worlds_, 0);
    if (worlds.empty()) std::fill(bytes.begin(), bytes.end(), 1);
    for (const long world : worlds) bytes[world] = 1;
  };
  const Bytes tendons = tendons_shaped_by(model, parameter);
  if (std::find(tendons.begin(), tendons.end(), 1) != tendons.end())
    mark(touched_.geometry[tendons]);
  mark(touched_.worlds);
  touched_.is_any = true;
}

void ParameterStore::clear_touched() {
  touched_.is_any = false;
  touched_.worlds.assign(num_worlds_, 0);
  touched_.geometry.clear();
}

std::vector<double> ParameterStore::get(const Parameter& parameter) const {
  const int count = info(parameter.kind).count;
  std::vector<double> values;
  values.reserve(num_worlds_ * count);
  for (long w = 0; w < num_worlds_; ++w)
    for (int c = 0; c < count; ++c) {
      const int address = parameter.address + c;
      values.push_back(views_.is_open(address) ? views_.read(address, w) : raw_.value(address, w));
    }
  return values;
}

void ParameterStore::replace(const Model& model, RawParameters raw) {
  raw_ = std::move(raw);
  out_of_range_.clear();
  std::vector<Entry> entries;
  const std::vector<Parameter>& rows = model.parameters();
  for (int row = 0; row < static_cast<int>(rows.size()); ++row)
    if (!raw_.per_world[rows[row].address].empty())
      for (long w = 0; w < num_worlds_; ++w) entries.push_back({row, w});
  judge(model, entries);
  for (const int row : viewed_) show(rows[row]);
  std::fill(touched_.worlds.begin(), touched_.worlds.end(), 1);
  touched_.geometry.clear();
  touched_.is_any = true;
}

/// The column of a number, made per world if it is not.
std::vector<double>& ParameterStore::promoted(int address) {
  std::vector<double>& column = raw_.per_world[address];
  if (column.empty()) column.assign(num_worlds_, raw_.shared[address]);
  return column;
}

/// Writes the raw values of a parameter that has a view into it.
void ParameterStore::show(const Parameter& parameter) {
  for (int c = 0; c < info(parameter.kind).count; ++c) {
    const std::vector<double>& column = promoted(parameter.address + c);
    for (long w = 0; w < num_worlds_; ++w) views_.write(parameter.address + c, w, column[w]);
  }
}

ArrayRef ParameterStore::view(const Model& model, const Parameter& parameter) {
  const ArrayRef ref = views_.open(parameter);
  const int row = static_cast<int>(&parameter - model.parameters().data());
  if (viewed_.insert(row).second) show(parameter);
  return ref;
}

/// Takes in one parameter of one world if its view has other bits.
bool ParameterStore::take_entry(const Parameter& parameter, long world) {
  const ParameterInfo& kind = info(parameter.kind);
  double numbers[kMostNumbers];
  bool is_same = true;
  for (int c = 0; c < kind.count; ++c) {
    numbers[c] = views_.read(parameter.address + c, world);
    is_same =
        is_same && std::bit_cast<std::uint64_t>(numbers[c]) ==
                       std::bit_cast<std::uint64_t>(raw_.per_world[parameter.address + c][world]);
  }
  if (is_same) return false;
  const std::span<double> given(numbers, static_cast<std::size_t>(kind.count));
  if (kind.legal == Legal::kQuaternion && illegal_reason(kind.legal, given).empty())
    normalise(given);
  for (int c = 0; c < kind.count; ++c) {
    raw_.per_world[parameter.address + c][world] = rounded(numbers[c]);
    views_.write(parameter.address + c, world, numbers[c]);
  }
  return true;
}

void ParameterStore::take_written(const Model& model, std::span<const long> worlds) {
  check_worlds<ConfigError>("commit", worlds, num_worlds_, true);
  std::vector<Entry> taken;
  for (const int row : viewed_) {
    const Parameter& parameter = model.parameters()[row];
    std::vector<long> changed;
    const auto take = [&](long world) {
      if (!take_entry(parameter, world)) return;
      changed.push_back(world);
      taken.push_back({row, world});
    };
    for (const long world : worlds) take(world);
    if (worlds.empty())
      for (long w = 0; w < num_worlds_; ++w) take(w);
    if (!changed.empty()) touch(model, parameter, changed);
  }
  judge(model, taken);
}

}  // namespace flexor
