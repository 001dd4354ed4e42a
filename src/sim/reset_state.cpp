#include "sim/reset_state.hpp"

#include <cmath>

#include "model/findings.hpp"

namespace flexor {

ResetState::ResetState(const Model& model, const Batch& batch) {
  visit_fields([&](Field field) {
    if (covers(field)) values_[static_cast<int>(field)].assign(batch.components(field), 0.0);
  });
  const auto of = [&](Field field) -> std::vector<double>& {
    return values_[static_cast<int>(field)];
  };
  of(Field::qpos) = model.qpos0();
  of(Field::joint_target_position) = model.qpos0();
  const auto& tendons = model.description().tendons;
  for (std::size_t t = 0; t < tendons.size(); ++t) {
    of(Field::activation)[t] = tendons[t].activation;
    of(Field::drive_force)[t] = tendons[t].force;
    of(Field::drive_target_length)[t] = tendons[t].target_length;
    of(Field::drive_target_velocity)[t] = tendons[t].target_velocity;
    of(Field::drive_position_gain)[t] = tendons[t].position_gain;
    of(Field::drive_velocity_gain)[t] = tendons[t].velocity_gain;
    of(Field::tendon_enabled)[t] = tendons[t].enabled;
  }
#define X(name, group, type, index, width, unit, meaning) of(Field::valid_##name) = of(Field::name);
  FLEXOR_COMMANDS(X)
#undef X
  visit_fields([&](Field field) {
    if (!covers(field)) return;
    for (const double value : of(field)) {
      const double stored = batch.is_float() ? static_cast<float>(value) : value;
      if (!std::isfinite(stored))
        throw ConfigError(std::string("precision: 'float32' cannot hold the model's initial ") +
                          info(field).name + " " + number_text(value) +
                          "; legal for this model: 'float64'");
    }
  });
}

void ResetState::apply(Batch& batch, const std::uint8_t* worlds) const {
  visit_fields([&](Field field) {
    if (!batch.has(field) || batch.is_idle(field)) return;
    if (covers(field)) {
      for (int c = 0; c < batch.components(field); ++c)
        batch.fill(field, c, value(field, c), worlds);
    } else if (info(field).group == FieldGroup::kStep) {
      for (int c = 0; c < batch.components(field); ++c) batch.fill(field, c, 0, worlds);
    }
  });
}

void ResetState::apply_motion(Batch& batch, long world) const {
  for (const Field field : {Field::qpos, Field::qpos_compensation, Field::qvel, Field::activation,
                            Field::row_impulse}) {
    if (!batch.has(field)) continue;
    for (int c = 0; c < batch.components(field); ++c) batch.write(field, c, world, value(field, c));
  }
}

}  // namespace flexor
