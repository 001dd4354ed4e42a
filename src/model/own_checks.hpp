#pragma once
// What one element says by itself: its name and its numbers. Used by add_* at once and by finalize
// for descriptions that a loader filled.   [MF-7]

#include <string>

#include "flexor/model/description.hpp"
#include "model/findings.hpp"

namespace flexor {

Subject subject_of(const BodyDescription& body);
Subject subject_of(const JointDescription& joint);
Subject subject_of(const SiteDescription& site);
Subject subject_of(const GeomDescription& geom);
Subject subject_of(const TendonDescription& tendon);
Subject subject_of(const KeyframeDescription& keyframe);
/// Element `i` of a tendon's path, at the element's own place.
Subject subject_of(const TendonDescription& tendon, int i);

const char* type_name(JointType type);
const char* type_name(ElementType type);
const char* type_name(GeomType type);

void check_own(const BodyDescription& body, Findings& findings);
void check_own(const JointDescription& joint, Findings& findings);
void check_own(const SiteDescription& site, Findings& findings);
void check_own(const GeomDescription& geom, Findings& findings);
void check_own(const TendonDescription& tendon, Findings& findings);
void check_own(const KeyframeDescription& keyframe, Findings& findings);
void check_own(const OptionsDescription& options, Findings& findings);
/// Numbers of one path element; those that a named site or geom brings along are not looked at.
void check_path_element(const TendonDescription& tendon, int i, Findings& findings);

/// Why a name is not legal: UTF-8, no control characters, 1 to 1024 bytes; "" if it is.
std::string illegal_name(const std::string& name);

inline constexpr double kLeastTimestep = 1e-6, kLargestTimestep = 0.1;  ///< [s]

}  // namespace flexor
