// Model options by name.   [IA-10]

#include <charconv>
#include <cmath>
#include <optional>

#include "flexor/io/suggest.hpp"
#include "flexor/model/builder.hpp"
#include "model/findings.hpp"
#include "model/own_checks.hpp"

namespace flexor {
namespace {

/// Options whose only choice in this version is the default.
struct FixedOption {
  const char* name;
  const char* value;       ///< the default, as text
  const char* other = "";  ///< another way to write it
};
constexpr FixedOption kFixedOptions[] = {
    {"compat", "flexor"},
    {"position_update", "semi_implicit"},
    {"spring_crossing", "start"},
    {"correction_mode", "momentum"},
    {"stage_iterations", "0"},
    {"stage_tolerance", "1e-10"},
    {"stage_scope", "transmissions"},
    {"geometric_stiffness", "off"},
    {"region_evaluation", "end"},
    {"actuator_integration", "implicit"},
    {"activation_integration", "exact"},
    {"clamp_order", "flexor"},
    {"curvature", "analytic"},
    {"chain_warm_start", "false", "0"},
    {"contact_margin", "0.01"},
    {"contact_compliance", "0"},
    {"contact_softness", "0.01"},
    {"contact_correction", "0.2"},
    {"contact_correction_speed", "1"},
    {"penetration_tolerance", "0.01"},
    {"contact_model", "coulomb"},
    {"collide_parent", "false", "0"},
    {"loop_rank_tolerance", "1e-8"},
    {"energy_tolerance", "none"},
};

enum class Choice { kTimestep, kGravity, kJointImplicit, kHardRowSoftness, kFixed };

struct Option {
  Choice choice;
  const FixedOption* fixed = nullptr;
};

Option find_option(std::string_view name) {
  if (name == "timestep") return {Choice::kTimestep};
  if (name == "gravity") return {Choice::kGravity};
  if (name == "joint_implicit") return {Choice::kJointImplicit};
  if (name == "hard_row_softness") return {Choice::kHardRowSoftness};
  for (const FixedOption& option : kFixedOptions)
    if (name == option.name) return {Choice::kFixed, &option};
  std::vector<std::string> names = {"timestep", "gravity", "joint_implicit", "hard_row_softness"};
  for (const FixedOption& option : kFixedOptions) names.push_back(option.name);
  const std::string hint = suggest(name, names);
  throw ConfigError("no model option named '" + std::string(name) + "'" +
                    (hint.empty() ? "" : "; " + hint));
}

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view legal) {
  throw ConfigError("model option " + std::string(name) + ": " + std::string(value) +
                    "; legal: " + std::string(legal));
}

/// Numbers separated by blanks or commas; nothing if the text is anything else.
std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  const auto is_gap = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == ','; };
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && is_gap(*at)) ++at;
    if (at == end) return numbers;
    if (*at == '+') ++at;
    double number = 0;
    const auto [next, fault] = std::from_chars(at, end, number);
    if (fault != std::errc() || (next != end && !is_gap(*next))) return std::nullopt;
    numbers.push_back(number);
    at = next;
  }
}

void set_fixed(const FixedOption& option, std::string_view value) {
  bool is_default = value == option.value || (*option.other && value == option.other);
  const auto wanted = parse_numbers(option.value);
  const auto given = parse_numbers(value);
  if (wanted && given && wanted->size() == 1) is_default = is_default || *wanted == *given;
  if (!is_default)
    throw ConfigError("model option " + std::string(option.name) +
                      ": this version does not have '" + std::string(value) +
                      "'; legal: " + option.value);
}

}  // namespace

void ModelBuilder::set_option(std::string_view name, double value) {
  const Option option = find_option(name);
  switch (option.choice) {
    case Choice::kTimestep:
      if (!(value >= kLeastTimestep && value <= kLargestTimestep))
        refuse(name, number_text(value), "1e-6 to 0.1 s");
      description_.options.timestep = value;
      return;
    case Choice::kHardRowSoftness:
      if (!(std::isfinite(value) && value >= 0)) refuse(name, number_text(value), "finite, >= 0");
      description_.options.hard_row_softness = value;
      return;
    case Choice::kGravity:
      refuse(name, number_text(value), "three numbers [m/s^2]");
    case Choice::kJointImplicit:
      refuse(name, number_text(value), "trapezoid, backward");
    case Choice::kFixed:
      set_fixed(*option.fixed, number_text(value));
      return;
  }
}

void ModelBuilder::set_option(std::string_view name, std::string_view value) {
  const Option option = find_option(name);
  const auto numbers = parse_numbers(value);
  switch (option.choice) {
    case Choice::kTimestep:
    case Choice::kHardRowSoftness:
      if (!numbers || numbers->size() != 1) refuse(name, value, "one number");
      set_option(name, (*numbers)[0]);
      return;
    case Choice::kGravity:
      if (!numbers || numbers->size() != 3) refuse(name, value, "three numbers [m/s^2]");
      set_option(name, Vec3d{(*numbers)[0], (*numbers)[1], (*numbers)[2]});
      return;
    case Choice::kJointImplicit:
      if (value == "trapezoid")
        description_.options.joint_implicit = JointImplicit::kTrapezoid;
      else if (value == "backward")
        description_.options.joint_implicit = JointImplicit::kBackward;
      else
        refuse(name, value, "trapezoid, backward");
      return;
    case Choice::kFixed:
      set_fixed(*option.fixed, value);
      return;
  }
}

void ModelBuilder::set_option(std::string_view name, const Vec3d& value) {
  const double numbers[3] = {value.x, value.y, value.z};
  if (find_option(name).choice != Choice::kGravity)
    refuse(name, number_text(numbers), "one value, not three");
  if (!std::isfinite(value.x) || !std::isfinite(value.y) || !std::isfinite(value.z))
    refuse(name, number_text(numbers), "three finite numbers [m/s^2]");
  description_.options.gravity = value;
}

}  // namespace flexor
