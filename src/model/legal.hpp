#pragma once
// Legal ranges of single numbers and of pairs of bounds.

#include <string>

#include "flexor/model/model.hpp"

namespace flexor {

/// Why a symmetric matrix xx yy zz xy xz yz is no inertia: not finite, not positive semidefinite,
/// or principal moments with A + B < C by more than 1e-6 relative; empty if it is one.
std::string illegal_inertia(std::span<const double> inertia);

/// Two bounds of one element and what must hold between them.
struct BoundPair {
  ParameterKind lower, upper;
  ParameterKind margin;     ///< 2 margin must fit between finite, different bounds; kCount = none
  bool may_be_automatic;    ///< both NaN = automatic
  bool is_lock_when_equal;  ///< equal bounds must then be finite
};
extern const BoundPair kBoundPairs[5];

/// Why bounds do not go together, naming both and their values; empty if they do.
struct PairFault {
  std::string code, text;  ///< "range-order", "out-of-range"
  bool is_fault() const { return !code.empty(); }
};
PairFault check_pair(const BoundPair& pair, double lower, double upper, double margin);

/// Norm of a quaternion below which it has no direction.
inline constexpr double kLeastQuaternionNorm = 1e-9;

}  // namespace flexor
