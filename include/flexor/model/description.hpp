#pragma once
// What a model says, in the words of its author: plain structs with names and float64 numbers.
// Loaders and builder calls fill a Description; `ModelBuilder::finalize` judges it, resolves every
// reference and compiles it. After that it is read only: the reference path computes from it, the
// batch from the constants derived from it. Host code only.

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "flexor/core/error.hpp"
#include "flexor/math/quaternion.hpp"
#include "flexor/model/description_enums.hpp"

namespace flexor {

using Vec3d = Vec3<double>;
using Quatd = Quaternion<double>;

inline constexpr int kWorld = -1;  ///< index of the world where a body is meant
inline constexpr int kUnset = -2;  ///< reference not given
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Reference to another element by name or by index; finalize turns names into indices.
/// "world" is the world where a body is meant.
struct Reference {
  std::string name;
  int index = kUnset;
  Source source{};  ///< where the reference is written, if not at the element itself

  Reference() = default;
  Reference(int i) : index(i) {}
  Reference(const char* n) : name(n) {}
  Reference(std::string n) : name(std::move(n)) {}
  bool is_set() const { return index != kUnset || !name.empty(); }
};

struct BodyDescription {
  std::string name;
  Reference parent{kWorld};
  Vec3d pos;                        ///< in the parent frame [m]
  Quatd quat;                       ///< in the parent frame
  double mass = 0;                  ///< [kg]
  Vec3d com;                        ///< centre of mass in the body frame [m]
  std::array<double, 6> inertia{};  ///< about com, body axes: xx yy zz xy xz yz [kg m^2]
  double gravity_compensation = 0;  ///< [MF-8]
  Source source;
};

/// Softness of a limit row as MJCF writes it; mapped by [MF-18], [MF-19] at finalize.
struct Softness {
  bool is_written = false;
  double solref[2] = {0.02, 1.0};
  double solimp[5] = {0.9, 0.95, 0.001, 0.5, 2.0};
};

struct JointDescription {
  std::string name;
  Reference body;
  JointType type = JointType::kHinge;
  Vec3d axis{0, 0, 1};                           ///< body frame, any length > 0
  Vec3d pos;                                     ///< anchor in the body frame [m]
  double ref = 0;                                ///< coordinate at the authored pose [rad or m]
  double lower = -kInfinity, upper = kInfinity;  ///< [rad or m]; ball: upper = cone angle
  double damping = 0;
  double friction = 0, friction_compliance = 0;
  double armature = 0;
  double stiffness = 0, rest = 0;
  Quatd rest_quat;  ///< ball joints
  double position_gain = 0, velocity_gain = 0;
  double effort_lower = -kInfinity, effort_upper = kInfinity;
  double velocity_limit = kInfinity;
  double limit_margin = 0, limit_compliance = 0, limit_correction = 0.2;
  Softness limit_softness;     ///< if written, replaces limit_compliance and limit_correction
  Softness friction_softness;  ///< if written, replaces friction_compliance [MF-20]
  double spring_time = 0, spring_damping_ratio = 0;  ///< springdamper [MF-15], both > 0 = used
  Source source;
};

struct SiteDescription {
  std::string name;
  Reference body{kWorld};
  Vec3d pos;
  Quatd quat;
  Source source;
};

enum class GeomType { kPlane, kSphere, kCapsule, kCylinder, kBox, kEllipsoid, kMesh, kNone };

/// A shape. This version knows it as a guide of tendons and as a drawing; its mass has already
/// been added to the body by the loader; its contacts are listed in Description::inert.
struct GeomDescription {
  std::string name;
  Reference body{kWorld};
  GeomType type = GeomType::kSphere;
  Vec3d size;  ///< radius; radius, half-length; half-sizes [m]
  Vec3d pos;
  Quatd quat;
  std::array<double, 4> color{0.5, 0.5, 0.5, 1};
  Source source;
};

enum class ElementType { kSite, kSphere, kCylinder, kPulley, kJoint };

/// One element of a tendon path. A fixed tendon is a path of joint elements.
struct PathElement {
  ElementType type = ElementType::kSite;
  Reference site;          ///< kSite, guides: a named site; else body and pos
  Reference geom;          ///< guides: a named geom whose body, pos, axis and radius are copied
  Reference body{kWorld};  ///< kSite, guides
  Vec3d pos;               ///< point or guide centre in the body frame [m]
  double radius = 0;       ///< [m]
  Vec3d axis{0, 0, 1};     ///< cylinder axis in the body frame
  double half_length = kInfinity;
  bool has_side = false;  ///< guides
  Reference side_site;    ///< a named site; else side_body and side_pos
  Reference side_body{kWorld};
  Vec3d side_pos;
  SideMode side_mode = SideMode::kAuto;
  double divisor = 1;      ///< kPulley
  Reference joint;         ///< kJoint
  double coefficient = 1;  ///< kJoint [m/rad or -]
  Source source;
};

enum class TendonType { kSpatial, kFixed };

struct TendonDescription {
  std::string name;
  TendonType type = TendonType::kSpatial;
  std::vector<PathElement> path;
  bool enabled = true;
  double reference_length = kNaN;                   ///< NaN = length at the reference pose [R-38]
  double activation = 0;                            ///< initial activation [N]
  double stiffness = 0;                             ///< [N/m]
  double damping = 0;                               ///< [N s/m]
  double spring_lower = kNaN, spring_upper = kNaN;  ///< [m]; both NaN = reference length
  double lower_limit = -kInfinity, upper_limit = kInfinity;  ///< [m]
  double limit_margin = 0, limit_compliance = 0;
  double friction_loss = 0, friction_compliance = 0;
  double armature = 0;
  double position_correction = 0.2;
  double actuation_lower = -kInfinity, actuation_upper = kInfinity;  ///< [N]
  double activation_time = 0;                                        ///< drive [s]
  double width = 0.004;
  std::array<double, 4> color{0.9, 0.35, 0.08, 1};
  // initial commands of the drive
  double force = 0, target_length = 0, target_velocity = 0, position_gain = 0, velocity_gain = 0;
  Softness limit_softness, friction_softness;
  bool is_spring_reference_from_rest = false;  ///< MJCF springlength -1: length with joints at rest
  Source source;
};

struct KeyframeDescription {
  std::string name;
  double time = 0;
  std::vector<double> qpos, qvel;  ///< empty = reference values
  Source source;
};

enum class JointImplicit { kTrapezoid, kBackward };

/// Model options of this version.   [IA-10]
struct OptionsDescription {
  double timestep = 0.002;
  Vec3d gravity{0, 0, -9.81};
  JointImplicit joint_implicit = JointImplicit::kTrapezoid;
  double hard_row_softness = 0;
};

/// Something the file says that this version cannot simulate: stepped only when named in `inert`.
struct InertElement {
  std::string kind;    ///< "actuator", "contact", "sensor" ...
  std::string name;    ///< element's name, or a description of the group
  std::string reason;  ///< what would be missing
  Source source;
};

struct Description {
  std::string name = "model";
  OptionsDescription options;
  std::vector<BodyDescription> bodies;  ///< parents before children after finalize
  std::vector<JointDescription> joints;
  std::vector<SiteDescription> sites;
  std::vector<GeomDescription> geoms;
  std::vector<TendonDescription> tendons;
  std::vector<KeyframeDescription> keyframes;
  std::vector<InertElement> inert;
};

}  // namespace flexor
