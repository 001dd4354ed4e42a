#include "model/parameter_table.hpp"

#include <utility>

namespace flexor {
namespace {

/// visit(owner description, element number) for every owner in the order of the tables.
template <class AnyDescription, class Visit>
void visit_owners(AnyDescription& description, Visit&& visit) {
  visit(description.options, 0);
  for (std::size_t i = 0; i < description.bodies.size(); ++i) visit(description.bodies[i], int(i));
  for (std::size_t i = 0; i < description.sites.size(); ++i) visit(description.sites[i], int(i));
  for (std::size_t i = 0; i < description.joints.size(); ++i) visit(description.joints[i], int(i));
  int element = 0;
  for (std::size_t i = 0; i < description.tendons.size(); ++i) {
    visit(description.tendons[i], int(i));
    for (auto& part : description.tendons[i].path) visit(part, element++);
  }
}

std::vector<int> all_offsets(const Description& description) {
  std::vector<int> offsets(kParameterKindCount);
  int next = 0;
  for (int k = 0; k < kParameterKindCount; ++k) {
    offsets[k] = next;
    next += kParameterInfo[k].count * element_count(description, kParameterInfo[k].owner);
  }
  return offsets;
}

bool is_guide(const PathElement& element) {
  return element.type == ElementType::kSphere || element.type == ElementType::kCylinder;
}

}  // namespace

bool has_parameter(ParameterKind kind, const JointDescription& joint) {
  switch (joint.type) {
    case JointType::kHinge:
    case JointType::kSlide:
      return kind != ParameterKind::joint_rest_quat;
    case JointType::kBall:
      switch (kind) {
        case ParameterKind::joint_axis:
        case ParameterKind::joint_friction:
        case ParameterKind::joint_friction_compliance:
        case ParameterKind::joint_rest:
        case ParameterKind::joint_lower:
        case ParameterKind::joint_velocity_limit:
          return false;
        default:
          return true;
      }
    case JointType::kFree:
      return false;
  }
  return false;
}

bool has_parameter(ParameterKind kind, const PathElement& element) {
  switch (kind) {
    case ParameterKind::element_pos:
      return (is_guide(element) || element.type == ElementType::kSite) && !element.site.is_set();
    case ParameterKind::element_radius:
      return is_guide(element);
    case ParameterKind::element_axis:
    case ParameterKind::element_half_length:
      return element.type == ElementType::kCylinder;
    case ParameterKind::element_side:
      return is_guide(element) && element.has_side && !element.side_site.is_set();
    case ParameterKind::element_divisor:
      return element.type == ElementType::kPulley;
    case ParameterKind::element_coefficient:
      return element.type == ElementType::kJoint;
    default:
      return false;
  }
}

int element_count(const Description& description, Owner owner) {
  switch (owner) {
    case Owner::kOption:
      return 1;
    case Owner::kBody:
      return static_cast<int>(description.bodies.size());
    case Owner::kSite:
      return static_cast<int>(description.sites.size());
    case Owner::kJoint:
      return static_cast<int>(description.joints.size());
    case Owner::kTendon:
      return static_cast<int>(description.tendons.size());
    case Owner::kElement: {
      std::size_t count = 0;
      for (const TendonDescription& tendon : description.tendons) count += tendon.path.size();
      return static_cast<int>(count);
    }
  }
  return 0;
}

int parameter_offset(const Description& description, ParameterKind kind) {
  int offset = 0;
  for (int k = 0; k < static_cast<int>(kind); ++k)
    offset += kParameterInfo[k].count * element_count(description, kParameterInfo[k].owner);
  return offset;
}

int parameter_scalars(const Description& description) {
  return parameter_offset(description, ParameterKind::kCount);
}

std::vector<Parameter> list_parameters(const Description& description) {
  const std::vector<int> offsets = all_offsets(description);
  std::vector<std::vector<Parameter>> by_kind(kParameterKindCount);
  int tendon_index = -1;
  int first_element = 0;
  visit_owners(description, [&]<class Owned>(const Owned& owned, int element) {
    std::string prefix;
    if constexpr (std::is_same_v<Owned, OptionsDescription>) {
      prefix = "option/";
    } else if constexpr (std::is_same_v<Owned, BodyDescription>) {
      prefix = "body/" + owned.name + "/";
    } else if constexpr (std::is_same_v<Owned, SiteDescription>) {
      prefix = "site/" + owned.name + "/";
    } else if constexpr (std::is_same_v<Owned, JointDescription>) {
      prefix = "joint/" + owned.name + "/";
    } else if constexpr (std::is_same_v<Owned, TendonDescription>) {
      prefix = "tendon/" + owned.name + "/";
      if (tendon_index >= 0)
        first_element += static_cast<int>(description.tendons[tendon_index].path.size());
      tendon_index = element;
    } else {
      prefix = "tendon/" + description.tendons[tendon_index].name + "/route/" +
               std::to_string(element - first_element) + "/";
    }
    visit_numbers(owned, [&](ParameterKind kind, const double*) {
      if (!has_parameter(kind, owned)) return;
      const int k = static_cast<int>(kind);
      by_kind[k].push_back({prefix + kParameterInfo[k].name, kind, element,
                            offsets[k] + element * kParameterInfo[k].count});
    });
  });
  std::vector<Parameter> parameters;
  for (std::vector<Parameter>& rows : by_kind)
    for (Parameter& row : rows) parameters.push_back(std::move(row));
  return parameters;
}

std::vector<double> nominal_values(const Description& description) {
  const std::vector<int> offsets = all_offsets(description);
  std::vector<double> values(parameter_scalars(description));
  visit_owners(description, [&](const auto& owned, int element) {
    visit_numbers(owned, [&](ParameterKind kind, const double* number) {
      const int count = info(kind).count;
      std::copy(number, number + count,
                values.begin() + offsets[static_cast<int>(kind)] + element * count);
    });
  });
  return values;
}

Description with_parameters(const Model& model, std::span<const double> values) {
  Description description = model.description();
  const int scalars = parameter_scalars(description);
  if (values.size() != static_cast<std::size_t>(scalars))
    throw ShapeError("with_parameters: " + std::to_string(values.size()) + " values given, " +
                     std::to_string(scalars) + " expected");
  const std::vector<int> offsets = all_offsets(description);
  visit_owners(description, [&](auto& owned, int element) {
    visit_numbers(owned, [&](ParameterKind kind, double* number) {
      if (!has_parameter(kind, owned)) return;
      const int count = info(kind).count;
      const auto from = values.begin() + offsets[static_cast<int>(kind)] + element * count;
      std::copy(from, from + count, number);
    });
  });
  return description;
}

std::unordered_map<std::string, int> parameter_rows(const Description& description,
                                                    const std::vector<Parameter>& parameters) {
  std::unordered_map<std::string, int> rows;
  for (std::size_t i = 0; i < parameters.size(); ++i) rows.emplace(parameters[i].name, int(i));
  const auto add_alias = [&](const std::string& alias, int site) {
    const auto target = rows.find("site/" + description.sites[site].name + "/pos");
    if (target != rows.end()) rows.emplace(alias, target->second);
  };
  for (const TendonDescription& tendon : description.tendons)
    for (std::size_t i = 0; i < tendon.path.size(); ++i) {
      const PathElement& element = tendon.path[i];
      const std::string prefix = "tendon/" + tendon.name + "/route/" + std::to_string(i) + "/";
      if (element.site.index >= 0) add_alias(prefix + "pos", element.site.index);
      if (element.has_side && element.side_site.index >= 0)
        add_alias(prefix + "side", element.side_site.index);
    }
  return rows;
}

}  // namespace flexor
