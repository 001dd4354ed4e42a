#pragma once
// What is reported, and for when.

#include "reference/joint_terms.hpp"
#include "reference/route.hpp"
#include "reference/world.hpp"

namespace flexor::reference {

/// World status bits that the bits of a route raise.  
int world_status(int route_status);

/// What a step has found out when its impulses are solved.
struct StepResult {
  const Description& description;
  const Layout& layout;
  const std::vector<TendonRoute>& routes;
  const JointTerms& terms;
  const std::vector<int>& slots;  ///< of the rows of `solution`
  const Solution& solution;
};

/// S fields, row impulses and the status bits of the solve. world.qvel is still v_n.
void write_step_report(const StepResult& result, World& world);

/// G fields at the present q, v.
void write_geometry_report(const Description& description, const Layout& layout, World& world);

}  // namespace flexor::reference
