// The only judge of meaning: from a description in its author's words to a compiled model.

#include <algorithm>

#include "flexor/model/builder.hpp"
#include "model/auto_names.hpp"
#include "model/compile_plan.hpp"
#include "model/derive.hpp"
#include "model/findings.hpp"
#include "model/keyframes.hpp"
#include "model/own_checks.hpp"
#include "model/parameter_table.hpp"
#include "model/path_rules.hpp"
#include "model/resolve.hpp"
#include "model/tree_checks.hpp"

namespace flexor {
namespace {

void name_everything(Description& description) {
  name_all(description.bodies, "body");
  name_all(description.joints, "joint");
  name_all(description.sites, "site");
  name_all(description.geoms, "geom");
  name_all(description.tendons, "tendon");
  name_all(description.keyframes, "keyframe");
}

void check_all_own(const Description& description, Findings& findings) {
  check_own(description.options, findings);
  const auto check = [&](const auto& elements) {
    for (const auto& element : elements) check_own(element, findings);
  };
  check(description.bodies);
  check(description.joints);
  check(description.sites);
  check(description.geoms);
  check(description.tendons);
  check(description.keyframes);
}

/// Tendons of which some element is wrong by itself.
std::vector<char> tendons_with_bad_elements(const Description& description) {
  std::vector<char> is_bad;
  for (const TendonDescription& tendon : description.tendons) {
    Findings findings;
    for (std::size_t i = 0; i < tendon.path.size(); ++i)
      check_path_element(tendon, static_cast<int>(i), findings);
    is_bad.push_back(findings.has_errors());
  }
  return is_bad;
}

void normalize_quaternions(Description& description) {
  const auto normalize = [](Quatd& quat) {
    const double numbers[4] = {quat.w, quat.x, quat.y, quat.z};
    quat = illegal_reason(Legal::kQuaternion, numbers).empty() ? unit_quaternion(quat) : Quatd{};
  };
  for (BodyDescription& body : description.bodies) normalize(body.quat);
  for (SiteDescription& site : description.sites) normalize(site.quat);
  for (GeomDescription& geom : description.geoms) normalize(geom.quat);
  for (JointDescription& joint : description.joints) normalize(joint.rest_quat);
}

bool is_about_the_tree(const Problem& problem) {
  return problem.severity == Severity::kError &&
         (problem.element == "body" || problem.element == "joint");
}

/// A finding of finalize, at the attribute it is about where the loader knows it.
Problem placed(Problem problem, const FinalizeOptions& options) {
  if (options.locate && problem.source.line > 0) problem.source = options.locate(problem);
  return problem;
}

/// Throws all errors, those of the loader and our own, in the order of the text.
void throw_all(const Findings& findings, const FinalizeOptions& options) {
  std::vector<Problem> all;
  for (const Problem& problem : options.problems)
    if (problem.severity == Severity::kError) all.push_back(problem);
  for (const Problem& problem : findings.take(true)) all.push_back(placed(problem, options));
  if (all.empty()) return;
  sort_problems(all, options.report.files);
  throw_problems(std::move(all), options.max_problems);
}

Report report_of(const Description& description, const Findings& findings,
                 const FinalizeOptions& options) {
  Report report = options.report;
  if (report.format.empty()) {
    report.format = "builder";
    report.file = "<builder>";
  }
  report.model = description.name;
  std::vector<Problem> remarks;
  for (const Problem& problem : options.problems)
    if (problem.severity != Severity::kError) remarks.push_back(problem);
  for (const Problem& problem : findings.take(false)) remarks.push_back(placed(problem, options));
  sort_problems(remarks, report.files);
  add_to_report(report, remarks);
  return report;
}

}  // namespace

Model ModelBuilder::finalize(const FinalizeOptions& options) const {
  auto data = std::make_shared<Model::Data>();
  Description& description = data->description;
  description = description_;
  Findings findings;

  // Beyond these sizes nothing else is looked at.
  check_sizes(description, findings);
  if (findings.has_errors()) throw_all(findings, options);

  // Elements by themselves, then with each other.
  name_everything(description);
  check_all_own(description, findings);
  check_duplicates(description, findings);
  normalize_quaternions(description);
  std::vector<char> has_bad_element = tendons_with_bad_elements(description);
  resolve_references(description, has_bad_element, findings);
  sort_bodies(description, findings);
  const std::vector<int> moving = moving_ancestors(description);
  check_tree(description, moving, findings);
  const Coordinates coordinates = lay_out(description);
  check_keyframes(description, coordinates, findings);

  // Paths whose elements are valid by themselves; inertia of a tree that is.   [MF-7]
  for (std::size_t t = 0; t < description.tendons.size(); ++t) {
    if (has_bad_element[t]) continue;
    const int before = findings.error_count();
    check_joint_terms(description, description.tendons[t], findings);
    if (findings.error_count() == before) check_path_structure(description.tendons[t], findings);
  }
  const auto& found = findings.problems();
  const bool is_loaded =
      std::none_of(options.problems.begin(), options.problems.end(),
                   [](const Problem& problem) { return problem.severity == Severity::kError; });
  if (is_loaded && std::none_of(found.begin(), found.end(), is_about_the_tree))
    check_joint_space_inertia(description, findings);
  throw_all(findings, options);

  derive_numbers(description, findings);
  const Frames frames(description.bodies);
  for (const TendonDescription& tendon : description.tendons)
    look_at_path(description, moving, frames, tendon, findings);

  data->plan = compile_plan(description);
  data->parameters = list_parameters(description);
  data->parameter_rows = parameter_rows(description, data->parameters);
  data->nominal = nominal_values(description);
  data->qpos_slices = coordinates.qpos;
  data->qvel_slices = coordinates.qvel;
  data->qpos0 = reference_configuration(description, coordinates);
  data->reference_lengths = derive_reference_lengths(description);
  data->report = report_of(description, findings, options);
  return Model(std::move(data));
}

}  // namespace flexor
