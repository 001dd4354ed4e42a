#pragma once
// A tendon's path as a scalar coordinate: length, rate, gradient.

#include <vector>

#include "reference/guide.hpp"
#include "reference/mechanics.hpp"

namespace flexor::reference {

/// One point at which the path acts: a force F on the tendon puts F gradient there.  , [R-4]
struct PointGradient {
  int body = kWorld;
  Vector3 point = Vector3::Zero();     ///< world [m]
  Vector3 gradient = Vector3::Zero();  ///< dl/dx, branch divisor included
};

/// One joint term of the path.  
struct JointGradient {
  int joint = 0, dof = 0;
  double gradient = 0;  ///< coefficient / divisor
};

/// One guide, in path order; points in world coordinates.
struct GuideResult {
  int element = 0;
  GuideWrap wrap;
};

struct TendonRoute {
  double length = 0;       ///< [m]
  double rate = 0;         ///< J v [m/s]
  double curvature = 0;    ///< b_l [m/s^2]; an engaged guide adds nothing yet
  VectorXd jacobian;       ///< J, one entry per dof
  VectorXd contributions;  ///< [nv] sum of the magnitudes that add up to each entry of J [P-44]
  int status = 0;          ///< bits of RouteStatus
  std::vector<double> branch_length;   ///< s_b, not divided
  std::vector<double> branch_divisor;  ///< d_b
  std::vector<GuideResult> guides;
  std::vector<PointGradient> points;
  std::vector<JointGradient> joints;
};

TendonRoute route_tendon(const Description& description, const Layout& layout,
                         const Kinematics& kin, const VectorXd& q, const VectorXd& v, int tendon);

/// Lengths of all tendons at the reference pose.  
std::vector<double> reference_lengths(const Description& description);

}  // namespace flexor::reference
