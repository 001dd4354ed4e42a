#include "flexor/io/mjcf.hpp"

#include <algorithm>

#include "io/mjcf_bodies.hpp"
#include "io/mjcf_loader.hpp"
#include "io/numbers.hpp"

namespace flexor::io {

namespace {

void check_options(const LoadOptions& options) {
  const auto check = [](const char* name, const std::string& value,
                        std::initializer_list<const char*> legal) {
    std::string list;
    for (const char* word : legal) {
      if (value == word) return;
      list += (list.empty() ? "" : ", ") + in_quotes(word);
    }
    throw ConfigError(std::string("load_model: ") + name + " is " + in_quotes(value) +
                      "; legal: " + list);
  };
  check("format", options.format, {"", "mjcf"});
  check("softness", options.softness, {"written", "hard", "all"});
  check("paths", options.paths, {"any", "inside"});
  if (options.max_problems < 0)
    throw ConfigError("load_model: max_problems is " + std::to_string(options.max_problems) +
                      "; it must be 0 (all) or more");
}

/// The root element alone says what a file is.
bool is_mjcf(const Document& document, Findings& findings) {
  const Element& root = document.elements[0];
  if (root.name == "mujoco") return true;
  Problem problem = document.problem(
      root, "unknown-format",
      "root element " + in_quotes(root.name) + "; this version reads MJCF, whose root is 'mujoco'");
  if (root.name == "mujocoinclude")
    problem.hint = "load the file that includes this one";
  else if (root.name == "raisim")
    problem.hint = "its tendon elements may be pasted unchanged into a <flexor> file";
  else if (root.name == "robot")
    problem.hint = "URDF is not read yet; expand xacro first";
  findings.error(std::move(problem));
  return false;
}

std::vector<std::pair<std::string, double>> count(const Description& d, const Bodies& bodies) {
  double nq = 0, nv = 0, moving_bodies = 0, moving_mass = 0, elements = 0, guides = 0, pulleys = 0;
  for (const JointDescription& joint : d.joints) {
    const bool is_ball = joint.type == JointType::kBall, is_free = joint.type == JointType::kFree;
    nq += is_free ? 7 : is_ball ? 4 : 1;
    nv += is_free ? 6 : is_ball ? 3 : 1;
  }
  std::vector<bool> moves(d.bodies.size());
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    const int parent = bodies.parents[b];
    moves[b] = bodies.is_moving[b] || (parent >= 0 && moves[static_cast<std::size_t>(parent)]);
    if (bodies.is_moving[b]) ++moving_bodies;  // others merge into them [MF-5]
    if (moves[b]) moving_mass += d.bodies[b].mass;
  }
  for (const TendonDescription& tendon : d.tendons) {
    elements += static_cast<double>(tendon.path.size());
    for (const PathElement& part : tendon.path) {
      guides += part.type == ElementType::kSphere || part.type == ElementType::kCylinder;
      pulleys += part.type == ElementType::kPulley;
    }
  }
  const auto inert = [&](const char* kind) {
    return static_cast<double>(std::count_if(d.inert.begin(), d.inert.end(),
                                             [&](const auto& e) { return e.kind == kind; }));
  };
  const auto size = [](const auto& list) { return static_cast<double>(list.size()); };
  return {{"bodies", size(d.bodies)},
          {"moving_bodies", moving_bodies},
          {"nq", nq},
          {"nv", nv},
          {"joints", size(d.joints)},
          {"sites", size(d.sites)},
          {"geoms", size(d.geoms)},
          {"tendons", size(d.tendons)},
          {"path_elements", elements},
          {"guides", guides},
          {"pulleys", pulleys},
          {"couplings", 0},
          {"loops", inert("equality")},
          {"transmissions", 0},
          {"actuators", inert("actuator")},
          {"motors", 0},
          {"cables", inert("cable")},
          {"sensors", inert("sensor")},
          {"keyframes", size(d.keyframes)},
          {"moving_mass", moving_mass}};
}

}  // namespace

Loaded load_mjcf(const std::string& path_or_text, const LoadOptions& options) {
  check_options(options);
  Loaded loaded;
  Findings findings(options.strict, options.allow);
  loaded.document = read_document(path_or_text, options, findings);
  Document& document = loaded.document;
  Report& report = loaded.report;
  report.file = is_text_input(path_or_text) ? "<string>" : path_or_text;
  report.format = "mjcf";
  report.strict = options.strict == Strict::kTrue    ? "true"
                  : options.strict == Strict::kFalse ? "false"
                                                     : "exact";
  for (const OpenedFile& file : document.files)
    report.files.push_back({file.source->path(), file.role,
                            static_cast<long>(file.source->byte_count()), file.source->sha256(),
                            file.from});

  if (document.has_root() && is_mjcf(document, findings)) {
    loaded.is_read = true;
    check_schema(document, findings);
    Reasons reasons;
    const Classes classes(document, findings);
    Context context{document, findings, reasons, classes, options, {}, {}};
    const Attribute* model = document.find(document.elements[0], "model");
    context.description.name = model != nullptr ? std::string(model->value) : "model";
    report.model = context.description.name;
    read_settings(context);
    const Bodies bodies = read_bodies(context);
    read_tendons(context, bodies);
    read_keyframes(context);
    read_inert(context, bodies);
    if (!context.settings.has_gravity) context.description.options.gravity = {};
    close_bins(document, reasons, findings, report);
    report.counts = count(context.description, bodies);
    loaded.description = std::move(context.description);
  }
  loaded.errors = findings.errors();
  report.items = findings.items();
  report.ok = loaded.errors.empty();
  return loaded;
}

}  // namespace flexor::io
