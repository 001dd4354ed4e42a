#include "model/own_checks.hpp"

#include <cmath>

#include "model/legal.hpp"
#include "model/parameter_table.hpp"

namespace flexor {
namespace {

/// A name as it may stand in a message: one line, not endless.
std::string shown(const std::string& name) {
  static const char* const digits = "0123456789abcdef";
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text += "\\x";
      text += digits[byte >> 4];
      text += digits[byte & 15];
    } else {
      text += c;
    }
    if (text.size() >= 64) return text + "...";
  }
  return text;
}

/// Length of the UTF-8 sequence at `i`, 0 if there is none.
std::size_t utf8_length(const std::string& text, std::size_t i) {
  const auto at = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
  };
  const auto follows = [&](std::size_t k, unsigned low = 0x80, unsigned high = 0xbf) {
    return at(k) >= low && at(k) <= high;
  };
  const unsigned lead = at(i);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(i + 1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    // No overlong forms, no surrogates.
    const bool second = follows(i + 1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf);
    return second && follows(i + 2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool second = follows(i + 1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf);
    return second && follows(i + 2) && follows(i + 3) ? 4 : 0;
  }
  return 0;
}

const char* code_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::body_mass:
    case ParameterKind::body_inertia:
      return "bad-inertia";
    case ParameterKind::element_radius:
      return "bad-radius";
    case ParameterKind::element_divisor:
      return "bad-divisor";
    default:
      return "out-of-range";
  }
}

void check_name(const Subject& subject, const std::string& name, Findings& findings) {
  const std::string reason = illegal_name(name);
  if (!reason.empty()) findings.error(subject, "bad-name", "name", shown(name), reason);
}

void check_number(const Subject& subject, const char* attribute, double value, Legal legal,
                  Findings& findings, const char* code = "out-of-range") {
  const std::string reason = illegal_reason(legal, {&value, 1});
  if (!reason.empty())
    findings.error(subject, code, attribute, number_text(value),
                   std::string(attribute) + " " + number_text(value) + "; " + reason);
}

void check_vector(const Subject& subject, const char* attribute, std::span<const double> values,
                  Legal legal, Findings& findings) {
  const std::string reason = illegal_reason(legal, values);
  if (!reason.empty())
    findings.error(subject, "out-of-range", attribute, number_text(values),
                   std::string(attribute) + " " + number_text(values) + "; " + reason);
}

/// Every number of the parameter list that makes sense for this element.
template <class Owned>
void check_parameters(const Subject& subject, const Owned& owned, Findings& findings) {
  visit_numbers(owned, [&](ParameterKind kind, const double* number) {
    if (!has_parameter(kind, owned)) return;
    const ParameterInfo& row = info(kind);
    const std::span<const double> values(number, row.count);
    const std::string reason = illegal_reason(row.legal, values);
    if (reason.empty()) return;
    findings.error(subject, code_of(kind), row.name, number_text(values),
                   std::string(row.name) + " " + number_text(values) + "; " + reason);
  });
}

template <class Owned>
double value_in(const Owned& owned, ParameterKind wanted) {
  double value = 0;
  visit_numbers(owned, [&](ParameterKind kind, const double* number) {
    if (kind == wanted) value = *number;
  });
  return value;
}

/// Bounds of one element against each other; bounds already found illegal are left alone.
template <class Owned>
void check_pairs(const Subject& subject, const Owned& owned, Findings& findings) {
  for (const BoundPair& pair : kBoundPairs) {
    if (info(pair.lower).owner != owner_of<Owned>()) continue;
    if (!has_parameter(pair.lower, owned) || !has_parameter(pair.upper, owned)) continue;
    const double lower = value_in(owned, pair.lower), upper = value_in(owned, pair.upper);
    if (!pair.may_be_automatic && (std::isnan(lower) || std::isnan(upper))) continue;
    const double margin = pair.margin == ParameterKind::kCount ? 0 : value_in(owned, pair.margin);
    const PairFault fault = check_pair(pair, lower, upper, margin);
    if (fault.is_fault())
      findings.error(subject, fault.code, info(pair.lower).name,
                     number_text(lower) + " " + number_text(upper), fault.text);
  }
}

/// solref and solimp of a softness that is to be mapped.   [MF-18]
void check_softness(const Subject& subject, const char* prefix, const Softness& softness,
                    Findings& findings) {
  if (!softness.is_written) return;
  const std::string ref = std::string(prefix) + "solref", imp = std::string(prefix) + "solimp";
  const double first = softness.solref[0], second = softness.solref[1];
  const std::span<const double> solref(softness.solref), solimp(softness.solimp);
  const bool is_direct = first <= 0 && second <= 0 && (first < 0 || second < 0);
  if (!std::isfinite(first) || !std::isfinite(second) || !((first > 0 && second > 0) || is_direct))
    findings.error(subject, "unsupported-value", ref, number_text(solref),
                   ref + " " + number_text(solref) +
                       "; legal: time constant and damping ratio, both > 0, or minus stiffness "
                       "and minus damping, both <= 0 and not both 0");
  if (!illegal_reason(Legal::kFinite, solimp).empty())
    findings.error(subject, "out-of-range", imp, number_text(solimp),
                   imp + " " + number_text(solimp) + "; legal: finite");
}

void refuse(const Subject& subject, const char* attribute, const std::string& value,
            const std::string& why, Findings& findings) {
  findings.error(subject, "out-of-range", attribute, value,
                 std::string(attribute) + " " + value + ": " + why);
}

}  // namespace

std::string illegal_name(const std::string& name) {
  if (name.empty()) return "empty name; legal: 1 to 1024 bytes";
  if (name.size() > 1024)
    return "name of " + std::to_string(name.size()) + " bytes; legal: 1 to 1024 bytes";
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = utf8_length(name, i);
    if (length == 0) return "name is not UTF-8 at byte " + std::to_string(i);
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool is_c1 = byte == 0xc2 && static_cast<unsigned char>(name[i + 1]) < 0xa0;
    if (byte < 0x20 || byte == 0x7f || is_c1)
      return "control character in the name at byte " + std::to_string(i);
    i += length;
  }
  return {};
}

const char* type_name(JointType type) {
  switch (type) {
    case JointType::kHinge:
      return "hinge";
    case JointType::kSlide:
      return "slide";
    case JointType::kBall:
      return "ball";
    case JointType::kFree:
      return "free";
  }
  return "";
}

const char* type_name(ElementType type) {
  switch (type) {
    case ElementType::kSite:
      return "site";
    case ElementType::kSphere:
      return "sphere";
    case ElementType::kCylinder:
      return "cylinder";
    case ElementType::kPulley:
      return "pulley";
    case ElementType::kJoint:
      return "joint";
  }
  return "";
}

const char* type_name(GeomType type) {
  switch (type) {
    case GeomType::kPlane:
      return "plane";
    case GeomType::kSphere:
      return "sphere";
    case GeomType::kCapsule:
      return "capsule";
    case GeomType::kCylinder:
      return "cylinder";
    case GeomType::kBox:
      return "box";
    case GeomType::kEllipsoid:
      return "ellipsoid";
    case GeomType::kMesh:
      return "mesh";
    case GeomType::kNone:
      return "none";
  }
  return "";
}

Subject subject_of(const BodyDescription& body) {
  return {"body", shown(body.name), body.source, -1, {}};
}
Subject subject_of(const JointDescription& joint) {
  return {"joint", shown(joint.name), joint.source, -1, {}};
}
Subject subject_of(const SiteDescription& site) {
  return {"site", shown(site.name), site.source, -1, {}};
}
Subject subject_of(const GeomDescription& geom) {
  return {"geom", shown(geom.name), geom.source, -1, {}};
}
Subject subject_of(const TendonDescription& tendon) {
  return {"tendon", shown(tendon.name), tendon.source, -1, {}};
}
Subject subject_of(const KeyframeDescription& keyframe) {
  return {"keyframe", shown(keyframe.name), keyframe.source, -1, {}};
}
Subject subject_of(const TendonDescription& tendon, int i) {
  const PathElement& element = tendon.path[i];
  const bool has_place = element.source.line > 0 || !element.source.file.empty();
  return {"tendon", shown(tendon.name), has_place ? element.source : tendon.source, i,
          element.geom.is_set() ? "geom" : type_name(element.type)};
}

void check_own(const OptionsDescription& options, Findings& findings) {
  const Subject subject{"option", {}, {}, -1, {}};
  check_parameters(subject, options, findings);
  const double h = options.timestep;
  if (!(h >= kLeastTimestep && h <= kLargestTimestep))
    findings.error(subject, "out-of-range", "timestep", number_text(h),
                   "timestep " + number_text(h) + "; legal: 1e-6 to 0.1 s");
  check_number(subject, "hard_row_softness", options.hard_row_softness, Legal::kNonNegative,
               findings);
}

void check_own(const BodyDescription& body, Findings& findings) {
  const Subject subject = subject_of(body);
  check_name(subject, body.name, findings);
  if (body.name == "world")
    findings.error(subject, "bad-name", "name", "world", "the name belongs to the world itself");
  check_parameters(subject, body, findings);
}

void check_own(const JointDescription& joint, Findings& findings) {
  const Subject subject = subject_of(joint);
  check_name(subject, joint.name, findings);
  if (!joint.body.is_set())
    findings.error(subject, "missing-attribute", "body", "", "no body named; a joint needs one");
  check_parameters(subject, joint, findings);
  check_pairs(subject, joint, findings);
  check_number(subject, "ref", joint.ref, Legal::kFinite, findings);
  for (const auto& [name, value] : {std::pair("spring_time", joint.spring_time),
                                    std::pair("spring_damping_ratio", joint.spring_damping_ratio)})
    check_number(subject, name, value, Legal::kNonNegative, findings);
  check_softness(subject, "limit ", joint.limit_softness, findings);
  check_softness(subject, "friction ", joint.friction_softness, findings);

  const bool is_ball = joint.type == JointType::kBall, is_free = joint.type == JointType::kFree;
  if (is_ball) {
    if (joint.ref != 0)
      refuse(subject, "ref", number_text(joint.ref), "a ball joint has no ref", findings);
    if (!(joint.upper > 0) && !std::isnan(joint.upper))
      refuse(subject, "upper", number_text(joint.upper), "the cone angle of a ball joint is > 0",
             findings);
    if (joint.lower != -kInfinity && joint.lower != 0)
      refuse(subject, "lower", number_text(joint.lower),
             "a ball joint has a cone angle (upper) and no lower limit", findings);
  }
  if (is_ball || is_free) {
    const std::string kind = std::string(" on a ") + type_name(joint.type) + " joint";
    const auto refuse_unless = [&](const char* name, double value, double neutral) {
      if (value != neutral && !std::isnan(value))
        refuse(subject, name, number_text(value), "not possible" + kind, findings);
    };
    refuse_unless("friction", joint.friction, 0);
    refuse_unless("velocity_limit", joint.velocity_limit, kInfinity);
    if (is_free) {
      refuse_unless("damping", joint.damping, 0);
      refuse_unless("armature", joint.armature, 0);
      refuse_unless("stiffness", joint.stiffness, 0);
      refuse_unless("position_gain", joint.position_gain, 0);
      refuse_unless("velocity_gain", joint.velocity_gain, 0);
      refuse_unless("lower", joint.lower, -kInfinity);
      refuse_unless("upper", joint.upper, kInfinity);
      if (joint.spring_time > 0 && joint.spring_damping_ratio > 0)
        refuse(subject, "spring_time", number_text(joint.spring_time), "not possible" + kind,
               findings);
    }
  }
}

void check_own(const SiteDescription& site, Findings& findings) {
  const Subject subject = subject_of(site);
  check_name(subject, site.name, findings);
  check_parameters(subject, site, findings);
}

void check_own(const GeomDescription& geom, Findings& findings) {
  const Subject subject = subject_of(geom);
  check_name(subject, geom.name, findings);
  check_vector(subject, "size", {&geom.size.x, 3}, Legal::kFinite, findings);
  check_vector(subject, "pos", {&geom.pos.x, 3}, Legal::kFinite, findings);
  check_vector(subject, "quat", {&geom.quat.w, 4}, Legal::kQuaternion, findings);
  check_vector(subject, "color", geom.color, Legal::kFinite, findings);
}

void check_path_element(const TendonDescription& tendon, int i, Findings& findings) {
  const PathElement& element = tendon.path[i];
  const Subject subject = subject_of(tendon, i);
  // What a geom brings along is judged when the geom is known.
  if (!element.geom.is_set()) {
    check_parameters(subject, element, findings);
  } else {
    check_number(subject, "half_length", element.half_length, Legal::kPositiveInf, findings);
    if (element.has_side && !element.side_site.is_set())
      check_vector(subject, "side", {&element.side_pos.x, 3}, Legal::kFinite, findings);
  }
  if (element.type == ElementType::kJoint && !element.joint.is_set())
    findings.error(subject, "missing-attribute", "joint", "", "no joint named");
  if (tendon.type == TendonType::kFixed && element.type != ElementType::kJoint)
    findings.error(subject, "misplaced-element", "", "",
                   "a fixed tendon has joint elements only; legal elsewhere: a spatial tendon");
}

void check_own(const TendonDescription& tendon, Findings& findings) {
  const Subject subject = subject_of(tendon);
  check_name(subject, tendon.name, findings);
  check_parameters(subject, tendon, findings);
  check_pairs(subject, tendon, findings);
  if (!std::isnan(tendon.reference_length))
    check_number(subject, "reference_length", tendon.reference_length, Legal::kFinite, findings);
  check_number(subject, "activation", tendon.activation, Legal::kFinite, findings);
  check_number(subject, "width", tendon.width, Legal::kPositive, findings);
  check_vector(subject, "color", tendon.color, Legal::kFinite, findings);
  check_number(subject, "drive/force", tendon.force, Legal::kFinite, findings);
  check_number(subject, "drive/target_length", tendon.target_length, Legal::kFinite, findings);
  check_number(subject, "drive/target_velocity", tendon.target_velocity, Legal::kFinite, findings);
  check_number(subject, "drive/position_gain", tendon.position_gain, Legal::kNonNegative, findings);
  check_number(subject, "drive/velocity_gain", tendon.velocity_gain, Legal::kNonNegative, findings);
  check_softness(subject, "limit ", tendon.limit_softness, findings);
  check_softness(subject, "friction ", tendon.friction_softness, findings);
  if (tendon.path.empty())
    findings.error(subject, "empty-path", "path", "", "empty path; legal: at least one element");
  for (std::size_t i = 0; i < tendon.path.size(); ++i)
    check_path_element(tendon, static_cast<int>(i), findings);
}

void check_own(const KeyframeDescription& keyframe, Findings& findings) {
  const Subject subject = subject_of(keyframe);
  check_name(subject, keyframe.name, findings);
  check_number(subject, "time", keyframe.time, Legal::kFinite, findings);
  const auto check_all = [&](const char* attribute, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) {
        findings.error(subject, "out-of-range", attribute, number_text(values[i]),
                       std::string(attribute) + " entry " + std::to_string(i) + " is " +
                           number_text(values[i]) + "; legal: finite");
        return;
      }
  };
  check_all("qpos", keyframe.qpos);
  check_all("qvel", keyframe.qvel);
}

}  // namespace flexor
