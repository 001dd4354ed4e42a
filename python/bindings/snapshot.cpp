// Snapshots in Python: states and commands of worlds, apart from the batch they were taken from.

#include <string_view>

#include "casters.hpp"

namespace flexor::python {
namespace {

std::string_view bytes_of(const Snapshot& snapshot, std::size_t field) {
  const std::vector<std::byte>& bytes = snapshot.field[field];
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Everything, for pickle.
py::tuple to_tuple(const Snapshot& snapshot) {
  py::list fields;
  for (std::size_t f = 0; f < snapshot.field.size(); ++f) {
    const std::string_view bytes = bytes_of(snapshot, f);
    fields.append(py::bytes(bytes.data(), bytes.size()));
  }
  return py::make_tuple(snapshot.model_hash, snapshot.is_float, snapshot.num_worlds, snapshot.count,
                        fields);
}

Snapshot from_tuple(const py::tuple& parts) try {
  Snapshot snapshot;
  snapshot.model_hash = parts[0].cast<std::string>();
  snapshot.is_float = parts[1].cast<bool>();
  snapshot.num_worlds = parts[2].cast<long>();
  snapshot.count = parts[3].cast<decltype(snapshot.count)>();
  const auto fields = parts[4].cast<py::list>();
  if (fields.size() != snapshot.field.size()) throw py::cast_error();
  for (std::size_t f = 0; f < snapshot.field.size(); ++f) {
    const std::string_view bytes = fields[f].cast<std::string_view>();
    const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
    snapshot.field[f].assign(first, first + bytes.size());
  }
  return snapshot;
} catch (const py::cast_error&) {
  throw ConfigError("these parts are no snapshot of this version; legal: what pickle made of one");
}

}  // namespace

void bind_snapshot(py::module_& m) {
  py::class_<Snapshot>(m, "Snapshot")
      .def_readonly("model_hash", &Snapshot::model_hash)
      .def_readonly("num_worlds", &Snapshot::num_worlds)
      .def_property_readonly("precision",
                             [](const Snapshot& s) { return s.is_float ? "float32" : "float64"; })
      .def("field",
           [](const Snapshot& s, std::size_t field) {
             const std::string_view bytes = bytes_of(s, field);
             ArrayRef ref;
             ref.type = info(static_cast<Field>(field)).type;
             ref.is_float = s.is_float;
             return py::make_tuple(s.count.at(field), kind_of(ref.type), ref.item_size(),
                                   py::bytes(bytes.data(), bytes.size()));
           })
      .def(py::pickle(&to_tuple, &from_tuple));
}

}  // namespace flexor::python
