// load_model(overrides=): nominal parameter values by path name, before compilation.   [E-2]
#include <cmath>

#include "flexor/io/suggest.hpp"
#include "io/mjcf_loader.hpp"
#include "io/numbers.hpp"
#include "model/resolve.hpp"

namespace flexor::io {

namespace {

/// Rest of `path` behind "<name>/" if it begins so; unnamed elements answer to <kind>_<index>.
template <class List>
int find_owner(const List& list, std::string_view kind, std::string_view path,
               std::string_view& rest) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string name =
        list[i].name.empty() ? std::string(kind) + "_" + std::to_string(i) : list[i].name;
    if (path.starts_with(name + "/")) {
      rest = path.substr(name.size() + 1);
      return static_cast<int>(i);
    }
  }
  return -1;
}

template <class List>
std::vector<std::string> names(const List& list) {
  std::vector<std::string> result;
  for (const auto& element : list) result.push_back(element.name);
  return result;
}

template <class Struct>
constexpr Owner kOwnerOf = Owner::kElement;
template <>
constexpr Owner kOwnerOf<OptionsDescription> = Owner::kOption;
template <>
constexpr Owner kOwnerOf<BodyDescription> = Owner::kBody;
template <>
constexpr Owner kOwnerOf<SiteDescription> = Owner::kSite;
template <>
constexpr Owner kOwnerOf<JointDescription> = Owner::kJoint;
template <>
constexpr Owner kOwnerOf<TendonDescription> = Owner::kTendon;

/// First number of a parameter in its owner's description, by the one list of parameters.
template <class Struct>
double* address(ParameterKind kind, Struct& o) {
  switch (kind) {
#define X(kind_name, owner, name, count, unit, legal, member)         \
  case ParameterKind::kind_name:                                      \
    if constexpr (Owner::owner == kOwnerOf<Struct>) return &(member); \
    break;
    FLEXOR_PARAMETERS(X)
#undef X
    case ParameterKind::kCount:
      break;
  }
  return nullptr;
}

class Overrider {
 public:
  explicit Overrider(Description& description) : d_(description) {}

  void apply(const std::string& path, const std::vector<double>& values) {
    const std::size_t slash = path.find('/');
    const std::string_view kind = std::string_view(path).substr(0, slash);
    std::string_view rest =
        slash == std::string::npos ? std::string_view() : std::string_view(path).substr(slash + 1);
    if (kind == "option") return set(Owner::kOption, d_.options, rest, path, values);
    if (kind == "body") return set_in(Owner::kBody, d_.bodies, kind, rest, path, values);
    if (kind == "site") return set_in(Owner::kSite, d_.sites, kind, rest, path, values);
    if (kind == "joint") return set_in(Owner::kJoint, d_.joints, kind, rest, path, values);
    if (kind == "tendon") return set_tendon(rest, path, values);
    throw UnknownNameError("override " + in_quotes(path) +
                           ": parameters begin with option/, body/, site/, joint/ or tendon/");
  }

 private:
  template <class List>
  void set_in(Owner owner, List& list, std::string_view kind, std::string_view rest,
              const std::string& path, const std::vector<double>& values) {
    std::string_view last;
    const int index = find_owner(list, kind, rest, last);
    if (index < 0) refuse(path, kind, rest.substr(0, rest.find('/')), names(list));
    set(owner, list[static_cast<std::size_t>(index)], last, path, values);
  }

  void set_tendon(std::string_view rest, const std::string& path,
                  const std::vector<double>& values) {
    std::string_view last;
    const int index = find_owner(d_.tendons, "tendon", rest, last);
    if (index < 0) refuse(path, "tendon", rest.substr(0, rest.find('/')), names(d_.tendons));
    TendonDescription& tendon = d_.tendons[static_cast<std::size_t>(index)];
    if (last.starts_with("spring_")) tendon.is_spring_reference_from_rest = false;
    if (!last.starts_with("route/")) return set(Owner::kTendon, tendon, last, path, values);
    last.remove_prefix(6);
    const std::size_t slash = last.find('/');
    const Number number = parse_number(last.substr(0, slash));
    if (slash == std::string_view::npos || number.state != NumberState::kFinite ||
        number.value < 0 || number.value != std::floor(number.value) ||
        number.value >= static_cast<double>(tendon.path.size()))
      throw UnknownNameError("override " + in_quotes(path) + ": tendon " + in_quotes(tendon.name) +
                             " has path elements 0 to " + std::to_string(tendon.path.size()) +
                             " (not included)");
    set_path_element(tendon.path[static_cast<std::size_t>(number.value)], last.substr(slash + 1),
                     path, values);
  }

  /// An element that names a site answers with that site's own number. A guide that a geom gives
  /// gets numbers of its own, so that the geom's other guides keep theirs, as in a Simulation.
  void set_path_element(PathElement& element, std::string_view name, const std::string& path,
                        const std::vector<double>& values) {
    const auto site = [&](const Reference& reference) -> SiteDescription* {
      for (SiteDescription& s : d_.sites)
        if (!reference.name.empty() && s.name == reference.name) return &s;
      return nullptr;
    };
    if (name == "pos" && element.type == ElementType::kSite)
      if (SiteDescription* named = site(element.site))
        return set(Owner::kSite, *named, "pos", path, values);
    if (name == "side")
      if (SiteDescription* named = site(element.side_site))
        return set(Owner::kSite, *named, "pos", path, values);
    for (const GeomDescription& geom : d_.geoms) {
      if (element.geom.name.empty() || geom.name != element.geom.name) continue;
      if (take_geom(element, geom)) element.geom = Reference();
      break;
    }
    set(Owner::kElement, element, name, path, values);
  }

  template <class Struct>
  void set(Owner owner, Struct& o, std::string_view name, const std::string& path,
           const std::vector<double>& values) {
    std::vector<std::string> legal;
    for (int k = 0; k < kParameterKindCount; ++k) {
      const ParameterInfo& parameter = kParameterInfo[k];
      if (parameter.owner != owner) continue;
      legal.emplace_back(parameter.name);
      if (name != parameter.name) continue;
      return write(address(static_cast<ParameterKind>(k), o), parameter.count, path, values);
    }
    refuse(path, "parameter", name, legal);
  }

  static void write(double* target, int count, const std::string& path,
                    const std::vector<double>& values) {
    if (values.size() != static_cast<std::size_t>(count))
      throw ConfigError("override " + in_quotes(path) + ": " + std::to_string(count) +
                        " number(s) expected, " + std::to_string(values.size()) + " given");
    for (int i = 0; i < count; ++i) target[i] = values[static_cast<std::size_t>(i)];
  }

  [[noreturn]] static void refuse(const std::string& path, std::string_view kind,
                                  std::string_view name, const std::vector<std::string>& legal) {
    const std::string hint = suggest(name, legal);
    throw UnknownNameError("override " + in_quotes(path) + ": no " + std::string(kind) + " named " +
                           in_quotes(name) + (hint.empty() ? "" : "; " + hint));
  }

  Description& d_;
};

}  // namespace

void apply_overrides(Description& description,
                     const std::map<std::string, std::vector<double>>& overrides) {
  Overrider overrider(description);
  for (const auto& [path, values] : overrides) overrider.apply(path, values);
}

}  // namespace flexor::io
