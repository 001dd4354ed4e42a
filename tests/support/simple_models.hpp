#pragma once
// Small mechanisms for tests of the model layer.

#include "flexor/model/builder.hpp"

namespace flexor::test {

inline BodyDescription body(const char* name, const char* parent = "world", Vec3d pos = {}) {
  BodyDescription body;
  body.name = name;
  body.parent = Reference(parent);
  body.pos = pos;
  body.mass = 1;
  body.inertia = {0.1, 0.1, 0.1, 0, 0, 0};
  return body;
}

inline JointDescription joint(const char* name, const char* body,
                              JointType type = JointType::kHinge, Vec3d axis = {0, 0, 1}) {
  JointDescription joint;
  joint.name = name;
  joint.body = Reference(body);
  joint.type = type;
  joint.axis = axis;
  return joint;
}

inline SiteDescription site(const char* name, const char* body, Vec3d pos = {}) {
  SiteDescription site;
  site.name = name;
  site.body = Reference(body);
  site.pos = pos;
  return site;
}

inline GeomDescription geom(const char* name, const char* body, GeomType type, Vec3d size) {
  GeomDescription geom;
  geom.name = name;
  geom.body = Reference(body);
  geom.type = type;
  geom.size = size;
  return geom;
}

inline PathElement via(const char* site) {
  PathElement element;
  element.site = Reference(site);
  return element;
}
inline PathElement point(const char* body, Vec3d pos) {
  PathElement element;
  element.body = Reference(body);
  element.pos = pos;
  return element;
}
inline PathElement sphere(const char* body, Vec3d pos, double radius) {
  PathElement element = point(body, pos);
  element.type = ElementType::kSphere;
  element.radius = radius;
  return element;
}
inline PathElement cylinder(const char* body, Vec3d pos, double radius, Vec3d axis = {0, 0, 1}) {
  PathElement element = sphere(body, pos, radius);
  element.type = ElementType::kCylinder;
  element.axis = axis;
  return element;
}
inline PathElement with_side(PathElement element, const char* site) {
  element.has_side = true;
  element.side_site = Reference(site);
  return element;
}
inline PathElement guide(const char* geom) {
  PathElement element;
  element.type = ElementType::kSphere;
  element.geom = Reference(geom);
  return element;
}
inline PathElement pulley(double divisor) {
  PathElement element;
  element.type = ElementType::kPulley;
  element.divisor = divisor;
  return element;
}
inline PathElement term(const char* joint, double coefficient = 1) {
  PathElement element;
  element.type = ElementType::kJoint;
  element.joint = Reference(joint);
  element.coefficient = coefficient;
  return element;
}

inline TendonDescription tendon(const char* name, std::vector<PathElement> path) {
  TendonDescription tendon;
  tendon.name = name;
  tendon.path = std::move(path);
  return tendon;
}

/// Two hinges about z, one after the other along x, with a site on each body and two on the world:
/// bodies upper (0, 0, 0) and lower (1, 0, 0); joints shoulder, elbow; sites w0 (-1, 1, 0),
/// w1 (-1, -1, 0), u (.5, .1, 0) and l (1.5, .1, 0) in the world.
inline ModelBuilder arm() {
  ModelBuilder builder("arm");
  builder.add_body(body("upper"));
  builder.add_body(body("lower", "upper", {1, 0, 0}));
  builder.add_joint(joint("shoulder", "upper"));
  builder.add_joint(joint("elbow", "lower"));
  builder.add_site(site("w0", "world", {-1, 1, 0}));
  builder.add_site(site("w1", "world", {-1, -1, 0}));
  builder.add_site(site("u", "upper", {0.5, 0.1, 0}));
  builder.add_site(site("l", "lower", {0.5, 0.1, 0}));
  return builder;
}

}  // namespace flexor::test
