#pragma once
// Masses and inertias of primitive solids, and their sum over a body.   [MF-14]

#include <array>
#include <vector>

#include "io/mjcf_pose.hpp"

namespace flexor::io {

/// Mass [kg], centre of mass [m] and inertia about it [kg m^2] (xx yy zz xy xz yz), all in the
/// frame of the body.
struct MassProperties {
  double mass = 0;
  Vec3d com;
  std::array<double, 6> inertia{};
};

/// Volume [m^3] of a solid; 0 for planes, meshes and none. `size` as in GeomDescription.
double volume(GeomType type, const Vec3d& size);
/// Surface area [m^2] (ellipsoid: Thomsen's formula, p = 1.6075, within 1.1 %).
double area(GeomType type, const Vec3d& size);
/// Principal moments of a solid of that mass about its own axes.
Vec3d moments(GeomType type, const Vec3d& size, double mass);

/// R diag(moments) R^T.
std::array<double, 6> rotated_inertia(const Quatd& quat, const Vec3d& moments);
/// R I R^T.
std::array<double, 6> rotated_inertia(const Quatd& quat, const std::array<double, 6>& inertia);

/// Sum of parts by the parallel axis theorem.
MassProperties sum(const std::vector<MassProperties>& parts);

/// Principal moments and axes of a symmetric matrix (Jacobi rotations).
struct PrincipalAxes {
  Vec3d moments;
  Mat3<double> axes;  ///< columns
};
PrincipalAxes principal_axes(const std::array<double, 6>& inertia);
/// Inertia from principal moments and axes.
std::array<double, 6> from_principal(const PrincipalAxes& principal);

/// Whether the moments could belong to a body: none negative, A + B >= C, to 1e-6 relative.
bool is_physical(const Vec3d& moments);

}  // namespace flexor::io
