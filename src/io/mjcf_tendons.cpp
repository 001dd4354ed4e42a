// <tendon>: spatial and fixed tendons.   [MF-11]
#include <algorithm>
#include <limits>

#include "io/mjcf_bodies.hpp"
#include "io/numbers.hpp"

namespace flexor::io {

namespace {

constexpr std::size_t kMaxTendons = 100'000, kMaxPathElements = 10'000;
constexpr std::size_t kMaxAllPathElements = 2'000'000;  ///< of all tendons together

class TendonReader {
 public:
  TendonReader(Context& context, const Bodies& bodies) : context_(context), bodies_(bodies) {}

  void read(const Element& element) {
    const Reading reading(context_, element, "tendon",
                          context_.classes.class_of(element, Classes::kMain));
    TendonDescription tendon;
    tendon.type = element.name == "fixed" ? TendonType::kFixed : TendonType::kSpatial;
    tendon.source = reading.place();
    read_properties(reading, tendon);
    const auto path = context_.children(element);
    if (path.size() > kMaxPathElements) {
      reading.error("limit-exceeded", "the path has " + std::to_string(path.size()) +
                                          " elements; at most " + std::to_string(kMaxPathElements));
      return;
    }
    const auto suffixes = copy_suffixes(bodies_, names_in(path));
    for (const std::string& suffix : suffixes) {
      if (context_.description.tendons.size() >= kMaxTendons) {
        reading.error("limit-exceeded", "more than " + std::to_string(kMaxTendons) + " tendons");
        return;
      }
      if ((path_element_count_ += path.size()) > kMaxAllPathElements) {
        reading.error("limit-exceeded", "more than " + std::to_string(kMaxAllPathElements) +
                                            " path elements in all tendons together");
        return;
      }
      TendonDescription copy = tendon;
      const std::string name = reading.name();
      if (!name.empty()) copy.name = name + suffix;
      is_reporting_ = &suffix == &suffixes.front();
      for (const int i : path) read_path_element(context_.element(i), suffix, copy);
      context_.description.tendons.push_back(std::move(copy));
    }
  }

 private:
  // ---- properties ---------------------------------------------------------------------------

  void read_properties(const Reading& reading, TendonDescription& tendon) {
    const Settings& settings = context_.settings;
    const Bounds bounds = read_bounds(reading, "range", "limited", true);
    const bool is_limited = bounds.is_limited && settings.has_limits;
    if (is_limited) {
      tendon.lower_limit = bounds.lower;
      tendon.upper_limit = bounds.upper;
      tendon.limit_margin = reading.real("margin", 0);
    } else {
      reading.unused("margin", "'margin' has no effect: not limited");
    }
    tendon.limit_softness = read_softness(reading, "solreflimit", "solimplimit", is_limited);

    tendon.friction_loss = reading.real("frictionloss", 0);
    tendon.friction_softness = read_softness(reading, "solreffriction", "solimpfriction",
                                             tendon.friction_loss > 0 && settings.has_friction);
    if (!settings.has_friction) tendon.friction_loss = 0;
    tendon.armature = reading.real("armature", 0);
    tendon.stiffness = coefficient(reading, "stiffness");
    tendon.damping = coefficient(reading, "damping");
    if (!settings.has_springs) tendon.stiffness = 0;
    if (!settings.has_dampers) tendon.damping = 0;
    read_spring_length(reading, tendon);

    // bounds of the sum of MJCF actuators, and of a drive added later
    const Bounds force = read_bounds(reading, "actuatorfrcrange", "actuatorfrclimited", false);
    if (force.is_limited) {
      if (force.lower > 0 || force.upper < 0)
        reading.error(reading.get("actuatorfrcrange"), "out-of-range",
                      "'actuatorfrcrange' must contain 0");
      tendon.actuation_lower = force.lower;
      tendon.actuation_upper = force.upper;
    }
    tendon.width = reading.real("width", tendon.width);
    if (const auto rgba = reading.numbers("rgba"); rgba.size() == 4)
      std::copy(rgba.begin(), rgba.end(), tendon.color.begin());
  }

  static double coefficient(const Reading& reading, std::string_view name) {
    const Value value = reading.get(name);
    if (!value) return 0;
    const auto numbers = to_numbers(value.words);
    if (std::any_of(numbers.begin() + 1, numbers.end(), [](double x) { return x != 0; }))
      reading.error(value, "unsupported-value",
                    in_quotes(name) + " is " + in_quotes(value.attribute->value) +
                        "; coefficients after the first must be 0");
    return numbers[0];
  }

  static void read_spring_length(const Reading& reading, TendonDescription& tendon) {
    // absent, -1 and -1 -1: the length with all joints at their spring reference
    tendon.is_spring_reference_from_rest = true;
    const Value value = reading.get("springlength");
    if (!value) return;
    const auto numbers = to_numbers(value.words);
    const double lower = numbers[0], upper = numbers.size() > 1 ? numbers[1] : numbers[0];
    if (tendon.stiffness == 0)
      reading.unused("springlength", "'springlength' has no effect: there is no stiffness");
    if (lower == -1 && upper == -1) return;
    tendon.is_spring_reference_from_rest = false;
    tendon.spring_lower = lower;
    tendon.spring_upper = upper;
    if (lower > upper) {
      reading.error(value, "range-order",
                    "'springlength' is " + in_quotes(value.attribute->value) +
                        "; the first number must not exceed the second");
      tendon.spring_upper = lower;
    } else if (tendon.stiffness != 0 &&
               (lower == -1 || (tendon.type == TendonType::kSpatial && (lower < 0 || upper < 0)))) {
      Problem problem = reading.context().document.problem(
          *value.attribute, "springlength-sentinel",
          "'springlength' is " + in_quotes(value.attribute->value) +
              "; the negative number is taken as a length");
      reading.context().findings.warning(std::move(problem));
    }
  }

  // ---- path ---------------------------------------------------------------------------------

  std::vector<std::pair<std::string_view, std::string>> names_in(
      const std::vector<int>& path) const {
    std::vector<std::pair<std::string_view, std::string>> names;
    if (bodies_.copies.empty()) return names;
    for (const int i : path) {
      for (const std::string_view word : {"site", "geom", "sidesite", "joint"})
        if (const Attribute* name = context_.document.find(context_.element(i), word))
          names.emplace_back(word == "sidesite" ? "site" : word, name->value);
    }
    return names;
  }

  /// A name as this copy means it; a missing one is an error.
  Reference named(const Reading& reading, std::string_view attribute, std::string_view kind,
                  const std::string& suffix) const {
    Reference reference = reading.reference(attribute);
    if (!reference.is_set() && is_reporting_)
      reading.error("missing-attribute", in_quotes(reading.element().name) +
                                             " in a path needs the attribute " +
                                             in_quotes(attribute));
    reference.name = copied_name(bodies_, kind, reference.name, suffix);
    return reference;
  }

  void read_path_element(const Element& element, const std::string& suffix,
                         TendonDescription& tendon) const {
    const Reading reading(context_, element, "", -1);
    PathElement part;
    part.source = reading.place();
    if (element.name == "site") {
      part.type = ElementType::kSite;
      part.site = named(reading, "site", "site", suffix);
    } else if (element.name == "geom") {
      read_guide(reading, suffix, part);
    } else if (element.name == "pulley") {
      part.type = ElementType::kPulley;
      if (!reading.get("divisor") && is_reporting_ &&
          context_.document.find(element, "divisor") == nullptr)
        reading.error("missing-attribute", "'pulley' needs the attribute 'divisor'");
      part.divisor = reading.real("divisor", 1);
    } else {
      part.type = ElementType::kJoint;
      part.joint = named(reading, "joint", "joint", suffix);
      if (!reading.get("coef") && is_reporting_ &&
          context_.document.find(element, "coef") == nullptr)
        reading.error("missing-attribute", "'joint' in a fixed tendon needs the attribute 'coef'");
      part.coefficient = reading.real("coef", 1);
    }
    tendon.path.push_back(std::move(part));
  }

  void read_guide(const Reading& reading, const std::string& suffix, PathElement& part) const {
    part.type = ElementType::kSphere;
    part.geom = named(reading, "geom", "geom", suffix);
    if (reading.get("sidesite")) {
      part.has_side = true;
      part.side_site = named(reading, "sidesite", "site", suffix);
    }
    const auto found = bodies_.geom_index.find(part.geom.name);
    if (found == bodies_.geom_index.end()) return;  // finalize reports the unknown name
    const GeomDescription& geom =
        context_.description.geoms[static_cast<std::size_t>(found->second)];
    if (geom.type == GeomType::kCylinder) {
      part.type = ElementType::kCylinder;
    } else if (geom.type != GeomType::kSphere && is_reporting_) {
      reading.error(reading.get("geom"), "wrap-bad-type",
                    "geom " + in_quotes(geom.name) +
                        " is neither a sphere nor a cylinder; tendons wrap only those");
    }
  }

  Context& context_;
  const Bodies& bodies_;
  std::size_t path_element_count_ = 0;
  bool is_reporting_ = true;  ///< false while later copies of one element are made
};

}  // namespace

void read_tendons(Context& context, const Bodies& bodies) {
  TendonReader reader(context, bodies);
  for (const int i : context.section_children("tendon")) reader.read(context.element(i));
}

void read_keyframes(Context& context) {
  for (const int i : context.section_children("keyframe")) {
    const Reading reading(context, context.element(i), "", -1);
    KeyframeDescription key;
    key.name = reading.name();
    key.time = reading.real("time", 0);
    key.qpos = reading.numbers("qpos");
    key.qvel = reading.numbers("qvel");
    key.source = reading.place();
    context.description.keyframes.push_back(std::move(key));
  }
}

}  // namespace flexor::io
