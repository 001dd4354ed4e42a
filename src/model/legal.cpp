#include "model/legal.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "model/findings.hpp"
#include "model/parameter_table.hpp"

namespace flexor {

const char* legal_text(Legal legal) {
  switch (legal) {
    case Legal::kFinite:
      return "finite";
    case Legal::kNonNegative:
      return "finite, >= 0";
    case Legal::kPositive:
      return "finite, > 0";
    case Legal::kPositiveInf:
      return "> 0 (inf allowed)";
    case Legal::kUnit:
      return "0 to 1";
    case Legal::kBound:
      return "a number or an infinity, not nan";
    case Legal::kSpringBound:
      return "a number, an infinity, or nan for both bounds (automatic)";
    case Legal::kDirection:
      return "finite, not the zero vector";
    case Legal::kQuaternion:
      return "finite, norm >= 1e-9";
    case Legal::kInertia:
      return "positive semidefinite, principal moments with A + B >= C";
  }
  return "";
}

std::string illegal_inertia(std::span<const double> inertia) {
  for (const double number : inertia)
    if (!std::isfinite(number)) return "legal: finite numbers";
  Eigen::Matrix3d matrix;
  matrix << inertia[0], inertia[3], inertia[4],  //
      inertia[3], inertia[1], inertia[5],        //
      inertia[4], inertia[5], inertia[2];
  const double scale = matrix.cwiseAbs().maxCoeff();
  if (scale == 0) return {};
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix / scale, Eigen::EigenvaluesOnly)
          .eigenvalues() *
      scale;
  const std::string text = "principal moments " + number_text({moments.data(), 3});
  if (moments[0] < -1e-9 * scale)
    return text + "; legal: positive semidefinite (no negative moment)";
  if (moments[0] + moments[1] < moments[2] * (1 - 1e-6))
    return text + "; legal: the two smaller ones add up to at least the largest";
  return {};
}

std::string illegal_reason(Legal legal, std::span<const double> values) {
  const auto each = [&](auto&& is_legal) {
    return std::all_of(values.begin(), values.end(), is_legal);
  };
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  const bool is_finite = each([](double x) { return std::isfinite(x); });
  bool is_legal = true;
  switch (legal) {
    case Legal::kFinite:
      is_legal = is_finite;
      break;
    case Legal::kNonNegative:
      is_legal = is_finite && each([](double x) { return x >= 0; });
      break;
    case Legal::kPositive:
      is_legal = is_finite && each([](double x) { return x > 0; });
      break;
    case Legal::kPositiveInf:
      is_legal = each([](double x) { return x > 0; });
      break;
    case Legal::kUnit:
      is_legal = each([](double x) { return x >= 0 && x <= 1; });
      break;
    case Legal::kBound:
      is_legal = each([](double x) { return !std::isnan(x); });
      break;
    case Legal::kSpringBound:
      break;
    case Legal::kDirection: {
      // Squares must neither vanish nor overflow: whoever normalises divides by their root.
      double square = 0;
      for (const double value : values) square += value * value;
      is_legal = is_finite && square > 1e-30 && std::isfinite(square);
      break;
    }
    case Legal::kQuaternion: {
      double square = 0;
      for (const double value : values) square += value * value;
      is_legal = is_finite && std::sqrt(square) >= kLeastQuaternionNorm && std::isfinite(square);
      break;
    }
    case Legal::kInertia:
      return illegal_inertia(values);
  }
  return is_legal ? std::string() : std::string("legal: ") + legal_text(legal);
}

Quatd unit_quaternion(const Quatd& quat) {
  const double square = quat.w * quat.w + quat.x * quat.x + quat.y * quat.y + quat.z * quat.z;
  if (std::abs(square - 1) <= 4e-15) return quat;  // a normalised one keeps its bits
  const double norm = std::sqrt(square);
  return {quat.w / norm, quat.x / norm, quat.y / norm, quat.z / norm};
}

const BoundPair kBoundPairs[5] = {
    {ParameterKind::joint_effort_lower, ParameterKind::joint_effort_upper, ParameterKind::kCount,
     false, false},
    {ParameterKind::joint_lower, ParameterKind::joint_upper, ParameterKind::kCount, false, true},
    {ParameterKind::tendon_spring_lower, ParameterKind::tendon_spring_upper, ParameterKind::kCount,
     true, false},
    {ParameterKind::tendon_lower_limit, ParameterKind::tendon_upper_limit,
     ParameterKind::tendon_limit_margin, false, true},
    {ParameterKind::tendon_actuation_lower, ParameterKind::tendon_actuation_upper,
     ParameterKind::kCount, false, false},
};

PairFault check_pair(const BoundPair& pair, double lower, double upper, double margin) {
  const std::string low = info(pair.lower).name, high = info(pair.upper).name;
  const std::string both = low + " " + number_text(lower) + ", " + high + " " + number_text(upper);
  if (std::isnan(lower) || std::isnan(upper)) {
    if (pair.may_be_automatic && std::isnan(lower) && std::isnan(upper)) return {};
    return {"out-of-range", both + (pair.may_be_automatic ? "; legal: both nan (automatic) or none"
                                                          : "; legal: not nan")};
  }
  if (lower > upper)
    return {"range-order", both + "; legal: " + low + " <= " + high +
                               (pair.is_lock_when_equal ? " (equal = lock)" : "")};
  if (lower == kInfinity || upper == -kInfinity)
    return {"out-of-range", both + "; legal: " + low + " < inf, " + high + " > -inf"};
  const bool is_finite = std::isfinite(lower) && std::isfinite(upper);
  if (pair.margin != ParameterKind::kCount && is_finite && lower != upper &&
      2 * margin > upper - lower)
    return {"out-of-range", std::string(info(pair.margin).name) + " " + number_text(margin) +
                                " with " + both + "; legal: at most half their distance, " +
                                number_text((upper - lower) / 2)};
  return {};
}

std::string illegal_pair_reason(const Description& description, const Parameter& parameter,
                                const std::function<double(ParameterKind)>& value_of) {
  const ParameterKind kind = parameter.kind;
  const bool is_ball = info(kind).owner == Owner::kJoint &&
                       description.joints[parameter.element].type == JointType::kBall;
  if (is_ball && kind == ParameterKind::joint_upper)
    return value_of(kind) > 0 ? std::string() : "legal: cone angle > 0 (inf allowed)";
  for (const BoundPair& pair : kBoundPairs) {
    if (kind != pair.lower && kind != pair.upper && kind != pair.margin) continue;
    const double lower = value_of(pair.lower), upper = value_of(pair.upper);
    // The two spring bounds can only be set one after the other, so one number beside one nan must
    // pass here; a step with it reports PARAMETER_INVALID.
    if (pair.may_be_automatic && std::isnan(lower) != std::isnan(upper)) continue;
    const double margin = pair.margin == ParameterKind::kCount ? 0 : value_of(pair.margin);
    const PairFault fault = check_pair(pair, lower, upper, margin);
    if (fault.is_fault()) return fault.text;
  }
  return {};
}

}  // namespace flexor
