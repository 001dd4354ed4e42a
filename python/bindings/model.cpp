// Description, builder, model and loaders in Python. The package wraps these plain objects: it
// gives defaults, helper functions and handles; here are only members and conversions.

#include "casters.hpp"

namespace flexor::python {
namespace {

const char* severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

const char* owner_name(Owner owner) {
  switch (owner) {
    case Owner::kOption:
      return "option";
    case Owner::kBody:
      return "body";
    case Owner::kSite:
      return "site";
    case Owner::kJoint:
      return "joint";
    case Owner::kTendon:
      return "tendon";
    case Owner::kElement:
      return "element";
  }
  return "";
}

const char* legal_text(Legal legal) {
  switch (legal) {
    case Legal::kFinite:
      return "finite";
    case Legal::kNonNegative:
      return "finite, >= 0";
    case Legal::kPositive:
      return "finite, > 0";
    case Legal::kPositiveInf:
      return "> 0, inf allowed";
    case Legal::kUnit:
      return "in [0, 1]";
    case Legal::kBound:
      return "a number or +-inf, lower <= upper";
    case Legal::kSpringBound:
      return "both NaN (automatic), or numbers or +-inf with lower <= upper";
    case Legal::kDirection:
      return "finite, not the zero vector";
    case Legal::kQuaternion:
      return "finite, norm >= 1e-9";
    case Legal::kInertia:
      return "positive semidefinite, moments with A + B >= C";
  }
  return "";
}

/// (name, owner, count, unit, legal, nominal values) of one parameter.
py::tuple to_tuple(const Model& model, const Parameter& parameter) {
  const ParameterInfo& facts = info(parameter.kind);
  py::list nominal;
  for (int i = 0; i < facts.count; ++i) nominal.append(model.nominal()[parameter.address + i]);
  return py::make_tuple(parameter.name, owner_name(facts.owner), facts.count, facts.unit,
                        legal_text(facts.legal), py::tuple(nominal));
}

py::list parameters(const Model& model) {
  py::list out;
  for (const Parameter& parameter : model.parameters()) out.append(to_tuple(model, parameter));
  return out;
}

template <class T>
py::class_<T> plain(py::module_& m, const char* name) {
  return py::class_<T>(m, name).def(py::init<>()).def("__copy__", [](const T& x) { return T(x); });
}

void bind_description(py::module_& m) {
  py::enum_<JointType>(m, "JointType")
      .value("hinge", JointType::kHinge)
      .value("slide", JointType::kSlide)
      .value("ball", JointType::kBall)
      .value("free", JointType::kFree);
  py::enum_<GeomType>(m, "GeomType")
      .value("plane", GeomType::kPlane)
      .value("sphere", GeomType::kSphere)
      .value("capsule", GeomType::kCapsule)
      .value("cylinder", GeomType::kCylinder)
      .value("box", GeomType::kBox)
      .value("ellipsoid", GeomType::kEllipsoid)
      .value("mesh", GeomType::kMesh)
      .value("none", GeomType::kNone);
  py::enum_<ElementType>(m, "ElementType")
      .value("site", ElementType::kSite)
      .value("sphere", ElementType::kSphere)
      .value("cylinder", ElementType::kCylinder)
      .value("pulley", ElementType::kPulley)
      .value("joint", ElementType::kJoint);
  py::enum_<SideMode>(m, "SideMode")
      .value("auto", SideMode::kAuto)
      .value("exterior", SideMode::kExterior)
      .value("interior", SideMode::kInterior);
  py::enum_<TendonType>(m, "TendonType")
      .value("spatial", TendonType::kSpatial)
      .value("fixed", TendonType::kFixed);

  {
    using T = BodyDescription;
    plain<T>(m, "BodyDescription")
        .def_readwrite("name", &T::name)
        .def_readwrite("parent", &T::parent)
        .def_readwrite("pos", &T::pos)
        .def_readwrite("quat", &T::quat)
        .def_readwrite("mass", &T::mass)
        .def_readwrite("com", &T::com)
        .def_readwrite("inertia", &T::inertia)
        .def_readwrite("gravity_compensation", &T::gravity_compensation);
  }
  {
    using T = JointDescription;
    plain<T>(m, "JointDescription")
        .def_readwrite("name", &T::name)
        .def_readwrite("body", &T::body)
        .def_readwrite("type", &T::type)
        .def_readwrite("axis", &T::axis)
        .def_readwrite("pos", &T::pos)
        .def_readwrite("ref", &T::ref)
        .def_readwrite("lower", &T::lower)
        .def_readwrite("upper", &T::upper)
        .def_readwrite("damping", &T::damping)
        .def_readwrite("friction", &T::friction)
        .def_readwrite("friction_compliance", &T::friction_compliance)
        .def_readwrite("armature", &T::armature)
        .def_readwrite("stiffness", &T::stiffness)
        .def_readwrite("rest", &T::rest)
        .def_readwrite("rest_quat", &T::rest_quat)
        .def_readwrite("position_gain", &T::position_gain)
        .def_readwrite("velocity_gain", &T::velocity_gain)
        .def_readwrite("effort_lower", &T::effort_lower)
        .def_readwrite("effort_upper", &T::effort_upper)
        .def_readwrite("velocity_limit", &T::velocity_limit)
        .def_readwrite("limit_margin", &T::limit_margin)
        .def_readwrite("limit_compliance", &T::limit_compliance)
        .def_readwrite("limit_correction", &T::limit_correction);
  }
  {
    using T = SiteDescription;
    plain<T>(m, "SiteDescription")
        .def_readwrite("name", &T::name)
        .def_readwrite("body", &T::body)
        .def_readwrite("pos", &T::pos)
        .def_readwrite("quat", &T::quat);
  }
  {
    using T = GeomDescription;
    plain<T>(m, "GeomDescription")
        .def_readwrite("name", &T::name)
        .def_readwrite("body", &T::body)
        .def_readwrite("type", &T::type)
        .def_readwrite("size", &T::size)
        .def_readwrite("pos", &T::pos)
        .def_readwrite("quat", &T::quat)
        .def_readwrite("color", &T::color);
  }
  {
    using T = PathElement;
    plain<T>(m, "PathElement")
        .def_readwrite("type", &T::type)
        .def_readwrite("site", &T::site)
        .def_readwrite("geom", &T::geom)
        .def_readwrite("body", &T::body)
        .def_readwrite("pos", &T::pos)
        .def_readwrite("radius", &T::radius)
        .def_readwrite("axis", &T::axis)
        .def_readwrite("half_length", &T::half_length)
        .def_readwrite("has_side", &T::has_side)
        .def_readwrite("side_site", &T::side_site)
        .def_readwrite("side_body", &T::side_body)
        .def_readwrite("side_pos", &T::side_pos)
        .def_readwrite("side_mode", &T::side_mode)
        .def_readwrite("divisor", &T::divisor)
        .def_readwrite("joint", &T::joint)
        .def_readwrite("coefficient", &T::coefficient);
  }
  {
    using T = TendonDescription;
    plain<T>(m, "TendonDescription")
        .def_readwrite("name", &T::name)
        .def_readwrite("type", &T::type)
        .def_readwrite("path", &T::path)
        .def_readwrite("enabled", &T::enabled)
        .def_readwrite("reference_length", &T::reference_length)
        .def_readwrite("activation", &T::activation)
        .def_readwrite("stiffness", &T::stiffness)
        .def_readwrite("damping", &T::damping)
        .def_readwrite("spring_lower", &T::spring_lower)
        .def_readwrite("spring_upper", &T::spring_upper)
        .def_readwrite("lower_limit", &T::lower_limit)
        .def_readwrite("upper_limit", &T::upper_limit)
        .def_readwrite("limit_margin", &T::limit_margin)
        .def_readwrite("limit_compliance", &T::limit_compliance)
        .def_readwrite("friction_loss", &T::friction_loss)
        .def_readwrite("friction_compliance", &T::friction_compliance)
        .def_readwrite("armature", &T::armature)
        .def_readwrite("position_correction", &T::position_correction)
        .def_readwrite("actuation_lower", &T::actuation_lower)
        .def_readwrite("actuation_upper", &T::actuation_upper)
        .def_readwrite("activation_time", &T::activation_time)
        .def_readwrite("width", &T::width)
        .def_readwrite("color", &T::color)
        .def_readwrite("force", &T::force)
        .def_readwrite("target_length", &T::target_length)
        .def_readwrite("target_velocity", &T::target_velocity)
        .def_readwrite("position_gain", &T::position_gain)
        .def_readwrite("velocity_gain", &T::velocity_gain);
  }
  {
    using T = KeyframeDescription;
    plain<T>(m, "KeyframeDescription")
        .def_readwrite("name", &T::name)
        .def_readwrite("time", &T::time)
        .def_readwrite("qpos", &T::qpos)
        .def_readwrite("qvel", &T::qvel);
  }
}

/// Read-only view of what a model says, as lists of the objects above.
template <class Owner>
void bind_lists(py::class_<Owner>& c, const Description& (*description)(const Owner&)) {
  c.def_property_readonly("name", [=](const Owner& o) { return description(o).name; })
      .def_property_readonly("bodies", [=](const Owner& o) { return description(o).bodies; })
      .def_property_readonly("joints", [=](const Owner& o) { return description(o).joints; })
      .def_property_readonly("sites", [=](const Owner& o) { return description(o).sites; })
      .def_property_readonly("geoms", [=](const Owner& o) { return description(o).geoms; })
      .def_property_readonly("tendons", [=](const Owner& o) { return description(o).tendons; })
      .def_property_readonly("keyframes", [=](const Owner& o) { return description(o).keyframes; })
      .def_property_readonly("inert",
                             [=](const Owner& o) {
                               py::list out;
                               for (const InertElement& e : description(o).inert) {
                                 py::dict entry;
                                 entry["kind"] = e.kind;
                                 entry["name"] = e.name;
                                 entry["reason"] = e.reason;
                                 entry["file"] = e.source.file;
                                 entry["line"] = e.source.line;
                                 entry["column"] = e.source.column;
                                 out.append(entry);
                               }
                               return out;
                             })
      .def_property_readonly("timestep",
                             [=](const Owner& o) { return description(o).options.timestep; })
      .def_property_readonly("options", [=](const Owner& o) {
        const OptionsDescription& options = description(o).options;
        py::dict out;
        out["timestep"] = options.timestep;
        out["gravity"] = options.gravity;
        out["joint_implicit"] =
            options.joint_implicit == JointImplicit::kBackward ? "backward" : "trapezoid";
        out["hard_row_softness"] = options.hard_row_softness;
        return out;
      });
}

LoadOptions load_options(const std::string& format, const std::string& strict,
                         const std::map<std::string, py::bytes>& assets,
                         const std::map<std::string, std::vector<double>>& overrides,
                         const std::map<std::string, std::string>& options,
                         const std::string& softness, const std::set<std::string>& allow,
                         int max_problems, const std::string& paths, const std::string& root) {
  LoadOptions out;
  out.format = format;
  out.strict = strict == "exact"   ? Strict::kExact
               : strict == "false" ? Strict::kFalse
                                   : Strict::kTrue;
  for (const auto& [name, bytes] : assets) out.assets[name] = std::string(bytes);
  out.overrides = overrides;
  out.options = options;
  out.softness = softness;
  out.allow = allow;
  out.max_problems = max_problems;
  out.paths = paths;
  out.root = root;
  return out;
}

void bind_builder(py::module_& m) {
  py::class_<ModelBuilder> builder(m, "ModelBuilder");
  builder.def(py::init<std::string, double>(), py::arg("name"), py::arg("timestep"))
      .def("add_body", &ModelBuilder::add_body)
      .def("add_joint", &ModelBuilder::add_joint)
      .def("add_site", &ModelBuilder::add_site)
      .def("add_geom", &ModelBuilder::add_geom)
      .def("add_tendon", &ModelBuilder::add_tendon)
      .def("add_keyframe", &ModelBuilder::add_keyframe)
      .def("set_option", [](ModelBuilder& b, const std::string& name,
                            const std::string& value) { b.set_option(name, value); })
      .def("set_option", [](ModelBuilder& b, const std::string& name,
                            double value) { b.set_option(name, value); })
      .def("set_option", [](ModelBuilder& b, const std::string& name,
                            const Vec3d& value) { b.set_option(name, value); })
      .def("to_bytes", [](const ModelBuilder& b) { return py::bytes(to_bytes(b)); })
      .def(
          "finalize",
          [](const ModelBuilder& b, int max_problems) {
            FinalizeOptions options;
            options.max_problems = max_problems;
            options.report.file = "<builder>";
            options.report.format = "builder";
            return b.finalize(options);
          },
          py::arg("max_problems") = 20);
  bind_lists<ModelBuilder>(
      builder, +[](const ModelBuilder& b) -> const Description& { return b.description(); });
}

}  // namespace

py::dict to_dict(const Problem& problem) {
  py::dict out;
  out["severity"] = severity_name(problem.severity);
  out["code"] = problem.code;
  out["file"] = problem.source.file;
  out["line"] = problem.source.line;
  out["column"] = problem.source.column;
  out["element"] = problem.element;
  out["name"] = problem.name;
  out["attribute"] = problem.attribute;
  out["value"] = problem.value;
  out["text"] = problem.message;
  out["hint"] = problem.hint;
  out["count"] = problem.count;
  return out;
}

void bind_model(py::module_& m) {
  bind_description(m);
  bind_builder(m);

  py::class_<Model> model(m, "Model");
  model.def_property_readonly("nq", &Model::nq)
      .def_property_readonly("nv", &Model::nv)
      .def_property_readonly("qpos0", &Model::qpos0)
      .def_property_readonly("report", [](const Model& x) { return to_json(x.report()); })
      .def_property_readonly("hash", &model_hash)
      .def("reference_length", &Model::reference_length)
      .def("names", [](const Model& x,
                       const std::string& kind) { return py::tuple(py::cast(x.names(kind))); })
      .def("index", [](const Model& x, const std::string& kind,
                       const std::string& name) { return x.index(kind, name); })
      .def("parameters", &parameters)
      .def("parameter",
           [](const Model& x, const std::string& name) { return to_tuple(x, x.parameter(name)); })
      .def("qpos_slice",
           [](const Model& x, int joint) {
             const Model::Slice s = x.qpos_slice(joint);
             return py::make_tuple(s.first, s.count);
           })
      .def("qvel_slice",
           [](const Model& x, int joint) {
             const Model::Slice s = x.qvel_slice(joint);
             return py::make_tuple(s.first, s.count);
           })
      .def("to_bytes", [](const Model& x) { return py::bytes(to_bytes(x)); })
      .def("to_builder", [](const Model& x) { return ModelBuilder(x.description()); });
  bind_lists<Model>(
      model, +[](const Model& x) -> const Description& { return x.description(); });

  py::class_<LoadOptions>(m, "LoadOptions")
      .def(py::init(&load_options), py::kw_only(), py::arg("format"), py::arg("strict"),
           py::arg("assets"), py::arg("overrides"), py::arg("options"), py::arg("softness"),
           py::arg("allow"), py::arg("max_problems"), py::arg("paths"), py::arg("root"));
  m.def(
      "validate",
      [](const std::string& path_or_text, const LoadOptions& options) {
        return to_json(validate(path_or_text, options));
      },
      py::call_guard<py::gil_scoped_release>());
  m.def("model_from_bytes",
        [](const py::bytes& bytes) { return model_from_bytes(std::string_view(bytes)); });
  m.def("builder_from_bytes",
        [](const py::bytes& bytes) { return builder_from_bytes(std::string_view(bytes)); });
  m.def("load_model", &load_model, py::call_guard<py::gil_scoped_release>());
  m.def("load_builder", &load_builder, py::call_guard<py::gil_scoped_release>());
}

}  // namespace flexor::python
