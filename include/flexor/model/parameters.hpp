#pragma once
// The one list of numbers a user may vary per world [E-2]. It drives: the names of set_parameter,
// the initial values (read from the Description through `member`), units, legal ranges, storage in
// the batch, the table of model.parameters() and the documentation.
//
// X(kind, owner, name, count, unit, legal, member)
//   kind    enumerator ParameterKind::kind
//   owner   kOption, kBody, kSite, kJoint, kTendon, kElement (one path element of a tendon)
//   name    last part of the path name: joint/<j>/<name>, tendon/<t>/route/<i>/<name> ...
//   count   components
//   legal   range each component must lie in (Legal)
//   member  expression of the owner's description `o` that is its first number

#include "flexor/core/config.hpp"

namespace flexor {

enum class Owner { kOption, kBody, kSite, kJoint, kTendon, kElement };

enum class Legal {
  kFinite,       ///< any finite number
  kNonNegative,  ///< finite, >= 0
  kPositive,     ///< finite, > 0
  kPositiveInf,  ///< > 0, inf allowed
  kUnit,         ///< [0, 1]
  kBound,        ///< no NaN; infinities allowed; pairs must be ordered
  kSpringBound,  ///< NaN (automatic) or a bound; both of a pair NaN or none
  kDirection,    ///< finite, not the zero vector
  kQuaternion,   ///< finite, norm >= 1e-9; normalised on entry
  kInertia       ///< positive semidefinite, A + B >= C to 1e-6 relative
};

// clang-format off
#define FLEXOR_PARAMETERS(X)                                                                       \
  X(gravity,                   kOption,  "gravity",             3, "m/s^2",   kFinite,      o.gravity.x)       \
  X(body_pos,                  kBody,    "pos",                 3, "m",       kFinite,      o.pos.x)           \
  X(body_quat,                 kBody,    "quat",                4, "1",       kQuaternion,  o.quat.w)          \
  X(body_mass,                 kBody,    "mass",                1, "kg",      kNonNegative, o.mass)            \
  X(body_com,                  kBody,    "com",                 3, "m",       kFinite,      o.com.x)           \
  X(body_inertia,              kBody,    "inertia",             6, "kg m^2",  kInertia,     o.inertia[0])      \
  X(body_gravity_compensation, kBody,    "gravity_compensation", 1, "1",      kFinite,      o.gravity_compensation) \
  X(site_pos,                  kSite,    "pos",                 3, "m",       kFinite,      o.pos.x)           \
  X(site_quat,                 kSite,    "quat",                4, "1",       kQuaternion,  o.quat.w)          \
  X(joint_axis,                kJoint,   "axis",                3, "1",       kDirection,   o.axis.x)          \
  X(joint_pos,                 kJoint,   "pos",                 3, "m",       kFinite,      o.pos.x)           \
  X(joint_damping,             kJoint,   "damping",             1, "N m s/rad, N s/m", kNonNegative, o.damping) \
  X(joint_friction,            kJoint,   "friction",            1, "N m, N",  kNonNegative, o.friction)        \
  X(joint_friction_compliance, kJoint,   "friction_compliance", 1, "rad/(N m), m/N", kNonNegative, o.friction_compliance) \
  X(joint_armature,            kJoint,   "armature",            1, "kg m^2, kg", kNonNegative, o.armature)     \
  X(joint_stiffness,           kJoint,   "stiffness",           1, "N m/rad, N/m", kNonNegative, o.stiffness)  \
  X(joint_rest,                kJoint,   "rest",                1, "rad, m",  kFinite,      o.rest)            \
  X(joint_rest_quat,           kJoint,   "rest_quat",           4, "1",       kQuaternion,  o.rest_quat.w)     \
  X(joint_position_gain,       kJoint,   "position_gain",       1, "N m/rad, N/m", kNonNegative, o.position_gain) \
  X(joint_velocity_gain,       kJoint,   "velocity_gain",       1, "N m s/rad, N s/m", kNonNegative, o.velocity_gain) \
  X(joint_effort_lower,        kJoint,   "effort_lower",        1, "N m, N",  kBound,       o.effort_lower)    \
  X(joint_effort_upper,        kJoint,   "effort_upper",        1, "N m, N",  kBound,       o.effort_upper)    \
  X(joint_lower,               kJoint,   "lower",               1, "rad, m",  kBound,       o.lower)           \
  X(joint_upper,               kJoint,   "upper",               1, "rad, m",  kBound,       o.upper)           \
  X(joint_limit_margin,        kJoint,   "limit_margin",        1, "rad, m",  kNonNegative, o.limit_margin)    \
  X(joint_limit_compliance,    kJoint,   "limit_compliance",    1, "rad/(N m), m/N", kNonNegative, o.limit_compliance) \
  X(joint_limit_correction,    kJoint,   "limit_correction",    1, "1",       kUnit,        o.limit_correction) \
  X(joint_velocity_limit,      kJoint,   "velocity_limit",      1, "rad/s, m/s", kPositiveInf, o.velocity_limit) \
  X(tendon_stiffness,          kTendon,  "stiffness",           1, "N/m",     kNonNegative, o.stiffness)       \
  X(tendon_damping,            kTendon,  "damping",             1, "N s/m",   kNonNegative, o.damping)         \
  X(tendon_spring_lower,       kTendon,  "spring_lower",        1, "m",       kSpringBound, o.spring_lower)    \
  X(tendon_spring_upper,       kTendon,  "spring_upper",        1, "m",       kSpringBound, o.spring_upper)    \
  X(tendon_lower_limit,        kTendon,  "lower_limit",         1, "m",       kBound,       o.lower_limit)     \
  X(tendon_upper_limit,        kTendon,  "upper_limit",         1, "m",       kBound,       o.upper_limit)     \
  X(tendon_limit_margin,       kTendon,  "limit_margin",        1, "m",       kNonNegative, o.limit_margin)    \
  X(tendon_limit_compliance,   kTendon,  "limit_compliance",    1, "m/N",     kNonNegative, o.limit_compliance) \
  X(tendon_friction_loss,      kTendon,  "friction_loss",       1, "N",       kNonNegative, o.friction_loss)   \
  X(tendon_friction_compliance, kTendon, "friction_compliance", 1, "m/N",     kNonNegative, o.friction_compliance) \
  X(tendon_armature,           kTendon,  "armature",            1, "kg",      kNonNegative, o.armature)        \
  X(tendon_position_correction, kTendon, "position_correction", 1, "1",       kUnit,        o.position_correction) \
  X(tendon_actuation_lower,    kTendon,  "actuation_lower",     1, "N",       kBound,       o.actuation_lower) \
  X(tendon_actuation_upper,    kTendon,  "actuation_upper",     1, "N",       kBound,       o.actuation_upper) \
  X(tendon_activation_time,    kTendon,  "drive/activation_time", 1, "s",     kNonNegative, o.activation_time) \
  X(element_pos,               kElement, "pos",                 3, "m",       kFinite,      o.pos.x)           \
  X(element_radius,            kElement, "radius",              1, "m",       kPositive,    o.radius)          \
  X(element_axis,              kElement, "axis",                3, "1",       kDirection,   o.axis.x)          \
  X(element_half_length,       kElement, "half_length",         1, "m",       kPositiveInf, o.half_length)     \
  X(element_side,              kElement, "side",                3, "m",       kFinite,      o.side_pos.x)      \
  X(element_divisor,           kElement, "divisor",             1, "1",       kPositive,    o.divisor)         \
  X(element_coefficient,       kElement, "coefficient",         1, "m/rad, 1", kFinite,     o.coefficient)
// clang-format on

enum class ParameterKind : int {
#define X(kind, owner, name, count, unit, legal, member) kind,
  FLEXOR_PARAMETERS(X)
#undef X
      kCount
};

inline constexpr int kParameterKindCount = static_cast<int>(ParameterKind::kCount);

struct ParameterInfo {
  Owner owner;
  const char* name;
  int count;
  const char* unit;
  Legal legal;
};

inline constexpr ParameterInfo kParameterInfo[kParameterKindCount] = {
#define X(kind, owner, name, count, unit, legal, member) \
  {Owner::owner, name, count, unit, Legal::legal},
    FLEXOR_PARAMETERS(X)
#undef X
};

/// Numbers per element, for stages.
FLEXOR_INLINE constexpr int width(ParameterKind kind) {
  switch (kind) {
#define X(kind, owner, name, count, unit, legal, member) \
  case ParameterKind::kind:                              \
    return count;
    FLEXOR_PARAMETERS(X)
#undef X
    default:
      return 0;
  }
}

constexpr const ParameterInfo& info(ParameterKind kind) {
  return kParameterInfo[static_cast<int>(kind)];
}

}  // namespace flexor
