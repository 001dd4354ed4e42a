#pragma once
// The compiled, immutable model. Copies share one object. Host code only.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flexor/io/report.hpp"
#include "flexor/model/description.hpp"
#include "flexor/model/host_plan.hpp"
#include "flexor/model/parameters.hpp"

namespace flexor {

/// One named parameter of a model: a row of model.parameters().
struct Parameter {
  std::string name;  ///< e.g. "tendon/flexor/route/2/radius"
  ParameterKind kind;
  int element = 0;  ///< joint, tendon ... index; path elements are numbered over all tendons
  int address = 0;  ///< first scalar in the table of raw parameter values
};

class Model {
 public:
  const Description& description() const { return data_->description; }
  const Plan& plan() const { return data_->plan; }
  const Report& report() const { return data_->report; }
  const std::vector<Parameter>& parameters() const { return data_->parameters; }

  int nq() const { return data_->plan.nq; }
  int nv() const { return data_->plan.nv; }
  double timestep() const { return data_->description.options.timestep; }

  /// Names of one kind: "body" "joint" "site" "geom" "tendon" "keyframe". ConfigError if unknown.
  std::vector<std::string> names(std::string_view kind) const;
  /// Index of a named element. UnknownNameError with the nearest names.
  int index(std::string_view kind, std::string_view name) const;
  /// Parameter by path name. UnknownNameError with the nearest names. An element that names a site
  /// answers to route/<i>/pos with that site's pos.
  const Parameter& parameter(std::string_view name) const;

  /// Nominal raw values of all parameters, [address].
  const std::vector<double>& nominal() const { return data_->nominal; }
  /// First coordinate and count of a joint in q and in v.
  struct Slice {
    int first = 0, count = 0;
  };
  Slice qpos_slice(int joint) const { return data_->qpos_slices[joint]; }
  Slice qvel_slice(int joint) const { return data_->qvel_slices[joint]; }
  /// q at the reference pose [MF-4].
  const std::vector<double>& qpos0() const { return data_->qpos0; }
  /// Reference length of a tendon in float64, for reading; a batch computes its own.
  double reference_length(int tendon) const { return data_->reference_lengths[tendon]; }

  /// The same model with another report.
  Model with_report(Report report) const;

  struct Data {
    Description description;  ///< every reference resolved to an index
    Plan plan;
    Report report;
    std::vector<Parameter> parameters;
    std::vector<double> nominal;
    std::vector<Slice> qpos_slices, qvel_slices;
    std::vector<double> qpos0;
    std::vector<double> reference_lengths;
    std::unordered_map<std::string, int> parameter_rows;  ///< names and aliases -> parameters
  };
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const Data> data_;
};

/// Description in which the raw parameter values (all scalars, [address]) of one world stand in
/// place of the nominal ones: what the reference path computes from.
Description with_parameters(const Model& model, std::span<const double> values);

/// "value is outside ...": empty if `values` (count of the kind) are legal, else what is legal.
std::string illegal_reason(Legal legal, std::span<const double> values);

/// Orders between bounds of one element and one world (lower <= upper, margins that fit, both
/// spring bounds automatic or none): empty if they hold, else what is violated. `value_of` gives
/// the value of a scalar parameter kind of the same element, with the new value already in place.
std::string illegal_pair_reason(const Description& description, const Parameter& parameter,
                                const std::function<double(ParameterKind)>& value_of);

/// Unit quaternion (w, x, y, z) along `quat`, whose norm is >= 1e-9; an already normalised one
/// keeps its bits. Everybody who takes in a quaternion uses this, so that all ways in give the same
/// bits.
Quatd unit_quaternion(const Quatd& quat);

/// First 32 hex digits of SHA-256 over every number and name of the description [IA-1]; where the
/// model was written (files, lines) does not enter.
std::string model_hash(const Model& model);

}  // namespace flexor
