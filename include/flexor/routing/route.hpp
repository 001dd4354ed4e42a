#pragma once
// The routes of all tendons: length, rate, row Jacobian, curvature of straight paths, status.
//
//   l = sum_b s_b/d_b,   J = sum over legs of S_j . (x x g, g)/d_b  , [R-26]
//
// A guide piece is two legs (leg.hpp), guide to a and guide to b, whose forces act at a and b and
// react on the guide's body.

#include "flexor/routing/guide.hpp"
#include "flexor/routing/leg.hpp"

namespace flexor {

struct Route {
  static constexpr StageInfo info{"route", "tendon lengths, rates, Jacobians, curvature, status"};

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    const PlanView& p = c.plan;
    c.each(p.nv, [&](const auto& w, Index i) {
      w[p.cell.motion_scale + i] = sum_of_magnitudes(vector_at(w, p.cell.motion + 6 * i + 3));
    });
    c.each(p.point_count, [&](const auto& w, Index i) { place_point(c, w, i); });
    c.sync();
    c.each(p.tendon_count, [&](const auto& w, Index t) { route_tendon(c, w, t); });
    c.sync();
  }

  /// Point of a link (or the world, link -1), relative to the origin of `tree`.
  template <class C, class W>
  FLEXOR_INLINE static Vec3<typename C::Real> relative_point(const C& c, const W& w, Index link,
                                                             Index tree,
                                                             const Vec3<typename C::Real>& local) {
    const PlanView& p = c.plan;
    if (link < 0) return local - tree_origin(c, w, tree);
    const auto x =
        vector_at(w, p.cell.position + 3 * link) + matrix_at(w, p.cell.rotation + 9 * link) * local;
    const Index own = p.link_tree[link];
    return own == tree ? x : x + (tree_origin(c, w, own) - tree_origin(c, w, tree));
  }

  template <class C, class W>
  FLEXOR_INLINE static void place_point(const C& c, const W& w, Index i) {
    const PlanView& p = c.plan;
    put(w, p.cell.point + 3 * i,
        relative_point(c, w, p.point_link[i], p.point_tree[i],
                       c.constant3(p.constant(Constant::point_pos, i))));
  }

  /// Compensated sum: s + x exactly = s' + remainder.  
  template <class Real>
  FLEXOR_INLINE static void add_compensated(Real& sum, Real& remainder, const Real& x) {
    const Real t = sum + x;
    const Real z = t - sum;
    remainder = remainder + ((sum - (t - z)) + (x - z));
    sum = t;
  }

  template <class C, class W>
  FLEXOR_HD static GuidePiece<typename C::Real> guide_piece(const C& c, const W& w, Index guide,
                                                            PieceType type,
                                                            const Vec3<typename C::Real>& a,
                                                            const Vec3<typename C::Real>& b) {
    using Real = typename C::Real;
    using V = Vec3<Real>;
    const PlanView& p = c.plan;
    const Index link = p.guide_link[guide], tree = p.guide_tree[guide];
    const Index element = p.guide_element[guide];
    const V centre =
        relative_point(c, w, link, tree, c.constant3(p.constant(Constant::guide_centre, guide)));
    const Real r = c.parameter(ParameterKind::element_radius, element);
    const auto frame = [&]() -> Mat3<Real> {
      const Mat3<Real> G = c.constant9(p.constant(Constant::guide_frame, guide));
      return link < 0 ? G : matrix_at(w, p.cell.rotation + 9 * link) * G;
    };
    const V da = a - centre, db = b - centre;

    const Index side_link = p.guide_side_link[guide];
    const auto mode = static_cast<SideMode>(p.guide_side_mode[guide]);
    // side site from the centre; without one, interior by the mode alone
    const auto side_of = [&](auto&& turned, auto&& distance2) -> GuideSide<Real> {
      if (side_link <= -2) return {false, {}, is_interior(mode, unbounded_distance<Real>(), r)};
      const V x =
          relative_point(c, w, side_link, tree, c.constant3(p.constant(Constant::side_pos, guide)));
      const V local = turned(x - centre);
      return {true, local, is_interior(mode, distance2(local), r)};
    };
    if (type == PieceType::kCylinder) {
      const Mat3<Real> G = frame();
      const auto side = side_of([&](const V& v) { return transposed_times(G, v); },
                                [](const V& v) { return v.x * v.x + v.y * v.y; });
      const GuidePiece<Real> piece =
          wrap_cylinder(transposed_times(G, da), transposed_times(G, db), r, side,
                        c.parameter(ParameterKind::element_half_length, element));
      return {piece.length,     G * piece.gradient_a, G * piece.gradient_b,
              piece.is_wrapped, piece.is_bent,        piece.status};
    }
    const auto side = side_of([](const V& v) { return v; }, [](const V& v) { return dot(v, v); });
    return wrap_sphere(da, db, r, side, [&] {  // the first axis on a tie
      const Mat3<Real> G = frame();
      const V local = transposed_times(G, da);
      const Real lx = abs(local.x), ly = abs(local.y), lz = abs(local.z);
      return select((lx <= ly) & (lx <= lz), G.x, select(ly <= lz, G.y, G.z));
    });
  }

  template <class Real>
  FLEXOR_INLINE static Real unbounded_distance() {
    return Real(infinity(Scalar<Real>()));
  }

  /// Interior by: distance of the side site from axis or centre below r, strictly.
  template <class Real>
  FLEXOR_INLINE static Mask<Real> is_interior(SideMode mode, const Real& distance2, const Real& r) {
    if (mode == SideMode::kExterior) return Real(0) > Real(0);
    if (mode == SideMode::kInterior) return Real(0) >= Real(0);
    return distance2 < r * r;
  }

  /// A function of relative positions and directions alone, so that a rigid motion of everything
  /// leaves it.  
  template <class C, class W>
  FLEXOR_INLINE static void route_tendon(const C& c, const W& w, Index t) {
    using Real = typename C::Real;
    using V = Vec3<Real>;
    const PlanView& p = c.plan;
    const Real zero(0), one(1);
    // curvature serves the armature row; tendons without armature report 0
    const auto has_armature = c.parameter(ParameterKind::tendon_armature, t) > zero;
    const bool wants_curvature = p.has_armature && any(has_armature);
    //
    Real sum = c.at_reference ? zero : -c.load(Field::reference_length, t);
    Real remainder = zero, curvature = zero;
    auto is_collapsed = zero > zero;
    Bits<Real> status = bits_where(is_collapsed, 0, zero);
    Index branch = -1;
    Real inverse = one;
    if (p.tendon_by_wrench[t]) clear_wrenches(c, w, t);
    for (Index n = p.tendon_piece_first[t]; n < p.tendon_piece_first[t + 1]; ++n) {
      if (p.piece_branch[n] != branch) {
        branch = p.piece_branch[n];
        const Index pulley = p.branch_pulley[branch];
        inverse = pulley < 0 ? one : one / c.parameter(ParameterKind::element_divisor, pulley);
        w[p.cell.branch_length + branch] = zero;
      }
      const auto type = static_cast<PieceType>(p.piece_type[n]);
      const int* touch = p.piece_touch_first + 2 * n;
      Real length;
      if (type == PieceType::kJoint) {
        const Real k = c.parameter(ParameterKind::element_coefficient, p.piece_b[n]);
        length = k * c.coordinate(p.piece_a[n]);
        const Index entry = p.touch_entry[touch[0]];
        const Real value = k * inverse;
        Real& J = w[p.cell.jacobian + entry];
        Real& scale = w[p.cell.jacobian_scale + entry];
        const bool is_first = p.touch_flags[touch[0]] & kFirst;
        J = is_first ? value : J + value;
        scale = is_first ? abs(value) : scale + abs(value);
      } else {
        const V a = vector_at(w, p.cell.point + 3 * p.piece_a[n]);
        const V b = vector_at(w, p.cell.point + 3 * p.piece_b[n]);
        const Index tree = p.point_tree[p.piece_a[n]];
        if (type == PieceType::kStraight) {
          const StraightPiece<Real> line = straight_piece(a, b);
          length = line.length;
          is_collapsed = is_collapsed | line.is_collapsed;
          add_leg(c, w, t, 2 * n, tree, a, line.direction, inverse);
          if (wants_curvature) {
            curvature = curvature + inverse * straight_curvature(c, w, n, line);
          }
        } else {
          const GuidePiece<Real> piece = guide_piece(c, w, p.piece_guide[n], type, a, b);
          length = piece.length;
          status = status | piece.status;
          add_leg(c, w, t, 2 * n, tree, a, piece.gradient_a, inverse);
          add_leg(c, w, t, 2 * n + 1, tree, b, piece.gradient_b, inverse);
        }
      }
      w[p.cell.branch_length + branch] = w[p.cell.branch_length + branch] + length;
      add_compensated(sum, remainder, length * inverse);
    }
    if (p.tendon_by_wrench[t]) gather_wrenches(c, w, t);
    w[p.cell.deviation + t] = sum + remainder;
    Real rate = zero;
    p.visit_entries(t, [&](Index e, Index i) { rate = rate + w[p.cell.jacobian + e] * c.rate(i); });
    w[p.cell.length_rate + t] = rate;
    w[p.cell.curvature + t] = select(has_armature, curvature, zero);
    status = status | bits_where(is_collapsed, COLLAPSED, zero) |
             bits_where(!is_finite(sum), NONFINITE, zero);
    w[p.cell.route_status + t] = bits_to_real(status);
  }

  /// Velocity and acceleration at zero generalised acceleration of a body-fixed point.
  template <class Real>
  struct PointMotion {
    Vec3<Real> velocity, acceleration;
  };
  template <class C, class W>
  FLEXOR_HD static PointMotion<typename C::Real> point_motion(const C& c, const W& w, Index point) {
    using Real = typename C::Real;
    const PlanView& p = c.plan;
    const Index link = p.point_link[point];
    const Vec3<Real> none{Real(0), Real(0), Real(0)};
    if (link < 0) return {none, none};
    Vec3<Real> x = vector_at(w, p.cell.point + 3 * point);
    const Index tree = p.point_tree[point], own = p.link_tree[link];
    if (own != tree) x = x + (tree_origin(c, w, tree) - tree_origin(c, w, own));
    const Motion<Real> v = motion_at(w, p.cell.velocity + 6 * link);
    const Motion<Real> a = motion_at(w, p.cell.acceleration + 6 * link);
    const Vec3<Real> velocity = v.linear + cross(v.angular, x);
    return {velocity, a.linear + cross(a.angular, x) + cross(v.angular, velocity)};
  }

  /// b = u . (a_b - a_a) + |(1 - u u^T)(v_b - v_a)|^2 / s.  
  template <class C, class W>
  FLEXOR_HD static typename C::Real straight_curvature(
      const C& c, const W& w, Index piece, const StraightPiece<typename C::Real>& line) {
    using Real = typename C::Real;
    const auto a = point_motion(c, w, c.plan.piece_a[piece]);
    const auto b = point_motion(c, w, c.plan.piece_b[piece]);
    const Vec3<Real> dv = b.velocity - a.velocity;
    const Vec3<Real>& u = line.direction;
    const Vec3<Real> across = dv - u * dot(u, dv);
    const Real safe = select(line.is_collapsed, Real(1), line.length);
    return select(line.is_collapsed, Real(0),
                  dot(u, b.acceleration - a.acceleration) + dot(across, across) / safe);
  }
};

}  // namespace flexor
