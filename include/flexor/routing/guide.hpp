#pragma once
// One guide between two points: sphere or cylinder, exterior or interior.
// Pure functions of guide-frame points; the result is the length of the piece and its
// gradients.

#include "flexor/core/status.hpp"
#include "flexor/math/vec3.hpp"
#include "flexor/routing/circle_wrap.hpp"
#include "flexor/routing/interior_bend.hpp"

namespace flexor {

/// What a guide is asked, besides the two points.
template <class Real>
struct GuideSide {
  bool has_side = false;     ///< same for all worlds
  Vec3<Real> side{};         ///< side site in the guide frame, from the centre
  Mask<Real> is_interior{};  ///< [R-19]
};

template <class Real>
struct GuidePiece {
  Real length;
  Vec3<Real> gradient_a, gradient_b;  ///< dl/da, dl/db
  Mask<Real> is_wrapped, is_bent;
  Bits<Real> status;
};

/// Straight piece; a collapsed one has no direction.  , [R-6]
template <class Real>
struct StraightPiece {
  Real length;
  Vec3<Real> direction;
  Mask<Real> is_collapsed;
};

template <class Real>
FLEXOR_INLINE Real largest(const Vec3<Real>& v) {
  return max(max(abs(v.x), abs(v.y)), abs(v.z));
}

template <class Real>
FLEXOR_INLINE StraightPiece<Real> straight_piece(const Vec3<Real>& a, const Vec3<Real>& b) {
  using S = Scalar<Real>;
  const Vec3<Real> f = b - a;
  StraightPiece<Real> piece;
  piece.length = sqrt(dot(f, f));
  piece.is_collapsed = piece.length <= Real(S(8) * kEpsilon<Real>) * max(largest(a), largest(b));
  piece.direction = f * select(piece.is_collapsed, Real(S(0)), Real(S(1)) / piece.length);
  return piece;
}

template <class Real>
FLEXOR_INLINE Vec3<Real> select(const Mask<Real>& m, const Vec3<Real>& a, const Vec3<Real>& b) {
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}

/// Sense and release of an exterior guide.  , [R-17], [R-64]
template <class Real>
struct ExteriorChoice {
  Real sense;
  Mask<Real> is_reached, is_ambiguous, is_full_turn;
};

template <class Real>
FLEXOR_INLINE ExteriorChoice<Real> choose_exterior(const Vec2<Real>& a, const Vec2<Real>& b,
                                                   const Vec2<Real>& direction_a,
                                                   const Vec2<Real>& direction_b, const Real& rho_a,
                                                   const Real& rho_b, const Real& r, const Real& X,
                                                   const Real& D, const Mask<Real>& is_aligned,
                                                   bool has_side, const Vec2<Real>& sd) {
  using S = Scalar<Real>;
  const Real zero(S(0)), one(S(1));
  const Real eps = side_tolerance<Real>();
  ExteriorChoice<Real> choice;
  const auto none = zero > zero;
  choice.sense = select(X < zero, -one, one);
  choice.is_reached = none;
  choice.is_full_turn = none;
  choice.is_ambiguous = (D < zero) & (abs(X) <= eps * rho_a * rho_b);
  if (has_side) {
    const auto usable = dot2(sd, sd) > eps * eps * r * r;
    const SideChoice<Real> side =
        choose_side(a, b, direction_a, direction_b, rho_a, rho_b, r, X, sd);
    const auto full = usable & is_aligned & (dot2(sd, a) < zero);
    choice.sense = select(full, one, select(usable, side.sense, choice.sense));
    choice.is_reached = andnot(usable & side.is_reached, full);
    choice.is_full_turn = full;
    choice.is_ambiguous = (usable & side.is_ambiguous) | andnot(choice.is_ambiguous, usable);
  }
  return choice;
}

/// Lanes of an exterior guide with an endpoint on or inside it.  
template <class Real>
FLEXOR_INLINE Mask<Real> has_end_inside(const Real& tangent2_a, const Real& tangent2_b,
                                        const Real& r, const Mask<Real>& is_interior) {
  const Real on = Real(by_precision<Real>(1e-6, 1e-12)) * r * r;
  return andnot((tangent2_a <= on) | (tangent2_b <= on), is_interior);
}

/// Cylinder about z. a, b from the centre, in the guide frame.  , [R-14]
template <class Real>
FLEXOR_STAGE GuidePiece<Real> wrap_cylinder(const Vec3<Real>& a, const Vec3<Real>& b, const Real& r,
                                            const GuideSide<Real>& side, const Real& half_length) {
  using S = Scalar<Real>;
  const Real zero(S(0)), one(S(1));
  const Vec2<Real> pa{a.x, a.y}, pb{b.x, b.y};
  const Real rho_a = sqrt(dot2(pa, pa)), rho_b = sqrt(dot2(pb, pb));
  const Real t2a = tangent_squared(rho_a, r), t2b = tangent_squared(rho_b, r);
  const Real X = cross2(pa, pb), D = dot2(pa, pb);
  const auto is_aligned = on_one_ray(rho_a, rho_b, X, D);
  const Vec2<Real> sd{side.side.x, side.side.y};
  const Real ia = one / rho_a, ib = one / rho_b;
  const Vec2<Real> ua{pa.x * ia, pa.y * ia}, ub{pb.x * ib, pb.y * ib};
  const ExteriorChoice<Real> choice =
      choose_exterior(pa, pb, ua, ub, rho_a, rho_b, r, X, D, is_aligned, side.has_side, sd);
  const CircleWrap<Real> circle =
      wrap_circle(t2a, t2b, r, X, D, choice.sense, is_aligned, choice.is_full_turn);
  const auto is_inside = has_end_inside(t2a, t2b, r, side.is_interior);

  GuidePiece<Real> piece;
  piece.is_wrapped =
      andnot(andnot(andnot(circle.arc > zero, choice.is_reached), is_inside), side.is_interior);
  const StraightPiece<Real> line = straight_piece(a, b);

  // planar gradients, smooth down to t = 0  
  const Real ka = circle.tangent_a * ia, kb = circle.tangent_b * ib;
  const Real ma = choice.sense * r * ia, mb = choice.sense * r * ib;
  Vec2<Real> ga{ka * ua.x + ma * ua.y, ka * ua.y - ma * ua.x};
  Vec2<Real> gb{kb * ub.x - mb * ub.y, kb * ub.y + mb * ub.x};
  Real free_a = circle.tangent_a, free_b = circle.tangent_b;
  Real planar = free_a + r * circle.arc + free_b;

  piece.is_bent = zero > zero;
  if (any(side.is_interior)) {
    const Real positive_X = abs(X);
    piece.is_bent = andnot(side.is_interior, segment_meets_disk(t2a, t2b, r, positive_X, D));
    if (any(piece.is_bent)) {
      const Bend<Real> bend = bend_inside(t2a, t2b, r, positive_X, D, piece.is_bent);
      const Real turn = select(X < zero, -one, one) * bend.sine;
      const Vec2<Real> z{r * (bend.cosine * ua.x - turn * ua.y),
                         r * (bend.cosine * ua.y + turn * ua.x)};
      const Vec2<Real> fa{pa.x - z.x, pa.y - z.y}, fb{pb.x - z.x, pb.y - z.y};
      const Real la = sqrt(dot2(fa, fa)), lb = sqrt(dot2(fb, fb));
      ga = {select(piece.is_bent, fa.x / la, ga.x), select(piece.is_bent, fa.y / la, ga.y)};
      gb = {select(piece.is_bent, fb.x / lb, gb.x), select(piece.is_bent, fb.y / lb, gb.y)};
      free_a = select(piece.is_bent, la, free_a);
      free_b = select(piece.is_bent, lb, free_b);
      planar = select(piece.is_bent, la + lb, planar);
    }
  }
  const auto engaged = piece.is_wrapped | piece.is_bent;
  const Real dz = b.z - a.z;
  const Real safe = select(engaged, planar, one);
  const Real l = sqrt(safe * safe + dz * dz);
  const Real il = one / l, cosine = safe * il, rise = dz * il;
  piece.length = select(engaged, l, line.length);
  piece.gradient_a =
      select(engaged, Vec3<Real>{cosine * ga.x, cosine * ga.y, -rise}, -line.direction);
  piece.gradient_b =
      select(engaged, Vec3<Real>{cosine * gb.x, cosine * gb.y, rise}, line.direction);
  auto off_end = zero > zero;
  if (any(half_length < Real(infinity(S())))) {
    const Real slope = dz / safe;
    off_end = engaged & ((abs(a.z + slope * free_a) > half_length) |
                         (abs(b.z - slope * free_b) > half_length));
  }
  const auto collapsed = andnot(line.is_collapsed, engaged);
  piece.status = bits_where(is_inside, ENDPOINT_INSIDE, zero) |
                 bits_where(andnot(andnot(choice.is_ambiguous, side.is_interior), is_inside),
                            SIDE_AMBIGUOUS, zero) |
                 bits_where(off_end, OFF_END, zero) | bits_where(collapsed, COLLAPSED, zero);
  return piece;
}

/// Sphere. a, b from the centre.  
/// @param smallest_axis  gives the axis of the guide frame along which a has its smallest
/// component,
///                       in the axes of a and b; used where neither b nor the side site define the
///                       plane
template <class Real, class Axis>
FLEXOR_STAGE GuidePiece<Real> wrap_sphere(const Vec3<Real>& a, const Vec3<Real>& b, const Real& r,
                                          const GuideSide<Real>& side, const Axis& smallest_axis) {
  using S = Scalar<Real>;
  const Real zero(S(0)), one(S(1));
  const Real rho_a = sqrt(dot(a, a)), rho_b = sqrt(dot(b, b));
  const Real t2a = tangent_squared(rho_a, r), t2b = tangent_squared(rho_b, r);
  const Real eps_plane(by_precision<Real>(1e-5, 1e-10));
  Vec3<Real> n = cross(a, b);
  const Real norm = sqrt(dot(n, n));
  Real nn = norm;
  const auto is_degenerate = norm <= eps_plane * rho_a * rho_b;
  if (any(is_degenerate)) {
    Vec3<Real> other = cross(a, smallest_axis());
    if (side.has_side) {
      const Vec3<Real> by_side = cross(a, side.side);
      const Real sd = sqrt(dot(side.side, side.side));
      const auto usable = sqrt(dot(by_side, by_side)) > eps_plane * rho_a * sd;
      other = select(usable, by_side, other);
    }
    n = select(is_degenerate, other, n);
    nn = sqrt(dot(n, n));
  }
  n = n * (one / select(nn > zero, nn, one));
  const Real X = select(is_degenerate, zero, norm), D = dot(a, b);
  const auto is_aligned = on_one_ray(rho_a, rho_b, X, D);
  // in the plane: e1 = a_hat, e2 = n x e1
  const Real ia = one / rho_a, ib = one / rho_b;
  const Vec3<Real> e1 = a * ia, e2 = cross(n, e1);
  const Vec2<Real> pa{rho_a, zero}, pb{D * ia, X * ia};
  const Vec2<Real> ua{one, zero}, ub{pb.x * ib, pb.y * ib};
  Vec2<Real> sd{zero, zero};
  if (side.has_side) sd = {dot(side.side, e1), dot(side.side, e2)};
  const ExteriorChoice<Real> choice =
      choose_exterior(pa, pb, ua, ub, rho_a, rho_b, r, X, D, is_aligned, side.has_side, sd);
  const CircleWrap<Real> circle =
      wrap_circle(t2a, t2b, r, X, D, choice.sense, is_aligned, choice.is_full_turn);
  const auto is_inside = has_end_inside(t2a, t2b, r, side.is_interior);

  GuidePiece<Real> piece;
  piece.is_wrapped =
      andnot(andnot(andnot(circle.arc > zero, choice.is_reached), is_inside), side.is_interior);
  const StraightPiece<Real> line = straight_piece(a, b);
  const Real ma = choice.sense * r * ia, mb = choice.sense * r * ib;
  const Vec3<Real> b_hat = b * ib;
  Vec3<Real> ga = e1 * (circle.tangent_a * ia) - e2 * ma;
  Vec3<Real> gb = b_hat * (circle.tangent_b * ib) + cross(n, b_hat) * mb;
  Real length = circle.tangent_a + r * circle.arc + circle.tangent_b;

  piece.is_bent = zero > zero;
  if (any(side.is_interior)) {
    piece.is_bent = andnot(side.is_interior, segment_meets_disk(t2a, t2b, r, X, D));
    if (any(piece.is_bent)) {
      const Bend<Real> bend = bend_inside(t2a, t2b, r, X, D, piece.is_bent);
      const Vec3<Real> z = (e1 * bend.cosine + e2 * bend.sine) * r;
      const Vec3<Real> fa = a - z, fb = b - z;
      const Real la = sqrt(dot(fa, fa)), lb = sqrt(dot(fb, fb));
      ga = select(piece.is_bent, fa * (one / la), ga);
      gb = select(piece.is_bent, fb * (one / lb), gb);
      length = select(piece.is_bent, la + lb, length);
    }
  }
  const auto engaged = piece.is_wrapped | piece.is_bent;
  piece.length = select(engaged, length, line.length);
  piece.gradient_a = select(engaged, ga, -line.direction);
  piece.gradient_b = select(engaged, gb, line.direction);
  // beyond half a turn: stationary, no longer shortest  
  const auto long_way = piece.is_wrapped & ((choice.sense < zero) | choice.is_full_turn);
  const auto collapsed = andnot(line.is_collapsed, engaged);
  const auto exterior = andnot(!side.is_interior, is_inside);
  piece.status = bits_where(is_inside, ENDPOINT_INSIDE, zero) |
                 bits_where(is_degenerate & exterior, PLANE_DEGENERATE, zero) |
                 bits_where(choice.is_ambiguous & exterior, SIDE_AMBIGUOUS, zero) |
                 bits_where(long_way, NOT_MINIMUM, zero) | bits_where(collapsed, COLLAPSED, zero);
  return piece;
}

}  // namespace flexor
