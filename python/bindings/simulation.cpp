// Simulation in Python: calls that compute release the interpreter lock and refuse a second caller;
// arrays are handed out as addresses, to which the package adds shapes and strides.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "casters.hpp"
#include "flexor/sim/option_names.hpp"

namespace flexor::python {
namespace {

/// A batch and who is in it.
struct Batch {
  Batch(const Model& model, const SimulationOptions& options) : simulation(model, options) {}

  Simulation simulation;
  std::shared_ptr<Occupancy> occupancy = std::make_shared<Occupancy>();
  bool is_closed = false;
};

/// What a call may do on a closed batch.
enum class Closed { kIsRefused, kIsAllowed };

/// Right to be in a batch for the life of this object.
class Turn {
 public:
  explicit Turn(Batch& batch, Closed closed = Closed::kIsRefused) : batch_(batch) {
    if (batch.is_closed && closed == Closed::kIsRefused)
      throw SimulationError("this simulation is closed");
    batch.occupancy->enter();
  }
  ~Turn() { batch_.occupancy->leave(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Batch& batch_;
};

template <class F>
auto compute(Batch& batch, F&& f) {
  const Turn turn(batch);
  const py::gil_scoped_release release;
  return f(batch.simulation);
}

using OptionalBuffer = std::optional<py::buffer>;

/// Borrowed items of an optional buffer; `info` keeps them.
template <class T>
std::span<const T> items_of(const OptionalBuffer& buffer, py::buffer_info& info) {
  if (!buffer) return {};
  info = buffer->request();
  return span_of<T>(info);
}

/// run(count, is_last) in blocks of about 20 ms so that Ctrl-C is honoured; at least one. Without
/// the interpreter lock.
template <class Run>
void run_in_blocks(int count, Run&& run) {
  using Clock = std::chrono::steady_clock;
  int block = 1;
  for (int done = 0;;) {
    const int next = std::min(block, count - done);
    const bool is_last = done + next >= count;
    const auto begin = Clock::now();
    {
      const py::gil_scoped_release release;
      run(next, is_last);
    }
    if (is_last) return;
    done += next;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (seconds < 0.01) block = std::min(2 * block, 1 << 20);
  }
}

/// Equal bits however the steps are split: step(a + b) equals step(a); step(b).
void step(Batch& batch, int count, const OptionalBuffer& mask_buffer, bool refresh) {
  const Turn turn(batch);
  py::buffer_info info;
  const WorldMask mask = items_of<std::uint8_t>(mask_buffer, info);
  run_in_blocks(count, [&](int next, bool is_last) {
    batch.simulation.step(next, mask, is_last && refresh);
  });
}

/// [(stage, seconds)]
py::list profile(Batch& batch, int count) {
  const Turn turn(batch);
  std::vector<std::pair<std::string, double>> stages;
  run_in_blocks(count, [&](int next, bool) {
    const auto more = batch.simulation.profile(next);
    if (stages.empty())
      stages = more;
    else
      for (std::size_t i = 0; i < stages.size(); ++i) stages[i].second += more[i].second;
  });
  py::list out;
  for (const auto& [stage, seconds] : stages) out.append(py::make_tuple(stage, seconds));
  return out;
}

/// Ctrl-C, looked for every 20 ms.
class Interruption {
 public:
  void look() {
    if (Clock::now() - last_ < std::chrono::milliseconds(20)) return;
    last_ = Clock::now();
    const py::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

/// commands: (field, contiguous buffer of the array's type, whether one world's numbers serve all);
/// record: (field, contiguous writable buffer).
void roll_out(Batch& batch, int count,
              const std::vector<std::tuple<int, py::buffer, bool>>& commands,
              const std::vector<std::tuple<int, py::buffer>>& record, int every, bool restore) {
  const Turn turn(batch);
  std::vector<py::buffer_info> kept;
  Rollout rollout;
  rollout.count = count;
  rollout.every = every;
  rollout.restore = restore;
  for (const auto& [field, buffer, is_shared] : commands) {
    kept.push_back(buffer.request());
    rollout.commands.push_back({static_cast<Field>(field), kept.back().ptr, is_shared});
  }
  for (const auto& [field, buffer] : record) {
    kept.push_back(buffer.request(true));
    rollout.record.push_back({static_cast<Field>(field), kept.back().ptr});
  }
  Interruption interruption;
  rollout.between_steps = [&] { interruption.look(); };
  const py::gil_scoped_release release;
  batch.simulation.rollout(rollout);
}

/// (address, type as NumPy names it, shape, strides in bytes)
py::tuple to_tuple(const ArrayRef& a) {
  return py::make_tuple(reinterpret_cast<std::uintptr_t>(a.data),
                        std::string(1, kind_of(a.type)) + std::to_string(a.item_size()),
                        py::tuple(py::cast(a.shape())), py::tuple(py::cast(a.strides())));
}

std::unique_ptr<Batch> make_batch(const Model& model, long num_worlds, const std::string& device,
                                  const std::optional<std::string>& precision,
                                  const std::string& numeric, int num_threads,
                                  const std::vector<std::string>& outputs,
                                  const std::vector<std::string>& inert, const std::string& guard,
                                  int history, std::uint64_t seed, const std::string& solver,
                                  int iterations, double tolerance, bool warm_start) {
  SimulationOptions options;
  options.num_worlds = num_worlds;
  options.device = device;
  if (precision) options.precision = value_of("precision", *precision, kPrecisionNames);
  options.numeric = value_of("numeric", numeric, kNumericNames);
  options.num_threads = num_threads;
  options.outputs = outputs;
  options.inert = inert;
  options.guard = value_of("guard", guard, kGuardNames);
  options.history = history;
  options.seed = seed;
  options.solver = value_of("solver", solver, kSolverNames);
  options.iterations = iterations;
  options.tolerance = tolerance;
  options.warm_start = warm_start;
  const py::gil_scoped_release release;
  return std::make_unique<Batch>(model, options);
}

py::dict to_dict(const SimulationOptions& o) {
  py::dict out;
  out["num_worlds"] = o.num_worlds;
  out["device"] = o.device;
  out["precision"] = name_of(o.precision, kPrecisionNames);
  out["numeric"] = name_of(o.numeric, kNumericNames);
  out["num_threads"] = o.num_threads;
  out["outputs"] = o.outputs;
  out["inert"] = o.inert;
  out["guard"] = name_of(o.guard, kGuardNames);
  out["history"] = o.history;
  out["seed"] = o.seed;
  out["solver"] = name_of(o.solver, kSolverNames);
  out["iterations"] = o.iterations;
  out["tolerance"] = o.tolerance;
  out["warm_start"] = o.warm_start;
  return out;
}

/// Options with their defaults resolved, and what runs.
py::dict options_of(const Batch& batch) {
  py::dict out = to_dict(batch.simulation.options());
  out["backend"] = batch.simulation.backend();
  return out;
}

/// Hash of the model and options of the batch that was saved; number of threads left out.
py::tuple checkpoint_info(const std::string& path) {
  const CheckpointInfo info = Simulation::checkpoint_info(path);
  py::dict options = to_dict(info.options);
  options.attr("pop")("num_threads");
  return py::make_tuple(info.model_hash, options);
}

template <class T>
void bind_buffer(py::module_& m, const char* name) {
  py::class_<Buffer<T>>(m, name, py::buffer_protocol()).def_buffer([](Buffer<T>& b) {
    return py::buffer_info(b.values.data(), static_cast<py::ssize_t>(b.values.size()));
  });
}

}  // namespace

void bind_simulation(py::module_& m) {
  bind_buffer<double>(m, "DoubleBuffer");
  bind_buffer<std::uint64_t>(m, "WordBuffer");
  bind_buffer<std::int64_t>(m, "CountBuffer");
  m.def("checkpoint_info", &checkpoint_info);
  m.def("checkpoint_model",
        [](const std::string& path) { return Simulation::checkpoint_model(path); });

  py::class_<Batch>(m, "Simulation")
      .def(py::init(&make_batch), py::arg("model"), py::kw_only(), py::arg("num_worlds"),
           py::arg("device"), py::arg("precision"), py::arg("numeric"), py::arg("num_threads"),
           py::arg("outputs"), py::arg("inert"), py::arg("guard"), py::arg("history"),
           py::arg("seed"), py::arg("solver"), py::arg("iterations"), py::arg("tolerance"),
           py::arg("warm_start"))
      .def_property_readonly("options", &options_of)
      .def("storage",
           [](const Batch& b) {
             return Storage{b.simulation.storage(), b.occupancy};
           })
      .def("array",
           [](Batch& b, int number) {
             const Field field = static_cast<Field>(number);
             // steps look at these once they have been asked for
             const bool is_seen_by_steps =
                 field == Field::body_wrench || field == Field::valid_body_wrench;
             std::optional<Turn> turn;
             if (is_seen_by_steps) turn.emplace(b, Closed::kIsAllowed);
             return to_tuple(b.simulation.array(field));
           })
      .def("component_names",
           [](const Batch& b, int field) {
             return py::tuple(py::cast(b.simulation.component_names(static_cast<Field>(field))));
           })
      .def("step", &step)
      .def("rollout", &roll_out)
      .def("forward", [](Batch& b) { compute(b, [](Simulation& s) { s.forward(); }); })
      .def("reset",
           [](Batch& b, const OptionalBuffer& mask, int keyframe, const OptionalBuffer& qpos,
              const OptionalBuffer& qvel) {
             py::buffer_info m_info, q_info, v_info;
             const WorldMask worlds = items_of<std::uint8_t>(mask, m_info);
             const auto q = items_of<double>(qpos, q_info);
             const auto v = items_of<double>(qvel, v_info);
             compute(b, [&](Simulation& s) { s.reset(worlds, keyframe, q, v); });
           })
      .def("clear_status",
           [](Batch& b, const OptionalBuffer& mask) {
             py::buffer_info info;
             const WorldMask worlds = items_of<std::uint8_t>(mask, info);
             compute(b, [&](Simulation& s) { s.clear_status(worlds); });
           })
      .def("set_parameter",
           [](Batch& b, const std::string& name, const py::buffer& values,
              const OptionalBuffer& worlds) {
             const py::buffer_info v_info = values.request();
             py::buffer_info w_info;
             const auto numbers = span_of<double>(v_info);
             const auto indices = items_of<long>(worlds, w_info);
             compute(b, [&](Simulation& s) { s.set_parameter(name, numbers, indices); });
           })
      .def("parameter",
           [](Batch& b, const std::string& name) {
             return to_tuple(compute(b, [&](Simulation& s) { return s.parameter(name); }));
           })
      .def("is_per_world",
           [](Batch& b, const std::string& name) {
             return compute(b, [&](Simulation& s) { return s.is_per_world(name); });
           })
      .def("parameter_values",
           [](Batch& b, const std::string& name) {
             return Buffer<double>{
                 compute(b, [&](Simulation& s) { return s.parameter_values(name); })};
           })
      .def("capture_reference",
           [](Batch& b) { compute(b, [](Simulation& s) { s.capture_reference(); }); })
      .def("mass_matrix",
           [](Batch& b) {
             return Buffer<double>{compute(b, [](Simulation& s) { return s.mass_matrix(); })};
           })
      .def("bias_force",
           [](Batch& b) {
             return Buffer<double>{compute(b, [](Simulation& s) { return s.bias_force(); })};
           })
      .def(
          "body_jacobian",
          [](Batch& b, int body) {
            return Buffer<double>{compute(b, [&](Simulation& s) { return s.body_jacobian(body); })};
          })
      .def(
          "site_jacobian",
          [](Batch& b, int site) {
            return Buffer<double>{compute(b, [&](Simulation& s) { return s.site_jacobian(site); })};
          })
      .def("commit",
           [](Batch& b, const OptionalBuffer& worlds) {
             py::buffer_info info;
             const auto indices = items_of<long>(worlds, info);
             compute(b, [&](Simulation& s) { s.commit(indices); });
           })
      .def("synchronize", [](Batch& b) { compute(b, [](Simulation& s) { s.synchronize(); }); })
      .def("save",
           [](Batch& b, const std::string& path, const OptionalBuffer& worlds, bool guard_history) {
             py::buffer_info info;
             const auto indices = items_of<long>(worlds, info);
             compute(b, [&](Simulation& s) { s.save(path, indices, guard_history); });
           })
      .def("state",
           [](Batch& b, const OptionalBuffer& worlds) {
             py::buffer_info info;
             const auto indices = items_of<long>(worlds, info);
             return compute(b, [&](Simulation& s) { return s.state(indices); });
           })
      .def("set_state",
           [](Batch& b, const Snapshot& snapshot, const OptionalBuffer& worlds) {
             py::buffer_info info;
             const auto indices = items_of<long>(worlds, info);
             compute(b, [&](Simulation& s) { s.set_state(snapshot, indices); });
           })
      .def("dump",
           [](Batch& b, const OptionalBuffer& worlds, const std::string& path) {
             py::buffer_info info;
             const auto indices = items_of<long>(worlds, info);
             compute(b, [&](Simulation& s) { s.dump(indices, path); });
           })
      .def("clone_worlds",
           [](Batch& b, const py::buffer& source, const py::buffer& destination) {
             const py::buffer_info from = source.request(), to = destination.request();
             const auto sources = span_of<long>(from), destinations = span_of<long>(to);
             compute(b, [&](Simulation& s) { s.clone_worlds(sources, destinations); });
           })
      .def(
          "guard_resets",
          [](Batch& b) {
            return Buffer<std::int64_t>{compute(b, [](Simulation& s) { return s.guard_resets(); })};
          })
      .def("load_state",
           [](Batch& b, const std::string& path, bool convert) {
             compute(b, [&](Simulation& s) { s.load_state(path, convert); });
           })
      .def("state_hash",
           [](Batch& b) {
             return Buffer<std::uint64_t>{compute(b, [](Simulation& s) { return s.state_hash(); })};
           })
      .def("memory",
           [](Batch& b) {
             const Simulation::Memory memory = compute(b, [](Simulation& s) { return s.memory(); });
             py::dict out;
             out["state"] = memory.state;
             out["outputs"] = memory.outputs;
             out["workspace"] = memory.workspace;
             return out;
           })
      .def("profile", &profile)
      .def("close",
           [](Batch& b) {
             const Turn turn(b, Closed::kIsAllowed);
             b.is_closed = true;
           })
      .def_readonly("is_closed", &Batch::is_closed);
}

}  // namespace flexor::python
