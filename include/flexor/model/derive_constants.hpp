#pragma once
// Raw parameters of one world -> derived constants (constants.hpp), for any scalar type: the batch
// calls it with its own scalar for shared and per-world values alike, so that a committed value and
// a compiled one give the same bits, and once with a type that only tracks what depends on what, to
// learn which constants become per world.

#include "flexor/model/host_plan.hpp"
#include "flexor/model/topology.hpp"

namespace flexor {

/// Reads raw scalars by `raw(address) -> S`, writes constants by `put(index, S)`.
template <class S, class Raw, class Put>
class ConstantDeriver {
 public:
  ConstantDeriver(const Topology& topology, const Plan& plan, Raw raw, Put put)
      : t_(topology), p_(plan), raw_(raw), put_(put) {}

  void run() {
    put_(index(Constant::time_step, 0), number(p_.timestep));
    put_(index(Constant::hard_row_softness, 0), number(p_.hard_row_softness));
    for (int i = 0; i < 3; ++i) {
      put_(index(Constant::implicit_factors, 0) + i, number(p_.implicit_factors[i]));
    }
    for (int i = 0; i < p_.nq; ++i) {
      put_(index(Constant::reference_coordinate, i), number(p_.qpos0[i]));
    }
    for (int k = 0; k < p_.link_count; ++k) {
      put_(index(Constant::link_ref, k), number(p_.joint_ref[k]));
      if (static_cast<JointType>(p_.link_type[k]) == JointType::kFree) free_coordinates(k);
    }
    carry_bodies();
    for (int k = 0; k < p_.link_count; ++k) joint_frame(k);
    for (int k = 0; k < p_.link_count; ++k) link_inertia(k);
    for (int s = 0; s < p_.site_count; ++s) {
      write(Constant::site_offset, s, carried(t_.site_body[s], vector(ParameterKind::site_pos, s)));
    }
    for (int i = 0; i < p_.point_count; ++i) {
      write(Constant::point_pos, i, path_point(p_.point_element[i]));
    }
    for (int g = 0; g < p_.guide_count; ++g) guide(g);
  }

 private:
  using V = Vec3<S>;
  using M = Mat3<S>;
  struct Pose {
    V offset;
    M frame;
    bool is_identity;
  };

  S scalar(ParameterKind kind, int element, int component = 0) const {
    return raw_(p_.parameter_offset[static_cast<int>(kind)] + element * width(kind) + component);
  }
  V vector(ParameterKind kind, int element, int component = 0) const {
    return {scalar(kind, element, component), scalar(kind, element, component + 1),
            scalar(kind, element, component + 2)};
  }
  M rotation(ParameterKind kind, int element) const {
    return to_matrix(Quaternion<S>{scalar(kind, element, 0), scalar(kind, element, 1),
                                   scalar(kind, element, 2), scalar(kind, element, 3)});
  }
  int index(Constant kind, int element) const {
    return p_.constant_offset[static_cast<int>(kind)] + element * width(kind);
  }
  void write(Constant kind, int element, const V& v) { write_at(index(kind, element), v); }
  void write_at(int i, const V& v) {
    put_(i, v.x);
    put_(i + 1, v.y);
    put_(i + 2, v.z);
  }
  void write(Constant kind, int element, const M& m) {
    const int i = index(kind, element);
    write_at(i, m.x);
    write_at(i + 3, m.y);
    write_at(i + 6, m.z);
  }
  /// A number of the plan, the same in all worlds.
  static S number(double x) { return S(x); }
  static V unit(const V& v) { return v * (S(1) / sqrt(dot(v, v))); }

  /// A free joint starts at the authored pose of its body.   [MF-4]
  void free_coordinates(int k) {
    const int b = t_.joint_body[p_.link_joint[k]], q = p_.link_q[k];
    for (int i = 0; i < 3; ++i) {
      put_(index(Constant::reference_coordinate, q + i), scalar(ParameterKind::body_pos, b, i));
    }
    for (int i = 0; i < 4; ++i) {
      put_(index(Constant::reference_coordinate, q + 3 + i),
           scalar(ParameterKind::body_quat, b, i));
    }
  }

  /// Pose of every body in the frame of the link (or world) that carries it.
  void carry_bodies() {
    poses_.resize(p_.body_count);
    for (int b = 0; b < p_.body_count; ++b) {
      if (p_.body_first_link[b] >= 0) {
        poses_[b] = {V{S(0), S(0), S(0)}, identity3<S>(), true};
      } else {
        poses_[b] = placed(b);
      }
      write(Constant::body_offset, b, poses_[b].offset);
      write(Constant::body_frame, b, poses_[b].frame);
      write(Constant::body_centre, b, in_carrier(b, vector(ParameterKind::body_com, b)));
    }
  }
  /// Authored pose of a body, seen from what carries its parent.
  Pose placed(int b) const {
    const V pos = vector(ParameterKind::body_pos, b);
    const M frame = rotation(ParameterKind::body_quat, b);
    const int parent = t_.body_parent[b];
    if (parent < 0 || poses_[parent].is_identity) return {pos, frame, false};
    const Pose& up = poses_[parent];
    return {up.offset + up.frame * pos, up.frame * frame, false};
  }
  V in_carrier(int b, const V& local) const {
    const Pose& pose = poses_[b];
    return pose.is_identity ? local : pose.offset + pose.frame * local;
  }
  V carried(int b, const V& local) const { return b < 0 ? local : in_carrier(b, local); }

  void joint_frame(int k) {
    const int j = p_.link_joint[k], b = t_.joint_body[j];
    const V anchor = vector(ParameterKind::joint_pos, j);
    write(Constant::joint_axis, k, unit(vector(ParameterKind::joint_axis, j)));
    write(Constant::joint_anchor, k, anchor);
    if (p_.body_first_link[b] == k) {
      const Pose pose = placed(b);
      write(Constant::link_anchor, k, pose.offset + pose.frame * anchor);
      write(Constant::link_frame, k, pose.frame);
    } else {
      write(Constant::link_anchor, k, anchor);
      write(Constant::link_frame, k, identity3<S>());
    }
  }

  /// Mass, centre and inertia of all bodies that one link carries.   [MF-21]
  void link_inertia(int k) {
    S mass(0), compensated(0);
    V first{S(0), S(0), S(0)}, compensated_first = first;
    int count = 0, only = -1;
    for (int b = 0; b < p_.body_count; ++b) {
      if (p_.body_link[b] != k || !t_.may_have_mass[b]) continue;
      ++count;
      only = b;
      const S m = scalar(ParameterKind::body_mass, b);
      const S comp = scalar(ParameterKind::body_gravity_compensation, b) * m;
      const V c = in_carrier(b, vector(ParameterKind::body_com, b));
      mass = mass + m;
      first = first + c * m;
      compensated = compensated + comp;
      compensated_first = compensated_first + c * comp;
    }
    put_(index(Constant::link_mass, k), mass);
    put_(index(Constant::link_compensated_mass, k), compensated);
    write(Constant::link_compensated_moment, k, compensated_first);
    const int at = index(Constant::link_inertia, k);
    if (count == 1 && poses_[only].is_identity) {  // as written, to the bit
      write(Constant::link_com, k, vector(ParameterKind::body_com, only));
      write_at(at, vector(ParameterKind::body_inertia, only));
      write_at(at + 3, vector(ParameterKind::body_inertia, only, 3));
      return;
    }
    const V zero{S(0), S(0), S(0)};
    const V centre = count == 0 ? zero : first * (S(1) / mass);
    V diagonal = zero, products = zero;
    for (int b = 0; b < p_.body_count; ++b) {
      if (p_.body_link[b] != k || !t_.may_have_mass[b]) continue;
      const Inertia<S> I = inertia_about_origin(
          turned_inertia(poses_[b].frame, vector(ParameterKind::body_inertia, b),
                         vector(ParameterKind::body_inertia, b, 3), false),
          in_carrier(b, vector(ParameterKind::body_com, b)) - centre,
          scalar(ParameterKind::body_mass, b));
      diagonal = diagonal + V{I.xx, I.yy, I.zz};
      products = products + V{I.xy, I.xz, I.yz};
    }
    write(Constant::link_com, k, centre);
    write_at(at, diagonal);
    write_at(at + 3, products);
  }

  V path_point(int element) const {
    const int site = t_.element_site[element];
    if (site >= 0) return carried(t_.site_body[site], vector(ParameterKind::site_pos, site));
    return carried(t_.element_body[element], vector(ParameterKind::element_pos, element));
  }

  void guide(int g) {
    const int e = p_.guide_element[g], b = t_.element_body[e];
    write(Constant::guide_centre, g, path_point(e));
    M frame = identity3<S>();
    if (t_.element_is_cylinder[e]) frame = cylinder_frame(vector(ParameterKind::element_axis, e));
    if (b >= 0 && !poses_[b].is_identity) frame = poses_[b].frame * frame;
    write(Constant::guide_frame, g, frame);
    V side{S(0), S(0), S(0)};
    if (p_.guide_side_link[g] > -2) {
      const int site = t_.side_site[e];
      side = site >= 0 ? carried(t_.site_body[site], vector(ParameterKind::site_pos, site))
                       : carried(t_.side_body[e], vector(ParameterKind::element_side, e));
    }
    write(Constant::side_pos, g, side);
  }

  /// z' = axis, x' = the body axis with the smallest |component| along z' (first on a tie), made
  /// orthogonal to it.
  static M cylinder_frame(const V& axis) {
    const V z = unit(axis);
    const S ax = abs(z.x), ay = abs(z.y), az = abs(z.z);
    V e = z - z;  // zero, of the same dependence
    if ((ax <= ay) && (ax <= az)) {
      e.x = e.x + S(1);
    } else if (ay <= az) {
      e.y = e.y + S(1);
    } else {
      e.z = e.z + S(1);
    }
    const V x = unit(e - z * dot(z, e));
    return {x, cross(z, x), z};
  }

  const Topology& t_;
  const Plan& p_;
  Raw raw_;
  Put put_;
  std::vector<Pose> poses_;
};

template <class S, class Raw, class Put>
void derive_constants(const Topology& topology, const Plan& plan, Raw raw, Put put) {
  ConstantDeriver<S, Raw, Put>(topology, plan, raw, put).run();
}

}  // namespace flexor
