#pragma once
// What a stage sees: the plan, the constants and arrays of its tile, its workspace and its team.

#include "flexor/core/scalar.hpp"
#include "flexor/core/status.hpp"
#include "flexor/core/team.hpp"
#include "flexor/math/functions.hpp"
#include "flexor/math/quaternion.hpp"
#include "flexor/math/spatial.hpp"
#include "flexor/math/vec3.hpp"
#include "flexor/model/description_enums.hpp"
#include "flexor/model/plan.hpp"
#include "flexor/state/batch_view.hpp"
#include "flexor/state/settings.hpp"

namespace flexor {

/// Name of a stage and what it does, for docs, profiles and kernel grouping.
struct StageInfo {
  const char* name;
  const char* does;
};

template <class Real_, class Team_, class Cells_>
struct Context {
  using Real = Real_;
  using Scalar = flexor::Scalar<Real>;
  using Mask = flexor::Mask<Real>;
  using Team = Team_;
  using CellsType = Cells_;

  const PlanView& plan;
  ConstantsView<Scalar> constants;
  BatchView batch;
  SolverSettings settings;
  Team team;
  Cells_ cells;
  long world;         ///< first world of the lanes
  Mask active;        ///< lanes that are stepped and stored
  bool at_reference;  ///< poses at the reference pose, lengths from zero

  /// Scalar i of the table of constants, in this world.
  FLEXOR_INLINE Real constant(Index i) const {
    const Index slot = constants.slot[i];
    if (slot >= 0) [[unlikely]]
      return flexor::load(constants.per_world + slot * batch.world_stride + world, Real());
    return Real(constants.shared[i]);
  }
  /// Vectors and matrices: shared, or per world in consecutive slots, as a whole.
  FLEXOR_INLINE Vec3<Real> constant3(Index i) const {
    const Index slot = constants.slot[i];
    if (slot >= 0) [[unlikely]]
      return per_world3(slot);
    return shared3(i);
  }
  FLEXOR_INLINE Mat3<Real> constant9(Index i) const {
    const Index slot = constants.slot[i];
    if (slot >= 0) [[unlikely]]
      return {per_world3(slot), per_world3(slot + 3), per_world3(slot + 6)};
    return {shared3(i), shared3(i + 3), shared3(i + 6)};
  }
  FLEXOR_INLINE Vec3<Real> shared3(Index i) const {
    const Scalar* p = constants.shared + i;
    return {Real(p[0]), Real(p[1]), Real(p[2])};
  }
  FLEXOR_INLINE Vec3<Real> per_world3(Index slot) const {
    const Scalar* p = constants.per_world + slot * batch.world_stride + world;
    return {flexor::load(p, Real()), flexor::load(p + batch.world_stride, Real()),
            flexor::load(p + 2 * batch.world_stride, Real())};
  }
  FLEXOR_INLINE Real parameter(ParameterKind kind, Index element) const {
    return constant(plan.parameter(kind, element));
  }

  FLEXOR_INLINE Real time_step() const { return constant(plan.constant(Constant::time_step, 0)); }
  /// th, ka, s of [P-7].
  FLEXOR_INLINE Real implicit_factor(Index i) const {
    return constant(plan.constant(Constant::implicit_factors, 0) + i);
  }
  /// Coordinate i of the configuration and of the velocity; at the reference pose and at rest when
  /// `at_reference`.
  FLEXOR_INLINE Real coordinate(Index i) const {
    if (at_reference) [[unlikely]]
      return constant(plan.constant(Constant::reference_coordinate, i));
    return load(Field::qpos, i);
  }
  FLEXOR_INLINE Real rate(Index i) const {
    if (at_reference) [[unlikely]]
      return Real(0);
    return load(Field::qvel, i);
  }

  FLEXOR_INLINE bool has(Field field) const { return batch.field[static_cast<int>(field)]; }
  FLEXOR_INLINE Scalar* at(Field field, Index component) const {
    return static_cast<Scalar*>(batch.field[static_cast<int>(field)]) +
           component * batch.world_stride + world;
  }
  FLEXOR_INLINE Real load(Field field, Index component) const {
    return flexor::load(at(field, component), Real());
  }
  /// Writes the lanes of `mask`, keeps the others.
  FLEXOR_INLINE void store(Field field, Index component, const Real& value,
                           const Mask& mask) const {
    Scalar* p = at(field, component);
    flexor::store(p, select(mask, value, flexor::load(p, Real())));
  }
  FLEXOR_INLINE void store(Field field, Index component, const Real& value) const {
    store(field, component, value, active);
  }
  FLEXOR_INLINE std::int32_t* int_at(Field field, Index component) const {
    return static_cast<std::int32_t*>(batch.field[static_cast<int>(field)]) +
           component * batch.world_stride + world;
  }
  FLEXOR_INLINE Bits<Real> load_bits(Field field, Index component) const {
    return load_int32(int_at(field, component), Real());
  }
  FLEXOR_INLINE void store_bits(Field field, Index component, const Bits<Real>& bits) const {
    std::int32_t* p = int_at(field, component);
    store_int32(
        p, real_to_bits(select(active, bits_to_real(bits), bits_to_real(load_int32(p, Real())))));
  }
  FLEXOR_INLINE Mask flags(Field field, Index component) const {
    return load_flags(static_cast<const std::uint8_t*>(batch.field[static_cast<int>(field)]) +
                          component * batch.world_stride + world,
                      Real());
  }

  template <class F>
  FLEXOR_INLINE void each(Index n, F f) const {
    team.each(cells, n, f);
  }
  template <class F>
  FLEXOR_INLINE void single(F f) const {
    team.single(cells, f);
  }
  FLEXOR_INLINE void sync() const { team.sync(); }
};

/// Cells as vectors and matrices, each by one address.
template <class C>
FLEXOR_INLINE Vec3<typename C::Real> vector_at(const C& cells, Index i) {
  const auto at = cells.from(i);
  return {at[0], at[1], at[2]};
}
template <class C>
FLEXOR_INLINE void put(const C& cells, Index i, const Vec3<typename C::Real>& v) {
  const auto at = cells.from(i);
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}
template <class C>
FLEXOR_INLINE Mat3<typename C::Real> matrix_at(const C& cells, Index i) {
  const auto at = cells.from(i);
  return {vector_at(at, 0), vector_at(at, 3), vector_at(at, 6)};
}
template <class C>
FLEXOR_INLINE void put(const C& cells, Index i, const Mat3<typename C::Real>& m) {
  const auto at = cells.from(i);
  put(at, 0, m.x);
  put(at, 3, m.y);
  put(at, 6, m.z);
}
template <class C>
FLEXOR_INLINE Motion<typename C::Real> motion_at(const C& cells, Index i) {
  const auto at = cells.from(i);
  return {vector_at(at, 0), vector_at(at, 3)};
}
template <class C>
FLEXOR_INLINE void put(const C& cells, Index i, const Motion<typename C::Real>& m) {
  const auto at = cells.from(i);
  put(at, 0, m.angular);
  put(at, 3, m.linear);
}

}  // namespace flexor
