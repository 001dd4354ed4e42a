// The model's identity: a digest over everything its description says.   [IA-1]

#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>

#include "flexor/model/model.hpp"
#include "io/sha256.hpp"

namespace flexor {
namespace {

/// Renders values one after the other, lengths before lists, numbers with all their bits.
class Writer {
 public:
  template <class... Values>
  void put(const Values&... values) {
    (write(values), ...);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void write_bits(std::uint64_t bits) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(bits >> (8 * i));
    bytes_.append(bytes, 8);
  }
  template <std::integral Integer>
  void write(Integer value) {
    write_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void write(Enum value) { write(static_cast<int>(value)); }
  void write(double value) {
    write_bits(std::isnan(value) ? ~std::uint64_t(0) : std::bit_cast<std::uint64_t>(value));
  }
  void write(const std::string& text) {
    write(text.size());
    bytes_ += text;
  }
  void write(const Vec3d& v) { put(v.x, v.y, v.z); }
  void write(const Quatd& q) { put(q.w, q.x, q.y, q.z); }
  void write(const Reference& reference) { write(reference.index); }
  template <std::size_t N>
  void write(const std::array<double, N>& values) {
    for (const double value : values) write(value);
  }
  template <class Element>
  void write(const std::vector<Element>& elements) {
    write(elements.size());
    for (const Element& element : elements) write(element);
  }

  void write(const Softness& s) {
    put(s.is_written);
    for (const double value : s.solref) write(value);
    for (const double value : s.solimp) write(value);
  }
  void write(const OptionsDescription& o) {
    put(o.timestep, o.gravity, o.joint_implicit, o.hard_row_softness);
  }
  void write(const BodyDescription& b) {
    put(b.name, b.parent, b.pos, b.quat, b.mass, b.com, b.inertia, b.gravity_compensation);
  }
  void write(const JointDescription& j) {
    put(j.name, j.body, j.type, j.axis, j.pos, j.ref, j.lower, j.upper, j.damping, j.friction,
        j.friction_compliance, j.armature, j.stiffness, j.rest, j.rest_quat, j.position_gain,
        j.velocity_gain, j.effort_lower, j.effort_upper, j.velocity_limit, j.limit_margin,
        j.limit_compliance, j.limit_correction, j.limit_softness, j.friction_softness,
        j.spring_time, j.spring_damping_ratio);
  }
  void write(const SiteDescription& s) { put(s.name, s.body, s.pos, s.quat); }
  void write(const GeomDescription& g) {
    put(g.name, g.body, g.type, g.size, g.pos, g.quat, g.color);
  }
  void write(const PathElement& e) {
    put(e.type, e.site, e.geom, e.body, e.pos, e.radius, e.axis, e.half_length, e.has_side,
        e.side_site, e.side_body, e.side_pos, e.side_mode, e.divisor, e.joint, e.coefficient);
  }
  void write(const TendonDescription& t) {
    put(t.name, t.type, t.path, t.enabled, t.reference_length, t.activation, t.stiffness, t.damping,
        t.spring_lower, t.spring_upper, t.lower_limit, t.upper_limit, t.limit_margin,
        t.limit_compliance, t.friction_loss, t.friction_compliance, t.armature,
        t.position_correction, t.actuation_lower, t.actuation_upper, t.activation_time, t.width,
        t.color, t.force, t.target_length, t.target_velocity, t.position_gain, t.velocity_gain,
        t.limit_softness, t.friction_softness, t.is_spring_reference_from_rest);
  }
  void write(const KeyframeDescription& k) { put(k.name, k.time, k.qpos, k.qvel); }
  void write(const InertElement& i) { put(i.kind, i.name, i.reason); }

  std::string bytes_;
};

}  // namespace

std::string model_hash(const Model& model) {
  const Description& d = model.description();
  Writer writer;
  writer.put(std::string("flexor model 1"), d.name, d.options, d.bodies, d.joints, d.sites, d.geoms,
             d.tendons, d.keyframes, d.inert);
  return io::sha256(writer.bytes()).substr(0, 32);
}

}  // namespace flexor
