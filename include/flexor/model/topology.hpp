#pragma once
// Which description element stands on which body: the part of a Description that derive_constants
// needs besides numbers. Host code only.

#include <vector>

#include "flexor/math/spatial.hpp"
#include "flexor/model/description.hpp"

namespace flexor {

struct Topology {
  std::vector<int> body_parent, joint_body, site_body;
  std::vector<int> element_site, element_body, side_site, side_body;  ///< [path element], -1 = none
  std::vector<char> element_is_cylinder;
  std::vector<char> may_have_mass;  ///< [body] mass or inertia in some world

  explicit Topology(const Description& d) {
    for (const auto& b : d.bodies) {
      body_parent.push_back(b.parent.index);
      bool has = b.mass > 0;
      for (const double x : b.inertia) has = has || x != 0;
      may_have_mass.push_back(has);
    }
    for (const auto& j : d.joints) joint_body.push_back(j.body.index);
    for (const auto& s : d.sites) site_body.push_back(s.body.index);
    for (const auto& t : d.tendons) {
      for (const auto& e : t.path) {
        element_site.push_back(e.site.is_set() ? e.site.index : -1);
        element_body.push_back(e.body.index < 0 ? -1 : e.body.index);
        side_site.push_back(e.side_site.is_set() ? e.side_site.index : -1);
        side_body.push_back(e.side_body.index < 0 ? -1 : e.side_body.index);
        element_is_cylinder.push_back(e.type == ElementType::kCylinder);
      }
    }
  }
};

}  // namespace flexor
