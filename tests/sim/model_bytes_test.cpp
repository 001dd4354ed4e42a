// A model as bytes and back, and guides on named sites: through the model into every backend.

#include <gtest/gtest.h>

#include "sim_models.hpp"

namespace flexor {
namespace {

using testing::rig;

class ModelBytes : public testing::OnEachBackend {};
class GuideOnASite : public testing::OnEachBackend {};
FLEXOR_ON_EACH_BACKEND(ModelBytes);
FLEXOR_ON_EACH_BACKEND(GuideOnASite);

TEST_P(ModelBytes, GiveTheModelBack) {
  const Model model = rig().finalize();
  const Model again = model_from_bytes(to_bytes(model));
  EXPECT_EQ(model_hash(again), model_hash(model));
  EXPECT_EQ(to_json(again.report()), to_json(model.report()));
  Simulation a(model, options(2)), b(again, options(2));
  a.step(3), b.step(3);
  EXPECT_EQ(a.state_hash(), b.state_hash());
}

TEST(BuilderBytes, GiveTheBuilderBack) {
  const ModelBuilder builder = rig();  // its references are names still
  EXPECT_EQ(model_hash(builder_from_bytes(to_bytes(builder)).finalize()),
            model_hash(builder.finalize()));
  EXPECT_THROW(builder_from_bytes(to_bytes(builder.finalize())), ConfigError);
}

TEST(ModelBytesDamaged, AreRefused) {
  const std::string bytes = to_bytes(rig().finalize());
  for (std::size_t i = 0; i < bytes.size(); i += 31) {
    std::string flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    EXPECT_THROW(model_from_bytes(flipped), ConfigError) << i;
    EXPECT_THROW(model_from_bytes(bytes.substr(0, i)), ConfigError) << i;
  }
}

TEST_P(GuideOnASite, IsOneAtItsPlace) {
  ModelBuilder named = rig(), placed = rig();
  SiteDescription hub;
  hub.name = "hub";
  hub.body = "arm";
  hub.pos = {0.01, 0, -0.13};
  for (ModelBuilder* builder : {&named, &placed}) builder->add_site(hub);
  PathElement& guide = named.description().tendons[2].path[1];
  ASSERT_EQ(guide.type, ElementType::kCylinder);
  guide.site = "hub", guide.body = Reference(kWorld), guide.pos = {9, 9, 9};

  Simulation a(named.finalize(), options(2)), b(placed.finalize(), options(2));
  // the place of the site is that of the guide, under either name
  const std::vector<double> moved = {0.012, 0, -0.12};
  a.set_parameter("site/hub/pos", moved, std::vector<long>{1});
  b.set_parameter("tendon/wrap/route/1/pos", moved, std::vector<long>{1});
  EXPECT_EQ(a.parameter_values("tendon/wrap/route/1/pos"),
            b.parameter_values("tendon/wrap/route/1/pos"));
  a.step(5), b.step(5);
  EXPECT_EQ(a.state_hash(), b.state_hash());
  EXPECT_NE(a.state_hash()[0], a.state_hash()[1]);
}

}  // namespace
}  // namespace flexor
