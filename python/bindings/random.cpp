// The generator of stage code, so that tests can hold the package's own against it.

#include "flexor/math/random.hpp"

#include <algorithm>

#include "casters.hpp"

namespace flexor::python {
namespace {

template <class T, class Draw>
Buffer<T> draw(std::uint32_t count, Draw&& draw_one) {
  Buffer<T> out;
  for (std::uint32_t j = 0; j < count; ++j) out.values.push_back(draw_one(j));
  return out;
}

}  // namespace

void bind_random(py::module_& m) {
  py::class_<RandomStream>(m, "RandomStream")
      .def(py::init(
          [](std::uint64_t seed, std::uint32_t stream, std::uint32_t episode, std::uint32_t step) {
            return RandomStream{seed, stream, episode, step};
          }))
      .def("words",
           [](const RandomStream& r, std::uint32_t count) {
             return draw<std::uint64_t>(count, [&](std::uint32_t j) { return r.word(j); });
           })
      .def("uniform",
           [](const RandomStream& r, std::uint32_t count, double low, double high) {
             return draw<double>(count, [&](std::uint32_t j) { return r.uniform(j, low, high); });
           })
      .def("normal",
           [](const RandomStream& r, std::uint32_t count) {
             return draw<double>(count, [&](std::uint32_t j) { return r.normal(j); });
           })
      .def("integers",
           [](const RandomStream& r, std::uint32_t count, std::uint32_t n) {
             return draw<std::int64_t>(count, [&](std::uint32_t j) { return r.integer(j, n); });
           })
      .def("log_uniform", [](const RandomStream& r, std::uint32_t count, double low, double high) {
        return draw<double>(count, [&](std::uint32_t j) { return r.log_uniform(j, low, high); });
      });
  m.def("seed_for", [](std::uint64_t seed, std::uint64_t g) { return seed_for(seed, g); });
}

}  // namespace flexor::python
