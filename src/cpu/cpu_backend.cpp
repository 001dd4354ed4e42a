// The cpu backend: tiles of worlds over a pool of threads.   [E-3], [E-9]

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "cpu/constant_table.hpp"
#include "cpu/isa_choice.hpp"
#include "cpu/worker_pool.hpp"
#include "flexor/sim/backend.hpp"
#include "flexor/step/stage_names.hpp"
#include "model/compile_plan.hpp"

namespace flexor {
namespace {

struct FreeAligned {
  void operator()(void* p) const { std::free(p); }
};
using AlignedBytes = std::unique_ptr<void, FreeAligned>;

AlignedBytes allocate_aligned(std::size_t bytes) {
  constexpr std::size_t kAlignment = 4096;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* p = std::aligned_alloc(kAlignment, std::max(rounded, kAlignment));
  if (!p) throw std::bad_alloc();
  std::memset(p, 0, rounded);
  return AlignedBytes(p);
}

template <class S>
class CpuBackend : public Backend {
 public:
  CpuBackend(const Model& model, const SimulationOptions& options)
      : model_(model),
        topology_(model.description()),
        plan_(model.plan()),
        kernels_(choose_kernels(sizeof(S) == 4)),
        pool_(options.num_threads),
        num_worlds_(options.num_worlds),
        stride_(world_stride(options.num_worlds)) {
    settings_.method = options.solver == Solver::kJacobi ? 1 : 0;
    settings_.iterations = options.iterations;
    settings_.tolerance = options.tolerance;
    settings_.freeze = options.guard == Guard::kFreeze;
    settings_.ignore = options.guard == Guard::kIgnore;
    settings_.warm_start = options.warm_start;
  }

  std::string name() const override { return std::string("cpu/") + kernels_.isa; }
  Solver solver() const override {
    return settings_.method == 1 ? Solver::kJacobi : Solver::kActiveSet;
  }

  void commit(const RawParameters& raw, const std::uint8_t* worlds) override {
    for (std::size_t b = 0; b < topology_.may_have_mass.size(); ++b) {
      topology_.may_have_mass[b] |= has_mass(raw, static_cast<int>(b));
    }
    plan_rows(plan_, model_.description(),
              [&](ParameterKind kind, int element, bool (*test)(double)) {
                return any_world(raw, kind, element, test);
              });
    constants_.commit(topology_, plan_, raw, num_worlds_, stride_, worlds);
    for (int k = 0; k < plan_.link_count; ++k) plan_.link_flags[k] = link_flags(k);
    workspaces_.clear();
    for (int i = 0; i < pool_.size(); ++i) {
      workspaces_.push_back(
          allocate_aligned(static_cast<std::size_t>(plan_.cell.total) * kernels_.cell_bytes));
    }
    view_ = plan_.view();
  }

  void measure_reference_lengths(const BatchView& batch, const std::uint8_t* worlds,
                                 const std::uint8_t* wanted) override {
    TileJob job = job_of(batch, worlds);
    job.wanted = wanted;
    run(job, kernels_.measure_references);
  }

  void step(const BatchView& batch, int count, const std::uint8_t* mask, bool refresh) override {
    TileJob job = job_of(batch, mask);
    job.count = count;
    job.refresh = refresh;
    run(job, kernels_.step);
  }

  void dynamics(const BatchView& batch, double* mass_matrix, double* bias) override {
    TileJob job = job_of(batch, nullptr);
    job.mass_matrix = mass_matrix;
    job.bias = bias;
    run(job, kernels_.dynamics);
  }

  std::vector<double> profile(const BatchView& batch, int count) override {
    std::vector<double> seconds(kStageCount, 0.0);
    TileJob job = job_of(batch, nullptr);
    job.workspace = workspaces_[0].get();
    job.last_tile = (num_worlds_ + kernels_.lanes - 1) / kernels_.lanes;
    for (int n = 0; n < count; ++n) kernels_.profile(job, seconds.data());
    return seconds;
  }

  double workspace_bytes_per_world() const override {
    return static_cast<double>(plan_.cell.total) * kernels_.cell_bytes / kernels_.lanes;
  }

 private:
  bool any_world(const RawParameters& raw, ParameterKind kind, int element,
                 bool (*test)(double)) const {
    const int first = plan_.parameter_offset[static_cast<int>(kind)] + element * info(kind).count;
    for (int i = first; i < first + info(kind).count; ++i) {
      if (raw.per_world[i].empty()) {
        if (test(raw.shared[i])) return true;
      } else if (std::any_of(raw.per_world[i].begin(), raw.per_world[i].end(), test)) {
        return true;
      }
    }
    return false;
  }
  bool has_mass(const RawParameters& raw, int body) const {
    const auto nonzero = [](double x) { return x != 0; };
    return any_world(raw, ParameterKind::body_mass, body, nonzero) ||
           any_world(raw, ParameterKind::body_inertia, body, nonzero);
  }

  /// Shortcuts that hold in every world.
  int link_flags(int k) const {
    const auto holds = [&](Constant kind, int component, S value) {
      const int i = plan_.constant_offset[static_cast<int>(kind)] + k * width(kind) + component;
      return constants_.is_shared(i) && constants_.shared()[i] == value;
    };
    const auto all_zero = [&](Constant kind, int first, int count) {
      for (int i = 0; i < count; ++i) {
        if (!holds(kind, first + i, S(0))) return false;
      }
      return true;
    };
    int flags = 0;
    bool identity = true;
    for (int i = 0; i < 9; ++i) identity &= holds(Constant::link_frame, i, S(i % 4 == 0));
    if (identity) flags |= kFrameIsIdentity;
    if (all_zero(Constant::joint_anchor, 0, 3)) flags |= kAnchorIsOrigin;
    if (all_zero(Constant::link_inertia, 3, 3)) flags |= kInertiaIsDiagonal;
    if (all_zero(Constant::link_com, 0, 3)) flags |= kCentreIsOrigin;
    for (int i = 0; i < 3; ++i) {
      if (!all_zero(Constant::joint_axis, (i + 1) % 3, 1)) continue;
      if (!all_zero(Constant::joint_axis, (i + 2) % 3, 1)) continue;
      if (holds(Constant::joint_axis, i, S(1))) flags |= kAxisIsX << i;
      if (holds(Constant::joint_axis, i, S(-1))) flags |= (kAxisIsX << i) | kAxisIsReversed;
    }
    if (all_zero(Constant::link_mass, 0, 1) && all_zero(Constant::link_inertia, 0, 6)) {
      flags |= kIsMassless;
    }
    return flags;
  }

  TileJob job_of(const BatchView& batch, const std::uint8_t* mask) {
    TileJob job{};
    job.plan = &view_;
    job.shared = constants_.shared();
    job.slot = constants_.slot();
    job.per_world = constants_.per_world();
    job.batch = &batch;
    job.settings = settings_;
    job.mask = mask;
    return job;
  }

  void run(const TileJob& job, void (*kernel)(const TileJob&)) {
    const long tiles = (num_worlds_ + kernels_.lanes - 1) / kernels_.lanes;
    // a thread that is woken for less than this costs more than it does
    constexpr long kTileStepsPerThread = 4;
    const long work = std::min<long>(tiles, tiles * std::max(job.count, 1) / kTileStepsPerThread);
    const int parts = static_cast<int>(std::clamp<long>(work, 1, pool_.size()));
    pool_.run(parts, [&](int part) {
      TileJob mine = job;
      mine.workspace = workspaces_[part].get();
      mine.first_tile = tiles * part / parts;
      mine.last_tile = tiles * (part + 1) / parts;
      kernel(mine);
    });
  }

  Model model_;
  Topology topology_;
  Plan plan_;
  PlanView view_{};
  const TileKernels& kernels_;
  WorkerPool pool_;
  long num_worlds_, stride_;
  SolverSettings settings_{};
  ConstantTable<S> constants_;
  std::vector<AlignedBytes> workspaces_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(const Model& model, const SimulationOptions& options) {
  if (options.precision == Precision::kFloat64) {
    return std::make_unique<CpuBackend<double>>(model, options);
  }
  return std::make_unique<CpuBackend<float>>(model, options);
}

}  // namespace flexor
