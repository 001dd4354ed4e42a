#pragma once
// Small models written straight as resolved Descriptions: point masses, sliders, hinges, tendons
// between points. Shared by tests of every backend.

#include <string>
#include <vector>

#include "flexor/model/description.hpp"

namespace flexor::scenes {

/// Gravity 0 and a step of 1 ms: the setting of the mechanics cases.
inline Description empty_scene(double timestep = 0.001) {
  Description scene;
  scene.options.timestep = timestep;
  scene.options.gravity = {0, 0, 0};
  return scene;
}

inline void switch_gravity_on(Description& scene) { scene.options.gravity = {0, 0, -9.81}; }

inline std::array<double, 6> isotropic_inertia(double i) { return {i, i, i, 0, 0, 0}; }

inline int add_body(Description& scene, double mass, Vec3d pos = {}, int parent = kWorld,
                    Vec3d com = {}, std::array<double, 6> inertia = {}) {
  BodyDescription body;
  body.name = "body_" + std::to_string(scene.bodies.size());
  body.parent = Reference(parent);
  body.pos = pos;
  body.mass = mass;
  body.com = com;
  body.inertia = inertia;
  scene.bodies.push_back(body);
  return static_cast<int>(scene.bodies.size()) - 1;
}

inline int add_joint(Description& scene, int body, JointType type, Vec3d axis = {0, 0, 1},
                     Vec3d pos = {}) {
  JointDescription joint;
  joint.name = "joint_" + std::to_string(scene.joints.size());
  joint.body = Reference(body);
  joint.type = type;
  joint.axis = axis;
  joint.pos = pos;
  scene.joints.push_back(joint);
  return static_cast<int>(scene.joints.size()) - 1;
}

/// A body on three sliders along world x, y, z that lies at `pos` for q = 0.
inline int add_point_mass(Description& scene, Vec3d pos, double mass = 1) {
  const int body = add_body(scene, mass, pos);
  add_joint(scene, body, JointType::kSlide, {1, 0, 0});
  add_joint(scene, body, JointType::kSlide, {0, 1, 0});
  add_joint(scene, body, JointType::kSlide, {0, 0, 1});
  return body;
}

/// A body on one slider; returns the body, its joint is the last one added.
inline int add_slider(Description& scene, Vec3d axis, Vec3d pos = {}, double mass = 1) {
  const int body = add_body(scene, mass, pos);
  add_joint(scene, body, JointType::kSlide, axis);
  return body;
}

/// A body of the given moment of inertia on a hinge about z through its mass centre.
inline int add_wheel(Description& scene, double inertia) {
  const int body = add_body(scene, 1, {}, kWorld, {}, isotropic_inertia(inertia));
  add_joint(scene, body, JointType::kHinge);
  return body;
}

inline PathElement via(int body, Vec3d pos) {
  PathElement element;
  element.type = ElementType::kSite;
  element.body = Reference(body);
  element.pos = pos;
  return element;
}

inline PathElement pulley(double divisor) {
  PathElement element;
  element.type = ElementType::kPulley;
  element.divisor = divisor;
  return element;
}

inline PathElement joint_term(int joint, double coefficient) {
  PathElement element;
  element.type = ElementType::kJoint;
  element.joint = Reference(joint);
  element.coefficient = coefficient;
  return element;
}

inline PathElement sphere(int body, Vec3d centre, double radius) {
  PathElement element;
  element.type = ElementType::kSphere;
  element.body = Reference(body);
  element.pos = centre;
  element.radius = radius;
  return element;
}

inline PathElement cylinder(int body, Vec3d centre, double radius, Vec3d axis = {0, 0, 1}) {
  PathElement element = sphere(body, centre, radius);
  element.type = ElementType::kCylinder;
  element.axis = axis;
  return element;
}

/// The guide with a side site.
inline PathElement with_side(PathElement guide, int body, Vec3d pos) {
  guide.has_side = true;
  guide.side_body = Reference(body);
  guide.side_pos = pos;
  return guide;
}

inline TendonDescription& add_tendon(Description& scene, std::vector<PathElement> path,
                                     TendonType type = TendonType::kSpatial) {
  TendonDescription tendon;
  tendon.name = "tendon_" + std::to_string(scene.tendons.size());
  tendon.type = type;
  tendon.path = std::move(path);
  scene.tendons.push_back(tendon);
  return scene.tendons.back();
}

/// "from A": a straight tendon from a world point to the origin of a body.
inline TendonDescription& add_tendon_from(Description& scene, Vec3d anchor, int body) {
  return add_tendon(scene, {via(kWorld, anchor), via(body, {})});
}

inline TendonDescription& add_fixed_tendon(Description& scene, std::vector<PathElement> terms) {
  return add_tendon(scene, std::move(terms), TendonType::kFixed);
}

}  // namespace flexor::scenes
