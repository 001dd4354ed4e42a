#pragma once
// Random models and states for parity tests: trees of 1 to 12 joints of all types, 0 to 6 tendons
// with via points, guides, side sites, pulleys and joint terms, random rows of every kind.
//
// Rest (v = 0) always meets all hard rows at the state that belongs to the seed, so the impulse
// problem has a solution: hard bounds stand at or beyond the present coordinate, only compliant
// ones are violated. Redundant hard rows do occur; compare unique quantities.
// Tendons with guides carry no armature.

#include <string>
#include <vector>

#include "flexor/model/description.hpp"

namespace flexor::support {

/// Numbers of one world to start a step from, in the layout of state/fields.hpp.
struct State {
  std::vector<double> qpos, qvel;
  std::vector<double> joint_force, joint_target_position, joint_target_velocity;
  std::vector<double> body_wrench;
};

struct RandomModelOptions {
  int min_joints = 1, max_joints = 12;
  int max_tendons = 6;
  bool has_rows = true;  ///< bounds, friction, drives, springs ...
  bool has_guides = true;
};

/// A resolved model: every reference is an index, parents stand before children, names are unique.
Description random_model(unsigned seed, const RandomModelOptions& options = {});

/// The state that belongs to the model of the same seed; other seeds may violate hard bounds.
State random_state(const Description& model, unsigned seed);

}  // namespace flexor::support
