#pragma once
// Rows of tendons and joints: targets, softness, bounds.

#include "reference/route.hpp"
#include "reference/world.hpp"

namespace flexor::reference {

/// Rows of one world in row order, and the slot of `row_impulse` each belongs to.
struct RowList {
  std::vector<Row> rows;
  std::vector<int> slots;
  int status = 0;  ///< PARAMETER_INVALID, CONFLICTING_BOUNDS
};

int tendon_slot(int tendon, TendonRow row);
int joint_slot(int tendon_count, int dof, JointRow row);

/// Spring of a tendon at a length.
struct Spring {
  double extension = 0;  ///< e = l - clamp(l, spring_lower, spring_upper) [m]
  double stiffness = 0;  ///< k_a: 0 inside the slack interval [N/m]
};
/// NaN spring bounds stand for the reference length.   [P-28]
Spring tendon_spring(const TendonDescription& tendon, double reference_length, double length);

/// Drive of a tendon: F = clamp(demand - gain ldot_+, lower, upper).   [P-26]
struct Drive {
  double demand = 0;  ///< r
  double gain = 0;    ///< G
  bool is_valid = true;
};
Drive tendon_drive(const World& world, int tendon, double length, double h);

/// All rows of the world [P-46], tendon by tendon, then joint by joint. `diagonal` is that of M~
/// (for [P-45]).
RowList assemble_rows(const Description& description, const Layout& layout, const World& world,
                      const std::vector<TendonRoute>& routes, const VectorXd& diagonal);

}  // namespace flexor::reference
