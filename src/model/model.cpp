#include "flexor/model/model.hpp"

#include "flexor/io/suggest.hpp"

namespace flexor {

Model Model::with_report(Report report) const {
  auto data = std::make_shared<Data>(*data_);
  data->report = std::move(report);
  return Model(std::move(data));
}
namespace {

template <class Element>
std::vector<std::string> names_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  names.reserve(elements.size());
  for (const Element& element : elements) names.push_back(element.name);
  return names;
}

[[noreturn]] void throw_unknown(std::string_view kind, std::string_view name,
                                const std::vector<std::string>& legal) {
  const std::string hint = suggest(name, legal);
  throw UnknownNameError("no " + std::string(kind) + " named '" + std::string(name) + "'" +
                         (hint.empty() ? "" : "; " + hint));
}

}  // namespace

std::vector<std::string> Model::names(std::string_view kind) const {
  const Description& description = data_->description;
  if (kind == "body") return names_of(description.bodies);
  if (kind == "joint") return names_of(description.joints);
  if (kind == "site") return names_of(description.sites);
  if (kind == "geom") return names_of(description.geoms);
  if (kind == "tendon") return names_of(description.tendons);
  if (kind == "keyframe") return names_of(description.keyframes);
  const std::string hint = suggest(kind, {"body", "joint", "site", "geom", "tendon", "keyframe"});
  throw ConfigError("no kind of element named '" + std::string(kind) +
                    "'; legal: body, joint, site, geom, tendon, keyframe" +
                    (hint.empty() ? "" : "; " + hint));
}

int Model::index(std::string_view kind, std::string_view name) const {
  const std::vector<std::string> legal = names(kind);
  for (std::size_t i = 0; i < legal.size(); ++i)
    if (legal[i] == name) return static_cast<int>(i);
  throw_unknown(kind, name, legal);
}

const Parameter& Model::parameter(std::string_view name) const {
  const auto row = data_->parameter_rows.find(std::string(name));
  if (row != data_->parameter_rows.end()) return data_->parameters[row->second];
  throw_unknown("parameter", name, names_of(data_->parameters));
}

}  // namespace flexor
