#include "reference/world.hpp"

#include "reference/route.hpp"

namespace flexor::reference {

int field_size(const Description& description, const Layout& layout, Field field) {
  const FieldInfo& field_info = info(field);
  const int tendons = static_cast<int>(description.tendons.size());
  const auto entries = [&]() -> int {
    switch (field_info.index) {
      case FieldIndex::kWorldIndex:
        return 1;
      case FieldIndex::kQpos:
        return layout.nq;
      case FieldIndex::kQvel:
        return layout.nv;
      case FieldIndex::kTendon:
        return tendons;
      case FieldIndex::kRow:
        return kTendonRowCount * tendons + kJointRowCount * layout.nv;
      case FieldIndex::kBody:
        return static_cast<int>(description.bodies.size());
      case FieldIndex::kSite:
        return static_cast<int>(description.sites.size());
      case FieldIndex::kTendonQvel:
        return tendons * layout.nv;
      case FieldIndex::kBranch:
        return layout.branch_count;
    }
    return 0;
  };
  return entries() * field_info.width;
}

World Stepper::initial_world() const {
  World world;
  visit_fields(world, [&](Field field, auto& storage) {
    if constexpr (!std::is_arithmetic_v<std::remove_reference_t<decltype(storage)>>)
      storage.setZero(field_size(description_, layout_, field));
  });
  world.qpos = reference_pose(description_, layout_);
  world.joint_target_position = world.qpos;
  const std::vector<double> lengths = reference_lengths(description_);
  for (std::size_t t = 0; t < description_.tendons.size(); ++t) {
    const TendonDescription& tendon = description_.tendons[t];
    const bool is_automatic = std::isnan(tendon.reference_length);
    world.reference_length[t] = is_automatic ? lengths[t] : tendon.reference_length;
    world.activation[t] = tendon.activation;
    world.tendon_enabled[t] = tendon.enabled;
    world.drive_force[t] = tendon.force;
    world.drive_target_length[t] = tendon.target_length;
    world.drive_target_velocity[t] = tendon.target_velocity;
    world.drive_position_gain[t] = tendon.position_gain;
    world.drive_velocity_gain[t] = tendon.velocity_gain;
  }
#define X(name, group, type, index, width, unit, meaning) world.valid_##name = world.name;
  FLEXOR_COMMANDS(X)
#undef X
  refresh(world);
  return world;
}

}  // namespace flexor::reference
