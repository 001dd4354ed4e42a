#pragma once
// Keyframes against the coordinates of the model.

#include "flexor/model/description.hpp"
#include "flexor/model/model.hpp"
#include "model/findings.hpp"

namespace flexor {

/// First coordinates and counts in q and v: joints in order, hinge and slide 1/1, ball 4/3, free
/// 7/6 (position, quaternion w x y z).
struct Coordinates {
  int nq = 0, nv = 0;
  std::vector<Model::Slice> qpos, qvel;  ///< [joint]
};
Coordinates lay_out(const Description& description);

/// q at the reference pose: ref, identity, authored pose of free bodies.   [MF-4]
std::vector<double> reference_configuration(const Description& description,
                                            const Coordinates& coordinates);

/// wrong-count: lengths nq and nv (or empty), quaternions that are not zero; these are normalised.
void check_keyframes(Description& description, const Coordinates& coordinates, Findings& findings);

}  // namespace flexor
