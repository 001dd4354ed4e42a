#pragma once
// Choices of a model that stages see as whole numbers.

namespace flexor {

enum class JointType : int { kHinge, kSlide, kBall, kFree };

/// Which side of a guide a tendon takes when it has a side site.
enum class SideMode : int { kAuto, kExterior, kInterior };

}  // namespace flexor
