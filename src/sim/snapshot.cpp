// States of worlds taken out, put back, written and read.   [IA-6], [IA-7]

#include "sim/checkpoint.hpp"
#include "sim/implementation.hpp"
#include "sim/state_hash.hpp"

namespace flexor {

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

}  // namespace flexor
