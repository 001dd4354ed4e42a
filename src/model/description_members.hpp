#pragma once
// Every member of a description, in one list per struct: what is hashed, and what is written and
// read. A member that is not here does neither.
//
// visit_members(struct, visit) calls visit(member, member, ...); const structs give const members.

#include <concepts>
#include <type_traits>

#include "flexor/model/description.hpp"

namespace flexor {

template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

template <Is<Softness> T, class Visit>
void visit_members(T& s, Visit&& visit) {
  visit(s.is_written, s.solref, s.solimp);
}
template <Is<OptionsDescription> T, class Visit>
void visit_members(T& o, Visit&& visit) {
  visit(o.timestep, o.gravity, o.joint_implicit, o.hard_row_softness);
}
template <Is<BodyDescription> T, class Visit>
void visit_members(T& b, Visit&& visit) {
  visit(b.name, b.parent, b.pos, b.quat, b.mass, b.com, b.inertia, b.gravity_compensation,
        b.source);
}
template <Is<JointDescription> T, class Visit>
void visit_members(T& j, Visit&& visit) {
  visit(j.name, j.body, j.type, j.axis, j.pos, j.ref, j.lower, j.upper, j.damping, j.friction,
        j.friction_compliance, j.armature, j.stiffness, j.rest, j.rest_quat, j.position_gain,
        j.velocity_gain, j.effort_lower, j.effort_upper, j.velocity_limit, j.limit_margin,
        j.limit_compliance, j.limit_correction, j.limit_softness, j.friction_softness,
        j.spring_time, j.spring_damping_ratio, j.source);
}
template <Is<SiteDescription> T, class Visit>
void visit_members(T& s, Visit&& visit) {
  visit(s.name, s.body, s.pos, s.quat, s.source);
}
template <Is<GeomDescription> T, class Visit>
void visit_members(T& g, Visit&& visit) {
  visit(g.name, g.body, g.type, g.size, g.pos, g.quat, g.color, g.source);
}
template <Is<PathElement> T, class Visit>
void visit_members(T& e, Visit&& visit) {
  visit(e.type, e.site, e.geom, e.body, e.pos, e.radius, e.axis, e.half_length, e.has_side,
        e.side_site, e.side_body, e.side_pos, e.side_mode, e.divisor, e.joint, e.coefficient,
        e.source);
}
template <Is<TendonDescription> T, class Visit>
void visit_members(T& t, Visit&& visit) {
  visit(t.name, t.type, t.path, t.enabled, t.reference_length, t.activation, t.stiffness, t.damping,
        t.spring_lower, t.spring_upper, t.lower_limit, t.upper_limit, t.limit_margin,
        t.limit_compliance, t.friction_loss, t.friction_compliance, t.armature,
        t.position_correction, t.actuation_lower, t.actuation_upper, t.activation_time, t.width,
        t.color, t.force, t.target_length, t.target_velocity, t.position_gain, t.velocity_gain,
        t.limit_softness, t.friction_softness, t.is_spring_reference_from_rest, t.source);
}
template <Is<KeyframeDescription> T, class Visit>
void visit_members(T& k, Visit&& visit) {
  visit(k.name, k.time, k.qpos, k.qvel, k.source);
}
template <Is<InertElement> T, class Visit>
void visit_members(T& i, Visit&& visit) {
  visit(i.kind, i.name, i.reason, i.source);
}
template <Is<Description> T, class Visit>
void visit_members(T& d, Visit&& visit) {
  visit(d.name, d.options, d.bodies, d.joints, d.sites, d.geoms, d.tendons, d.keyframes, d.inert);
}

}  // namespace flexor
