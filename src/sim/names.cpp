#include "sim/names.hpp"

namespace flexor {
namespace {

/// Joint coordinates by their place in q or v.
template <class SliceOf>
std::vector<std::string> coordinate_names(const Model& model, int count, SliceOf slice_of) {
  std::vector<std::string> names(count);
  const auto& joints = model.description().joints;
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    const Model::Slice slice = slice_of(j);
    for (int k = 0; k < slice.count; ++k)
      names[slice.first + k] = joints[j].name + (slice.count > 1 ? "/" + std::to_string(k) : "");
  }
  return names;
}

std::vector<std::string> qvel_names(const Model& model) {
  return coordinate_names(model, model.nv(), [&](int j) { return model.qvel_slice(j); });
}

template <class Element>
std::vector<std::string> element_names(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (const Element& element : elements) names.push_back(element.name);
  return names;
}

std::vector<std::string> row_names(const Model& model) {
  std::vector<std::string> names;
  for (const TendonDescription& tendon : model.description().tendons)
    for (const char* row : {"passive", "drive", "armature", "friction", "lower", "upper"})
      names.push_back(tendon.name + "/" + row);
  for (const std::string& coordinate : qvel_names(model))
    for (const char* row : {"friction", "lower", "upper", "velocity_lower", "velocity_upper"})
      names.push_back(coordinate + "/" + row);
  return names;
}

std::vector<std::string> branch_names(const Model& model) {
  std::vector<std::string> names;
  const std::vector<int>& first = model.plan().tendon_branch_first;
  const auto& tendons = model.description().tendons;
  for (std::size_t t = 0; t < tendons.size(); ++t)
    for (int b = first[t]; b < first[t + 1]; ++b)
      names.push_back(tendons[t].name + "/" + std::to_string(b - first[t]));
  return names;
}

}  // namespace

std::vector<std::string> names_of_components(const Model& model, FieldIndex index) {
  const Description& description = model.description();
  switch (index) {
    case FieldIndex::kWorldIndex:
      return {};
    case FieldIndex::kQpos:
      return coordinate_names(model, model.nq(), [&](int j) { return model.qpos_slice(j); });
    case FieldIndex::kQvel:
      return qvel_names(model);
    case FieldIndex::kTendon:
    case FieldIndex::kTendonQvel:
      return element_names(description.tendons);
    case FieldIndex::kRow:
      return row_names(model);
    case FieldIndex::kBody:
      return element_names(description.bodies);
    case FieldIndex::kSite:
      return element_names(description.sites);
    case FieldIndex::kBranch:
      return branch_names(model);
  }
  return {};
}

}  // namespace flexor
