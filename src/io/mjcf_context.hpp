#pragma once
// What all readers of MJCF sections share: the document, the classes, the settings of compiler,
// option and flag, the model being filled.

#include <string>
#include <string_view>
#include <vector>

#include "io/mjcf_classes.hpp"
#include "io/mjcf_pose.hpp"

namespace flexor::io {

/// <compiler>, and what <flag> switches off.   [MF-13], [MF-14]
struct Settings {
  bool is_degrees = true;
  std::string eulerseq = "xyz";
  bool autolimits = true;
  enum class InertiaFromGeom { kAuto, kTrue, kFalse } inertia_from_geom = InertiaFromGeom::kAuto;
  double inertia_group_lower = 0, inertia_group_upper = 5;
  double boundmass = 0, boundinertia = 0, settotalmass = -1;
  bool balanceinertia = false;
  std::string collision = "all";

  bool has_equality = true, has_friction = true, has_limits = true, has_contacts = true;
  bool has_springs = true, has_dampers = true, has_gravity = true;
  bool filterparent = true, refsafe = true, has_override = false;
  bool has_fluid = false;

  double to_radians(double angle) const;
};

struct Context {
  Document& document;
  Findings& findings;
  Reasons& reasons;
  const Classes& classes;
  const LoadOptions& options;
  Settings settings;
  Description description;

  const Element& element(int index) const {
    return document.elements[static_cast<std::size_t>(index)];
  }
  /// Children that are in the vocabulary and not refused, in order.
  std::vector<int> children(const Element& parent) const;
  /// Children of all sections of that name under the root, in order.
  std::vector<int> section_children(std::string_view section) const;
};

/// One element seen through its class.
class Reading {
 public:
  Reading(Context& context, const Element& element, std::string_view kind, int class_index)
      : context_(context), element_(element), kind_(kind), class_(class_index) {}

  const Element& element() const { return element_; }
  Context& context() const { return context_; }

  Value get(std::string_view name) const {
    return context_.classes.value(element_, kind_, class_, name);
  }
  std::vector<double> numbers(std::string_view name) const;
  double real(std::string_view name, double otherwise) const;
  int integer(std::string_view name, int otherwise) const;
  Vec3d vector(std::string_view name, const Vec3d& otherwise) const;
  bool boolean(std::string_view name, bool otherwise) const;
  std::string_view keyword(std::string_view name, std::string_view otherwise) const;
  std::string name() const;
  Source place() const { return context_.document.place(element_); }

  /// A reference written in an attribute; the place is the attribute's.
  Reference reference(std::string_view name, const std::string& suffix = "") const;

  void error(const char* code, std::string message, std::string hint = "") const;
  void error(const Value& value, const char* code, std::string message,
             std::string hint = "") const;
  void rebin(const Value& value, Binning binning, std::string_view code, std::string message,
             std::string hint = "") const;
  /// The attribute has no effect here: inactive if written at the element itself.
  void unused(std::string_view name, std::string message) const;

 private:
  Context& context_;
  const Element& element_;
  std::string_view kind_;
  int class_;
};

std::vector<double> to_numbers(const std::vector<std::string_view>& words);

/// Bounds of a range with its `limited` word.   [MF-16]
struct Bounds {
  bool is_limited = false;
  double lower = 0, upper = 0;
};
/// Reads `range` and `limited`; range-order, autolimits problems are reported. `may_lock`: equal
/// ends with limited="true" are a lock, else an error.
Bounds read_bounds(const Reading& reading, std::string_view range, std::string_view limited,
                   bool may_lock);

/// solref and solimp of one kind of row; `is_used` false: inactive.   [MF-18]
Softness read_softness(const Reading& reading, std::string_view solref, std::string_view solimp,
                       bool is_used);

/// Orientation and position of an element.   [MF-13]
Pose read_pose(const Reading& reading);

// The readers, in order.
void read_settings(Context& context);  // mjcf_settings.cpp
struct Bodies;
void read_tendons(Context& context, const Bodies& bodies);
void read_keyframes(Context& context);
void read_inert(Context& context, const Bodies& bodies);

}  // namespace flexor::io
