// What an MJCF file says and this version does not simulate yet: actuators, sensors, equalities,
// contacts, cables. Each is listed in Description::inert, so that it is stepped only on request.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "flexor/io/suggest.hpp"
#include "io/mjcf_bodies.hpp"
#include "io/numbers.hpp"

namespace flexor::io {

namespace {

constexpr long kMaxPairs = 1'000'000;

void add(Context& context, std::string kind, const Element& element, int index,
         std::string reason) {
  const Reading reading(context, element, "", -1);
  std::string name = reading.name();
  if (name.empty()) name = kind + "_" + std::to_string(index);
  context.description.inert.push_back({kind, name, std::move(reason), reading.place()});
}

/// References of elements that stand idle: a name that nothing has is an error all the same.
class Names {
 public:
  Names(const Context& context, const Bodies& bodies) : bodies_(bodies) {
    const Description& d = context.description;
    const auto take = [](auto& names, const auto& list) {
      for (const auto& item : list) names.push_back(item.name);
    };
    take(known_["body"], d.bodies);
    take(known_["joint"], d.joints);
    take(known_["site"], d.sites);
    take(known_["geom"], d.geoms);
    take(known_["tendon"], d.tendons);
    known_["body"].push_back("world");
    for (const char* section : {"tendon", "actuator"}) {  // a tendon's copies have other names
      auto& names = known_[section];
      for (const int i : context.section_children(section))
        if (const Attribute* name = context.document.find(context.element(i), "name"))
          names.emplace_back(name->value);
    }
    known_["xbody"] = known_["body"];
    for (auto& [kind, names] : known_) std::sort(names.begin(), names.end());
  }

  /// unknown-name if attribute `word` names no element of `kind`; kinds not known here pass.
  void check(const Reading& reading, std::string_view word, std::string_view kind) const {
    const Value value = reading.get(word);
    const auto of_kind = known_.find(kind);
    if (!value || of_kind == known_.end()) return;
    const std::string& name = value.name();
    const auto& names = of_kind->second;
    if (std::binary_search(names.begin(), names.end(), name)) return;
    const std::string_view replicated = kind == "xbody" ? "body" : kind;
    if (bodies_.copies.contains({replicated, name})) return;
    reading.error(value, "unknown-name",
                  "no " + std::string(replicated) + " named " + in_quotes(name),
                  suggest(name, names));
  }

  /// Every attribute of an actuator, sensor or equality that names an element.
  void check_all(const Reading& reading) const {
    constexpr std::pair<std::string_view, std::string_view> kReferences[] = {
        {"joint", "joint"},    {"jointinparent", "joint"}, {"joint1", "joint"},
        {"joint2", "joint"},   {"tendon", "tendon"},       {"tendon1", "tendon"},
        {"tendon2", "tendon"}, {"site", "site"},           {"refsite", "site"},
        {"cranksite", "site"}, {"slidersite", "site"},     {"site1", "site"},
        {"site2", "site"},     {"body", "body"},           {"body1", "body"},
        {"body2", "body"},     {"geom", "geom"},           {"geom1", "geom"},
        {"geom2", "geom"},     {"actuator", "actuator"},
    };
    for (const auto& [word, kind] : kReferences) check(reading, word, kind);
    check(reading, "objname", reading.get("objtype").word());
    check(reading, "refname", reading.get("reftype").word());
  }

 private:
  const Bodies& bodies_;
  std::map<std::string, std::vector<std::string>, std::less<>> known_;
};

void check_references(Context& context, const Bodies& bodies) {
  const Names names(context, bodies);
  for (const std::string_view section : {"equality", "actuator", "sensor"})
    for (const int i : context.section_children(section))
      names.check_all(Reading(context, context.element(i), "", -1));
}

void read_actuators(Context& context) {
  int index = 0;
  for (const int i : context.section_children("actuator")) {
    const Element& element = context.element(i);
    const Reading reading(context, element, "actuator",
                          context.classes.class_of(element, Classes::kMain));
    for (const std::string_view name : {"dyntype", "gaintype", "biastype"}) {
      const Value value = reading.get(name);
      if (value && (value.word() == "user" || value.word() == "dcmotor"))
        reading.rebin(value, kPhysics, "ignored-physics",
                      in_quotes(name) + " is " + in_quotes(value.word()) +
                          "; the actuator stays as a channel without force");
    }
    add(context, "actuator", element, index++,
        "actuators of MJCF (" + std::string(element.name) + ") exert no force yet");
  }
}

void read_sensors(Context& context) {
  int index = 0;
  for (const int i : context.section_children("sensor")) {
    const Element& element = context.element(i);
    if (element.binning.bin == Bin::kRead)
      add(context, "sensor", element, index,
          "sensor " + in_quotes(element.name) + " has no read-out yet");
    ++index;
  }
}

void read_equalities(Context& context) {
  int index = 0;
  for (const int i : context.section_children("equality")) {
    const Element& element = context.element(i);
    const Reading reading(context, element, "equality",
                          context.classes.class_of(element, Classes::kMain));
    const bool is_active = context.settings.has_equality && reading.boolean("active", true);
    if (is_active) {
      add(context, "equality", element, index,
          "equality " + in_quotes(element.name) + " is not enforced yet");
    } else {
      rebin(context.document, context.reasons, element, kInactive, "",
            "the equality is switched off");
    }
    ++index;
  }
}

/// Plugins: cables of MuJoCable are read, others cannot be.
void read_plugins(Context& context) {
  int index = 0;
  for (const int i : context.section_children("extension")) {
    const Element& plugin = context.element(i);
    const Attribute* name = context.document.find(plugin, "plugin");
    if (name != nullptr && name->value == "mujoco.cable.unilateral") {
      for (const int k : context.children(plugin))
        add(context, "cable", context.element(k), index++, "cables are not simulated yet");
    } else if (name == nullptr) {
      context.findings.error(context.document.problem(plugin, "missing-attribute",
                                                      "plugin needs the attribute 'plugin'"));
    } else {
      rebin(context.document, context.reasons, plugin, kPhysics, "ignored-physics",
            "plugin " + in_quotes(name->value) + " is not known here");
    }
  }
}

// ---- contacts -------------------------------------------------------------------------------

/// Rule "either", within and across merged bodies, parents, excludes, pairs.   [MF-16]
class ContactCounter {
 public:
  ContactCounter(Context& context, const Bodies& bodies) : context_(context), bodies_(bodies) {
    merge_static_bodies();
    read_excludes();
  }

  void run() {
    const bool is_automatic = context_.settings.collision != "predefined";
    read_pairs();
    if (is_automatic) count_candidates();
    pair_count_ += static_cast<long>(pairs_.size());
    if (pair_count_ == 0) return;
    report_substitutes();
    if (pair_count_ > kMaxPairs) {
      context_.findings.error(context_.document.problem(
          context_.document.elements[0], "limit-exceeded",
          "more than " + std::to_string(kMaxPairs) + " candidate pairs of contacts"));
      return;
    }
    context_.description.inert.push_back(
        {"contact", std::to_string(pair_count_) + " candidate pairs",
         "contacts are not simulated yet; bodies pass through each other",
         context_.document.place(context_.element(
             bodies_.geoms[static_cast<std::size_t>(*colliding_.begin())].element))});
  }

 private:
  /// Static bodies belong to the nearest moving ancestor or the world.   [MF-5]
  void merge_static_bodies() {
    for (std::size_t b = 0; b < bodies_.parents.size(); ++b) {
      const int parent = bodies_.parents[b];
      merged_.push_back(bodies_.is_moving[b] ? static_cast<int>(b)
                        : parent == kWorld   ? kWorld
                                             : merged_[static_cast<std::size_t>(parent)]);
    }
  }
  int merged(int body) const {
    return body == kWorld ? kWorld : merged_[static_cast<std::size_t>(body)];
  }
  int merged_parent(int merged_body) const {
    return merged_body == kWorld ? kWorld
                                 : merged(bodies_.parents[static_cast<std::size_t>(merged_body)]);
  }
  static std::pair<int, int> ordered(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

  void read_excludes() {
    for (const int i : context_.section_children("contact")) {
      const Element& element = context_.element(i);
      if (element.name != "exclude") continue;
      const Reading reading(context_, element, "", -1);
      int index[2] = {kUnset, kUnset};
      int k = 0;
      for (const std::string_view word : {"body1", "body2"}) {
        const Value value = reading.get(word);
        if (!value) {
          reading.error("missing-attribute", "exclude needs the attribute " + in_quotes(word));
        } else if (value.name() == "world") {
          index[k] = kWorld;
        } else if (const auto found = bodies_.body_index.find(value.name());
                   found != bodies_.body_index.end()) {
          index[k] = merged(found->second);
        } else if (!bodies_.copies.contains({"body", value.name()})) {
          reading.error(value, "unknown-name", "no body named " + in_quotes(value.name()));
        }
        ++k;
      }
      if (index[0] != kUnset && index[1] != kUnset) excluded_.insert(ordered(index[0], index[1]));
    }
  }

  void read_pairs() {
    for (const int i : context_.section_children("contact")) {
      const Element& element = context_.element(i);
      if (element.name != "pair") continue;
      const Reading reading(context_, element, "pair",
                            context_.classes.class_of(element, Classes::kMain));
      int index[2] = {-1, -1};
      int k = 0;
      for (const std::string_view word : {"geom1", "geom2"}) {
        const Value value = reading.get(word);
        if (!value) {
          reading.error("missing-attribute", "pair needs the attribute " + in_quotes(word));
        } else if (const auto found = bodies_.geom_index.find(value.name());
                   found != bodies_.geom_index.end()) {
          index[k] = found->second;
        } else if (!bodies_.copies.contains({"geom", value.name()})) {
          reading.error(value, "unknown-name", "no geom named " + in_quotes(value.name()));
        }
        ++k;
      }
      if (index[0] < 0 || index[1] < 0 || !context_.settings.has_contacts) continue;
      pairs_.insert(ordered(index[0], index[1]));
      colliding_.insert(index[0]);
      colliding_.insert(index[1]);
    }
  }

  bool may_collide(int a, int b) const {
    if (a == b) return false;
    if (context_.settings.filterparent && ((b != kWorld && merged_parent(a) == b && a != kWorld) ||
                                           (a != kWorld && merged_parent(b) == a && b != kWorld)))
      return false;
    return !excluded_.contains(ordered(a, b));
  }

  /// Geoms of one merged body with equal masks are counted together.
  void count_candidates() {
    if (!context_.settings.has_contacts) return;
    std::map<std::tuple<int, int, int>, std::vector<int>> groups;
    for (std::size_t g = 0; g < bodies_.geoms.size(); ++g) {
      const GeomFacts& facts = bodies_.geoms[g];
      if (facts.contype == 0 && facts.conaffinity == 0) continue;
      const int body = merged(context_.description.geoms[g].body.index);
      groups[{body, facts.contype, facts.conaffinity}].push_back(static_cast<int>(g));
    }
    for (auto i = groups.begin(); i != groups.end(); ++i) {
      const auto& [body, type, affinity] = i->first;
      for (auto k = std::next(i); k != groups.end(); ++k) {
        const auto& [other_body, other_type, other_affinity] = k->first;
        const bool meets = (type & other_affinity) != 0 || (other_type & affinity) != 0;
        if (!meets || !may_collide(body, other_body)) continue;
        pair_count_ += static_cast<long>(i->second.size() * k->second.size());
        colliding_.insert(i->second.begin(), i->second.end());
        colliding_.insert(k->second.begin(), k->second.end());
        if (pair_count_ > kMaxPairs) return;
      }
    }
    // explicit pairs override candidates: such a pair counts once
    for (const auto& [a, b] : pairs_) {
      const GeomFacts& first = bodies_.geoms[static_cast<std::size_t>(a)];
      const GeomFacts& second = bodies_.geoms[static_cast<std::size_t>(b)];
      const auto body = [&](int g) {
        return merged(context_.description.geoms[static_cast<std::size_t>(g)].body.index);
      };
      const bool meets =
          (first.contype & second.conaffinity) != 0 || (second.contype & first.conaffinity) != 0;
      if (meets && may_collide(body(a), body(b))) --pair_count_;
    }
  }

  /// Cylinders, ellipsoids and meshes that can collide.
  void report_substitutes() {
    for (const int g : colliding_) {
      const GeomType type = context_.description.geoms[static_cast<std::size_t>(g)].type;
      const char* substitute = type == GeomType::kCylinder    ? "a cylinder collides as a capsule"
                               : type == GeomType::kEllipsoid ? "an ellipsoid collides as a capsule"
                               : type == GeomType::kMesh      ? "a mesh collides as a box"
                                                              : nullptr;
      const Value& word = bodies_.geoms[static_cast<std::size_t>(g)].type;
      if (substitute == nullptr || !word) continue;
      rebin(context_.document, context_.reasons, *word.attribute, kApproximated, "substitute-shape",
            substitute);
    }
  }

  Context& context_;
  const Bodies& bodies_;
  std::vector<int> merged_;
  std::set<std::pair<int, int>> excluded_, pairs_;
  std::set<int> colliding_;
  long pair_count_ = 0;
};

}  // namespace

void read_inert(Context& context, const Bodies& bodies) {
  read_plugins(context);
  ContactCounter(context, bodies).run();
  read_equalities(context);
  read_actuators(context);
  read_sensors(context);
  check_references(context, bodies);
}

}  // namespace flexor::io
