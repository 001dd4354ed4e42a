#pragma once
// Where every number of the one list (flexor/model/parameters.hpp) stands in a Description, and at
// which address it stands in the table of raw parameter values.

#include <string>
#include <type_traits>
#include <vector>

#include "flexor/model/model.hpp"

namespace flexor {

template <class Description>
constexpr Owner owner_of() {
  using Plain = std::remove_const_t<Description>;
  if constexpr (std::is_same_v<Plain, OptionsDescription>) return Owner::kOption;
  if constexpr (std::is_same_v<Plain, BodyDescription>) return Owner::kBody;
  if constexpr (std::is_same_v<Plain, SiteDescription>) return Owner::kSite;
  if constexpr (std::is_same_v<Plain, JointDescription>) return Owner::kJoint;
  if constexpr (std::is_same_v<Plain, TendonDescription>) return Owner::kTendon;
  if constexpr (std::is_same_v<Plain, PathElement>) return Owner::kElement;
}

/// visit(kind, pointer to the first of info(kind).count numbers) for every kind that the owner of
/// `o` has, whether or not it makes sense for this element.
template <class OwnerDescription, class Visit>
void visit_numbers(OwnerDescription& o, Visit&& visit) {
#define X(kind, owner, name, count, unit, legal, member) \
  if constexpr (owner_of<OwnerDescription>() == Owner::owner) visit(ParameterKind::kind, &(member));
  FLEXOR_PARAMETERS(X)
#undef X
}

/// Whether a kind makes sense for an element: radii belong to guides, axes to cylinders, rest
/// quaternions to ball joints; a free joint has none. The number of an element that names a site
/// is the site's.
inline bool has_parameter(ParameterKind, const OptionsDescription&) { return true; }
inline bool has_parameter(ParameterKind, const BodyDescription&) { return true; }
inline bool has_parameter(ParameterKind, const SiteDescription&) { return true; }
inline bool has_parameter(ParameterKind, const TendonDescription&) { return true; }
bool has_parameter(ParameterKind kind, const JointDescription& joint);
bool has_parameter(ParameterKind kind, const PathElement& element);

/// Number of elements of one owner kind; path elements are counted over all tendons.
int element_count(const Description& description, Owner owner);

/// First address of a kind in the table of raw values: address = offset + element * count. Every
/// element of the owner has a slot, also where the kind makes no sense for it.
int parameter_offset(const Description& description, ParameterKind kind);

/// Size of the table of raw values.
int parameter_scalars(const Description& description);

/// Rows of all parameters that make sense, kind by kind.
std::vector<Parameter> list_parameters(const Description& description);

/// Nominal raw values [address]; slots that make no sense hold the description's number too.
std::vector<double> nominal_values(const Description& description);

/// Names and aliases (an element that names a site answers with the site's pos) -> row.
std::unordered_map<std::string, int> parameter_rows(const Description& description,
                                                    const std::vector<Parameter>& parameters);

/// "finite, > 0" ...
const char* legal_text(Legal legal);

}  // namespace flexor
