// Raw parameters that cannot be used as they are, world by world, and what is used instead. [IA-4]

#include <algorithm>
#include <cmath>

#include "sim/inert.hpp"
#include "sim/parameter_store.hpp"

namespace flexor {
namespace {

/// put(kind, value) for numbers with which an element has no row or force that `kind` belongs to;
/// nothing for kinds that shape bodies, frames and routes.
template <class Put>
void visit_left_out(ParameterKind kind, Put&& put) {
  using K = ParameterKind;
  switch (kind) {
    case K::joint_damping:
    case K::joint_armature:
    case K::joint_position_gain:
    case K::joint_velocity_gain:
    case K::tendon_armature:
      return put(kind, 0);
    case K::joint_friction:
    case K::joint_friction_compliance:
      return put(K::joint_friction, 0);
    case K::joint_stiffness:
    case K::joint_rest:
    case K::joint_rest_quat:
      return put(K::joint_stiffness, 0);
    case K::joint_effort_lower:
    case K::joint_effort_upper:
      return put(K::joint_effort_lower, 0), put(K::joint_effort_upper, 0);
    case K::joint_lower:
    case K::joint_upper:
    case K::joint_limit_margin:
    case K::joint_limit_compliance:
    case K::joint_limit_correction:
      return put(K::joint_lower, -kInfinity), put(K::joint_upper, kInfinity);
    case K::joint_velocity_limit:
      return put(kind, kInfinity);
    case K::tendon_stiffness:
    case K::tendon_damping:
    case K::tendon_spring_lower:
    case K::tendon_spring_upper:
      put(K::tendon_spring_lower, -kInfinity), put(K::tendon_spring_upper, kInfinity);
      return put(K::tendon_stiffness, 0), put(K::tendon_damping, 0);
    case K::tendon_lower_limit:
    case K::tendon_upper_limit:
    case K::tendon_limit_margin:
    case K::tendon_limit_compliance:
    case K::tendon_position_correction:
      return put(K::tendon_lower_limit, -kInfinity), put(K::tendon_upper_limit, kInfinity);
    case K::tendon_friction_loss:
    case K::tendon_friction_compliance:
      return put(K::tendon_friction_loss, 0);
    case K::tendon_actuation_lower:
    case K::tendon_actuation_upper:
    case K::tendon_activation_time:
      return put(K::tendon_actuation_lower, 0), put(K::tendon_actuation_upper, 0);
    default:
      return;
  }
}

}  // namespace

bool ParameterStore::is_legal(const Model& model, const Parameter& parameter, long world) const {
  const ParameterInfo& kind = info(parameter.kind);
  std::vector<double> numbers;
  for (int c = 0; c < kind.count; ++c) numbers.push_back(raw_.value(parameter.address + c, world));
  if (!illegal_reason(kind.legal, numbers).empty()) return false;
  if (!unsimulated_reason(model, parameter, numbers[0]).empty()) return false;
  if (kind.count > 1) return true;
  return illegal_pair_reason(model.description(), parameter,
                             [&](ParameterKind other) {
                               return raw_.value(address_of(model, other, parameter.element),
                                                 world);
                             })
      .empty();
}

void ParameterStore::judge(const Model& model, std::span<const Entry> entries) {
  for (const auto& [row, world] : entries)
    if (!is_legal(model, model.parameters()[row], world)) out_of_range_[world].insert(row);
  if (out_of_range_.empty()) return;
  for (const auto& [row, world] : entries) judge_again(model, world);
}

/// What was out of its range in a world and no longer is, since it or its partner has changed.
void ParameterStore::judge_again(const Model& model, long world) {
  const auto found = out_of_range_.find(world);
  if (found == out_of_range_.end()) return;
  std::erase_if(found->second,
                [&](int row) { return is_legal(model, model.parameters()[row], world); });
  if (found->second.empty()) out_of_range_.erase(found);
}

bool ParameterStore::is_half_bounded(const Model& model, int tendon, long world) const {
  return std::isnan(
             raw_.value(address_of(model, ParameterKind::tendon_spring_lower, tendon), world)) !=
         std::isnan(
             raw_.value(address_of(model, ParameterKind::tendon_spring_upper, tendon), world));
}

/// visit(tendon, world)
template <class Visit>
void ParameterStore::visit_half_bounded(const Model& model, Visit&& visit) const {
  for (int t = 0; t < static_cast<int>(model.description().tendons.size()); ++t) {
    const bool is_alike =
        raw_.per_world[address_of(model, ParameterKind::tendon_spring_lower, t)].empty() &&
        raw_.per_world[address_of(model, ParameterKind::tendon_spring_upper, t)].empty();
    if (is_alike && !is_half_bounded(model, t, 0)) continue;
    for (long w = 0; w < num_worlds_; ++w)
      if (is_half_bounded(model, t, w)) visit(t, w);
  }
}

void ParameterStore::leave_out(const Model& model, ParameterKind kind, int element, long world) {
  const auto put = [&](int address, double value) {
    std::vector<double>& column = usable_.per_world[address];
    if (column.empty()) column.assign(num_worlds_, usable_.shared[address]);
    column[world] = value;
  };
  const int first = address_of(model, kind, element);
  for (int i = first; i < first + info(kind).count; ++i) put(i, nominal_[i]);
  visit_left_out(kind, [&](ParameterKind other, double value) {
    put(address_of(model, other, element), value);
  });
}

void ParameterStore::settle(const Model& model) {
  invalid_.clear();
  const auto mark = [&](long world) {
    invalid_.resize(num_worlds_, 0);
    invalid_[world] = 1;
  };
  each_out_of_range(mark);
  visit_half_bounded(model, [&](int, long world) { mark(world); });
  usable_ = invalid_.empty() ? RawParameters() : raw_;
  for (const auto& [world, rows] : out_of_range_)
    for (const int row : rows)
      leave_out(model, model.parameters()[row].kind, model.parameters()[row].element, world);
  visit_half_bounded(model, [&](int tendon, long world) {
    leave_out(model, ParameterKind::tendon_spring_lower, tendon, world);
  });
}

}  // namespace flexor
