#include "io/mjcf_context.hpp"

#include <cmath>
#include <numbers>

#include "io/numbers.hpp"

namespace flexor::io {

double Settings::to_radians(double angle) const {
  return is_degrees ? angle * std::numbers::pi / 180 : angle;
}

std::vector<int> Context::children(const Element& parent) const {
  std::vector<int> result;
  for (int i = parent.first_child; i >= 0; i = element(i).next_sibling)
    if (element(i).word != nullptr && element(i).binning.bin != Bin::kRejected) result.push_back(i);
  return result;
}

std::vector<int> Context::section_children(std::string_view section) const {
  std::vector<int> result;
  for (const int i : children(document.elements[0])) {
    if (element(i).name != section) continue;
    for (const int child : children(element(i))) result.push_back(child);
  }
  return result;
}

std::vector<double> to_numbers(const std::vector<std::string_view>& words) {
  std::vector<double> values;
  for (const std::string_view word : words) values.push_back(parse_number(word).value);
  return values;
}

std::vector<double> Reading::numbers(std::string_view name) const {
  return to_numbers(get(name).words);
}

double Reading::real(std::string_view name, double otherwise) const {
  const Value value = get(name);
  return value ? parse_number(value.word()).value : otherwise;
}

int Reading::integer(std::string_view name, int otherwise) const {
  return static_cast<int>(real(name, otherwise));
}

Vec3d Reading::vector(std::string_view name, const Vec3d& otherwise) const {
  const auto values = numbers(name);
  return values.size() == 3 ? Vec3d{values[0], values[1], values[2]} : otherwise;
}

bool Reading::boolean(std::string_view name, bool otherwise) const {
  const Value value = get(name);
  return value ? value.word() == "true" : otherwise;
}

std::string_view Reading::keyword(std::string_view name, std::string_view otherwise) const {
  const Value value = get(name);
  return value ? value.word() : otherwise;
}

std::string Reading::name() const {
  const Attribute* attribute = context_.document.find(element_, "name");
  return attribute != nullptr ? std::string(attribute->value) : "";
}

Reference Reading::reference(std::string_view name, const std::string& suffix) const {
  const Value value = get(name);
  if (!value) return {};
  Reference result(value.name() + suffix);
  result.source = context_.document.place(*value.attribute);
  return result;
}

void Reading::error(const char* code, std::string message, std::string hint) const {
  Problem problem = context_.document.problem(element_, code, std::move(message));
  problem.hint = std::move(hint);
  context_.findings.error(std::move(problem));
}

void Reading::error(const Value& value, const char* code, std::string message,
                    std::string hint) const {
  flexor::io::rebin(context_.document, context_.reasons, *value.attribute, kRejected, code,
                    std::move(message), std::move(hint));
}

void Reading::rebin(const Value& value, Binning binning, std::string_view code, std::string message,
                    std::string hint) const {
  flexor::io::rebin(context_.document, context_.reasons, *value.attribute, binning, code,
                    std::move(message), std::move(hint));
}

void Reading::unused(std::string_view name, std::string message) const {
  const Value value = get(name);
  if (value && value.is_own) rebin(value, kInactive, "", std::move(message));
}

Bounds read_bounds(const Reading& reading, std::string_view range, std::string_view limited,
                   bool may_lock) {
  const Value bounds = reading.get(range);
  const std::string_view word = reading.keyword(limited, "auto");
  const bool is_auto = word == "auto";
  if (word == "false" || !bounds) {
    if (word == "true")
      reading.error("missing-attribute",
                    in_quotes(limited) + " is true, but there is no " + in_quotes(range));
    if (bounds) reading.unused(range, in_quotes(range) + " has no effect: not limited");
    return {};
  }
  if (is_auto && !reading.context().settings.autolimits) {
    reading.error(bounds, "autolimits",
                  in_quotes(range) + " is given and autolimits is false: say " +
                      in_quotes(limited) + " true or false");
    return {};
  }
  const auto values = to_numbers(bounds.words);
  const bool is_lock = values[0] == values[1] && may_lock && word == "true";
  if (values[0] > values[1] || (values[0] == values[1] && !is_lock)) {
    reading.error(
        bounds, "range-order",
        in_quotes(range) + " is " + in_quotes(bounds.attribute->value) +
            "; the lower bound must lie below the upper one",
        values[0] == values[1] && may_lock ? "limited=\"true\" makes equal ends a lock" : "");
    return {};
  }
  return {true, values[0], values[1]};
}

Softness read_softness(const Reading& reading, std::string_view solref, std::string_view solimp,
                       bool is_used) {
  Softness softness;
  const Value reference = reading.get(solref), impedance = reading.get(solimp);
  const LoadOptions& options = reading.context().options;
  if (!is_used) {
    for (const std::string_view name : {solref, solimp})
      reading.unused(name, in_quotes(name) + " has no effect: there is no such row");
    return softness;
  }
  if (reference) {
    const auto values = to_numbers(reference.words);
    for (std::size_t i = 0; i < values.size(); ++i) softness.solref[i] = values[i];
    const bool is_time = softness.solref[0] > 0 && softness.solref[1] > 0;
    const bool is_direct = softness.solref[0] <= 0 && softness.solref[1] <= 0;
    if (!is_time && !is_direct)
      reading.error(reference, "unsupported-value",
                    in_quotes(solref) + " is " + in_quotes(reference.attribute->value) +
                        "; both numbers must be positive, or both zero or negative");
    // an under-damped row rings; its first-order image cannot
    const double b = -softness.solref[1], k = -softness.solref[0];
    if ((is_time && softness.solref[1] < 1) || (is_direct && b * b < 4 * k))
      reading.rebin(reference, kApproximated, "underdamped-softness",
                    in_quotes(solref) + " is under-damped; the mapped row cannot ring");
    // Without refsafe T stays below 2 h: the direct form says the same without that rule, with
    // K = 1/(T z)^2 and B = 2/T   [MF-18].
    if (is_time && !reading.context().settings.refsafe) {
      const double time = softness.solref[0], ratio = softness.solref[1];
      softness.solref[0] = -1 / (time * time * ratio * ratio);
      softness.solref[1] = -2 / time;
    }
  }
  if (impedance) {
    const auto values = to_numbers(impedance.words);
    for (std::size_t i = 0; i < values.size(); ++i) softness.solimp[i] = values[i];
  }
  softness.is_written =
      options.softness == "all" || (options.softness == "written" && (reference || impedance));
  return softness;
}

Pose read_pose(const Reading& reading) {
  Pose pose;
  const Settings& settings = reading.context().settings;
  pose.pos = reading.vector("pos", {});
  Value chosen;
  std::vector<Value> given;
  for (const std::string_view name : {"quat", "axisangle", "euler", "xyaxes", "zaxis"}) {
    const Value value = reading.get(name);
    if (!value) continue;
    given.push_back(value);
  }
  bool has_own = false;
  for (const Value& value : given) has_own |= value.is_own;
  for (const Value& value : given) {
    if (value.is_own != has_own) continue;  // the nearest level hides the others
    if (chosen) {
      reading.error(value, "exclusive-attributes",
                    in_quotes(value.attribute->name) + " and " + in_quotes(chosen.attribute->name) +
                        " both say an orientation; at most one is legal");
      continue;
    }
    chosen = value;
  }
  if (!chosen) return pose;
  const auto v = to_numbers(chosen.words);
  const std::string_view name = chosen.attribute->name;
  if (name == "quat") pose.quat = unit({v[0], v[1], v[2], v[3]});
  if (name == "axisangle")
    pose.quat = from_axis_angle({v[0], v[1], v[2]}, settings.to_radians(v[3]));
  if (name == "euler")
    pose.quat = from_euler(
        {settings.to_radians(v[0]), settings.to_radians(v[1]), settings.to_radians(v[2])},
        settings.eulerseq);
  if (name == "xyaxes") pose.quat = from_xy_axes({v[0], v[1], v[2]}, {v[3], v[4], v[5]});
  if (name == "zaxis") pose.quat = from_z_axis({v[0], v[1], v[2]});
  if (is_null(pose.quat)) {
    reading.error(chosen, "out-of-range",
                  in_quotes(name) + " is " + in_quotes(chosen.attribute->value) +
                      "; it must say a direction (length at least 1e-9)");
    pose.quat = {};
  }
  return pose;
}

}  // namespace flexor::io
