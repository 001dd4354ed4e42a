#pragma once
// A batch of worlds of one model. Host code only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flexor/model/model.hpp"
#include "flexor/state/fields.hpp"

namespace flexor {

enum class Precision { kDefault, kFloat32, kFloat64 };
enum class Numeric { kFast, kStrict };
enum class Guard { kIgnore, kFreeze, kReset, kRaise };
enum class Solver { kAuto, kActiveSet, kJacobi, kGaussSeidelBlocks, kGaussSeidel, kExact };

struct SimulationOptions {
  long num_worlds = 1;
  std::string device = "cpu";  ///< "reference", "cpu"
  Precision precision = Precision::kDefault;
  Numeric numeric = Numeric::kFast;  ///< "reference" and "cpu" are strict either way
  int num_threads = 0;               ///< 0 = CPUs in the affinity mask, or FLEXOR_NUM_THREADS
  std::vector<std::string> outputs = {"all"};  ///< read-outs to allocate; wildcards * allowed
  std::vector<std::string> inert;  ///< names, kinds or "*" of elements that may stand idle
  Guard guard = Guard::kFreeze;
  /// States and commands of every world to keep for `dump`. The first 8 worlds that the guard acts
  /// on are dumped by themselves, those of one step to flexor_dump_<number>.npz in the present
  /// folder or in FLEXOR_DUMP_FOLDER (environment); the log names the file.
  int history = 0;
  /// For whoever draws random numbers for this batch; the engine draws none.
  std::uint64_t seed = 0;
  Solver solver = Solver::kAuto;
  int iterations = 0;    ///< 0 = the solver's default
  double tolerance = 0;  ///< 0 = the solver's default
  bool warm_start = true;
};

/// One field or parameter of the batch in memory: value (component, world) at
/// data + (component * world_stride + world) * item_size.
struct ArrayRef {
  FieldType type{};  ///< kReal is given as kDouble or, with is_float, as 4-byte float
  bool is_float = false;
  void* data = nullptr;  ///< null if the read-out was not asked for
  long num_worlds = 0;
  long world_stride = 0;
  int count = 0;  ///< index entries n
  int width = 1;  ///< numbers per entry
  int rank = 2;   ///< axes: (world), (world, entry) or (world, entry, number of an entry)
  const char* unit = "";
  int item_size() const;
  std::vector<long> shape() const;    ///< sizes of the axes
  std::vector<long> strides() const;  ///< of the axes [bytes]
};

/// States and commands of some worlds, bit for bit, apart from the batch they were taken from.
struct Snapshot {
  std::string model_hash;
  bool is_float = false;
  long num_worlds = 0;
  std::array<int, kFieldCount> count{};  ///< index entries of each field
  /// [component][world]; empty: of wrenches that were not in use, all 0, or not kept.
  std::array<std::vector<std::byte>, kFieldCount> field;
};

/// Commands of a rollout: [world][step][component], in the type the array is stored in.
struct RolloutCommand {
  Field field{};
  const void* data = nullptr;
  bool is_shared = false;  ///< [step][component]: the same for all worlds
};

/// Where a rollout puts what an array holds: [world][count / every][component].
struct RolloutRecord {
  Field field{};
  void* data = nullptr;
};

/// Steps with commands given ahead.   [IA-11]
struct Rollout {
  int count = 0;
  std::vector<RolloutCommand> commands;  ///< written before each step
  std::vector<RolloutRecord> record;     ///< read after every `every`-th step
  int every = 1;
  bool restore = false;                 ///< puts state and commands back afterwards
  std::function<void()> between_steps;  ///< may throw to end the rollout where it stands
};

/// What the header of a checkpoint says.
struct CheckpointInfo {
  std::string model_hash, model_name, library;  ///< library: version that wrote it
  /// Of the batch that was saved, with as many worlds as the file has; num_threads 0.
  SimulationOptions options;
};

/// Worlds a call acts on: all if empty, else one byte per world, non-zero = selected.
using WorldMask = std::span<const std::uint8_t>;

class Simulation {
 public:
  /// ConfigError naming argument, value and legal set; DeviceError; ModelError listing what the
  /// model has and this version cannot simulate, unless named in options.inert.
  Simulation(Model model, const SimulationOptions& options);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Model& model() const;
  const SimulationOptions& options() const;  ///< with defaults resolved
  /// What runs: "reference", "cpu/avx2" ...
  std::string backend() const;

  /// `count` full steps from whatever the arrays hold, then (refresh) one pass that brings the G
  /// arrays to the final pose. Worlds outside the mask keep every bit. count = 0 is forward().
  /// [IA-3]
  void step(int count = 1, WorldMask mask = {}, bool refresh = true);
  /// Writes G arrays only; idempotent.
  void forward();
  /// step(count) as a function, for as long as this simulation, or one moved from it, lives.
  std::function<void()> capture(int count = 1);
  /// Returns when all that was asked for is done: at once, since backends of this version are.
  void synchronize();
  /// `count` steps with commands given ahead: the bits of as many turns of writing the commands,
  /// step() and reading the arrays. With `restore` state and commands are put back, whatever
  /// happens, and G arrays with them; S arrays belong to the last step all the same. ConfigError
  /// for a count below 0, every below 1, a field that is no command, a read-out that is not kept.
  void rollout(const Rollout& rollout);
  /// Masked worlds to qpos0 (or the keyframe, or the rows given: [selected world][nq], [..][nv]),
  /// zero velocity, initial activation, commands and flags, time 0, status 0; then a refresh.
  void reset(WorldMask mask = {}, int keyframe = -1, std::span<const double> qpos = {},
             std::span<const double> qvel = {});
  void clear_status(WorldMask mask = {});

  ArrayRef array(Field field) const;  // [IA-2]
  /// Owner of the memory of all arrays, and of the parameters that `parameter` has been asked for
  /// so far: views stay valid for as long as one copy lives.
  std::shared_ptr<void> storage() const;
  /// Names of the index entries of a field (none for fields with one number per world): elements;
  /// `<joint>/<k>`, `<tendon>/<k>` for branches, `<tendon>/<row>`, `<joint>/<row>` for row slots.
  std::vector<std::string> component_names(Field field) const;

  /// Overwrites a parameter for some worlds. values: 1, count, or len(worlds) * count numbers.
  /// ParameterError naming parameter, world, value and legal range (nothing changed); ShapeError;
  /// UnknownNameError. The first per-world write promotes a shared parameter. Takes effect at the
  /// next step, forward, reset or save. The two spring bounds of a tendon become numbers or
  /// automatic (nan) one call after the other: these check that both have.
  void set_parameter(std::string_view name, std::span<const double> values,
                     std::span<const long> worlds = {});
  /// A parameter where it lies in memory, for reading and writing; per world from now on, at the
  /// same place in every call. What is written counts once `commit` has been called.
  ArrayRef parameter(std::string_view name);
  /// The same, of any parameter, without making it per world: [world][count], a copy.
  std::vector<double> parameter_values(std::string_view name) const;
  /// Whether each world has a number of its own by now.
  bool is_per_world(std::string_view name) const;
  /// Takes in what has been written into parameters of some worlds (all if empty) where they lie in
  /// memory, and derives now what follows from it and from parameters set since the last step,
  /// forward, reset or save, which derive so themselves. Numbers outside their range raise
  /// PARAMETER_INVALID in their world, and the guard acts there at the next step; with
  /// Guard::kIgnore such a world has the model's value instead, and rows and forces that the
  /// parameter belongs to are left out. Quaternions are normalised where they lie. ConfigError for
  /// a world there is not. [IA-4]
  void commit(std::span<const long> worlds = {});
  /// Stores the present length as reference length.
  void capture_reference();

  /// [world][nv][nv] mass matrix with armature, [world][nv] bias force, at the present q, v.
  std::vector<double> mass_matrix() const;
  std::vector<double> bias_force() const;
  /// [world][6][nv]: velocity of the body's origin, or of the site, and angular velocity, world
  /// axes, per unit of each velocity coordinate at the present q. ConfigError for an index that
  /// there is not.
  std::vector<double> body_jacobian(int body) const;
  std::vector<double> site_jacobian(int site) const;

  /// Takes out, and puts back, states and commands of some worlds (different indices; all if
  /// empty), which may be worlds of another batch of the same model and precision. ConfigError for
  /// a world there is not or a time that is no number, ShapeError if the numbers of worlds differ;
  /// nothing is changed then. G arrays follow at the next forward or step; parameters are no part
  /// of it.
  Snapshot state(std::span<const long> worlds = {}) const;
  void set_state(const Snapshot& snapshot, std::span<const long> worlds = {});
  /// Copies states and commands of worlds onto others (different ones), pair by pair, or one onto
  /// all: as set_state(state(source), destination).
  void clone_worlds(std::span<const long> source, std::span<const long> destination);

  /// Writes model, options, states, commands and per-world parameters of some worlds (different
  /// ones; all if empty), in their order: a checkpoint of a batch of that many. With
  /// `guard_history` also guard_resets and what `dump` would write. ConfigError for a world whose
  /// time is no number, since the file could not be loaded.
  void save(const std::filesystem::path& path, std::span<const long> worlds = {},
            bool guard_history = false) const;
  /// Writes the last `options.history` states and commands of some worlds (different ones; all if
  /// empty), each as a step began, to an .npz file: arrays (row, world, ...), oldest row first.
  /// ConfigError if none are kept.
  void dump(std::span<const long> worlds, const std::filesystem::path& path) const;
  /// Takes over what a file of `save` holds: of as many worlds, or of one, which goes to all.
  /// `convert`: of the other precision, too. CheckpointError naming the member if the file is
  /// damaged, or if it is of another model, number of worlds or precision; nothing is changed then.
  void load_state(const std::filesystem::path& path, bool convert = false);
  /// CheckpointError if the file is none.
  static CheckpointInfo checkpoint_info(const std::filesystem::path& path);
  static Model checkpoint_model(const std::filesystem::path& path);
  /// A simulation that goes on where a file of `save` stopped: with the file's model and options,
  /// or with others (checkpoint_info(path).options changed), as load_state takes them.
  static Simulation load(const std::filesystem::path& path);
  static Simulation load(const std::filesystem::path& path, Model model,
                         const SimulationOptions& options, bool convert = false);
  /// FNV-1a over each world's state fields in list order [IA-7].
  std::vector<std::uint64_t> state_hash() const;

  /// How often the guard "reset" has reset each world since this batch was made.
  std::vector<std::int64_t> guard_resets() const;

  /// Steps all worlds `count` >= 1 times on one thread and tells how the time is spent: stage name
  /// and seconds, in the order of a step, then of the refresh pass. Empty on backends without
  /// stages.
  std::vector<std::pair<std::string, double>> profile(int count);

  /// Bytes per world of state and commands, of read-outs, of the workspace of one tile divided by
  /// its worlds.
  struct Memory {
    double state = 0, outputs = 0, workspace = 0;
  };
  Memory memory() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace flexor
