#pragma once
// The one list of arrays of a batch. It drives allocation, views, Python names, checkpoints, reset,
// the state hash, NaN poisoning in tests and the documentation table. What is not here does not
// exist. Each field is stored [component][world], world fastest [E-1].
//
// X(name, group, type, index, width, unit, meaning)
//   group   kState (checkpointed, hashed), kCommand (checkpointed; held until changed),
//           kGeometry (G: written by the refresh pass), kStep (S: belongs to the last step)
//   type    kReal (float or double by precision), kDouble, kInt32, kInt64, kUint8
//   index   what a component belongs to: kWorldIndex (one per world), kQpos, kQvel, kTendon, kRow,
//           kBody, kSite, kTendonQvel (tendon x nv), kBranch
//   width   numbers per index entry: 1, or 3, 4, 6 for vectors, quaternions, twists

#include "flexor/model/row_slots.hpp"

namespace flexor {

enum class FieldGroup { kState, kCommand, kGeometry, kStep };
enum class FieldType { kReal, kDouble, kInt32, kInt64, kUint8 };
enum class FieldIndex {
  kWorldIndex,
  kQpos,
  kQvel,
  kTendon,
  kRow,
  kBody,
  kSite,
  kTendonQvel,
  kBranch
};

// clang-format off
#define FLEXOR_COMMANDS(X)                                                                          \
  X(drive_force,           kCommand, kReal, kTendon, 1, "N", "feed-forward force of the drive; positive lengthens") \
  X(drive_target_length,   kCommand, kReal, kTendon, 1, "m", "target length of the drive")          \
  X(drive_target_velocity, kCommand, kReal, kTendon, 1, "m/s", "target length rate of the drive")   \
  X(drive_position_gain,   kCommand, kReal, kTendon, 1, "N/m", "gain on the length error, >= 0")    \
  X(drive_velocity_gain,   kCommand, kReal, kTendon, 1, "N s/m", "gain on the rate error, >= 0")    \
  X(joint_force,           kCommand, kReal, kQvel,   1, "N m, N", "feed-forward force of the joint coordinate") \
  X(joint_target_position, kCommand, kReal, kQpos,   1, "rad, m, quaternion", "target of the joint servo") \
  X(joint_target_velocity, kCommand, kReal, kQvel,   1, "rad/s, m/s", "target rate of the joint servo") \
  X(body_wrench,           kCommand, kReal, kBody,   6, "N, N m", "force at the centre of mass and moment, world axes")

#define FLEXOR_FIELDS(X)                                                                            \
  X(time,                  kState, kDouble, kWorldIndex, 1, "s", "simulated time")                  \
  X(step_count,            kState, kInt64,  kWorldIndex, 1, "1", "steps since reset")               \
  X(status,                kState, kInt32,  kWorldIndex, 1, "1", "status bits, sticky until reset") \
  X(qpos,                  kState, kReal,   kQpos,   1, "rad, m, quaternion", "configuration")      \
  X(qpos_compensation,     kState, kReal,   kQpos,   1, "rad, m", "rounding remainder of qpos (float32 only)") \
  X(qvel,                  kState, kReal,   kQvel,   1, "rad/s, m/s", "generalised velocity")       \
  X(activation,            kState, kReal,   kTendon, 1, "N", "filtered drive force")                \
  X(reference_length,      kState, kReal,   kTendon, 1, "m", "reference length")                    \
  X(row_impulse,           kState, kReal,   kRow,    1, "N s, N m s", "impulse of every row slot in the last step") \
  FLEXOR_COMMANDS(X)                                                                                \
  X(tendon_enabled,        kCommand, kUint8, kTendon, 1, "1", "0 switches the tendon's rows off")   \
  X(tendon_length,         kGeometry, kReal, kTendon, 1, "m", "length")                             \
  X(tendon_velocity,       kGeometry, kReal, kTendon, 1, "m/s", "length rate J v")                  \
  X(tendon_jacobian,       kGeometry, kReal, kTendonQvel, 1, "m/rad, 1", "length gradient by velocity coordinate") \
  X(tendon_curvature,      kGeometry, kReal, kTendon, 1, "m/s^2", "second time derivative of length at zero generalised acceleration (tendons with armature)") \
  X(tendon_route_status,   kGeometry, kInt32, kTendon, 1, "1", "route status bits [R-42] of this evaluation") \
  X(tendon_potential_energy, kGeometry, kReal, kTendon, 1, "J", "energy of the tendon's spring")    \
  X(tendon_kinetic_energy, kGeometry, kReal, kTendon, 1, "J", "energy of the tendon's armature")    \
  X(branch_length,         kGeometry, kReal, kBranch, 1, "m", "routed length of each branch, not divided") \
  X(body_position,         kGeometry, kReal, kBody,  3, "m", "origin of the body frame in the world") \
  X(body_quaternion,       kGeometry, kReal, kBody,  4, "1", "orientation of the body frame (w, x, y, z), w >= 0") \
  X(body_velocity,         kGeometry, kReal, kBody,  6, "m/s, rad/s", "velocity of the origin and angular velocity, world axes") \
  X(site_position,         kGeometry, kReal, kSite,  3, "m", "site in the world")                   \
  X(tendon_force,          kStep, kReal, kTendon, 1, "N", "sum of all row impulses / h; positive lengthens") \
  X(tendon_tension,        kStep, kReal, kTendon, 1, "N", "negative of tendon_force; positive pulls") \
  X(tendon_passive_force,  kStep, kReal, kTendon, 1, "N", "spring and damper")                      \
  X(tendon_spring_force,   kStep, kReal, kTendon, 1, "N", "spring part of the passive force [P-24]") \
  X(tendon_damper_force,   kStep, kReal, kTendon, 1, "N", "damper part of the passive force [P-24]") \
  X(tendon_drive_force,    kStep, kReal, kTendon, 1, "N", "drive after filter, feedback and bounds") \
  X(tendon_armature_force, kStep, kReal, kTendon, 1, "N", "armature row")                           \
  X(tendon_friction_force, kStep, kReal, kTendon, 1, "N", "friction row")                           \
  X(tendon_limit_force,    kStep, kReal, kTendon, 1, "N", "lower + upper limit or lock, signed")    \
  X(tendon_lower_force,    kStep, kReal, kTendon, 1, "N", "lower limit row, >= 0")                  \
  X(tendon_upper_force,    kStep, kReal, kTendon, 1, "N", "upper limit row, <= 0, or lock")         \
  X(tendon_solved_velocity, kStep, kReal, kTendon, 1, "m/s", "J(q_n) v_+, the rate the rows saw")   \
  X(tendon_length_end,     kStep, kReal, kTendon, 1, "m", "l_n + h times it")                       \
  X(branch_tension,        kStep, kReal, kBranch, 1, "N", "tension / branch divisor [P-29]")        \
  X(joint_command_torque,  kStep, kReal, kQvel, 1, "N m, N", "feed-forward and servo [P-9]")        \
  X(joint_damping_torque,  kStep, kReal, kQvel, 1, "N m, N", "damping [P-9]")                       \
  X(joint_spring_torque,   kStep, kReal, kQvel, 1, "N m, N", "spring [P-9]")                        \
  X(joint_friction_torque, kStep, kReal, kQvel, 1, "N m, N", "friction row")                        \
  X(joint_limit_torque,    kStep, kReal, kQvel, 1, "N m, N", "position and velocity limit rows")    \
  X(solver_iterations,     kStep, kInt32, kWorldIndex, 1, "1", "iterations of the impulse solver")  \
  X(solver_status,         kStep, kInt32, kWorldIndex, 1, "1", "0 converged, 1 iteration limit, 2 inconsistent hard rows, 3 non-finite") \
  X(solver_residual,       kStep, kReal, kWorldIndex, 1, "m/s", "largest violation of the row conditions [P-57]")
// clang-format on

enum class Field : int {
#define X(name, group, type, index, width, unit, meaning) name,
  FLEXOR_FIELDS(X)
#undef X
// the last finite value of each command entry (NONFINITE_COMMAND falls back on it)
#define X(name, group, type, index, width, unit, meaning) valid_##name,
      FLEXOR_COMMANDS(X)
#undef X
          kCount
};

inline constexpr int kFieldCount = static_cast<int>(Field::kCount);

struct FieldInfo {
  const char* name;
  FieldGroup group;
  FieldType type;
  FieldIndex index;
  int width;
  const char* unit;
  const char* meaning;
};

inline constexpr FieldInfo kFieldInfo[kFieldCount] = {
#define X(name, group, type, index, width, unit, meaning) \
  {#name, FieldGroup::group, FieldType::type, FieldIndex::index, width, unit, meaning},
    FLEXOR_FIELDS(X)
#undef X
#define X(name, group, type, index, width, unit, meaning)                                   \
  {"valid_" #name, FieldGroup::kState,           FieldType::type, FieldIndex::index, width, \
   unit,           "last finite value of " #name},
        FLEXOR_COMMANDS(X)
#undef X
};

constexpr const FieldInfo& info(Field field) { return kFieldInfo[static_cast<int>(field)]; }

}  // namespace flexor
