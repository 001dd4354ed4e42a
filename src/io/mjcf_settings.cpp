// <compiler>, <option>, <flag>: later sections win for the whole document.
#include "io/mjcf_context.hpp"
#include "io/numbers.hpp"

namespace flexor::io {

namespace {

void read_compiler(Context& context, const Element& element) {
  const Reading reading(context, element, "", -1);
  Settings& settings = context.settings;
  settings.is_degrees =
      reading.keyword("angle", settings.is_degrees ? "degree" : "radian") == "degree";
  if (const Value value = reading.get("eulerseq")) {
    const std::string_view word = value.word();
    if (word.size() != 3 || word.find_first_not_of("xyzXYZ") != std::string_view::npos) {
      reading.error(value, "bad-keyword",
                    "'eulerseq' is " + in_quotes(value.attribute->value) +
                        "; it takes three letters out of xyzXYZ");
    } else {
      settings.eulerseq = word;
    }
  }
  settings.autolimits = reading.boolean("autolimits", settings.autolimits);
  if (const Value value = reading.get("inertiafromgeom")) {
    using From = Settings::InertiaFromGeom;
    settings.inertia_from_geom = value.word() == "true"    ? From::kTrue
                                 : value.word() == "false" ? From::kFalse
                                                           : From::kAuto;
  }
  if (const auto range = reading.numbers("inertiagrouprange"); range.size() == 2) {
    settings.inertia_group_lower = range[0];
    settings.inertia_group_upper = range[1];
  }
  for (const auto& [name, target] : {std::pair("boundmass", &settings.boundmass),
                                     std::pair("boundinertia", &settings.boundinertia)}) {
    const Value value = reading.get(name);
    if (!value) continue;
    *target = reading.real(name, 0);
    if (*target < 0)
      reading.error(
          value, "out-of-range",
          in_quotes(name) + " is " + in_quotes(value.attribute->value) + "; it must be 0 or more");
  }
  settings.settotalmass = reading.real("settotalmass", settings.settotalmass);
  settings.balanceinertia = reading.boolean("balanceinertia", settings.balanceinertia);
  if (const Value value = reading.get("coordinate"); value && value.word() == "global")
    reading.error(value, "unsupported-value",
                  "global coordinates are not read; local ones are meant everywhere");
}

void read_flag(Context& context, const Element& element) {
  const Reading reading(context, element, "", -1);
  Settings& s = context.settings;
  const auto read = [&](std::string_view name, bool& is_on) {
    is_on = reading.keyword(name, is_on ? "enable" : "disable") == "enable";
  };
  read("equality", s.has_equality);
  read("frictionloss", s.has_friction);
  read("limit", s.has_limits);
  read("contact", s.has_contacts);
  read("spring", s.has_springs);
  read("damper", s.has_dampers);
  read("gravity", s.has_gravity);
  read("filterparent", s.filterparent);
  read("refsafe", s.refsafe);
  read("override", s.has_override);
  if (reading.keyword("passive", "enable") == "disable") s.has_springs = s.has_dampers = false;
  // constraint = equality + frictionloss + limit + contact
  if (reading.keyword("constraint", "enable") == "disable")
    s.has_equality = s.has_friction = s.has_limits = s.has_contacts = false;
}

void read_option(Context& context, const Element& element) {
  const Reading reading(context, element, "", -1);
  OptionsDescription& options = context.description.options;
  if (const Value value = reading.get("timestep")) {
    const double timestep = reading.real("timestep", options.timestep);
    if (timestep >= 1e-6 && timestep <= 0.1) {
      options.timestep = timestep;
    } else {
      reading.error(
          value, "out-of-range",
          "'timestep' is " + in_quotes(value.attribute->value) + "; it must lie in 1e-6 to 0.1 s");
    }
  }
  options.gravity = reading.vector("gravity", options.gravity);
  context.settings.collision = reading.keyword("collision", context.settings.collision);
  context.settings.has_fluid |=
      reading.real("density", 0) != 0 || reading.real("viscosity", 0) != 0;
  for (const int i : context.children(element))
    if (context.element(i).name == "flag") read_flag(context, context.element(i));
}

/// Words that count only together with another one: wind with a fluid, o_* with the override.
void close_option(Context& context, const Element& element) {
  const Reading reading(context, element, "", -1);
  if (context.settings.has_fluid)
    if (const Value value = reading.get("wind"))
      reading.rebin(value, kPhysics, "ignored-physics", "'wind' is not simulated");
  if (context.settings.has_override)
    for (const std::string_view name : {"o_margin", "o_solref", "o_solimp", "o_friction"})
      if (const Value value = reading.get(name))
        reading.rebin(value, kPhysics, "ignored-physics",
                      in_quotes(name) + " overrides all contacts; that is not simulated");
}

}  // namespace

void read_settings(Context& context) {
  for (const int i : context.children(context.document.elements[0])) {
    const Element& element = context.element(i);
    if (element.name == "compiler") read_compiler(context, element);
    if (element.name == "option") read_option(context, element);
  }
  for (const int i : context.children(context.document.elements[0]))
    if (context.element(i).name == "option") close_option(context, context.element(i));
}

}  // namespace flexor::io
