#pragma once
// The one list of derived constants: what stages read in place of poses and inertias as authored,
// computed by derive_constants from the raw parameters of a world whenever they are committed.
//
// X(name, count, per, meaning)      per: world, coordinate, link, body, point, guide, site

#include "flexor/core/config.hpp"

namespace flexor {

// clang-format off
#define FLEXOR_CONSTANTS(X)                                                                           \
  X(time_step,               1, world, "h [s]")                                                        \
  X(implicit_factors,        3, world, "th, ka, s of [P-7]")                                          \
  X(hard_row_softness,       1, world, "[P-45]")                                                       \
  X(reference_coordinate,    1, coordinate, "q at the reference pose [MF-4]")                         \
  X(link_ref,                1, link,  "ref of a hinge or slide")                                     \
  X(link_anchor,             3, link,  "joint anchor in the parent link's frame; free joint: unused")  \
  X(link_frame,              9, link,  "axes of the link at q = ref in the parent link's frame")       \
  X(joint_axis,              3, link,  "unit joint axis in the link frame")                            \
  X(joint_anchor,            3, link,  "joint anchor in the link frame")                               \
  X(link_mass,               1, link,  "mass of the link with the static bodies on it")                \
  X(link_com,                3, link,  "their centre of mass in the link frame")                       \
  X(link_inertia,            6, link,  "their inertia about it, link axes: xx yy zz xy xz yz")          \
  X(link_compensated_mass,   1, link,  "sum of gravity_compensation times mass [MF-8]")                \
  X(link_compensated_moment, 3, link,  "sum of gravity_compensation times mass times centre")          \
  X(body_offset,             3, body,  "body origin in the frame of the link that carries it")         \
  X(body_frame,              9, body,  "body axes in that frame")                                      \
  X(body_centre,             3, body,  "centre of mass in that frame")                                 \
  X(site_offset,             3, site,  "site in the frame of the link that carries it")                \
  X(point_pos,               3, point, "path point in the frame of its link, or in the world")         \
  X(guide_centre,            3, guide, "guide centre in the frame of its link, or in the world")       \
  X(guide_frame,             9, guide, "guide axes (z = cylinder axis) in that frame")                 \
  X(side_pos,                3, guide, "side site in the frame of its link, or in the world")
// clang-format on

enum class Constant : int {
#define X(name, count, per, meaning) name,
  FLEXOR_CONSTANTS(X)
#undef X
      kCount
};
inline constexpr int kConstantCount = static_cast<int>(Constant::kCount);

/// Numbers per element.
FLEXOR_INLINE constexpr int width(Constant kind) {
  switch (kind) {
#define X(name, count, per, meaning) \
  case Constant::name:               \
    return count;
    FLEXOR_CONSTANTS(X)
#undef X
    default:
      return 0;
  }
}

}  // namespace flexor
