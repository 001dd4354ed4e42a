// Derived numbers of public models.

#include "flexor/io/mjcf.hpp"
#include "model/problem_list.hpp"
#include "support/shared.hpp"

namespace flexor {
namespace {

using namespace test;

constexpr double kPrinted = 1e-9;  ///< the specification prints nine digits

// Model case 10: the spring reference pose differs from the reference pose in the second.
TEST(PublicModels, SpringReferencesOfTenJ) {
  const auto first = shared("models/mujoco/ten_J0.xml"),
             second = shared("models/mujoco/ten_J1.xml");
  FLEXOR_NEEDS_SHARED(first);
  const Model a = load_model(first.string()), b = load_model(second.string());
  EXPECT_NEAR(a.reference_length(0), 0.5, kPrinted);
  EXPECT_NEAR(a.description().tendons[0].spring_lower, 0.5, kPrinted);  // by symmetry
  EXPECT_NEAR(b.reference_length(0), 1, kPrinted);
  EXPECT_NEAR(b.description().tendons[0].spring_lower, 1.414213562, kPrinted);
  EXPECT_NEAR(b.description().tendons[0].spring_upper, 1.414213562, kPrinted);
}

// A model that is built again from what it says is the same model.
TEST(PublicModels, BuildingAgainKeepsTheHash) {
  for (const char* name : {"arm26", "finger_extensor", "tendon_springlength", "ten_J2"}) {
    const auto file = shared("models/mujoco") / (std::string(name) + ".xml");
    FLEXOR_NEEDS_SHARED(file);
    const Model model = load_model(file.string());
    const Model again = ModelBuilder(model.description()).finalize();
    EXPECT_EQ(model_hash(model), model_hash(again)) << name;
    EXPECT_EQ(model.parameters().size(), again.parameters().size()) << name;
  }
}

}  // namespace
}  // namespace flexor
