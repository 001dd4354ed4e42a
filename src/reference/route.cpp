#include "reference/route.hpp"

#include "flexor/core/status.hpp"

namespace flexor::reference {

namespace {

struct BodyPoint {
  int body = kWorld;
  Vector3 x = Vector3::Zero();  ///< world
};

BodyPoint place(const Description& description, const Kinematics& kin, const Reference& site,
                const Reference& body, const Vec3d& pos) {
  if (site.index >= 0) {
    const SiteDescription& s = description.sites[site.index];
    return {s.body.index, kin.point(s.body.index, s.pos)};
  }
  return {body.index, kin.point(body.index, pos)};
}

/// Walks one path. Pieces add their length to the open branch and their forces to the bodies.
class Router {
 public:
  Router(const Description& description, const Layout& layout, const Kinematics& kin,
         const VectorXd& q, int tendon)
      : description_(description),
        layout_(layout),
        kin_(kin),
        q_(q),
        path_(description.tendons[tendon].path),
        wrench_(description.bodies.size(), Vector6::Zero()),
        joint_part_(VectorXd::Zero(layout.nv)),
        contributions_(VectorXd::Zero(layout.nv)),
        is_in_pattern_(layout.nv, false) {}

  TendonRoute run(const VectorXd& v) {
    open_branch(1);
    for (std::size_t i = 0; i < path_.size(); ++i) visit(static_cast<int>(i));
    close_branch();

    route_.length = 0;
    for (std::size_t b = 0; b < route_.branch_length.size(); ++b)
      route_.length += route_.branch_length[b] / route_.branch_divisor[b];
    VectorXd& J = route_.jacobian;
    J = project_wrenches(description_, layout_, kin_, wrench_);
    for (int k = 0; k < layout_.nv; ++k)
      if (!is_in_pattern_[k]) J[k] = 0;
    J += joint_part_;
    route_.rate = J.dot(v);
    route_.contributions = contributions_;
    if (!std::isfinite(route_.length) || !J.allFinite()) route_.status |= NONFINITE;
    return std::move(route_);
  }

 private:
  void visit(int i) {
    const PathElement& element = path_[i];
    switch (element.type) {
      case ElementType::kSite:
        visit_site(element);
        break;
      case ElementType::kSphere:
      case ElementType::kCylinder:
        guide_ = i;
        break;
      case ElementType::kPulley:
        if (i > 0) close_branch();
        open_branch(element.divisor);
        break;
      case ElementType::kJoint:
        visit_joint(element);
        break;
    }
  }

  void open_branch(double divisor) {
    divisor_ = divisor;
    branch_length_ = 0;
    branch_bodies_.clear();
    break_line();
  }

  void close_branch() {
    route_.branch_length.push_back(branch_length_);
    route_.branch_divisor.push_back(divisor_);
    mark_pattern();
  }

  void break_line() {
    has_previous_ = false;
    guide_ = -1;
  }

  void visit_site(const PathElement& element) {
    const BodyPoint here = place(description_, kin_, element.site, element.body, element.pos);
    branch_bodies_.push_back(here.body);
    GuideWrap wrap;
    int guide_body = kWorld;
    if (has_previous_ && guide_ >= 0) {
      guide_body = path_[guide_].body.index;
      branch_bodies_.push_back(guide_body);
      wrap = wrap_guide(path_[guide_], previous_, here);
      route_.status |= wrap.status;
      route_.guides.push_back({guide_, wrap});
    }
    if (wrap.is_engaged()) {
      route_.points.push_back({guide_body, wrap.point_a, -wrap.gradient_a / divisor_});
      route_.points.push_back({guide_body, wrap.point_b, -wrap.gradient_b / divisor_});
    }
    route_.points.push_back({here.body, here.x, Vector3::Zero()});
    if (wrap.is_engaged()) {
      add_wrapped(previous_, here, guide_body, wrap);
    } else if (has_previous_) {
      add_straight(previous_, here);
      if (!std::isfinite(wrap.length)) branch_length_ = wrap.length;  // a guide that is nowhere
    }
    previous_ = here;
    previous_record_ = static_cast<int>(route_.points.size()) - 1;
    has_previous_ = true;
    guide_ = -1;
  }

  /// A joint term adds c q and breaks the polyline.  , [R-37]
  void visit_joint(const PathElement& element) {
    const int joint = element.joint.index;
    const int dof = layout_.joint_qvel[joint];
    const double gradient = element.coefficient / divisor_;
    branch_length_ += element.coefficient * q_[layout_.joint_qpos[joint]];
    joint_part_[dof] += gradient;
    contributions_[dof] += std::abs(gradient);
    route_.joints.push_back({joint, dof, gradient});
    break_line();
  }

  void add_straight(const BodyPoint& a, const BodyPoint& b) {
    const StraightPiece piece = straight_piece(a.x, b.x);
    branch_length_ += piece.length;
    if (piece.is_collapsed) {
      route_.status |= COLLAPSED;
      return;
    }
    const Vector3 g = piece.direction / divisor_;
    route_.points[previous_record_].gradient -= g;
    route_.points.back().gradient += g;
    if (a.body != b.body) {  // a piece within one body moves nothing
      pull(a.body, a.x, -g);
      pull(b.body, b.x, g);
      add_straight_curvature(a, b, piece);
    }
  }

  /// b = u . (a_b - a_a) + |(I - u u^T)(v_b - v_a)|^2 / s  
  void add_straight_curvature(const BodyPoint& a, const BodyPoint& b, const StraightPiece& piece) {
    const Vector3& u = piece.direction;
    const Vector3 v = kin_.point_velocity(b.body, b.x) - kin_.point_velocity(a.body, a.x);
    const Vector3 acc = kin_.point_acceleration(b.body, b.x) - kin_.point_acceleration(a.body, a.x);
    const Vector3 across = v - u * u.dot(v);
    route_.curvature += (u.dot(acc) + across.squaredNorm() / piece.length) / divisor_;
  }

  void add_wrapped(const BodyPoint& a, const BodyPoint& b, int guide_body, const GuideWrap& wrap) {
    branch_length_ += wrap.length;
    const Vector3 g_a = wrap.gradient_a / divisor_, g_b = wrap.gradient_b / divisor_;
    route_.points[previous_record_].gradient += g_a;
    route_.points.back().gradient += g_b;
    add_contact_force(a, guide_body, g_a);
    add_contact_force(b, guide_body, g_b);
  }

  /// The piece from a to b by way of a guide, evaluated in the guide's frame; results in the world.
  GuideWrap wrap_guide(const PathElement& guide, const BodyPoint& a, const BodyPoint& b) const {
    const Vector3 centre = place(description_, kin_, guide.site, guide.body, guide.pos).x;
    const Matrix3 axes = guide_axes(guide);
    const auto to_guide = [&](const Vector3& x) {
      return Vector3(axes.transpose() * (x - centre));
    };
    GuideOptions options;
    options.side_mode = guide.side_mode;
    options.half_length = guide.half_length;
    if (guide.has_side) {
      const BodyPoint side =
          place(description_, kin_, guide.side_site, guide.side_body, guide.side_pos);
      options.side = to_guide(side.x);
    }
    const auto wrap_kind = guide.type == ElementType::kSphere ? wrap_sphere : wrap_cylinder;
    GuideWrap wrap = wrap_kind(to_guide(a.x), to_guide(b.x), guide.radius, options);
    wrap.point_a = centre + axes * wrap.point_a;
    wrap.point_b = centre + axes * wrap.point_b;
    wrap.gradient_a = axes * wrap.gradient_a;
    wrap.gradient_b = axes * wrap.gradient_b;
    return wrap;
  }

  Matrix3 guide_axes(const PathElement& element) const {
    const int body = element.body.index;
    const Matrix3 of_body = body < 0 ? Matrix3(Matrix3::Identity()) : kin_.rotation[body];
    if (element.type == ElementType::kSphere) return of_body;
    return of_body * cylinder_frame(to_eigen(element.axis));
  }

  /// The neighbour is pulled by g, the guide by the opposite on the same line of action.  
  void add_contact_force(const BodyPoint& p, int guide_body, const Vector3& g) {
    if (p.body == guide_body) return;
    pull(p.body, p.x, g);
    pull(guide_body, p.x, -g);
  }

  void pull(int body, const Vector3& x, const Vector3& g) {
    if (body < 0) return;
    Vector6 w;
    w << x.cross(g), g;
    wrench_[body] += w;  // about the world origin
    // magnitudes before they cancel [P-43]: where the line meets a joint axis, J is what rounding
    // leaves
    Vector6 size;
    size << x.cwiseAbs().sum() * Vector3::Ones(), g.cwiseAbs();
    for (int k = layout_.last_dof(body); k >= 0; k = layout_.dof_parent[k])
      contributions_[k] += kin_.motion.col(k).cwiseAbs().dot(size);
  }

  /// A dof matters if it moves some but not all bodies of a branch.  
  void mark_pattern() {
    std::vector<std::size_t> moved(layout_.nv, 0);
    for (const int body : branch_bodies_)
      for (int k = layout_.last_dof(body); k >= 0; k = layout_.dof_parent[k]) ++moved[k];
    for (int k = 0; k < layout_.nv; ++k)
      if (moved[k] > 0 && moved[k] < branch_bodies_.size()) is_in_pattern_[k] = true;
  }

  const Description& description_;
  const Layout& layout_;
  const Kinematics& kin_;
  const VectorXd& q_;
  const std::vector<PathElement>& path_;

  TendonRoute route_;
  std::vector<Vector6> wrench_;  ///< [body] of a unit force on the tendon
  VectorXd joint_part_;
  VectorXd contributions_;  ///< [dof] sum of magnitudes
  std::vector<bool> is_in_pattern_;

  double divisor_ = 1;
  double branch_length_ = 0;
  std::vector<int> branch_bodies_;
  bool has_previous_ = false;
  BodyPoint previous_;
  int previous_record_ = -1;  ///< entry of route_.points
  int guide_ = -1;            ///< element waiting for the site after it
};

}  // namespace

TendonRoute route_tendon(const Description& description, const Layout& layout,
                         const Kinematics& kin, const VectorXd& q, const VectorXd& v, int tendon) {
  return Router(description, layout, kin, q, tendon).run(v);
}

std::vector<double> reference_lengths(const Description& description) {
  const Layout layout(description);
  const VectorXd q = reference_pose(description, layout);
  const VectorXd v = VectorXd::Zero(layout.nv);
  const Kinematics kin = kinematics(description, layout, q, v);
  std::vector<double> lengths;
  for (std::size_t t = 0; t < description.tendons.size(); ++t)
    lengths.push_back(route_tendon(description, layout, kin, q, v, static_cast<int>(t)).length);
  return lengths;
}

}  // namespace flexor::reference
