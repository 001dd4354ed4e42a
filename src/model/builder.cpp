#include "flexor/model/builder.hpp"

#include "model/auto_names.hpp"
#include "model/findings.hpp"
#include "model/own_checks.hpp"

namespace flexor {
namespace {

template <class Element>
int add(std::vector<Element>& elements, Element element, const char* kind) {
  if (element.name.empty()) element.name = next_free_name(elements, kind, elements.size());
  Findings findings;
  check_own(element, findings);
  throw_if_wrong(findings);
  elements.push_back(std::move(element));
  return static_cast<int>(elements.size()) - 1;
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name, double timestep) {
  description_.name = std::move(name);
  set_option("timestep", timestep);
}

int ModelBuilder::add_body(BodyDescription body) {
  return add(description_.bodies, std::move(body), "body");
}
int ModelBuilder::add_joint(JointDescription joint) {
  return add(description_.joints, std::move(joint), "joint");
}
int ModelBuilder::add_site(SiteDescription site) {
  return add(description_.sites, std::move(site), "site");
}
int ModelBuilder::add_geom(GeomDescription geom) {
  return add(description_.geoms, std::move(geom), "geom");
}
int ModelBuilder::add_tendon(TendonDescription tendon) {
  return add(description_.tendons, std::move(tendon), "tendon");
}
int ModelBuilder::add_keyframe(KeyframeDescription keyframe) {
  return add(description_.keyframes, std::move(keyframe), "keyframe");
}
void ModelBuilder::add_inert(InertElement element) {
  description_.inert.push_back(std::move(element));
}

}  // namespace flexor
