// The reference path behind the seam of backends: worlds one after the other, float64, each with
// the description its parameters make.

#include <cmath>

#include "flexor/sim/backend.hpp"
#include "reference/route.hpp"
#include "reference/world.hpp"

namespace flexor {
namespace {

/// The numbers of a field in one world, as an array.
template <class Storage>
auto numbers(Storage& storage) {
  if constexpr (std::is_arithmetic_v<Storage>)
    return std::span(&storage, 1);
  else
    return std::span(storage.data(), static_cast<std::size_t>(storage.size()));
}

template <class Number>
Number* column_of(const BatchView& batch, Field field, long component) {
  return static_cast<Number*>(batch.field[static_cast<int>(field)]) +
         component * batch.world_stride;
}

class ReferenceBackend final : public Backend {
 public:
  ReferenceBackend(const Model& model, const SimulationOptions& options)
      : model_(model), options_(options), steppers_(options.num_worlds) {
    if (options_.solver == Solver::kAuto) options_.solver = Solver::kExact;
  }

  std::string name() const override { return "reference"; }
  Solver solver() const override { return options_.solver; }
  double workspace_bytes_per_world() const override {
    double numbers = 0;
    for (int f = 0; f < kFieldCount; ++f)
      numbers += reference::field_size(model_.description(), steppers_[0]->layout(),
                                       static_cast<Field>(f));
    return numbers * sizeof(double);
  }

  void commit(const RawParameters& raw, const std::uint8_t* worlds) override;
  void measure_reference_lengths(const BatchView& batch, const std::uint8_t* worlds,
                                 const std::uint8_t* wanted) override;
  void step(const BatchView& batch, int count, const std::uint8_t* mask, bool refresh) override;
  void dynamics(const BatchView& batch, double* mass_matrix, double* bias) override;

 private:
  using World = reference::World;
  using Stepper = reference::Stepper;

  World load(const BatchView& batch, long w) const;
  static void store(const World& world, const BatchView& batch, long w, bool is_forward);
  void step_guarded(const Stepper& stepper, World& world) const;

  Model model_;
  SimulationOptions options_;
  std::vector<std::shared_ptr<const Stepper>> steppers_;  ///< [world]; one for all if all are alike
};

void ReferenceBackend::commit(const RawParameters& raw, const std::uint8_t* worlds) {
  const auto make = [&](long w) {
    std::vector<double> values(raw.shared.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = raw.value(static_cast<int>(i), w);
    return std::make_shared<const Stepper>(with_parameters(model_, values), options_.solver,
                                           options_.iterations, options_.tolerance,
                                           options_.warm_start);
  };
  bool is_alike = true;
  for (const std::vector<double>& column : raw.per_world) is_alike = is_alike && column.empty();
  if (is_alike) {
    const auto stepper = make(0);
    for (auto& s : steppers_) s = stepper;
    return;
  }
  for (std::size_t w = 0; w < steppers_.size(); ++w)
    if (worlds == nullptr || worlds[w]) steppers_[w] = make(static_cast<long>(w));
}

void ReferenceBackend::measure_reference_lengths(const BatchView& batch, const std::uint8_t* worlds,
                                                 const std::uint8_t* wanted) {
  for (long w = 0; w < batch.num_worlds; ++w) {
    if (worlds != nullptr && !worlds[w]) continue;
    const std::vector<double> lengths = reference::reference_lengths(steppers_[w]->description());
    for (std::size_t t = 0; t < lengths.size(); ++t)
      if (wanted[t]) column_of<double>(batch, Field::reference_length, t)[w] = lengths[t];
  }
}

ReferenceBackend::World ReferenceBackend::load(const BatchView& batch, long w) const {
  World world;
  const Stepper& stepper = *steppers_[w];
  reference::visit_fields(world, [&]<class Storage>(Field field, Storage& storage) {
    if constexpr (!std::is_arithmetic_v<Storage>)
      storage.setZero(reference::field_size(stepper.description(), stepper.layout(), field));
    if (batch.field[static_cast<int>(field)] == nullptr) return;
    long c = 0;
    for (auto& number : numbers(storage))
      number = column_of<std::remove_reference_t<decltype(number)>>(batch, field, c++)[w];
  });
  return world;
}

void ReferenceBackend::store(const World& world, const BatchView& batch, long w, bool is_forward) {
  reference::visit_fields(world, [&](Field field, const auto& storage) {
    const FieldGroup group = info(field).group;
    if (batch.field[static_cast<int>(field)] == nullptr || group == FieldGroup::kCommand) return;
    if (is_forward && group != FieldGroup::kGeometry) return;
    long c = 0;
    for (const auto& number : numbers(storage))
      column_of<std::remove_cvref_t<decltype(number)>>(batch, field, c++)[w] = number;
  });
}

/// One step; unless failures are ignored, a world that fails stays at its start, what was reported
/// of it included, with the bits that say why.   [IA-8]
void ReferenceBackend::step_guarded(const Stepper& stepper, World& world) const {
  const World start = world;
  world.status &= ~kGuardBits;
  stepper.step(world);
  const int failure = world.status & kGuardBits;
  if (failure == 0 || options_.guard == Guard::kIgnore) {
    world.status |= start.status;
    return;
  }
  const int status = world.status | start.status;
  const int solver_status = world.solver_status;
  world = start;
  world.status = status | (options_.guard == Guard::kFreeze ? FROZEN : 0);
  world.solver_status = solver_status;
}

void ReferenceBackend::step(const BatchView& batch, int count, const std::uint8_t* mask,
                            bool refresh) {
  const std::int32_t* status = column_of<std::int32_t>(batch, Field::status, 0);
  for (long w = 0; w < batch.num_worlds; ++w) {
    if ((mask != nullptr && !mask[w]) || (status[w] & FROZEN)) continue;
    const Stepper& stepper = *steppers_[w];
    World world = load(batch, w);
    for (int i = 0; i < count && !(world.status & FROZEN); ++i) {
      // without the last pass G arrays belong to the start of the last step
      if (!refresh && i == count - 1) stepper.refresh(world);
      step_guarded(stepper, world);
    }
    if (refresh) stepper.refresh(world);
    store(world, batch, w, count == 0);
  }
}

void ReferenceBackend::dynamics(const BatchView& batch, double* mass_matrix, double* bias) {
  const long nv = model_.nv();
  for (long w = 0; w < batch.num_worlds; ++w) {
    const World world = load(batch, w);
    if (mass_matrix != nullptr) {
      const Eigen::MatrixXd m = steppers_[w]->mass_matrix(world);
      for (long i = 0; i < nv; ++i)
        for (long j = 0; j < nv; ++j) mass_matrix[(w * nv + i) * nv + j] = m(i, j);
    }
    if (bias != nullptr) {
      const Eigen::VectorXd c = steppers_[w]->bias_force(world);
      for (long i = 0; i < nv; ++i) bias[w * nv + i] = c[i];
    }
  }
}

}  // namespace

std::unique_ptr<Backend> make_reference_backend(const Model& model,
                                                const SimulationOptions& options) {
  return std::make_unique<ReferenceBackend>(model, options);
}

}  // namespace flexor
