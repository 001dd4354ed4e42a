#pragma once
// The raw parameters of a batch: shared or per world, rounded to the batch's scalar, judged before
// they are taken in, and what has been touched since the last commit.   [E-2], [IA-4]

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/sim/backend.hpp"

namespace flexor {

/// A byte per world, or per tendon.
using Bytes = std::vector<std::uint8_t>;

/// Whether a batch's scalar has some of numbers that belong together: no finite one becomes
/// infinite, and they do not all become 0.
bool can_hold(std::span<const double> numbers, bool is_float);

class ParameterStore {
 public:
  /// Nominal values, with those of `idle` in place. ConfigError if the scalar cannot hold one.
  ParameterStore(const Model& model, long num_worlds, bool is_float,
                 const std::vector<std::pair<int, double>>& idle);

  const RawParameters& raw() const { return raw_; }

  /// Simulation::set_parameter. Strong guarantee: an exception leaves everything as it was.
  void set(const Model& model, std::string_view name, std::span<const double> values,
           std::span<const long> worlds);
  /// [world][count]
  std::vector<double> get(const Parameter& parameter) const;

  /// All values of another store of the same model and size (a checkpoint's), all touched.
  void replace(RawParameters raw);

  /// What a commit has to do.
  struct Touched {
    bool is_any = false;
    Bytes worlds;  ///< 1 = raw values changed
    /// Tendons (a byte each) whose geometry changed, and the worlds it changed in.
    std::map<Bytes, Bytes> geometry;
  };
  const Touched& touched() const { return touched_; }
  void clear_touched();

  /// Worlds (a byte each; empty if there is none) where a tendon has one spring bound automatic and
  /// the other not: the only rule that two calls together have to satisfy, so that a world may be
  /// between the two when a step comes.
  Bytes half_bounded(const Model& model) const;
  /// The raw parameters with the spring and damper of such tendons left out in such worlds.
  RawParameters without_half_bounded(const Model& model) const;

 private:
  double rounded(double value) const;
  /// ConfigError naming the number if it cannot, or if a reason against it is given.
  void check_held(const std::string& name, std::span<const double> numbers,
                  std::string reason) const;
  bool is_half_bounded(const Model& model, int tendon, long world) const;
  void check_pairs(const Model& model, const Parameter& parameter, std::span<const double> numbers,
                   std::span<const long> worlds) const;
  void touch(const Model& model, const Parameter& parameter, std::span<const long> worlds);

  long num_worlds_;
  bool is_float_;
  RawParameters raw_;
  Touched touched_;
};

/// Tendons (a byte each) whose length a parameter enters.
Bytes tendons_shaped_by(const Model& model, const Parameter& parameter);

}  // namespace flexor
