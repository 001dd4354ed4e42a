#pragma once
// One world of the reference path: every field of state/fields.hpp under its own name, and the
// stepper that takes it from step to step.

#include <cstdint>
#include <type_traits>

#include "flexor/sim/simulation.hpp"
#include "flexor/state/fields.hpp"
#include "reference/mechanics.hpp"
#include "reference/problem.hpp"

namespace flexor::reference {

/// How a world holds a field: one number per world, or a flat vector (entry by entry, `width`
/// numbers each).
template <FieldType type, bool is_per_world>
struct FieldStorage {
  using Number = std::conditional_t<
      type == FieldType::kInt32, int,
      std::conditional_t<type == FieldType::kInt64, long,
                         std::conditional_t<type == FieldType::kUint8, std::uint8_t, double>>>;
  using Type = std::conditional_t<is_per_world, Number, Eigen::Matrix<Number, Eigen::Dynamic, 1>>;
};

struct World {
#define X(name, group, type, index, width, unit, meaning) \
  FieldStorage<FieldType::type, FieldIndex::index == FieldIndex::kWorldIndex>::Type name{};
  FLEXOR_FIELDS(X)
#undef X
#define X(name, group, type, index, width, unit, meaning) \
  FieldStorage<FieldType::type, FieldIndex::index == FieldIndex::kWorldIndex>::Type valid_##name{};
  FLEXOR_COMMANDS(X)
#undef X
};

/// Calls visitor(Field, storage) for every field of the world; storage is a number or a vector.
template <class AnyWorld, class Visitor>
void visit_fields(AnyWorld& world, Visitor&& visitor) {
#define X(name, group, type, index, width, unit, meaning) visitor(Field::name, world.name);
  FLEXOR_FIELDS(X)
#undef X
#define X(name, group, type, index, width, unit, meaning) \
  visitor(Field::valid_##name, world.valid_##name);
  FLEXOR_COMMANDS(X)
#undef X
}

/// Numbers a field has in one world: index entries x width.
int field_size(const Description& description, const Layout& layout, Field field);

class Stepper {
 public:
  /// iterations, tolerance: 0 = the solver's default. ConfigError if the reference path does not
  /// have the solver. The references of the description are resolved to indices.
  Stepper(const Description& description, Solver solver = Solver::kAuto, int iterations = 0,
          double tolerance = 0, bool warm_start = true);

  /// A world at the reference pose, at rest, with the model's activations, commands and reference
  /// lengths, and refreshed.   [MF-4]
  World initial_world() const;

  /// One step (the stages of step.cpp). Writes state and S fields.
  void step(World& world) const;
  /// Geometry fields at the present q, v (stage 13). Writes G fields only.
  void refresh(World& world) const;

  MatrixXd mass_matrix(const World& world) const;
  VectorXd bias_force(const World& world) const;

  const Description& description() const { return description_; }
  const Layout& layout() const { return layout_; }

 private:
  Solution solve(const Problem& problem, const VectorXd& start) const;

  Description description_;
  Layout layout_;
  Solver solver_;
  SolverOptions options_;
  bool warm_start_;
};

}  // namespace flexor::reference
