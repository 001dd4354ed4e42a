#pragma once
// Poses, joint axes and spatial velocities at (q_n, v_n).
//
// Positions are relative to the origin of the link's tree: the anchor of its root joint, for a free
// root the body origin itself. Spatial vectors are about that point, world axes.   [E-7]
// Motion of one joint [MF-3]: R = R_parent frame(q), p = anchor - R joint_anchor.

#include "flexor/math/spatial.hpp"
#include "flexor/state/context.hpp"

namespace flexor {

/// Rotation by angle q about a unit axis: cos 1 + sin [a]x + (1 - cos) a a^T, written so that an
/// axis along a coordinate gives exact zeros and ones.
template <class Real>
FLEXOR_INLINE Mat3<Real> axis_rotation(const Vec3<Real>& a, const Real& q) {
  Real s, c;
  sincos(q, s, c);
  const Real k = Real(1) - c;
  const Vec3<Real> sa = a * s, ka = a * k;
  const Real xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
  const Real xy = ka.x * a.y, xz = ka.x * a.z, yz = ka.y * a.z;
  return {{xx + c * (Real(1) - xx), xy + sa.z, xz - sa.y},
          {xy - sa.z, yy + c * (Real(1) - yy), yz + sa.x},
          {xz + sa.y, yz - sa.x, zz + c * (Real(1) - zz)}};
}

/// z <- the axis of a joint that is aligned with its frame, LinkFlag; R <- R axis_rotation(axis,
/// q), the bits of the general product.
template <class Real>
FLEXOR_INLINE void turn_about_aligned(Mat3<Real>& R, Vec3<Real>& z, Index flags, const Real& q) {
  Real s, c;
  sincos(q, s, c);
  if (flags & kAxisIsReversed) s = -s;
  const auto turn = [&](const Vec3<Real>& axis, Vec3<Real>& u, Vec3<Real>& v) {
    z = axis;
    const Vec3<Real> turned = u * c + v * s;
    v = v * c - u * s;
    u = turned;
  };
  if (flags & kAxisIsX) {
    turn(R.x, R.y, R.z);
  } else if (flags & kAxisIsY) {
    turn(R.y, R.z, R.x);
  } else {
    turn(R.z, R.x, R.y);
  }
  if (flags & kAxisIsReversed) z = -z;
}

struct Kinematics {
  static constexpr StageInfo info{"kinematics", "poses, joint axes, spatial velocities"};

  template <class C>
  FLEXOR_INLINE static Quaternion<typename C::Real> quaternion(const C& c, Index i) {
    return normalized(Quaternion<typename C::Real>{c.coordinate(i), c.coordinate(i + 1),
                                                   c.coordinate(i + 2), c.coordinate(i + 3)});
  }

  template <class C>
  FLEXOR_STAGE static void run(const C& c) {
    const PlanView& p = c.plan;
    for (Index level = 0; level < p.level_count; ++level) {
      const Index first = p.level_first[level], count = p.level_first[level + 1] - first;
      c.each(count, [&](const auto& w, Index i) { place_link(c, w, p.level_links[first + i]); });
      c.sync();
    }
  }

  template <class C, class W>
  FLEXOR_INLINE static void place_link(const C& c, const W& w, Index k) {
    using Real = typename C::Real;
    using V = Vec3<Real>;
    const PlanView& p = c.plan;
    const Index parent = p.link_parent[k], q = p.link_q[k], dof = p.link_dof[k];
    const Index flags = p.link_flags[k];
    const auto type = static_cast<JointType>(p.link_type[k]);
    const Index motion = p.cell.motion + 6 * dof;
    const Real zero(0), one(1);

    if (type == JointType::kFree) {  // always a root
      const Mat3<Real> R = to_matrix(quaternion(c, q + 3));
      put(w, p.cell.rotation + 9 * k, R);
      put(w, p.cell.position + 3 * k, V{zero, zero, zero});
      put(w, p.cell.origin + 3 * p.link_tree[k],
          V{c.coordinate(q), c.coordinate(q + 1), c.coordinate(q + 2)});
      const V none{zero, zero, zero};
      put(w, motion, Motion<Real>{none, {one, zero, zero}});
      put(w, motion + 6, Motion<Real>{none, {zero, one, zero}});
      put(w, motion + 12, Motion<Real>{none, {zero, zero, one}});
      put(w, motion + 18, Motion<Real>{R.x, none});
      put(w, motion + 24, Motion<Real>{R.y, none});
      put(w, motion + 30, Motion<Real>{R.z, none});
      const V linear{c.rate(dof), c.rate(dof + 1), c.rate(dof + 2)};
      const V angular = R * V{c.rate(dof + 3), c.rate(dof + 4), c.rate(dof + 5)};
      put(w, p.cell.velocity + 6 * k, Motion<Real>{angular, linear});
      // the origin keeps its world velocity: spatial acceleration = linear x angular
      put(w, p.cell.acceleration + 6 * k, Motion<Real>{none, cross(linear, angular)});
      return;
    }

    const bool is_root = parent < 0;
    Mat3<Real> R = identity3<Real>();
    V anchor{zero, zero, zero};
    if (is_root) {
      put(w, p.cell.origin + 3 * p.link_tree[k], c.constant3(p.constant(Constant::link_anchor, k)));
      if (!(flags & kFrameIsIdentity)) R = c.constant9(p.constant(Constant::link_frame, k));
    } else {
      const Mat3<Real> Rp = matrix_at(w, p.cell.rotation + 9 * parent);
      anchor = vector_at(w, p.cell.position + 3 * parent) +
               Rp * c.constant3(p.constant(Constant::link_anchor, k));
      R = flags & kFrameIsIdentity ? Rp : Rp * c.constant9(p.constant(Constant::link_frame, k));
    }

    V p_link = anchor;
    Motion<Real> joint_velocity;
    if (type == JointType::kBall) {
      R = R * to_matrix(quaternion(c, q));
      put(w, motion, Motion<Real>{R.x, cross(anchor, R.x)});
      put(w, motion + 6, Motion<Real>{R.y, cross(anchor, R.y)});
      put(w, motion + 12, Motion<Real>{R.z, cross(anchor, R.z)});
      const V turn = R * V{c.rate(dof), c.rate(dof + 1), c.rate(dof + 2)};
      joint_velocity = {turn, cross(anchor, turn)};
    } else {
      const Real x = c.coordinate(q) - c.constant(p.constant(Constant::link_ref, k));
      V z;
      if (type == JointType::kHinge && (flags & kAxisIsAligned)) {
        turn_about_aligned(R, z, flags, x);
      } else {
        const V axis = c.constant3(p.constant(Constant::joint_axis, k));
        z = R * axis;
        if (type == JointType::kHinge) R = R * axis_rotation(axis, x);
      }
      const bool turns = type == JointType::kHinge;
      const Motion<Real> S =
          turns ? Motion<Real>{z, cross(anchor, z)} : Motion<Real>{{zero, zero, zero}, z};
      if (!turns) p_link = anchor + z * x;
      put(w, motion, S);
      joint_velocity = S * c.rate(dof);
    }
    if (!(flags & kAnchorIsOrigin)) {
      p_link = p_link - R * c.constant3(p.constant(Constant::joint_anchor, k));
    }
    put(w, p.cell.rotation + 9 * k, R);
    put(w, p.cell.position + 3 * k, p_link);
    if (is_root) {
      put(w, p.cell.velocity + 6 * k, joint_velocity);
      const V none{zero, zero, zero};
      put(w, p.cell.acceleration + 6 * k, Motion<Real>{none, none});
    } else {
      const Motion<Real> v = motion_at(w, p.cell.velocity + 6 * parent);
      put(w, p.cell.velocity + 6 * k, v + joint_velocity);
      // the joint's axes ride on the parent: rate of S is v x S
      put(w, p.cell.acceleration + 6 * k,
          motion_at(w, p.cell.acceleration + 6 * parent) + cross(v, joint_velocity));
    }
  }
};

}  // namespace flexor
