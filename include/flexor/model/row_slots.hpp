#pragma once
// The row slots of a world, fixed at finalize.   [P-46]

namespace flexor {

/// Row slots in `row_impulse`: six per tendon, then five per velocity coordinate [P-46].
enum class TendonRow { kPassive, kDrive, kArmature, kFriction, kLower, kUpper };
enum class JointRow { kFriction, kLower, kUpper, kVelocityLower, kVelocityUpper };
inline constexpr int kTendonRowCount = 6;
inline constexpr int kJointRowCount = 5;

}  // namespace flexor
