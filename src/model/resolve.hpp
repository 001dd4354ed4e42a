#pragma once
// From names to indices, and bodies into tree order.

#include "flexor/model/description.hpp"
#include "model/findings.hpp"

namespace flexor {

/// Duplicate names within one kind; the second and later ones are the findings.
void check_duplicates(const Description& description, Findings& findings);

/// Turns every Reference into an index (its name is kept or filled in for reading). A reference
/// that cannot be resolved is a finding and becomes the world, or stays unset. Guides that name a
/// geom get its type, body, place and radius; elements that name a site get its body.
/// `has_bad_element` [tendon] is set where an element of the path fails.
void resolve_references(Description& description, std::vector<char>& has_bad_element,
                        Findings& findings);

/// Gives a guide the type, body, place, radius and axis of a geom (a cylinder is infinite, its axis
/// the geom's z); false for geoms that are no sphere or cylinder, which change nothing.
bool take_geom(PathElement& element, const GeomDescription& geom);

/// Parents before children, otherwise in the order given; then joints in the order of their bodies.
/// A body that is its own ancestor is a finding and hangs on the world afterwards. No recursion.
void sort_bodies(Description& description, Findings& findings);

/// Index of the nearest ancestor (or the body itself) that has a joint, per body; kWorld if none.
/// Bodies must be sorted.
std::vector<int> moving_ancestors(const Description& description);

}  // namespace flexor
