// The extension module flexor._core: errors, facts about the build, the lists of fields and
// statuses.

#include <new>
#include <string_view>

#include "casters.hpp"

namespace flexor::python {
namespace {

/// Text of a message, which may quote bytes of a damaged file that are no UTF-8.
py::object text_of(const std::exception& error) {
  const std::string_view text = error.what();
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "backslashreplace"));
}

/// Sets the Python exception flexor.errors.<name>; its classes live in Python because they inherit
/// from ValueError, KeyError and RuntimeError as well.
void set_error(const char* name, const std::exception& error) {
  const py::object type = py::module_::import("flexor.errors").attr(name);
  PyErr_SetObject(type.ptr(), type(text_of(error)).ptr());
}

void set_model_error(const ModelError& error) {
  const py::object type = py::module_::import("flexor.errors").attr("ModelError");
  py::list problems;
  for (const Problem& problem : error.problems()) problems.append(to_dict(problem));
  PyErr_SetObject(type.ptr(), type(text_of(error), problems).ptr());
}

void set_simulation_error(const SimulationError& error) {
  const py::object type = py::module_::import("flexor.errors").attr("SimulationError");
  PyErr_SetObject(type.ptr(), type(text_of(error), error.worlds(), error.status()).ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const ModelError& e) {
    set_model_error(e);
  } catch (const ParameterError& e) {
    set_error("ParameterError", e);
  } catch (const ShapeError& e) {
    set_error("ShapeError", e);
  } catch (const UnknownNameError& e) {
    set_error("UnknownNameError", e);
  } catch (const CheckpointError& e) {
    set_error("CheckpointError", e);
  } catch (const ConfigError& e) {
    set_error("ConfigError", e);
  } catch (const DeviceError& e) {
    set_error("DeviceError", e);
  } catch (const SimulationError& e) {
    set_simulation_error(e);
  } catch (const ConcurrencyError& e) {
    set_error("ConcurrencyError", e);
  } catch (const FlexorError& e) {
    set_error("FlexorError", e);
  } catch (const std::bad_alloc&) {
    set_error("DeviceError", DeviceError("out of memory: the system refused this call memory; use "
                                         "fewer worlds, outputs or rows of history"));
  }
}

const char* group_name(FieldGroup group) {
  switch (group) {
    case FieldGroup::kState:
      return "state";
    case FieldGroup::kCommand:
      return "command";
    case FieldGroup::kGeometry:
      return "geometry";
    case FieldGroup::kStep:
      return "step";
  }
  return "";
}

const char* index_name(FieldIndex index) {
  switch (index) {
    case FieldIndex::kWorldIndex:
      return "world";
    case FieldIndex::kQpos:
      return "qpos";
    case FieldIndex::kQvel:
      return "qvel";
    case FieldIndex::kTendon:
      return "tendon";
    case FieldIndex::kRow:
      return "row";
    case FieldIndex::kBody:
      return "body";
    case FieldIndex::kSite:
      return "site";
    case FieldIndex::kTendonQvel:
      return "tendon_qvel";
    case FieldIndex::kBranch:
      return "branch";
  }
  return "";
}

/// [(number, name, group, index, width, unit, meaning)]: the one list of arrays.
py::list fields() {
  py::list out;
  for (int i = 0; i < kFieldCount; ++i) {
    const FieldInfo& f = kFieldInfo[i];
    out.append(py::make_tuple(i, f.name, group_name(f.group), index_name(f.index), f.width, f.unit,
                              f.meaning));
  }
  return out;
}

/// [(name, value, is_informational, cause, remedy)]
py::list status_bits() {
  py::list out;
#define X(name, value, is_informational, cause, remedy) \
  out.append(py::make_tuple(#name, value, is_informational, cause, remedy));
  FLEXOR_STATUS_BITS(X)
#undef X
  return out;
}

const char* level_name(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

/// emit(level, code, text, world, step) takes the messages of the core. It lives as long as the
/// process, since a message may come from a thread that outlives the interpreter's last cleaning.
void set_python_log(const py::function& emit) {
  const py::handle kept = py::function(emit).release();
  set_log([kept](const LogMessage& message) {
    const py::gil_scoped_acquire acquire;
    try {
      kept(level_name(message.level), message.code, message.text, message.world, message.step);
    } catch (py::error_already_set& error) {  // of a handler: no reason to stop a step
      error.discard_as_unraisable("flexor.log");
    }
  });
}

std::string compiler() {
#if defined(__clang__)
  return std::string("clang ") + __clang_version__;
#elif defined(__GNUC__)
  return std::string("g++ ") + __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.doc() = "C++ core of flexor; use the package `flexor`.";
  py::register_exception_translator(translate);
  m.attr("version") = FLEXOR_VERSION;
  m.attr("compiler") = compiler();
  m.def("fields", &fields);
  m.def("status_bits", &status_bits);
  m.def("set_log", &set_python_log);
  bind_model(m);
  bind_exchange(m);
  bind_snapshot(m);
  bind_simulation(m);
  bind_random(m);
}

}  // namespace flexor::python
