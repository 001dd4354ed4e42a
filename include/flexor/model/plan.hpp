#pragma once
// Topology as the stages see it (written next).
namespace flexor {
struct Plan {
  int nq = 0, nv = 0;
};
}  // namespace flexor
