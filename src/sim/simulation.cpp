#include "flexor/sim/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "flexor/step/stage_names.hpp"
#include "sim/implementation.hpp"
#include "sim/inert.hpp"
#include "sim/memory.hpp"
#include "sim/names.hpp"
#include "sim/options.hpp"

namespace flexor {

Simulation::Implementation::Implementation(Model m, const SimulationOptions& asked)
    : model(std::move(m)),
      options(resolve_options(asked)),
      idle(check_inert(model, options.inert)),
      batch(std::make_shared<Batch>(model, options.num_worlds, is_float(), select_fields(options))),
      parameters(model, options.num_worlds, is_float(), idle),
      reset_state(model, *batch),
      history(*batch, options.history),
      backend(options.device == "reference" ? make_reference_backend(model, options)
                                            : make_cpu_backend(model, options)) {
  options.solver = backend->solver();
  for (const TendonDescription& tendon : model.description().tendons)
    reference_given.push_back(!std::isnan(tendon.reference_length));
  guard_resets.assign(options.num_worlds, 0);
  was_frozen.assign(options.num_worlds, 0);
  backend->commit(parameters.raw(), nullptr);
  reset_state.apply(*batch, parameters.raw(), nullptr);
  write_reference_lengths(nullptr);
  backend->step(batch->view(), 0, nullptr, true);
}

void Simulation::Implementation::check_mask(WorldMask mask) const {
  if (!mask.empty() && static_cast<long>(mask.size()) != num_worlds())
    throw ShapeError("mask: " + std::to_string(mask.size()) + " entries given, " +
                     std::to_string(num_worlds()) + " (num_worlds) expected");
}

/// Lengths the model gives, and for the other tendons the length at the reference pose.  
void Simulation::Implementation::write_reference_lengths(const std::uint8_t* worlds) {
  const auto& tendons = model.description().tendons;
  Bytes wanted(tendons.size(), 0);
  for (std::size_t t = 0; t < tendons.size(); ++t) {
    wanted[t] = std::isnan(tendons[t].reference_length);
    if (!wanted[t])
      batch->fill(Field::reference_length, static_cast<int>(t), tendons[t].reference_length,
                  worlds);
  }
  with_thawed(worlds,
              [&] { backend->measure_reference_lengths(batch->view(), worlds, wanted.data()); });
  if (worlds != nullptr) return;
  for (int t = 0; t < static_cast<int>(tendons.size()); ++t)  // padding: as the first world
    batch->visit_column(Field::reference_length, t, [&](auto* length) {
      std::fill(length + num_worlds(), length + batch->world_stride(), length[0]);
    });
}

void Simulation::Implementation::commit() {
  const ParameterStore::Touched& touched = parameters.touched();
  if (!touched.is_any) return;
  parameters.settle(model);
  backend->commit(parameters.usable(), touched.worlds.data());
  for (const auto& [tendons, worlds] : touched.geometry) {
    Bytes wanted = tendons;
    for (std::size_t t = 0; t < wanted.size(); ++t)
      if (reference_given[t]) wanted[t] = 0;
    if (std::find(wanted.begin(), wanted.end(), 1) == wanted.end()) continue;
    with_thawed(worlds.data(), [&] {
      backend->measure_reference_lengths(batch->view(), worlds.data(), wanted.data());
    });
  }
  parameters.clear_touched();
}

/// G arrays of all the worlds given, frozen ones too.
void Simulation::Implementation::refresh(const std::uint8_t* worlds) {
  with_thawed(worlds, [&] { backend->step(batch->view(), 0, worlds, true); });
}

void Simulation::Implementation::step(int count, const std::uint8_t* mask, bool refresh_after) {
  // Guards that act between steps, and the history, must see every single one, so that step(2) is
  // step(1) twice.
  const bool acts_between =
      options.guard == Guard::kReset || options.guard == Guard::kRaise || history.length() > 0;
  const int block = acts_between ? std::min(count, 1) : count;
  for (int done = 0; done < std::max(count, 1); done += std::max(block, 1)) {
    const bool is_last = done + block >= count;
    if (count > 0) history.keep(*batch, mask);
    if (count > 0) note_frozen();
    const Bytes moving = count > 0 ? mark_faults(mask) : Bytes();
    backend->step(batch->view(), block, moving.empty() ? mask : moving.data(),
                  is_last && (refresh_after || count == 0));
    if (count > 0) act_on_failures(mask, refresh_after && !is_last);
  }
}

void Simulation::Implementation::reset(const std::uint8_t* mask, const ResetPose& pose) {
  reset_state.apply(*batch, parameters.usable(), mask);
  pose.apply(*batch, mask);
  backend->step(batch->view(), 0, mask, true);
}

Simulation::Simulation(Model model, const SimulationOptions& options)
    : implementation_(std::make_unique<Implementation>(std::move(model), options)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

const Model& Simulation::model() const { return implementation_->model; }
const SimulationOptions& Simulation::options() const { return implementation_->options; }
std::string Simulation::backend() const { return implementation_->backend->name(); }

std::shared_ptr<void> Simulation::storage() const {
  using Memory = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
  return std::make_shared<Memory>(implementation_->batch,
                                  implementation_->parameters.view_storage());
}

namespace {

void check_count(const char* call, int count) {
  if (count < 0)
    throw ConfigError(std::string(call) + ": count " + std::to_string(count) +
                      " given; legal: >= 0");
}

}  // namespace

void Simulation::step(int count, WorldMask mask, bool refresh) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  check_count("step", count);
  s.check_mask(mask);
  s.commit();
  s.step(count, bytes_or_null(mask), refresh);
}

void Simulation::forward() { step(0); }

std::function<void()> Simulation::capture(int count) {
  check_count("capture", count);
  return [&s = *implementation_, count] {
    const Exclusive exclusive(s.is_busy);
    s.commit();
    s.step(count, nullptr, true);
  };
}

void Simulation::synchronize() { const Exclusive exclusive(implementation_->is_busy); }

void Simulation::reset(WorldMask mask, int keyframe, std::span<const double> qpos,
                       std::span<const double> qvel) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.check_mask(mask);
  const ResetPose pose(s.model, *s.batch, mask, keyframe, qpos, qvel);
  s.commit();
  s.reset(bytes_or_null(mask), pose);
}

void Simulation::clear_status(WorldMask mask) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.check_mask(mask);
  s.batch->fill(Field::status, 0, 0, bytes_or_null(mask));
}

ArrayRef Simulation::array(Field field) const {
  Batch& batch = *implementation_->batch;
  if (batch.is_idle(field)) {  // a step looks at this
    const Exclusive exclusive(implementation_->is_busy);
    batch.use_wrenches();
  }
  return batch.array(field);
}

std::vector<std::string> Simulation::component_names(Field field) const {
  return names_of_components(implementation_->model, info(field).index);
}

void Simulation::set_parameter(std::string_view name, std::span<const double> values,
                               std::span<const long> worlds) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.parameters.set(s.model, name, values, worlds);
}

void Simulation::commit(std::span<const long> worlds) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.parameters.take_written(s.model, worlds);
  s.commit();
  std::int32_t* status = s.statuses();
  s.parameters.each_out_of_range([&](long world) { status[world] |= PARAMETER_INVALID; });
}

ArrayRef Simulation::parameter(std::string_view name) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  return s.parameters.view(s.model, s.model.parameter(name));
}

bool Simulation::is_per_world(std::string_view name) const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  return !s.parameters.raw().per_world[s.model.parameter(name).address].empty();
}

std::vector<double> Simulation::parameter_values(std::string_view name) const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  return s.parameters.get(s.model.parameter(name));
}

void Simulation::capture_reference() {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.commit();
  // The present lengths, whatever the outputs hold: a refresh that writes nothing else.
  const int tendons = s.batch->components(Field::reference_length);
  const std::size_t bytes = static_cast<std::size_t>(tendons) *
                            static_cast<std::size_t>(s.batch->world_stride()) * sizeof(double);
  const Pages lengths(bytes + 1, "capture_reference");
  BatchView view = s.batch->view();
  visit_fields([&](Field field) {
    if (is_read_out(field)) view.field[static_cast<int>(field)] = nullptr;
  });
  view.field[static_cast<int>(Field::tendon_length)] = lengths.data();
  s.backend->step(view, 0, nullptr, true);

  Bytes is_frozen(s.num_worlds(), 0);
  s.each_with(FROZEN, nullptr, [&](long w) { is_frozen[w] = 1; });
  for (int t = 0; t < tendons; ++t)
    s.batch->visit_column(Field::reference_length, t, [&]<class T>(T* reference) {
      const T* length = reinterpret_cast<const T*>(lengths.data()) + t * s.batch->world_stride();
      for (long w = 0; w < s.num_worlds(); ++w)
        if (!is_frozen[w]) reference[w] = length[w];
    });
  std::fill(s.reference_given.begin(), s.reference_given.end(), 1);
}

std::vector<double> Simulation::mass_matrix() const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.commit();
  const std::size_t nv = static_cast<std::size_t>(s.model.nv());
  std::vector<double> matrix =
      allocated_numbers("mass_matrix", static_cast<std::size_t>(s.num_worlds()) * nv * nv);
  s.backend->dynamics(s.batch->view(), matrix.data(), nullptr);
  return matrix;
}

std::vector<double> Simulation::bias_force() const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.commit();
  std::vector<double> bias =
      allocated_numbers("bias_force", static_cast<std::size_t>(s.num_worlds()) *
                                          static_cast<std::size_t>(s.model.nv()));
  s.backend->dynamics(s.batch->view(), nullptr, bias.data());
  return bias;
}

std::vector<std::pair<std::string, double>> Simulation::profile(int count) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  if (count < 1)
    throw ConfigError("profile: count " + std::to_string(count) + " given; legal: >= 1");
  s.commit();
  const std::vector<double> seconds = s.backend->profile(s.batch->view(), count);
  std::vector<std::pair<std::string, double>> stages;
  visit_stage_infos([&](int i, const StageInfo& stage) {
    if (!seconds.empty()) stages.emplace_back(stage.name, seconds[i]);
  });
  return stages;
}

std::vector<std::int64_t> Simulation::guard_resets() const {
  const Exclusive exclusive(implementation_->is_busy);
  return implementation_->guard_resets;
}

Simulation::Memory Simulation::memory() const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  Memory memory;
  memory.state =
      s.batch->bytes_per_world(FieldGroup::kState) + s.batch->bytes_per_world(FieldGroup::kCommand);
  memory.outputs =
      s.batch->bytes_per_world(FieldGroup::kGeometry) + s.batch->bytes_per_world(FieldGroup::kStep);
  memory.workspace = s.backend->workspace_bytes_per_world();
  return memory;
}

}  // namespace flexor
