#pragma once
// The raw parameters of a batch: shared or per world, rounded to the batch's scalar, and what has
// been touched since the last commit. Those that come by `set` are judged before they are taken in;
// those that callers have written into views are taken in as they are, and judged then.   [E-2],
// [IA-4]

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "flexor/sim/backend.hpp"
#include "sim/parameter_views.hpp"

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
  /// [world][count], what views show.
  std::vector<double> get(const Parameter& parameter) const;

  /// A parameter, per world from now on, in memory that callers may write into.
  ArrayRef view(const Model& model, const Parameter& parameter);
  std::shared_ptr<void> view_storage() const { return views_.storage(); }
  /// Takes in what has been written into views for some worlds (all if empty).
  void take_written(const Model& model, std::span<const long> worlds);

  /// All values of another store of the same model and size (a checkpoint's), all touched.
  void replace(const Model& model, RawParameters raw);

  /// What a commit has to do.
  struct Touched {
    bool is_any = false;
    Bytes worlds;  ///< 1 = raw values changed
    /// Tendons (a byte each) whose geometry changed, and the worlds it changed in.
    std::map<Bytes, Bytes> geometry;
  };
  const Touched& touched() const { return touched_; }
  void clear_touched();

  /// Finds the worlds whose parameters cannot be used as they are, and what can.
  void settle(const Model& model);
  /// Such worlds, as of `settle` (a byte each; empty if there is none): with numbers out of their
  /// range, or where a tendon has one spring bound automatic and the other not, which is the only
  /// rule that two calls of `set` together have to satisfy, so that a world may be between the two
  /// when a step comes.
  const Bytes& invalid() const { return invalid_; }
  /// The raw parameters, as of `settle`, with the model's numbers in place of such and the rows and
  /// forces that these belong to left out.
  const RawParameters& usable() const { return invalid_.empty() ? raw_ : usable_; }
  /// act(world) for worlds with numbers out of their range.
  template <class Act>
  void each_out_of_range(Act&& act) const {
    for (const auto& [world, rows] : out_of_range_) act(world);
  }

 private:
  /// A number of one world: row of Model::parameters().
  struct Entry {
    int row;
    long world;
  };

  double rounded(double value) const;
  /// ConfigError naming the number if it cannot, or if a reason against it is given.
  void check_held(const std::string& name, std::span<const double> numbers,
                  std::string reason) const;
  std::vector<double>& promoted(int address);
  void show(const Parameter& parameter);
  bool take_entry(const Parameter& parameter, long world);
  bool is_legal(const Model& model, const Parameter& parameter, long world) const;
  void judge(const Model& model, std::span<const Entry> entries);
  void judge_again(const Model& model, long world);
  bool is_half_bounded(const Model& model, int tendon, long world) const;
  template <class Visit>
  void visit_half_bounded(const Model& model, Visit&& visit) const;
  void leave_out(const Model& model, ParameterKind kind, int element, long world);
  void check_pairs(const Model& model, const Parameter& parameter, std::span<const double> numbers,
                   std::span<const long> worlds) const;
  void touch(const Model& model, const Parameter& parameter, std::span<const long> worlds);

  long num_worlds_;
  bool is_float_;
  std::vector<double> nominal_;  ///< [address] the model's values as stored
  RawParameters raw_;
  ParameterViews views_;
  std::set<int> viewed_;  ///< rows of Model::parameters() that have views
  Touched touched_;
  std::map<long, std::set<int>> out_of_range_;  ///< world -> rows of Model::parameters()
  Bytes invalid_;
  RawParameters usable_;
};

/// First number of an element's parameter in the table.
int address_of(const Model& model, ParameterKind kind, int element);

/// Tendons (a byte each) whose length a parameter enters.
Bytes tendons_shaped_by(const Model& model, const Parameter& parameter);

}  // namespace flexor
