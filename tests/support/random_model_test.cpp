// The random models are legal models: the compiler takes them as they are.

#include "support/random_model.hpp"

#include <gtest/gtest.h>

#include "flexor/model/builder.hpp"

namespace flexor::support {
namespace {

TEST(RandomModel, IsAcceptedByTheModelCompiler) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Description description = random_model(seed);
    try {
      const Model model = ModelBuilder(description).finalize();
      ASSERT_EQ(model.description().bodies.size(), description.bodies.size()) << seed;
      for (std::size_t b = 0; b < description.bodies.size(); ++b)
        ASSERT_EQ(model.description().bodies[b].name, description.bodies[b].name) << seed;
      const State state = random_state(description, seed);
      EXPECT_EQ(model.nq(), static_cast<int>(state.qpos.size())) << seed;
      EXPECT_EQ(model.nv(), static_cast<int>(state.qvel.size())) << seed;
    } catch (const ModelError& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
    }
  }
}

TEST(RandomModel, IsTheSameForTheSameSeed) {
  const State a = random_state(random_model(5), 5), b = random_state(random_model(5), 5);
  EXPECT_EQ(a.qpos, b.qpos);
  EXPECT_EQ(a.body_wrench, b.body_wrench);
  EXPECT_NE(a.qvel, random_state(random_model(5), 6).qvel);
}

}  // namespace
}  // namespace flexor::support
