#pragma once
// What one ISA variant of the stage code offers: steps over tiles of worlds. Plain data and
// function pointers only, so that nothing compiled for one ISA leaks into another.

#include <cstdint>

#include "flexor/model/plan.hpp"
#include "flexor/state/batch_view.hpp"
#include "flexor/state/settings.hpp"

namespace flexor {

/// Work of one thread: tiles first_tile .. last_tile - 1.
struct TileJob {
  const PlanView* plan;
  const void* shared;     ///< constants: Scalar [scalar_count]
  const int* slot;        ///< [scalar_count]
  const void* per_world;  ///< Scalar
  const BatchView* batch;
  SolverSettings settings;
  const std::uint8_t* mask;  ///< [num_worlds] or null
  void* workspace;           ///< cells of this thread
  long first_tile, last_tile;
  int count;  ///< steps
  bool refresh;
  const std::uint8_t* wanted;  ///< reference lengths: tendons to measure
  double* mass_matrix;         ///< [world][nv][nv] or null
  double* bias;                ///< [world][nv] or null
};

struct TileKernels {
  const char* isa;
  int lanes;       ///< worlds of a tile
  int cell_bytes;  ///< bytes of one cell of the workspace
  void (*step)(const TileJob&);
  void (*measure_references)(const TileJob&);
  void (*dynamics)(const TileJob&);
  /// As step, adding the seconds of each stage, in the order of visit_step, then of the refresh.
  void (*profile)(const TileJob&, double* seconds);
};

}  // namespace flexor
