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
  const auto& joints = model.description().joints;
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    if (joints[j].type != JointType::kFree) continue;
    const int first = model.qpos_slice(j).first, body = joints[j].body.index;
    const auto add = [&](ParameterKind kind, int offset) {
      const int count = info(kind).count;
      const int address = model.plan().parameter_offset[static_cast<int>(kind)] + body * count;
      for (int i = 0; i < count; ++i) authored_.push_back({first + offset + i, address + i});
    };
    add(ParameterKind::body_pos, 0);
    add(ParameterKind::body_quat, 3);
  }
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

void ResetState::apply(Batch& batch, const RawParameters& raw, const std::uint8_t* worlds) const {
  visit_fields([&](Field field) {
    if (!batch.has(field) || batch.is_idle(field)) return;
    if (covers(field)) {
      for (int c = 0; c < batch.components(field); ++c)
        batch.fill(field, c, value(field, c), worlds);
    } else if (info(field).group == FieldGroup::kStep) {
      for (int c = 0; c < batch.components(field); ++c) batch.fill(field, c, 0, worlds);
    }
  });
  for (const AuthoredCoordinate& authored : authored_)
    for (const Field field :
         {Field::qpos, Field::joint_target_position, Field::valid_joint_target_position})
      for (long w = 0; w < batch.num_worlds(); ++w)
        if (worlds == nullptr || worlds[w])
          batch.write(field, authored.coordinate, w, raw.value(authored.address, w));
}

void ResetState::apply_motion(Batch& batch, const RawParameters& raw, long world) const {
  for (const Field field : {Field::qpos, Field::qpos_compensation, Field::qvel, Field::activation,
                            Field::row_impulse}) {
    if (!batch.has(field)) continue;
    for (int c = 0; c < batch.components(field); ++c) batch.write(field, c, world, value(field, c));
  }
  for (const AuthoredCoordinate& authored : authored_)
    batch.write(Field::qpos, authored.coordinate, world, raw.value(authored.address, world));
  if (!batch.is_finite(Field::time, world)) batch.write(Field::time, 0, world, 0);
}

}  // namespace flexor
