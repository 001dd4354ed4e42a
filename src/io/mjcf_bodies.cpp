#include "io/mjcf_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "flexor/io/suggest.hpp"
#include "io/numbers.hpp"

namespace flexor::io {

namespace {

constexpr int kMaxOfKind = 200'000;
constexpr long kMaxReplicateProduct = 100'000;
constexpr long kMaxVisited = 5'000'000;  ///< elements below bodies, each copy counted

const std::map<std::string_view, GeomType> kGeomTypes = {{"plane", GeomType::kPlane},
                                                         {"hfield", GeomType::kPlane},
                                                         {"sphere", GeomType::kSphere},
                                                         {"capsule", GeomType::kCapsule},
                                                         {"cylinder", GeomType::kCylinder},
                                                         {"box", GeomType::kBox},
                                                         {"ellipsoid", GeomType::kEllipsoid},
                                                         {"mesh", GeomType::kMesh},
                                                         {"sdf", GeomType::kNone}};

/// How many sizes a type needs, without and with fromto.
int size_count(GeomType type, bool has_fromto) {
  switch (type) {
    case GeomType::kSphere:
      return 1;
    case GeomType::kCapsule:
    case GeomType::kCylinder:
      return has_fromto ? 1 : 2;
    case GeomType::kBox:
    case GeomType::kEllipsoid:
      return has_fromto ? 1 : 3;
    default:
      return 0;
  }
}

class BodyReader {
 public:
  explicit BodyReader(Context& context) : context_(context) { find_meshes(); }

  Bodies run() {
    const auto& root = context_.document.elements[0];
    // bodies still to be read, the next one last
    std::vector<Item> open;
    Item world;
    world.children = worldbody_children(root);
    read_body_contents(kWorld, world, open);
    while (!open.empty() && !is_over_limit_) {
      const Item item = open.back();
      open.pop_back();
      read_body(item, open);
    }
    close_masses();
    return std::move(bodies_);
  }

 private:
  /// An element with all that its ancestors give it.
  struct Item {
    int element = -1;
    std::vector<int> children;  ///< of the world only, which may stand in several sections
    int parent = kWorld;
    Pose frame;  ///< of frames and replicates between the element and its parent body
    int childclass = Classes::kMain;
    int suffix = 0;  ///< index in suffixes_
    long copies = 1;
  };

  std::vector<int> worldbody_children(const Element& root) const {
    std::vector<int> children;
    for (const int i : context_.children(root))
      if (context_.element(i).name == "worldbody")
        for (const int child : context_.children(context_.element(i))) children.push_back(child);
    return children;
  }

  const std::string& suffix(const Item& item) const {
    return suffixes_[static_cast<std::size_t>(item.suffix)];
  }

  /// Name of an element with the suffix of its replicates.
  std::string full_name(const Item& item, std::string_view kind) {
    const Attribute* attribute = context_.document.find(context_.element(item.element), "name");
    if (attribute == nullptr) return "";
    const std::string name(attribute->value);
    if (item.suffix == 0) return name;
    Bodies::Copies& copies = bodies_.copies[{kind, name}];
    copies.suffixes.push_back(suffix(item));
    copies.known.insert(suffix(item));
    return name + suffix(item);
  }

  bool is_full(std::size_t count, const Item& item, const char* kind) {
    if (count < static_cast<std::size_t>(kMaxOfKind)) return false;
    if (!is_over_limit_)
      context_.findings.error(
          context_.document.problem(context_.element(item.element), "limit-exceeded",
                                    "more than " + std::to_string(kMaxOfKind) + " " + kind));
    is_over_limit_ = true;
    return true;
  }

  // ---- bodies, frames, replicates -----------------------------------------------------------

  void read_body(const Item& item, std::vector<Item>& open) {
    if (is_full(context_.description.bodies.size(), item, "bodies")) return;
    const Element& element = context_.element(item.element);
    const Reading reading(context_, element, "", -1);
    const int index = static_cast<int>(context_.description.bodies.size());
    BodyDescription body;
    body.name = full_name(item, "body");
    body.parent = item.parent;
    const Pose pose = item.frame * read_pose(reading);
    body.pos = pose.pos;
    body.quat = pose.quat;
    body.gravity_compensation = reading.real("gravcomp", 0);
    body.source = reading.place();
    if (reading.boolean("mocap", false))
      context_.description.inert.push_back(
          {"mocap", body.name.empty() ? "body_" + std::to_string(index) : body.name,
           "mocap bodies are not driven yet; the body stays at its authored pose", body.source});
    context_.description.bodies.push_back(body);
    if (!body.name.empty()) bodies_.body_index.emplace(body.name, index);
    bodies_.is_moving.push_back(false);
    bodies_.parents.push_back(item.parent);
    bodies_.body_elements.push_back(item.element);
    parts_.emplace_back();
    inertials_.push_back(-1);

    Item inside = item;
    inside.frame = {};
    inside.childclass = context_.classes.child_class(element, item.childclass);
    inside.children = context_.children(element);
    read_body_contents(index, inside, open);
  }

  /// Reads all that belongs to the body itself, through frames and replicates, and leaves the
  /// bodies in it for later: so joints and geoms are numbered body by body.
  void read_body_contents(int body, const Item& inside, std::vector<Item>& open) {
    std::vector<Item> stack, bodies;
    const auto push_children = [&](const std::vector<int>& children, const Item& from) {
      for (auto i = children.rbegin(); i != children.rend(); ++i) {
        Item child = from;
        child.children.clear();
        child.element = *i;
        child.parent = body;
        stack.push_back(std::move(child));
      }
    };
    push_children(inside.children, inside);
    while (!stack.empty() && !is_over_limit_) {
      const Item item = std::move(stack.back());
      stack.pop_back();
      const Element& element = context_.element(item.element);
      if (++visited_ > kMaxVisited) {
        context_.findings.error(
            context_.document.problem(element, "limit-exceeded",
                                      "with all its replicates the model has more than " +
                                          std::to_string(kMaxVisited) + " elements"));
        is_over_limit_ = true;
      } else if (element.name == "body") {
        bodies.push_back(item);
      } else if (element.name == "frame") {
        Item child = item;
        child.frame = item.frame * read_pose(Reading(context_, element, "", -1));
        child.childclass = context_.classes.child_class(element, item.childclass);
        push_children(context_.children(element), child);
      } else if (element.name == "replicate") {
        const auto copies = replicate(item);
        const auto children = context_.children(element);
        for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy)
          push_children(children, *copy);
      } else if (element.name == "joint" || element.name == "freejoint") {
        read_joint(item, body);
      } else if (element.name == "geom") {
        read_geom(item, body);
      } else if (element.name == "site") {
        read_site(item, body);
      } else if (element.name == "inertial") {
        read_inertial(item, body);
      }
    }
    open.insert(open.end(), bodies.rbegin(), bodies.rend());
  }

  /// Pose i: position accumulated i times, rotation i x euler; names get sep + i, padded, in front
  /// of the suffix of the outer replicates.   [MF-13]
  std::vector<Item> replicate(const Item& item) {
    const Reading reading(context_, context_.element(item.element), "", -1);
    const Value count = reading.get("count");
    if (!count) {
      reading.error("missing-attribute", "replicate needs the attribute 'count'");
      return {};
    }
    const double n = reading.real("count", 0);
    if (n < 1 || n * static_cast<double>(item.copies) > kMaxReplicateProduct) {
      reading.error(count, n < 1 ? "out-of-range" : "limit-exceeded",
                    "'count' is " + in_quotes(count.attribute->value) +
                        "; it must be at least 1, nested counts at most " +
                        std::to_string(kMaxReplicateProduct) + " in all");
      return {};
    }
    const Settings& settings = context_.settings;
    const Vec3d offset = reading.vector("offset", {}), euler = reading.vector("euler", {});
    const Value sep = reading.get("sep");
    const auto digits = std::to_string(static_cast<long>(n)).size();
    std::vector<Item> copies;
    Pose pose;
    for (long i = 0; i < static_cast<long>(n); ++i) {
      const auto angle = [&](double a) { return settings.to_radians(a) * static_cast<double>(i); };
      pose.quat = from_euler({angle(euler.x), angle(euler.y), angle(euler.z)}, settings.eulerseq);
      Item copy = item;
      copy.frame = item.frame * pose;
      copy.childclass =
          context_.classes.child_class(context_.element(item.element), item.childclass);
      copy.copies = item.copies * static_cast<long>(n);
      std::string number = std::to_string(i);
      number.insert(0, digits - number.size(), '0');
      suffixes_.push_back(sep.name() + number + suffix(item));
      copy.suffix = static_cast<int>(suffixes_.size()) - 1;
      copies.push_back(std::move(copy));
      pose.pos = pose.pos + rotate(pose.quat, offset);
    }
    return copies;
  }

  // ---- joints -------------------------------------------------------------------------------

  void read_joint(const Item& item, int body) {
    const Element& element = context_.element(item.element);
    const bool is_freejoint = element.name == "freejoint";
    if (body == kWorld) {
      context_.findings.error(
          context_.document.problem(element, "misplaced-element", "the world has no joints"));
      return;
    }
    if (is_full(context_.description.joints.size(), item, "joints")) return;
    const Reading reading(context_, element, "joint",
                          is_freejoint ? -1 : context_.classes.class_of(element, item.childclass));
    JointDescription joint;
    joint.name = full_name(item, "joint");
    joint.body = body;
    joint.source = reading.place();
    bodies_.is_moving[static_cast<std::size_t>(body)] = true;
    const std::string_view type = is_freejoint ? "free" : reading.keyword("type", "hinge");
    joint.type = type == "slide"  ? JointType::kSlide
                 : type == "ball" ? JointType::kBall
                 : type == "free" ? JointType::kFree
                                  : JointType::kHinge;
    if (!is_freejoint && joint.type == JointType::kFree) refuse_free(reading);
    if (!is_freejoint && joint.type != JointType::kFree) read_scalars(reading, item.frame, joint);
    context_.description.joints.push_back(std::move(joint));
  }

  /// A free joint takes class values, but has no friction, damping, spring nor limits here.
  void refuse_free(const Reading& reading) const {
    for (const std::string_view name : {"frictionloss", "damping", "armature", "stiffness"}) {
      const Value value = reading.get(name);
      if (!value) continue;
      const auto numbers = to_numbers(value.words);
      if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return x != 0; }))
        reading.rebin(value, kPhysics, "ignored-physics",
                      in_quotes(name) + " of a free joint is not simulated");
    }
    for (const std::string_view name :
         {"pos", "axis", "range", "limited", "ref", "springref", "margin", "springdamper",
          "solreflimit", "solimplimit", "solreffriction", "solimpfriction"})
      reading.unused(name, in_quotes(name) + " has no effect on a free joint");
  }

  void read_scalars(const Reading& reading, const Pose& frame, JointDescription& joint) const {
    const Settings& settings = context_.settings;
    const bool is_ball = joint.type == JointType::kBall;
    const bool is_angle = joint.type == JointType::kHinge;
    // degrees count for hinges and ball ranges, not for slides   [MF-13]
    const auto coordinate = [&](double x) { return is_angle ? settings.to_radians(x) : x; };
    joint.pos = frame.pos + rotate(frame.quat, reading.vector("pos", {}));
    joint.axis = rotate(frame.quat, reading.vector("axis", {0, 0, 1}));
    if (is_ball) {
      for (const std::string_view name : {"axis", "ref", "springref"})
        reading.unused(name, in_quotes(name) + " has no effect on a ball joint");
    } else {
      joint.ref = coordinate(reading.real("ref", 0));
      joint.rest = coordinate(reading.real("springref", 0));
    }
    joint.armature = reading.real("armature", 0);
    joint.friction = reading.real("frictionloss", 0);
    if (is_ball && joint.friction != 0) {
      reading.rebin(reading.get("frictionloss"), kPhysics, "ignored-physics",
                    "friction of a ball joint is not simulated");
      joint.friction = 0;
    }
    joint.stiffness = first_coefficient(reading, "stiffness");
    joint.damping = first_coefficient(reading, "damping");
    if (const auto pair = reading.numbers("springdamper"); pair.size() == 2) {
      joint.spring_time = pair[0];
      joint.spring_damping_ratio = pair[1];
    }
    read_limits(reading, joint, coordinate);
    joint.friction_softness = read_softness(reading, "solreffriction", "solimpfriction",
                                            joint.friction > 0 && settings.has_friction);
    if (!settings.has_friction) joint.friction = 0;
    if (!settings.has_springs) joint.stiffness = joint.spring_time = 0;
    if (!settings.has_dampers) joint.damping = joint.spring_time = 0;
  }

  template <class Coordinate>
  void read_limits(const Reading& reading, JointDescription& joint,
                   const Coordinate& coordinate) const {
    const bool is_ball = joint.type == JointType::kBall;
    const Bounds bounds = read_bounds(reading, "range", "limited", !is_ball);
    const bool is_limited = bounds.is_limited && context_.settings.has_limits;
    if (is_limited && is_ball) {
      if (bounds.lower != 0)
        reading.error(reading.get("range"), "out-of-range",
                      "'range' of a ball joint begins with " + std::to_string(bounds.lower) +
                          "; it must be 0");
      joint.upper = context_.settings.to_radians(bounds.upper);
    } else if (is_limited) {
      joint.lower = coordinate(bounds.lower);
      joint.upper = coordinate(bounds.upper);
    }
    if (is_limited) {
      joint.limit_margin = reading.real("margin", 0);
    } else {
      reading.unused("margin", "'margin' has no effect: not limited");
    }
    joint.limit_softness = read_softness(reading, "solreflimit", "solimplimit", is_limited);
  }

  /// Linear coefficient; a polynomial one has no row here.
  static double first_coefficient(const Reading& reading, std::string_view name) {
    const Value value = reading.get(name);
    if (!value) return 0;
    const auto numbers = to_numbers(value.words);
    if (std::any_of(numbers.begin() + 1, numbers.end(), [](double x) { return x != 0; }))
      reading.error(value, "unsupported-value",
                    in_quotes(name) + " is " + in_quotes(value.attribute->value) +
                        "; coefficients after the first must be 0");
    return numbers[0];
  }

  // ---- sites, geoms -------------------------------------------------------------------------

  /// fromto: z axis along from - to, centre at the middle; null without one.   [MF-13]
  struct FromTo {
    Pose pose;
    double half_length = 0;
  };
  static bool read_fromto(const Reading& reading, FromTo& result) {
    const Value value = reading.get("fromto");
    if (!value) return false;
    const auto v = to_numbers(value.words);
    const Vec3d from{v[0], v[1], v[2]}, to{v[3], v[4], v[5]};
    const Vec3d axis = from - to;
    result.half_length = norm(axis) / 2;
    result.pose.pos = (from + to) * 0.5;
    result.pose.quat = from_z_axis(axis);
    if (is_null(result.pose.quat)) {
      reading.error(value, "out-of-range", "the two points of 'fromto' are the same");
      result.pose.quat = {};
    }
    if (norm(reading.vector("pos", {})) != 0)
      reading.error(reading.get("pos"), "exclusive-attributes",
                    "'pos' and 'fromto' exclude each other");
    return true;
  }

  void read_site(const Item& item, int body) {
    if (is_full(context_.description.sites.size(), item, "sites")) return;
    const Element& element = context_.element(item.element);
    const Reading reading(context_, element, "site",
                          context_.classes.class_of(element, item.childclass));
    FromTo fromto;
    const Pose pose =
        item.frame * (read_fromto(reading, fromto) ? fromto.pose : read_pose(reading));
    SiteDescription site;
    site.name = full_name(item, "site");
    site.body = body;
    site.pos = pose.pos;
    site.quat = pose.quat;
    site.source = reading.place();
    context_.description.sites.push_back(std::move(site));
  }

  void read_geom(const Item& item, int body) {
    if (is_full(context_.description.geoms.size(), item, "geoms")) return;
    const Element& element = context_.element(item.element);
    const Reading reading(context_, element, "geom",
                          context_.classes.class_of(element, item.childclass));
    const std::string_view type_name = reading.keyword("type", "sphere");
    GeomDescription geom;
    geom.name = full_name(item, "geom");
    geom.body = body;
    geom.type = kGeomTypes.at(type_name);
    geom.source = reading.place();

    FromTo fromto;
    const bool has_fromto = read_fromto(reading, fromto);
    const bool takes_fromto = geom.type == GeomType::kCapsule || geom.type == GeomType::kCylinder ||
                              geom.type == GeomType::kBox || geom.type == GeomType::kEllipsoid;
    if (has_fromto && !takes_fromto)
      reading.error(
          reading.get("fromto"), "exclusive-attributes",
          "'fromto' needs type capsule, cylinder, box or ellipsoid, not " + in_quotes(type_name));
    const Pose pose = item.frame * (has_fromto ? fromto.pose : read_pose(reading));
    geom.pos = pose.pos;
    geom.quat = pose.quat;
    read_size(reading, geom, has_fromto, fromto.half_length);
    read_asset_names(reading, geom, type_name);
    const auto rgba = reading.numbers("rgba");
    if (rgba.size() == 4 &&
        std::all_of(rgba.begin(), rgba.end(), [](double x) { return std::isfinite(x); }))
      std::copy(rgba.begin(), rgba.end(), geom.color.begin());

    GeomFacts facts;
    facts.contype = reading.integer("contype", 1);
    facts.conaffinity = reading.integer("conaffinity", 1);
    facts.type = reading.get("type");
    facts.element = item.element;
    read_contact_words(reading, facts);
    if (body != kWorld) add_mass(reading, geom, body);

    if (!geom.name.empty())
      bodies_.geom_index.emplace(geom.name, static_cast<int>(context_.description.geoms.size()));
    bodies_.geoms.push_back(std::move(facts));
    context_.description.geoms.push_back(std::move(geom));
  }

  void read_size(const Reading& reading, GeomDescription& geom, bool has_fromto,
                 double half_length) const {
    const Value value = reading.get("size");
    auto size = to_numbers(value.words);
    const auto needed = static_cast<std::size_t>(size_count(geom.type, has_fromto));
    if (size.size() < needed && !value) {
      reading.error("missing-attribute", "a " + std::string(reading.keyword("type", "sphere")) +
                                             " needs the attribute 'size'");
    } else if (size.size() < needed) {
      reading.error(value, "wrong-count",
                    "'size' has " + std::to_string(size.size()) + " numbers; a " +
                        std::string(reading.keyword("type", "sphere")) + " needs " +
                        std::to_string(needed));
    } else if (std::any_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(needed),
                           [](double x) { return !(x > 0); })) {
      reading.error(value, "out-of-range",
                    "'size' is " + in_quotes(value.attribute->value) + "; the first " +
                        std::to_string(needed) + " must be positive");
      std::fill(size.begin(), size.end(), 1.0);
    }
    size.resize(3, size.size() < needed ? 1.0 : 0.0);
    geom.size = {size[0], size[1], size[2]};
    if (!has_fromto) return;
    if (geom.type == GeomType::kCapsule || geom.type == GeomType::kCylinder) {
      geom.size.y = half_length;
    } else {
      geom.size.y = geom.size.x;
      geom.size.z = half_length;
    }
  }

  void read_asset_names(const Reading& reading, const GeomDescription& geom,
                        std::string_view type_name) const {
    const Value mesh = reading.get("mesh");
    if (type_name == "sdf")
      reading.error(reading.get("type"), "unsupported-value",
                    "'type' is 'sdf'; signed distance fields are not supported");
    if (type_name == "mesh" && !mesh)
      reading.error("missing-attribute", "a mesh geom needs the attribute 'mesh'");
    if (!mesh) return;
    if (geom.type != GeomType::kMesh) {
      reading.error(mesh, "unsupported-value",
                    "fitting a " + std::string(type_name) +
                        " to a mesh is not supported; give its "
                        "size and leave 'mesh' out");
    } else if (!meshes_.contains(mesh.name())) {
      const std::vector<std::string> legal(meshes_.begin(), meshes_.end());
      reading.error(mesh, "unknown-name", "no mesh named " + in_quotes(mesh.name()),
                    suggest(mesh.name(), legal));
    }
  }

  void read_contact_words(const Reading& reading, const GeomFacts& facts) const {
    const Value condim = reading.get("condim");
    if (condim) {
      const int n = reading.integer("condim", 3);
      if (n != 1 && n != 3 && n != 4 && n != 6)
        reading.error(condim, "out-of-range",
                      "'condim' is " + in_quotes(condim.attribute->value) + "; legal: 1, 3, 4, 6");
      const bool can_collide = facts.contype != 0 || facts.conaffinity != 0;
      if ((n == 4 || n == 6) && can_collide && context_.settings.has_contacts)
        reading.rebin(condim, kPhysics, "ignored-physics",
                      "torsional and rolling friction (condim 4 and 6) are not simulated");
    }
    if (!context_.settings.has_fluid) return;
    for (const std::string_view name : {"fluidshape", "fluidcoef"})
      if (const Value value = reading.get(name))
        reading.rebin(value, kPhysics, "ignored-physics", "forces of a fluid are not simulated");
  }

  // ---- mass ---------------------------------------------------------------------------------

  void add_mass(const Reading& reading, const GeomDescription& geom, int body) {
    const Settings& settings = context_.settings;
    if (settings.inertia_from_geom == Settings::InertiaFromGeom::kFalse) return;
    const double group = parse_number(reading.keyword("group", "0")).value;
    if (group < settings.inertia_group_lower || group > settings.inertia_group_upper) return;
    const double density = reading.real("density", 1000);
    const bool is_shell = reading.boolean("shellinertia", false);
    double mass = reading.real("mass", -1);
    for (const std::string_view name : {"mass", "density"}) {
      const Value value = reading.get(name);
      if (value && parse_number(value.word()).value < 0) {
        reading.error(value, "out-of-range",
                      in_quotes(name) + " is " + in_quotes(value.attribute->value) +
                          "; it must be 0 or more");
        return;
      }
    }
    if (geom.type == GeomType::kMesh) {
      const bool has_mass = mass < 0 ? density > 0 : mass > 0;
      if (has_mass) mesh_geoms_.push_back({body, context_.document.place(reading.element())});
      return;
    }
    if (mass < 0)
      mass = density * (is_shell ? area(geom.type, geom.size) : volume(geom.type, geom.size));
    if (!(mass > 0)) return;
    MassProperties part;
    part.mass = mass;
    part.com = geom.pos;
    part.inertia = rotated_inertia(geom.quat, moments(geom.type, geom.size, mass));
    parts_[static_cast<std::size_t>(body)].push_back(part);
  }

  void read_inertial(const Item& item, int body) {
    const Element& element = context_.element(item.element);
    if (body == kWorld || inertials_[static_cast<std::size_t>(body)] >= 0) {
      context_.findings.error(context_.document.problem(
          element, "misplaced-element",
          body == kWorld ? "the world has no inertial" : "a body has at most one inertial"));
      return;
    }
    inertials_[static_cast<std::size_t>(body)] = item.element;
    const Reading reading(context_, element, "", -1);
    // A frame around an inertial does not move it: MJCF's own rule.
    const Pose pose = read_pose(reading);
    MassProperties own;
    own.mass = reading.real("mass", 0);
    own.com = pose.pos;
    const Value diagonal = reading.get("diaginertia"), full = reading.get("fullinertia");
    for (const std::string_view name : {"pos", "mass"})
      if (context_.document.find(element, name) == nullptr)
        reading.error("missing-attribute", "inertial needs the attribute " + in_quotes(name));
    if (full) {
      const auto v = to_numbers(full.words);
      std::copy(v.begin(), v.end(), own.inertia.begin());
      for (const std::string_view name :
           {"diaginertia", "quat", "axisangle", "euler", "xyaxes", "zaxis"})
        if (const Value value = reading.get(name))
          reading.error(value, "exclusive-attributes",
                        in_quotes(name) + " and 'fullinertia' exclude each other");
    } else if (diagonal) {
      const auto v = to_numbers(diagonal.words);
      own.inertia = rotated_inertia(pose.quat, Vec3d{v[0], v[1], v[2]});
    } else if (context_.document.find(element, "diaginertia") == nullptr &&
               context_.document.find(element, "fullinertia") == nullptr) {
      reading.error("missing-attribute", "inertial needs 'diaginertia' or 'fullinertia'");
    }
    if (own.mass < 0) {
      reading.error(reading.get("mass"), "out-of-range",
                    "'mass' is " + in_quotes(reading.get("mass").attribute->value) +
                        "; it must be 0 or more");
      own.mass = 0;
    }
    set_mass(context_.description.bodies[static_cast<std::size_t>(body)], own);
  }

  static void set_mass(BodyDescription& body, const MassProperties& mass) {
    body.mass = mass.mass;
    body.com = mass.com;
    body.inertia = mass.inertia;
  }

  /// Geoms where they count, bounds, balance, total mass.   [MF-14]
  void close_masses() {
    using From = Settings::InertiaFromGeom;
    const Settings& settings = context_.settings;
    auto& bodies = context_.description.bodies;
    for (const auto& [body, place] : mesh_geoms_) refuse_mesh_mass(body, place);
    double total = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const bool has_inertial = inertials_[i] >= 0;
      if (!parts_[i].empty() && (settings.inertia_from_geom == From::kTrue || !has_inertial))
        set_mass(bodies[i], sum(parts_[i]));
      bound(bodies[i], i);
      total += bodies[i].mass;
    }
    if (!(settings.settotalmass > 0) || !(total > 0)) return;
    const double scale = settings.settotalmass / total;
    for (BodyDescription& body : bodies) {
      body.mass *= scale;
      for (double& entry : body.inertia) entry *= scale;
    }
  }

  /// Inertia from a mesh file is not computed yet: an error where it would move something.
  void refuse_mesh_mass(int body, const Source& place) {
    const auto index = static_cast<std::size_t>(body);
    using From = Settings::InertiaFromGeom;
    if (inertials_[index] >= 0 && context_.settings.inertia_from_geom != From::kTrue) return;
    bool moves = false;
    for (int b = body; b != kWorld; b = bodies_.parents[static_cast<std::size_t>(b)])
      moves |= bodies_.is_moving[static_cast<std::size_t>(b)];
    if (!moves) return;
    Problem problem;
    problem.code = "unsupported-element";
    problem.message = "mass and inertia from a mesh are not computed yet, and body " +
                      in_quotes(context_.description.bodies[index].name) + " moves";
    problem.hint = "give the body an <inertial>, or the geom mass=\"0\"";
    problem.source = place;
    problem.element = "geom";
    context_.findings.error(std::move(problem));
  }

  void bound(BodyDescription& body, std::size_t index) {
    const Settings& settings = context_.settings;
    body.mass = std::max(body.mass, settings.boundmass);
    PrincipalAxes principal = principal_axes(body.inertia);
    Vec3d& m = principal.moments;
    const Vec3d bounded{std::max(m.x, settings.boundinertia), std::max(m.y, settings.boundinertia),
                        std::max(m.z, settings.boundinertia)};
    bool is_changed = bounded.x != m.x || bounded.y != m.y || bounded.z != m.z;
    if (settings.boundinertia > 0) {
      m = bounded;
    } else {
      is_changed = false;
    }
    if (!is_physical(m)) {
      if (settings.balanceinertia) {
        const double mean = (m.x + m.y + m.z) / 3;
        m = {mean, mean, mean};
        is_changed = true;
      } else {
        refuse_inertia(body, index, m);
        m = {1, 1, 1};
        is_changed = true;
      }
    }
    if (is_changed) body.inertia = from_principal(principal);
  }

  void refuse_inertia(const BodyDescription& body, std::size_t index, const Vec3d& m) {
    const bool is_own = inertials_[index] >= 0;
    const Element& element =
        context_.element(is_own ? inertials_[index] : bodies_.body_elements[index]);
    Problem problem = context_.document.problem(element, "bad-inertia", "");
    for (const std::string_view name : {"diaginertia", "fullinertia"})
      if (const Attribute* attribute = context_.document.find(element, name))
        problem = context_.document.problem(*attribute, "bad-inertia", "");
    problem.message = "principal moments " + std::to_string(m.x) + ", " + std::to_string(m.y) +
                      ", " + std::to_string(m.z) + " of body " + in_quotes(body.name) +
                      " belong to no body: A + B >= C must hold";
    problem.hint = "compiler balanceinertia=\"true\" replaces them by their mean";
    context_.findings.error(std::move(problem));
  }

  void find_meshes() {
    for (const int i : context_.section_children("asset")) {
      if (context_.element(i).name != "mesh") continue;
      const Attribute* name = context_.document.find(context_.element(i), "name");
      const Attribute* file = context_.document.find(context_.element(i), "file");
      if (name != nullptr) {
        meshes_.emplace(name->value);
      } else if (file != nullptr) {
        meshes_.insert(std::filesystem::path(file->value).stem().string());
      }
    }
  }

  Context& context_;
  Bodies bodies_;
  std::vector<std::string> suffixes_ = {""};
  std::vector<std::vector<MassProperties>> parts_;  ///< per body, from its geoms
  std::vector<int> inertials_;                      ///< per body: element, -1 = none
  std::vector<std::pair<int, Source>> mesh_geoms_;  ///< with mass: body and place
  std::set<std::string, std::less<>> meshes_;
  bool is_over_limit_ = false;
  long visited_ = 0;
};

}  // namespace

Bodies read_bodies(Context& context) { return BodyReader(context).run(); }

std::vector<std::string> copy_suffixes(
    const Bodies& bodies, const std::vector<std::pair<std::string_view, std::string>>& names) {
  const std::vector<std::string>* most = nullptr;
  for (const auto& name : names) {
    const auto found = bodies.copies.find(name);
    if (found == bodies.copies.end()) continue;
    const auto& suffixes = found->second.suffixes;
    if (most == nullptr || suffixes.size() > most->size()) most = &suffixes;
  }
  return most == nullptr ? std::vector<std::string>{""} : *most;
}

std::string copied_name(const Bodies& bodies, std::string_view kind, const std::string& name,
                        const std::string& suffix) {
  const auto found = bodies.copies.find({kind, name});
  if (found == bodies.copies.end()) return name;
  for (std::size_t i = 0; i < suffix.size(); ++i)
    if (found->second.known.contains(suffix.substr(i))) return name + suffix.substr(i);
  return name + suffix;
}

}  // namespace flexor::io
