#include "support/random_model.hpp"

#include <random>

#include "reference/route.hpp"
#include "support/scenes.hpp"

namespace flexor::support {

namespace {

using reference::Kinematics;
using reference::Layout;
using reference::Matrix3;
using reference::Vector3;
using reference::VectorXd;

/// Draws that are the same on every machine: std::distributions are not.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed * 2654435761u + 12345u) {}
  double uniform(double low, double high) {
    return low + (high - low) * (engine_() / 4294967296.0);
  }
  int integer(int low, int high) {  ///< both ends included
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }
  bool chance(double p) { return uniform(0, 1) < p; }
  Vec3d vector(double size) {
    const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return {x, y, z};
  }
  Vec3d direction() {
    for (;;) {
      const Vec3d v = vector(1);
      const double n = std::sqrt(dot(v, v));
      if (n > 0.2 && n < 1) return v * (1 / n);
    }
  }
  Quatd quaternion() {
    for (;;) {
      const Quatd q{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
      const double n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
      if (n > 0.2 && n < 1) return {q.w / n, q.x / n, q.y / n, q.z / n};
    }
  }

 private:
  std::mt19937 engine_;
};

Vec3d from_eigen(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

/// Inertia of random boxes: principal moments that a body can have, in a turned frame.
std::array<double, 6> random_inertia(Random& random) {
  const double x = random.uniform(.001, .02), y = random.uniform(.001, .02),
               z = random.uniform(.001, .02);
  const Matrix3 R = reference::to_eigen(random.quaternion()).toRotationMatrix();
  const Matrix3 I = R * Vector3(y + z, x + z, x + y).asDiagonal() * R.transpose();
  return {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)};
}

class Builder {
 public:
  Builder(unsigned seed, const RandomModelOptions& options)
      : seed_(seed), random_(seed), options_(options) {}

  Description build() {
    model_.name = "random_" + std::to_string(seed_);
    model_.options.timestep = random_.chance(.5) ? 0.001 : 0.002;
    model_.options.gravity = random_.chance(.8) ? Vec3d{0, 0, -9.81} : random_.vector(5);
    if (random_.chance(.2)) model_.options.joint_implicit = JointImplicit::kBackward;
    add_tree();
    add_sites();
    settle_state();
    if (options_.has_rows) add_joint_rows();
    const int tendons = random_.integer(0, options_.max_tendons);
    for (int t = 0; t < tendons; ++t) add_tendon();
    return model_;
  }

 private:
  // --- bodies and joints

  void add_tree() {
    const int joints = random_.integer(options_.min_joints, options_.max_joints);
    while (static_cast<int>(model_.joints.size()) < joints) add_body();
  }

  void add_body() {
    const int count = static_cast<int>(model_.bodies.size());
    const int parent = count == 0 || random_.chance(.2) ? kWorld : random_.integer(0, count - 1);
    const int body = scenes::add_body(model_, random_.uniform(.2, 2), random_.vector(.3), parent,
                                      random_.vector(.1), random_inertia(random_));
    if (random_.chance(.5)) model_.bodies[body].quat = random_.quaternion();
    if (random_.chance(.1)) model_.bodies[body].gravity_compensation = random_.uniform(0, 1);
    if (random_.chance(.15)) return;  // static
    if (parent == kWorld && random_.chance(.25)) {
      add_joint(body, JointType::kFree);
      return;
    }
    const int joints = random_.chance(.7) ? 1 : random_.integer(2, 3);
    for (int i = 0; i < joints; ++i) {
      const double draw = random_.uniform(0, 1);
      const JointType type = draw < .55  ? JointType::kHinge
                             : draw < .8 ? JointType::kSlide
                                         : JointType::kBall;
      add_joint(body, type);
      if (type == JointType::kBall) break;  // no turning joint after a ball
    }
  }

  void add_joint(int body, JointType type) {
    JointDescription& joint =
        model_.joints[scenes::add_joint(model_, body, type, random_.direction())];
    if (type == JointType::kFree) return;
    joint.pos = random_.chance(.5) ? Vec3d{} : random_.vector(.1);
    joint.armature = random_.uniform(.005, .05);
    if (type != JointType::kBall && random_.chance(.3)) joint.ref = random_.uniform(-.5, .5);
  }

  void add_sites() {
    const int count = random_.integer(0, 4);
    for (int i = 0; i < count; ++i) {
      SiteDescription site;
      site.name = "site_" + std::to_string(i);
      site.body = Reference(random_body());
      site.pos = random_.vector(.25);
      model_.sites.push_back(site);
    }
  }

  int random_body() {
    return random_.chance(.15) ? kWorld
                               : random_.integer(0, static_cast<int>(model_.bodies.size()) - 1);
  }

  /// Poses at the state of the seed: bounds and guides are placed around them.
  void settle_state() {
    const State state = random_state(model_, seed_);
    const Layout layout(model_);
    q_ = Eigen::Map<const VectorXd>(state.qpos.data(), state.qpos.size());
    kin_ = reference::kinematics(model_, layout, q_, VectorXd::Zero(layout.nv));
  }

  // --- joint rows

  void add_joint_rows() {
    const Layout layout(model_);
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      JointDescription& joint = model_.joints[j];
      if (joint.type == JointType::kFree) continue;
      if (random_.chance(.6)) joint.damping = random_.uniform(.01, 1);
      if (random_.chance(.3)) joint.stiffness = random_.uniform(1, 50);
      if (random_.chance(.3)) joint.position_gain = random_.uniform(1, 50);
      if (random_.chance(.3)) joint.velocity_gain = random_.uniform(.1, 3);
      if (random_.chance(.3)) {
        joint.effort_lower = -random_.uniform(.5, 10);
        joint.effort_upper = random_.uniform(.5, 10);
      }
      if (joint.type == JointType::kBall) {
        joint.rest_quat = random_.quaternion();
        continue;
      }
      joint.rest = random_.uniform(-.5, .5);
      if (random_.chance(.4)) {
        joint.friction = random_.uniform(.01, 1);
        if (random_.chance(.4)) joint.friction_compliance = random_.uniform(1e-6, 1e-3);
      }
      if (random_.chance(.15)) joint.velocity_limit = random_.uniform(.2, 1);
      if (random_.chance(.5)) add_joint_limits(joint, q_[layout.joint_qpos[j]]);
    }
  }

  void add_joint_limits(JointDescription& joint, double q) {
    const bool is_compliant = random_.chance(.3);
    if (is_compliant) joint.limit_compliance = random_.uniform(1e-5, 1e-3);
    joint.limit_correction = random_.uniform(0, 1);
    if (random_.chance(.1)) {
      joint.lower = joint.upper = q + (is_compliant ? random_.uniform(-.01, .01) : 0);
      return;
    }
    const double margin = random_.chance(.2) ? random_.uniform(0, .002) : 0;
    joint.limit_margin = margin;
    if (random_.chance(.7)) joint.lower = q - margin - random_gap(is_compliant);
    if (random_.chance(.7)) joint.upper = q + margin + random_gap(is_compliant);
    order(joint.lower, joint.upper, margin);
  }

  /// Distance to a bound: usually within reach of a step or two, negative only if compliant.
  double random_gap(bool is_compliant) {
    if (is_compliant && random_.chance(.3)) return -random_.uniform(0, .005);
    if (random_.chance(.2)) return random_.uniform(.05, .5);
    return random_.uniform(0, .002);
  }

  static void order(double& lower, double& upper, double margin) {
    if (upper - lower < 2 * margin + 1e-6) upper = lower + 2 * margin + 1e-3;
  }

  // --- tendons

  Vector3 world_point(int body, const Vec3d& local) const { return kin_.point(body, local); }
  Vec3d local_point(int body, const Vector3& x) const {
    if (body < 0) return from_eigen(x);
    return from_eigen(kin_.rotation[body].transpose() * (x - kin_.position[body]));
  }

  void add_tendon() {
    TendonDescription& tendon = scenes::add_tendon(model_, {});
    bool has_guide = false;
    if (random_.chance(.2) && has_scalar_joint()) {
      tendon.type = TendonType::kFixed;
      const int terms = random_.integer(1, 4);
      for (int i = 0; i < terms; ++i) tendon.path.push_back(random_joint_term());
    } else {
      has_guide = add_branches(tendon.path);
    }
    if (options_.has_rows) add_tendon_rows(tendon, has_guide);
  }

  bool add_branches(std::vector<PathElement>& path) {
    bool has_guide = false;
    if (random_.chance(.1)) path.push_back(scenes::pulley(random_.uniform(1, 3)));
    const int branches = random_.chance(.7) ? 1 : random_.integer(2, 3);
    for (int b = 0; b < branches; ++b) {
      if (b > 0) path.push_back(scenes::pulley(random_.uniform(1, 3)));
      has_guide |= add_run(path);
      if (random_.chance(.15) && has_scalar_joint()) {
        path.push_back(random_joint_term());
        if (random_.chance(.5)) has_guide |= add_run(path);
      }
    }
    return has_guide;
  }

  bool has_scalar_joint() const {
    for (const JointDescription& joint : model_.joints)
      if (joint.type == JointType::kHinge || joint.type == JointType::kSlide) return true;
    return false;
  }

  PathElement random_joint_term() {
    for (;;) {
      const int j = random_.integer(0, static_cast<int>(model_.joints.size()) - 1);
      const JointType type = model_.joints[j].type;
      if (type != JointType::kHinge && type != JointType::kSlide) continue;
      return scenes::joint_term(j, random_.uniform(-.5, .5));
    }
  }

  /// Two to five sites, between some of them a guide.
  bool add_run(std::vector<PathElement>& path) {
    bool has_guide = false;
    const int sites = random_.integer(2, 5);
    PathElement here = random_site();
    path.push_back(here);
    for (int i = 1; i < sites; ++i) {
      const PathElement next = random_site();
      if (options_.has_guides && random_.chance(.35)) {
        path.push_back(random_guide(site_in_world(here), site_in_world(next)));
        has_guide = true;
      }
      path.push_back(next);
      here = next;
    }
    return has_guide;
  }

  PathElement random_site() {
    PathElement element = scenes::via(random_body(), random_.vector(.25));
    if (!model_.sites.empty() && random_.chance(.2)) {
      element.site = Reference(random_.integer(0, static_cast<int>(model_.sites.size()) - 1));
      element.body = model_.sites[element.site.index].body;
      element.pos = model_.sites[element.site.index].pos;
    }
    return element;
  }
  Vector3 site_in_world(const PathElement& site) const {
    return world_point(site.body.index, site.pos);
  }

  /// A guide near the line from a to b, so that it is engaged about every other time.
  PathElement random_guide(const Vector3& a, const Vector3& b) {
    const double distance = (b - a).norm();
    const double radius = std::clamp(random_.uniform(.05, .2) * distance, .005, .1);
    const Vector3 middle = a + random_.uniform(.3, .7) * (b - a);
    const Vector3 centre =
        middle + reference::to_eigen(random_.direction()) * radius * random_.uniform(.1, 1.3);
    const int body = random_body();
    PathElement guide = random_.chance(.5) ? scenes::sphere(body, local_point(body, centre), radius)
                                           : scenes::cylinder(body, local_point(body, centre),
                                                              radius, random_.direction());
    if (random_.chance(.55)) {
      const bool is_inside = random_.chance(.4);
      const double reach =
          radius * (is_inside ? random_.uniform(.05, .8) : random_.uniform(1.5, 4));
      const Vector3 side = centre + reach * reference::to_eigen(random_.direction());
      const int side_body = random_.chance(.7) ? body : random_body();
      guide = scenes::with_side(guide, side_body, local_point(side_body, side));
      if (random_.chance(.15)) guide.side_mode = SideMode::kExterior;
      if (random_.chance(.2)) guide.side_mode = SideMode::kInterior;
    }
    if (guide.type == ElementType::kCylinder && random_.chance(.3))
      guide.half_length = random_.uniform(.01, .2);
    return guide;
  }

  double present_length(int tendon) const {
    const Layout layout(model_);
    return reference::route_tendon(model_, layout, kin_, q_, VectorXd::Zero(layout.nv), tendon)
        .length;
  }

  void add_tendon_rows(TendonDescription& tendon, bool has_guide) {
    const double l = present_length(static_cast<int>(model_.tendons.size()) - 1);
    if (random_.chance(.1)) tendon.enabled = false;
    if (random_.chance(.5)) tendon.stiffness = random_.uniform(10, 2000);
    if (random_.chance(.6)) tendon.damping = random_.uniform(.1, 10);
    if (random_.chance(.5)) {
      tendon.spring_lower = l - random_.uniform(-.05, .1);
      tendon.spring_upper = tendon.spring_lower + (random_.chance(.5) ? random_.uniform(0, .1) : 0);
    }
    if (random_.chance(.4)) {
      tendon.friction_loss = random_.uniform(.05, 5);
      if (random_.chance(.4)) tendon.friction_compliance = random_.uniform(1e-6, 1e-3);
    }
    if (!has_guide && random_.chance(.3)) tendon.armature = random_.uniform(.01, .5);
    tendon.position_correction = random_.uniform(0, 1);
    add_tendon_limits(tendon, l);
    add_drive(tendon, l);
  }

  void add_tendon_limits(TendonDescription& tendon, double l) {
    const bool is_compliant = random_.chance(.4);
    if (is_compliant) tendon.limit_compliance = random_.uniform(1e-6, 1e-3);
    if (random_.chance(.1)) {
      tendon.lower_limit = tendon.upper_limit = l + (is_compliant ? random_.uniform(-.01, .01) : 0);
      return;
    }
    const double margin = random_.chance(.2) ? random_.uniform(0, .002) : 0;
    tendon.limit_margin = margin;
    if (random_.chance(.35)) tendon.lower_limit = l - margin - random_gap(is_compliant);
    if (random_.chance(.5)) tendon.upper_limit = l + margin + random_gap(is_compliant);
    order(tendon.lower_limit, tendon.upper_limit, margin);
  }

  void add_drive(TendonDescription& tendon, double l) {
    if (random_.chance(.6)) tendon.force = random_.uniform(-20, 5);
    if (random_.chance(.4)) {
      tendon.position_gain = random_.uniform(10, 500);
      tendon.velocity_gain = random_.uniform(0, 20);
      tendon.target_length = l + random_.uniform(-.1, .1);
      tendon.target_velocity = random_.uniform(-.2, .2);
    }
    if (random_.chance(.5)) {
      tendon.actuation_lower = -random_.uniform(1, 30);
      tendon.actuation_upper = random_.chance(.7) ? 0 : random_.uniform(0, 10);
    }
    if (random_.chance(.4)) tendon.activation_time = random_.uniform(.005, .1);
    if (random_.chance(.4)) tendon.activation = random_.uniform(-10, 0);
  }

  unsigned seed_;
  Random random_;
  RandomModelOptions options_;
  Description model_;
  VectorXd q_;
  Kinematics kin_;
};

}  // namespace

Description random_model(unsigned seed, const RandomModelOptions& options) {
  return Builder(seed, options).build();
}

State random_state(const Description& model, unsigned seed) {
  Random random(seed ^ 0x5bd1e995u);
  const Layout layout(model);
  VectorXd q = reference::reference_pose(model, layout), target = q;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int i = layout.joint_qpos[j];
    const auto draw = [&](VectorXd& to) {
      switch (model.joints[j].type) {
        case JointType::kHinge:
          to[i] += random.uniform(-1, 1);
          break;
        case JointType::kSlide:
          to[i] += random.uniform(-.2, .2);
          break;
        case JointType::kBall:
          reference::store_quaternion(to, i, reference::to_eigen(random.quaternion()));
          break;
        case JointType::kFree:
          to.segment<3>(i) += reference::to_eigen(random.vector(.5));
          reference::store_quaternion(to, i + 3, reference::to_eigen(random.quaternion()));
          break;
      }
    };
    draw(q);
    draw(target);
  }
  const auto numbers = [&](std::size_t count, double size) {
    std::vector<double> values(count);
    for (double& value : values) value = random.uniform(-size, size);
    return values;
  };
  State state;
  state.qpos.assign(q.begin(), q.end());
  state.joint_target_position.assign(target.begin(), target.end());
  state.qvel = numbers(layout.nv, 1);
  state.joint_force = numbers(layout.nv, 2);
  state.joint_target_velocity = numbers(layout.nv, 1);
  state.body_wrench = numbers(6 * model.bodies.size(), 1);
  return state;
}

}  // namespace flexor::support
