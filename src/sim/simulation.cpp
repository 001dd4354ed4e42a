#include "flexor/sim/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "flexor/core/status.hpp"
#include "flexor/sim/backend.hpp"
#include "flexor/step/stage_names.hpp"
#include "sim/batch.hpp"
#include "sim/checkpoint.hpp"
#include "sim/inert.hpp"
#include "sim/names.hpp"
#include "sim/options.hpp"
#include "sim/parameter_store.hpp"
#include "sim/reset_pose.hpp"
#include "sim/reset_state.hpp"
#include "sim/state_hash.hpp"

namespace flexor {
namespace {

/// Bits that make the guard act.   [IA-8]
constexpr int kGuardBits = NONFINITE_STATE | PARAMETER_INVALID | SINGULAR_MASS;

std::string status_text(int status) {
  std::string text;
#define X(name, value, is_informational, cause, remedy) \
  if (status & value) text += text.empty() ? #name : "|" #name;
  FLEXOR_STATUS_BITS(X)
#undef X
  return text;
}

}  // namespace

struct Simulation::Implementation {
  Model model;
  SimulationOptions options;
  std::vector<std::pair<int, double>> idle;  ///< parameter values that keep idle elements idle
  std::shared_ptr<Batch> batch;
  ParameterStore parameters;
  ResetState reset_state;
  std::unique_ptr<Backend> backend;
  Bytes reference_given;  ///< [tendon] 1 = a number, 0 = measured when geometry is committed
  std::atomic_flag is_busy;

  Implementation(Model m, const SimulationOptions& asked);

  bool is_float() const { return options.precision == Precision::kFloat32; }
  long num_worlds() const { return options.num_worlds; }

  void check_mask(WorldMask mask) const;
  std::int32_t* statuses() const {
    return reinterpret_cast<std::int32_t*>(batch->column(Field::status, 0));
  }
  /// act(world) for the worlds of a mask whose status has one of the bits.
  template <class Act>
  void each_with(int bits, const std::uint8_t* mask, Act&& act) const {
    const std::int32_t* status = statuses();
    for (long w = 0; w < num_worlds(); ++w)
      if ((status[w] & bits) && (mask == nullptr || mask[w])) act(w);
  }

  void commit();
  void write_reference_lengths(const std::uint8_t* worlds);
  template <class Act>
  void with_thawed(const std::uint8_t* worlds, Act&& act);
  void refresh(const std::uint8_t* worlds);
  void step(int count, const std::uint8_t* mask, bool refresh);
  void reset(const std::uint8_t* mask, const ResetPose& pose);
  void thaw_nonfinite(const std::uint8_t* mask);
  void act_on_failures(const std::uint8_t* mask, bool is_stale);
};

namespace {

/// One call at a time; a second one is refused at once.
class Exclusive {
 public:
  explicit Exclusive(std::atomic_flag& flag) : flag_(flag) {
    if (flag_.test_and_set(std::memory_order_acquire))
      throw ConcurrencyError(
          "another thread is inside this Simulation; legal: one call at a time (other Simulations "
          "run freely beside it)");
  }
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;
  ~Exclusive() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag_;
};

const std::uint8_t* bytes_or_null(WorldMask mask) { return mask.empty() ? nullptr : mask.data(); }

}  // namespace

Simulation::Implementation::Implementation(Model m, const SimulationOptions& asked)
    : model(std::move(m)),
      options(resolve_options(asked)),
      idle(check_inert(model, options.inert)),
      batch(std::make_shared<Batch>(model, options.num_worlds, is_float(), select_fields(options))),
      parameters(model, options.num_worlds, is_float(), idle),
      reset_state(model, *batch),
      backend(options.device == "reference" ? make_reference_backend(model, options)
                                            : make_cpu_backend(model, options)) {
  options.solver = backend->solver();
  for (const TendonDescription& tendon : model.description().tendons)
    reference_given.push_back(!std::isnan(tendon.reference_length));
  backend->commit(parameters.raw(), nullptr);
  reset_state.apply(*batch, nullptr);
  write_reference_lengths(nullptr);
  backend->step(batch->view(), 0, nullptr, true);
}

void Simulation::Implementation::check_mask(WorldMask mask) const {
  if (!mask.empty() && static_cast<long>(mask.size()) != num_worlds())
    throw ShapeError("mask: " + std::to_string(mask.size()) + " entries given, " +
                     std::to_string(num_worlds()) + " (num_worlds) expected");
}

/// act() with frozen worlds in reach, whose bits a backend leaves alone.
template <class Act>
void Simulation::Implementation::with_thawed(const std::uint8_t* worlds, Act&& act) {
  std::int32_t* status = statuses();
  std::vector<std::pair<long, std::int32_t>> frozen;
  each_with(FROZEN, worlds, [&](long w) { frozen.emplace_back(w, status[w]); });
  for (const auto& [w, bits] : frozen) status[w] = bits & ~FROZEN;
  act();
  for (const auto& [w, bits] : frozen) status[w] = bits;
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
  parameters.check_touched(model);
  backend->commit(parameters.raw(), touched.worlds.data());
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
  // Guards that act between steps must see every single one, so that step(2) is step(1) twice.
  const bool acts_between = options.guard == Guard::kReset || options.guard == Guard::kRaise;
  const int block = acts_between ? std::min(count, 1) : count;
  for (int done = 0; done < std::max(count, 1); done += std::max(block, 1)) {
    const bool is_last = done + block >= count;
    backend->step(batch->view(), block, mask, is_last && (refresh_after || count == 0));
    if (count > 0) act_on_failures(mask, refresh_after && !is_last);
  }
}

/// is_stale: G arrays are to be refreshed before this call ends.
void Simulation::Implementation::act_on_failures(const std::uint8_t* mask, bool is_stale) {
  switch (options.guard) {
    case Guard::kIgnore:
      return;
    case Guard::kFreeze:
      return thaw_nonfinite(mask);
    case Guard::kReset: {
      Bytes failed(num_worlds(), 0);
      bool is_any = false;
      each_with(kGuardBits, mask, [&](long w) { failed[w] = is_any = true; });
      if (is_any) reset(failed.data(), {});
      return;
    }
    case Guard::kRaise: {
      constexpr long kShown = 8;
      long failures = 0;
      std::string worlds;
      const std::int32_t* status = statuses();
      each_with(kGuardBits, mask, [&](long w) {
        if (failures++ < kShown)
          worlds += (worlds.empty() ? " " : ", ") + std::to_string(w) + " (" +
                    status_text(status[w]) + ")";
      });
      if (failures == 0) return;
      if (is_stale) backend->step(batch->view(), 0, mask, true);
      throw SimulationError(std::to_string(failures) + " of " + std::to_string(num_worlds()) +
                            " worlds failed and stand at the start of the step: worlds" + worlds +
                            (failures > kShown ? ", ..." : "") + "; reset them to go on");
    }
  }
}

/// A frozen world whose state at the start of the step was itself no number gets its reset state;
/// its status, time and step count stay.
void Simulation::Implementation::thaw_nonfinite(const std::uint8_t* mask) {
  Bytes rescued;
  each_with(FROZEN, mask, [&](long w) {
    bool is_sound = true;
    for (const Field field : {Field::qpos, Field::qpos_compensation, Field::qvel, Field::activation,
                              Field::row_impulse, Field::reference_length})
      is_sound = is_sound && (!batch->has(field) || batch->is_finite(field, w));
    if (is_sound) return;
    rescued.resize(num_worlds(), 0);
    rescued[w] = 1;
    reset_state.apply_motion(*batch, w);
  });
  if (rescued.empty()) return;
  visit_fields([&](Field field) {  // the failed step has nothing to report but its failure
    if (info(field).group == FieldGroup::kStep && batch->has(field) &&
        field != Field::solver_status)
      for (int c = 0; c < batch->components(field); ++c) batch->fill(field, c, 0, rescued.data());
  });
  Bytes without_reference(num_worlds(), 0);
  for (long w = 0; w < num_worlds(); ++w)
    without_reference[w] = rescued[w] && !batch->is_finite(Field::reference_length, w);
  if (std::find(without_reference.begin(), without_reference.end(), 1) != without_reference.end())
    write_reference_lengths(without_reference.data());
  refresh(rescued.data());
}

void Simulation::Implementation::reset(const std::uint8_t* mask, const ResetPose& pose) {
  reset_state.apply(*batch, mask);
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
std::shared_ptr<void> Simulation::storage() const { return implementation_->batch; }

void Simulation::step(int count, WorldMask mask, bool refresh) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  if (count < 0) throw ConfigError("step: count " + std::to_string(count) + " given; legal: >= 0");
  s.check_mask(mask);
  s.commit();
  s.step(count, bytes_or_null(mask), refresh);
}

void Simulation::forward() { step(0); }

void Simulation::reset(WorldMask mask, int keyframe, std::span<const double> qpos,
                       std::span<const double> qvel) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.check_mask(mask);
  const ResetPose pose(s.model, mask, s.num_worlds(), keyframe, qpos, qvel);
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
  if (batch.is_idle(field)) batch.use_wrenches();
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

std::vector<double> Simulation::parameter(std::string_view name) const {
  const Implementation& s = *implementation_;
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
  const Pages lengths(bytes + 1);
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
  std::vector<double> matrix(static_cast<std::size_t>(s.num_worlds()) * nv * nv);
  s.backend->dynamics(s.batch->view(), matrix.data(), nullptr);
  return matrix;
}

std::vector<double> Simulation::bias_force() const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.commit();
  std::vector<double> bias(static_cast<std::size_t>(s.num_worlds()) *
                           static_cast<std::size_t>(s.model.nv()));
  s.backend->dynamics(s.batch->view(), nullptr, bias.data());
  return bias;
}

void Simulation::save(const std::filesystem::path& path) const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.commit();
  write_checkpoint(path, s.model, s.options, *s.batch, s.parameters.raw(), s.reference_given);
}

void Simulation::load_state(const std::filesystem::path& path) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  Checkpoint checkpoint = read_checkpoint(path, s.model, *s.batch);
  ParameterStore loaded = s.parameters;
  loaded.replace(std::move(checkpoint.raw));
  try {
    loaded.check_touched(s.model);
  } catch (const ParameterError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
  s.parameters = std::move(loaded);
  s.reference_given = std::move(checkpoint.reference_given);
  s.commit();
  checkpoint.apply(*s.batch);
  visit_fields([&](Field field) {  // no step of this batch has led here
    if (info(field).group == FieldGroup::kStep && s.batch->has(field))
      for (int c = 0; c < s.batch->components(field); ++c) s.batch->fill(field, c, 0, nullptr);
  });
  s.refresh(nullptr);
}

std::vector<std::uint64_t> Simulation::state_hash() const {
  const Implementation& s = *implementation_;
  const Exclusive exclusive(implementation_->is_busy);
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(s.num_worlds()), kFnvStart);
  visit_fields([&](Field field) {
    if (info(field).group != FieldGroup::kState || !s.batch->has(field)) return;
    for (int c = 0; c < s.batch->components(field); ++c)
      s.batch->visit_column(field, c, [&](const auto* x) {
        for (std::size_t w = 0; w < hashes.size(); ++w)
          hashes[w] = fnv1a(x + w, sizeof x[w], hashes[w]);
      });
  });
  return hashes;
}

std::vector<std::pair<std::string, double>> Simulation::profile(int count) {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  s.commit();
  const std::vector<double> seconds = s.backend->profile(s.batch->view(), count);
  std::vector<std::pair<std::string, double>> stages;
  visit_stage_infos([&](int i, const StageInfo& stage) {
    if (!seconds.empty()) stages.emplace_back(stage.name, seconds[i]);
  });
  return stages;
}

Simulation::Memory Simulation::memory() const {
  const Implementation& s = *implementation_;
  Memory memory;
  memory.state =
      s.batch->bytes_per_world(FieldGroup::kState) + s.batch->bytes_per_world(FieldGroup::kCommand);
  memory.outputs =
      s.batch->bytes_per_world(FieldGroup::kGeometry) + s.batch->bytes_per_world(FieldGroup::kStep);
  memory.workspace = s.backend->workspace_bytes_per_world();
  return memory;
}

}  // namespace flexor
