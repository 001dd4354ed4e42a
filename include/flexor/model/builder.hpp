#pragma once
// The one road into a Model: loaders and users fill a Description through a builder, finalize
// judges it. Host code only.

#include <functional>
#include <string_view>

#include "flexor/model/model.hpp"

namespace flexor {

struct FinalizeOptions {
  int max_problems = 20;          ///< problems shown in the error text; 0 = all
  Report report;                  ///< what the loader already knows; findings are added
  std::vector<Problem> problems;  ///< errors the loader already found: reported together, sorted
  /// Where the attribute stands that a finding of finalize is about; empty = the finding's own
  /// place.
  std::function<Source(const Problem&)> locate;
};

class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name = "model", double timestep = 0.002);
  explicit ModelBuilder(Description description) : description_(std::move(description)) {}

  // Each add_* checks its own numbers at once (ModelError, builder unchanged), gives a missing name
  // the next free <kind>_<index>, and returns the index of the new element.
  int add_body(BodyDescription body);
  int add_joint(JointDescription joint);
  int add_site(SiteDescription site);
  int add_geom(GeomDescription geom);
  int add_tendon(TendonDescription tendon);
  int add_keyframe(KeyframeDescription keyframe);
  void add_inert(InertElement element);
  /// Model option by name [IA-10]. ConfigError naming option, value and legal set.
  void set_option(std::string_view name, double value);
  void set_option(std::string_view name, std::string_view value);
  void set_option(std::string_view name, const Vec3d& value);

  /// For loaders: direct access, checked by finalize.
  Description& description() { return description_; }
  const Description& description() const { return description_; }

  /// Checks everything (names, ranges, trees, paths), resolves references, compiles.
  /// ModelError with all problems; the builder stays usable.
  Model finalize(const FinalizeOptions& options = {}) const;

 private:
  Description description_;
};

/// A model or a builder as bytes and back, for copies in other processes: the model that comes back
/// has the same hash and report. ConfigError for other bytes.
std::string to_bytes(const Model& model);
Model model_from_bytes(std::string_view bytes);
std::string to_bytes(const ModelBuilder& builder);
ModelBuilder builder_from_bytes(std::string_view bytes);

}  // namespace flexor
