#pragma once
// How small vectors and blocks of numbers cross into Python. Without py::array: everything goes
// through tuples and the buffer protocol, so the extension does not depend on a NumPy version.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flexor/flexor.hpp"

namespace flexor::python {

namespace py = pybind11;

/// Numbers that C++ computed and NumPy takes over without a copy (np.asarray).
template <class T>
struct Buffer {
  std::vector<T> values;
};

/// Whether a call is inside a batch; shared with all that writes to its arrays.
class Occupancy {
 public:
  /// ConcurrencyError if somebody is inside.
  void enter() {
    if (is_busy_.exchange(true)) {
      throw ConcurrencyError(
          "this simulation is in use by another thread: one thread at a time, or one simulation "
          "each");
    }
  }
  void leave() { is_busy_ = false; }

 private:
  std::atomic<bool> is_busy_{false};
};

/// Owner of the memory of a batch's arrays; what the package's arrays hold on to.
struct Storage {
  std::shared_ptr<void> owner;
  std::shared_ptr<Occupancy> occupancy;
};

/// NumPy's letter for a type of number.
inline char kind_of(FieldType type) {
  switch (type) {
    case FieldType::kReal:
    case FieldType::kDouble:
      return 'f';
    case FieldType::kInt32:
    case FieldType::kInt64:
      return 'i';
    case FieldType::kUint8:
      break;
  }
  return 'u';
}

/// Contiguous items of a buffer that the Python side has already given the right type.
template <class T>
std::span<const T> span_of(const py::buffer_info& info) {
  if (info.itemsize != static_cast<py::ssize_t>(sizeof(T)) || info.ndim != 1 ||
      (info.shape[0] > 1 && info.strides[0] != info.itemsize)) {
    throw ShapeError("expected a contiguous vector of " + std::to_string(sizeof(T)) +
                     "-byte items");
  }
  return {static_cast<const T*>(info.ptr), static_cast<std::size_t>(info.shape[0])};
}

/// Problem as a dict with the keys of a machine report [MF-25].
py::dict to_dict(const Problem& problem);

void bind_model(py::module_& m);
void bind_simulation(py::module_& m);
void bind_snapshot(py::module_& m);
void bind_random(py::module_& m);
void bind_exchange(py::module_& m);

}  // namespace flexor::python

namespace pybind11::detail {

template <class Vector, int kCount>
struct NumbersCaster {
  static bool read(handle source, double* out) {
    if (!isinstance<sequence>(source) || PyUnicode_Check(source.ptr())) return false;
    const auto items = reinterpret_borrow<sequence>(source);
    if (items.size() != kCount) return false;
    for (int i = 0; i < kCount; ++i) {
      const object item = items[i];
      out[i] = PyFloat_AsDouble(item.ptr());
      if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
      }
    }
    return true;
  }
};

template <>
struct type_caster<flexor::Vec3d> {
  PYBIND11_TYPE_CASTER(flexor::Vec3d, const_name("tuple[float, float, float]"));
  bool load(handle source, bool) {
    double v[3];
    if (!NumbersCaster<flexor::Vec3d, 3>::read(source, v)) return false;
    value = {v[0], v[1], v[2]};
    return true;
  }
  static handle cast(const flexor::Vec3d& v, return_value_policy, handle) {
    return make_tuple(v.x, v.y, v.z).release();
  }
};

template <>
struct type_caster<flexor::Quatd> {
  PYBIND11_TYPE_CASTER(flexor::Quatd, const_name("tuple[float, float, float, float]"));
  bool load(handle source, bool) {
    double v[4];
    if (!NumbersCaster<flexor::Quatd, 4>::read(source, v)) return false;
    value = {v[0], v[1], v[2], v[3]};
    return true;
  }
  static handle cast(const flexor::Quatd& q, return_value_policy, handle) {
    return make_tuple(q.w, q.x, q.y, q.z).release();
  }
};

/// A reference is a name (str), an index (int) or unset (None).
template <>
struct type_caster<flexor::Reference> {
  PYBIND11_TYPE_CASTER(flexor::Reference, const_name("str | int | None"));
  bool load(handle source, bool) {
    if (source.is_none()) {
      value = flexor::Reference();
    } else if (PyUnicode_Check(source.ptr())) {
      value = flexor::Reference(source.cast<std::string>());
    } else if (PyLong_Check(source.ptr())) {
      value = flexor::Reference(source.cast<int>());
    } else {
      return false;
    }
    return true;
  }
  static handle cast(const flexor::Reference& r, return_value_policy, handle) {
    if (r.index != flexor::kUnset) return int_(r.index).release();
    if (!r.name.empty()) return str(r.name).release();
    return none().release();
  }
};

}  // namespace pybind11::detail
