// Jacobians of points of bodies. Velocities are linear in qvel, so column j is what a refresh pass
// reports for the j-th unit velocity. The passes write into memory of their own.

#include <algorithm>

#include "sim/implementation.hpp"
#include "sim/memory.hpp"

namespace flexor {
namespace {

/// Memory for one field in place of the batch's.
class Scratch {
 public:
  Scratch(const Batch& batch, Field field)
      : batch_(batch),
        field_(field),
        pages_(static_cast<std::size_t>(batch.components(field)) *
                       static_cast<std::size_t>(batch.world_stride()) * sizeof(double) +
                   1,
               "jacobian") {}
  void stand_in(BatchView& view) const { view.field[static_cast<int>(field_)] = pages_.data(); }
  double read(int component, long world) const {
    const long i = component * batch_.world_stride() + world;
    return batch_.is_float() ? static_cast<double>(reinterpret_cast<const float*>(pages_.data())[i])
                             : reinterpret_cast<const double*>(pages_.data())[i];
  }
  void fill(int component, double value) {
    const auto set = [&](auto* first) {
      first += component * batch_.world_stride();
      std::fill(first, first + batch_.world_stride(), value);
    };
    batch_.is_float() ? set(reinterpret_cast<float*>(pages_.data()))
                      : set(reinterpret_cast<double*>(pages_.data()));
  }

 private:
  const Batch& batch_;
  Field field_;
  Pages pages_;
};

}  // namespace

std::vector<double> Simulation::Implementation::zero_jacobian() const {
  return allocated_numbers("jacobian", static_cast<std::size_t>(num_worlds()) * 6 *
                                           static_cast<std::size_t>(model.nv()));
}

/// site < 0: of the body's origin.
std::vector<double> Simulation::Implementation::jacobian(int body, int site) {
  commit();
  BatchView view = batch->view();
  visit_fields([&](Field field) {
    if (is_read_out(field)) view.field[static_cast<int>(field)] = nullptr;
  });
  Scratch status(*batch, Field::status);  // no world is frozen, no bit is set
  Scratch rate(*batch, Field::qvel), velocity(*batch, Field::body_velocity);
  Scratch origin(*batch, Field::body_position), point(*batch, Field::site_position);
  for (const Scratch* scratch : {&status, &rate, &velocity, &origin, &point})
    scratch->stand_in(view);

  const int nv = model.nv();
  std::vector<double> jacobian = zero_jacobian();
  for (int j = 0; j < nv; ++j) {
    rate.fill(j, 1);
    backend->step(view, 0, nullptr, true);
    rate.fill(j, 0);
    for (long w = 0; w < num_worlds(); ++w) {
      double v[6], r[3] = {0, 0, 0};
      for (int k = 0; k < 6; ++k) v[k] = velocity.read(6 * body + k, w);
      for (int k = 0; k < 3 && site >= 0; ++k)
        r[k] = point.read(3 * site + k, w) - origin.read(3 * body + k, w);
      v[0] += v[4] * r[2] - v[5] * r[1];
      v[1] += v[5] * r[0] - v[3] * r[2];
      v[2] += v[3] * r[1] - v[4] * r[0];
      for (int k = 0; k < 6; ++k) jacobian[static_cast<std::size_t>((w * 6 + k) * nv + j)] = v[k];
    }
  }
  return jacobian;
}

namespace {

void check_index(const char* call, int index, std::size_t count) {
  if (index < 0 || index >= static_cast<int>(count))
    throw ConfigError(std::string(call) + ": " + std::to_string(index) + " given; legal: 0 to " +
                      std::to_string(static_cast<int>(count) - 1));
}

}  // namespace

std::vector<double> Simulation::body_jacobian(int body) const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  check_index("body_jacobian", body, s.model.description().bodies.size());
  return s.jacobian(body, -1);
}

std::vector<double> Simulation::site_jacobian(int site) const {
  Implementation& s = *implementation_;
  const Exclusive exclusive(s.is_busy);
  const auto& sites = s.model.description().sites;
  check_index("site_jacobian", site, sites.size());
  const int body = sites[static_cast<std::size_t>(site)].body.index;
  if (body < 0)  // fixed to the world
    return s.zero_jacobian();
  return s.jacobian(body, site);
}

}  // namespace flexor
