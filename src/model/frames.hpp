#pragma once
// Where the bodies stand in the drawing: the reference pose [MF-4].

#include <vector>

#include "flexor/model/description.hpp"

namespace flexor {

struct Frame {
  Vec3d origin;  ///< [m], world
  Quatd quat;    ///< body axes in the world

  Vec3d rotate(const Vec3d& v) const { return to_matrix(quat) * v; }
  Vec3d apply(const Vec3d& p) const { return origin + rotate(p); }
};

class Frames {
 public:
  /// Bodies must be sorted, quaternions normalised.
  explicit Frames(const std::vector<BodyDescription>& bodies) {
    frames_.reserve(bodies.size());
    for (const BodyDescription& body : bodies) {
      const Frame& parent = of(body.parent.index);
      frames_.push_back({parent.apply(body.pos), parent.quat * body.quat});
    }
  }
  const Frame& of(int body) const { return body == kWorld ? world_ : frames_[body]; }

 private:
  Frame world_;
  std::vector<Frame> frames_;
};

}  // namespace flexor
