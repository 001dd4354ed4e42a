#pragma once
// What finalize computes from the reference pose: joint-space inertia, reference lengths, and the
// numbers that MJCF states relative to the mass behind a row.

#include <vector>

#include "flexor/model/description.hpp"
#include "model/findings.hpp"

namespace flexor {

/// massless-body: every pivot of the joint-space inertia at the reference pose must exceed 1e-12 of
/// its own diagonal entry.   [P-3]
void check_joint_space_inertia(const Description& description, Findings& findings);

/// Fills in, for a description without errors:
/// - stiffness and damping of joints with a spring time and damping ratio [MF-15],
/// - compliances and corrections of limits and friction written as softness [MF-18] to [MF-20],
/// - spring references that mean the length with all joints at rest.
/// Deriving a second time changes nothing.
void derive_numbers(Description& description, Findings& findings);

/// Length at the reference pose, or the number the file gives, of every tendon [m].  
std::vector<double> derive_reference_lengths(const Description& description);

}  // namespace flexor
