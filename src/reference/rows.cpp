#include "reference/rows.hpp"

#include <algorithm>

#include "flexor/core/status.hpp"

namespace flexor::reference {

int tendon_slot(int tendon, TendonRow row) {
  return kTendonRowCount * tendon + static_cast<int>(row);
}
int joint_slot(int tendon_count, int dof, JointRow row) {
  return kTendonRowCount * tendon_count + kJointRowCount * dof + static_cast<int>(row);
}

Spring tendon_spring(const TendonDescription& tendon, double reference_length, double length) {
  const bool is_automatic = std::isnan(tendon.spring_lower);
  const double lower = is_automatic ? reference_length : tendon.spring_lower;
  const double upper = is_automatic ? reference_length : tendon.spring_upper;
  Spring spring;
  spring.extension = length - std::clamp(length, lower, upper);
  spring.stiffness = spring.extension != 0 || lower == upper ? tendon.stiffness : 0;
  return spring;
}

Drive tendon_drive(const World& world, int tendon, double length, double h) {
  const double k_p = world.valid_drive_position_gain[tendon];
  const double k_v = world.valid_drive_velocity_gain[tendon];
  Drive drive;
  drive.is_valid = k_p >= 0 && k_v >= 0;
  drive.gain = k_v + h * k_p;
  drive.demand = world.activation[tendon] +
                 k_p * (world.valid_drive_target_length[tendon] - length) +
                 k_v * world.valid_drive_target_velocity[tendon];
  return drive;
}

namespace {

/// Targets of the position rows of a coordinate with bounds.   [P-31], [P-32]
struct LimitTargets {
  double lower = -kInfinity, upper = kInfinity;  ///< infinite: no row
};

/// eta(g) g / h: a gap may be closed within the step, a violation shrinks by the share beta.
double closing_speed(double gap, double beta, double h) {
  const double eta = gap < 0 ? beta : 1;
  return eta * gap / h;
}

LimitTargets limit_targets(double coordinate, double lower, double upper, double margin,
                           double beta, double h) {
  LimitTargets targets;
  if (std::isfinite(lower)) targets.lower = -closing_speed(coordinate - lower - margin, beta, h);
  if (std::isfinite(upper)) targets.upper = closing_speed(upper - coordinate - margin, beta, h);
  return targets;
}

/// Hard bounds whose targets cross both get the mean.   [P-35]
void resolve_conflict(double compliance, LimitTargets& targets, int& status) {
  if (compliance > 0 || !(targets.lower > targets.upper)) return;
  targets.lower = targets.upper = (targets.lower + targets.upper) / 2;
  status |= CONFLICTING_BOUNDS;
}

class Assembler {
 public:
  Assembler(const Description& description, const Layout& layout, const World& world,
            const VectorXd& diagonal)
      : description_(description),
        layout_(layout),
        world_(world),
        diagonal_(diagonal),
        tendon_count_(static_cast<int>(description.tendons.size())),
        h_(description.options.timestep) {}

  void add_tendon(int t, const TendonRoute& route) {
    const TendonDescription& tendon = description_.tendons[t];
    const double l = route.length;
    const auto add = [&](TendonRow kind, double b, double g, double lo, double hi) {
      Row row;
      row.jacobian = route.jacobian;
      row.contributions = route.contributions;
      row.law = t;
      add_row(row, tendon_slot(t, kind), b, g, lo, hi);
    };

    // Passive: p = -h k_a e - h (d + h k_a) ldot_+   [P-23]
    const auto [e, k_a] = tendon_spring(tendon, world_.reference_length[t], l);
    const double D = tendon.damping + h_ * k_a;
    if (D > 0) add(TendonRow::kPassive, -k_a * e / D, 1 / (h_ * D), -kInfinity, kInfinity);

    // Drive: F = clamp(r - G ldot_+, lower, upper)   [P-26]
    const Drive drive = tendon_drive(world_, t, l, h_);
    const double weakest = tendon.actuation_lower, strongest = tendon.actuation_upper;
    if (!drive.is_valid) {
      list_.status |= PARAMETER_INVALID;
    } else if (drive.gain > 0) {
      add(TendonRow::kDrive, drive.demand / drive.gain, 1 / (h_ * drive.gain), h_ * weakest,
          h_ * strongest);
    } else {
      const double impulse = h_ * std::clamp(drive.demand, weakest, strongest);
      add(TendonRow::kDrive, 0, 0, impulse, impulse);
    }

    // Armature: p = a_t (ldot_n - h b_l - ldot_+)   [P-27]
    if (tendon.armature > 0) {
      add(TendonRow::kArmature, route.rate - h_ * route.curvature, 1 / tendon.armature, -kInfinity,
          kInfinity);
    }

    if (tendon.friction_loss > 0) {  // [P-30]
      add(TendonRow::kFriction, 0, tendon.friction_compliance / (h_ * h_),
          -h_ * tendon.friction_loss, h_ * tendon.friction_loss);
    }

    const double beta = tendon.position_correction;
    const double softness = tendon.limit_compliance / (h_ * h_);
    if (tendon.lower_limit == tendon.upper_limit) {  // [P-33]
      add(TendonRow::kUpper, beta * (tendon.upper_limit - l) / h_, softness, -kInfinity, kInfinity);
      return;
    }
    LimitTargets targets =
        limit_targets(l, tendon.lower_limit, tendon.upper_limit, tendon.limit_margin, beta, h_);
    resolve_conflict(tendon.limit_compliance, targets, list_.status);
    if (std::isfinite(targets.lower)) add(TendonRow::kLower, targets.lower, softness, 0, kInfinity);
    if (std::isfinite(targets.upper))
      add(TendonRow::kUpper, targets.upper, softness, -kInfinity, 0);
  }

  void add_joint_friction(int k) {  // [P-10]
    const JointDescription& joint = joint_of(k);
    if (joint.friction <= 0) return;
    add_joint_row(k, JointRow::kFriction, 0, joint.friction_compliance / (h_ * h_),
                  -h_ * joint.friction, h_ * joint.friction);
  }

  void add_joint_limits(int k) {  // [P-11]
    const JointDescription& joint = joint_of(k);
    const double q = world_.qpos[layout_.joint_qpos[layout_.dof_joint[k]]];
    const double L = joint.velocity_limit;
    const double softness = joint.limit_compliance / (h_ * h_);
    const double beta = joint.limit_correction;
    if (joint.lower == joint.upper) {
      add_joint_row(k, JointRow::kUpper, std::clamp(beta * (joint.upper - q) / h_, -L, L), softness,
                    -kInfinity, kInfinity);
      return;
    }
    LimitTargets targets = limit_targets(q, joint.lower, joint.upper, joint.limit_margin, beta, h_);
    resolve_conflict(joint.limit_compliance, targets, list_.status);
    // Clipped to the velocity limit, so that the two never fight.   [P-12]
    if (std::isfinite(targets.lower))
      add_joint_row(k, JointRow::kLower, std::clamp(targets.lower, -L, L), softness, 0, kInfinity);
    if (std::isfinite(targets.upper))
      add_joint_row(k, JointRow::kUpper, std::clamp(targets.upper, -L, L), softness, -kInfinity, 0);
  }

  void add_joint_velocity_limits(int k) {  // [P-12]
    const double L = joint_of(k).velocity_limit;
    if (!std::isfinite(L)) return;
    add_joint_row(k, JointRow::kVelocityLower, -L, 0, 0, kInfinity);
    add_joint_row(k, JointRow::kVelocityUpper, L, 0, -kInfinity, 0);
  }

  RowList take() { return std::move(list_); }

 private:
  const JointDescription& joint_of(int k) const {
    return description_.joints[layout_.dof_joint[k]];
  }

  void add_joint_row(int k, JointRow kind, double b, double g, double lo, double hi) {
    Row row;
    row.jacobian = VectorXd::Unit(layout_.nv, k);
    row.law = tendon_count_ + k;
    add_row(row, joint_slot(tendon_count_, k, kind), b, g, lo, hi);
  }

  void add_row(Row row, int slot, double b, double g, double lo, double hi) {
    row.target = b;
    row.softness = g;
    row.lower = lo;
    row.upper = hi;
    if (row.is_hard()) {  // [P-45]
      const double response = (row.jacobian.array().square() / diagonal_.array()).sum();
      row.softness = description_.options.hard_row_softness * response;
    }
    list_.rows.push_back(std::move(row));
    list_.slots.push_back(slot);
  }

  const Description& description_;
  const Layout& layout_;
  const World& world_;
  const VectorXd& diagonal_;
  const int tendon_count_;
  const double h_;
  RowList list_;
};

bool is_scalar(JointType type) { return type == JointType::kHinge || type == JointType::kSlide; }

}  // namespace

RowList assemble_rows(const Description& description, const Layout& layout, const World& world,
                      const std::vector<TendonRoute>& routes, const VectorXd& diagonal) {
  Assembler assembler(description, layout, world, diagonal);
  for (std::size_t t = 0; t < routes.size(); ++t)
    if (world.tendon_enabled[t]) assembler.add_tendon(static_cast<int>(t), routes[t]);
  std::vector<int> scalar;
  for (int k = 0; k < layout.nv; ++k)
    if (is_scalar(description.joints[layout.dof_joint[k]].type)) scalar.push_back(k);
  for (const int k : scalar) assembler.add_joint_friction(k);
  for (const int k : scalar) assembler.add_joint_limits(k);
  for (const int k : scalar) assembler.add_joint_velocity_limits(k);
  return assembler.take();
}

}  // namespace flexor::reference
