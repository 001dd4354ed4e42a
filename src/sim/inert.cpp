#include "sim/inert.hpp"

#include <algorithm>

#include "flexor/io/suggest.hpp"
#include "sim/options.hpp"

namespace flexor {
namespace {

bool has_guide(const TendonDescription& tendon) {
  return std::any_of(tendon.path.begin(), tendon.path.end(), [](const PathElement& element) {
    return element.type == ElementType::kSphere || element.type == ElementType::kCylinder;
  });
}

/// An element that cannot act, and the parameter that switches it off (none: nothing acts anyway).
struct Unsimulated {
  InertElement element;
  int address = -1;
  double idle_value = 0;
};

std::vector<Unsimulated> list_unsimulated(const Model& model) {
  const Description& description = model.description();
  std::vector<Unsimulated> list;
  for (const InertElement& element : description.inert) list.push_back({element});
  const Plan& plan = model.plan();
  const auto address = [&](ParameterKind kind, int element) {
    return plan.parameter_offset[static_cast<int>(kind)] + element * info(kind).count;
  };
  for (int t = 0; t < static_cast<int>(description.tendons.size()); ++t) {
    const TendonDescription& tendon = description.tendons[t];
    if (tendon.armature > 0 && has_guide(tendon))
      list.push_back({{"tendon armature", tendon.name,
                       "armature of a tendon with guides needs the curvature of wrapped routes",
                       tendon.source},
                      address(ParameterKind::tendon_armature, t),
                      0});
  }
  for (int j = 0; j < static_cast<int>(description.joints.size()); ++j) {
    const JointDescription& joint = description.joints[j];
    if (joint.type == JointType::kBall && joint.upper < kInfinity)
      list.push_back({{"ball limit", joint.name, "cone limits of ball joints", joint.source},
                      address(ParameterKind::joint_upper, j),
                      kInfinity});
  }
  return list;
}

std::string place(const Source& source) {
  if (source.file.empty()) return "<builder>";
  if (source.line == 0) return source.file;
  return source.file + ":" + std::to_string(source.line) + ":" + std::to_string(source.column);
}

}  // namespace

std::string unsimulated_reason(const Model& model, const Parameter& parameter, double value) {
  const Description& description = model.description();
  if (parameter.kind == ParameterKind::tendon_armature && value > 0 &&
      has_guide(description.tendons[parameter.element]))
    return "legal: 0, since this version has no armature of tendons with guides";
  if (parameter.kind == ParameterKind::joint_upper && value < kInfinity &&
      description.joints[parameter.element].type == JointType::kBall)
    return "legal: inf, since this version has no cone limits of ball joints";
  return {};
}

std::vector<std::pair<int, double>> check_inert(const Model& model,
                                                const std::vector<std::string>& inert) {
  const std::vector<Unsimulated> list = list_unsimulated(model);
  std::vector<bool> is_met(inert.size());
  std::vector<Problem> problems;
  std::vector<std::string> words;
  std::vector<std::pair<int, double>> idle;
  std::string text;
  for (const auto& [element, address, idle_value] : list) {
    bool is_named = false;
    for (std::size_t i = 0; i < inert.size(); ++i) {
      if (!matches_wildcard(inert[i], element.name) && !matches_wildcard(inert[i], element.kind))
        continue;
      is_met[i] = is_named = true;
    }
    words.push_back(element.name);
    words.push_back(element.kind);
    if (is_named) {
      if (address >= 0) idle.emplace_back(address, idle_value);
      continue;
    }
    Problem problem;
    problem.code = "not-simulated";
    problem.message = element.kind + " '" + element.name + "': " + element.reason;
    problem.source = element.source;
    problem.element = element.kind;
    problem.name = element.name;
    problem.hint = "inert=['" + element.name + "'] or ['" + element.kind + "'] steps it idle";
    text += "\n" + place(element.source) + ": error: " + problem.message + " [not-simulated]";
    problems.push_back(std::move(problem));
  }
  if (!problems.empty()) {
    const std::string head = "the model '" + model.description().name + "' has " +
                             std::to_string(problems.size()) +
                             " elements that this version cannot simulate:";
    const std::string help =
        "\n= help: name them, their kinds or \"*\" in `inert` to step all the same: they then "
        "exert nothing";
    throw ModelError(head + text + help, std::move(problems));
  }
  for (std::size_t i = 0; i < inert.size(); ++i) {
    if (is_met[i] || inert[i] == "*") continue;  // "whatever there may be"
    std::string legal = list.empty() ? "nothing, since the model has no element that stands idle"
                                     : "names, kinds or '*' of what cannot be simulated:";
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    for (std::size_t k = 0; k < std::min<std::size_t>(words.size(), 12); ++k)
      legal += " '" + words[k] + "'";
    const std::string hint = suggest(inert[i], words);
    throw ConfigError("inert: '" + inert[i] + "' given; legal: " + legal +
                      (hint.empty() ? "" : "; " + hint));
  }
  return idle;
}

}  // namespace flexor
