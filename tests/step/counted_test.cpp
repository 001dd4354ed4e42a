// Counting what a step does changes no bit of it, and counts what is written there.

#include "support/counted.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "flexor/math/vec3.hpp"
#include "flexor/model/builder.hpp"
#include "support/random_model.hpp"
#include "support/stage_runner.hpp"

namespace flexor {
namespace {

TEST(Counted, CountsEachKindOfOperation) {
  counts = {};
  const Counted x(3.0f), y(4.0f);
  const Counted r = sqrt(x * x + y * y) / y;
  EXPECT_EQ(r.v, 1.25f);
  EXPECT_EQ(counts.multiply, 2);
  EXPECT_EQ(counts.add, 1);
  EXPECT_EQ(counts.divide, 2);  // the root and the quotient
  EXPECT_EQ(counts.choose, 0);
  EXPECT_EQ(select(x < y, max(x, y), x).v, 4.0f);
  EXPECT_EQ(counts.choose, 3);
  EXPECT_EQ(counts.flops(), 5);
}

TEST(Counted, CountsAVectorProductByItsComponents) {
  counts = {};
  const Vec3<Counted> a{Counted(1), Counted(0), Counted(0)}, b{Counted(0), Counted(1), Counted(0)};
  EXPECT_EQ(cross(a, b).z.v, 1.0f);
  EXPECT_EQ(counts.multiply, 6);
  EXPECT_EQ(counts.add, 3);
}

TEST(Counted, CountsCellsAndArrays) {
  counts = {};
  Counted cells[2] = {Counted(1), Counted(2)};
  float array[2] = {5, 6};
  const CountedCells read{cells};
  const WritableCountedCells write = writable(read).from(1);
  write[0] = load(array, Counted()) + read[0];
  store(array + 1, read[1]);
  EXPECT_EQ(array[1], 6.0f);
  EXPECT_EQ(counts.cells, 3);
  EXPECT_EQ(counts.arrays, 2);
}

TEST(Counted, GivesTheBitsOfAnUncountedStep) {
  const unsigned seed = 5;
  const Model model = ModelBuilder(support::random_model(seed)).finalize();
  SimulationOptions options;
  options.num_worlds = 3;
  options.num_threads = 1;
  options.inert = {"*"};
  Simulation plain(model, options), counted(model, options);
  for (Simulation* sim : {&plain, &counted}) {
    const ArrayRef force = sim->array(Field::drive_force);
    for (int t = 0; t < force.count; ++t) {
      for (int w = 0; w < 3; ++w) {
        static_cast<float*>(force.data)[t * force.world_stride + w] = -1.0f * (t + w);
      }
    }
  }
  support::StageRunner<Counted, SerialTeam, CountedCells> runner(counted, SerialTeam{});
  counts = {};
  for (int n = 0; n < 4; ++n) {
    plain.step(1);
    runner.walk([&]<class Stage>(const auto& context) { Stage::run(context); });
  }
  EXPECT_GT(counts.flops(), 0);
  for (const Field field :
       {Field::qpos, Field::qvel, Field::tendon_length, Field::tendon_tension}) {
    const ArrayRef a = plain.array(field), b = counted.array(field);
    for (int c = 0; c < a.count * a.width; ++c) {
      const std::size_t at = static_cast<std::size_t>(c) * a.world_stride * a.item_size();
      EXPECT_EQ(std::memcmp(static_cast<char*>(a.data) + at, static_cast<char*>(b.data) + at,
                            3 * a.item_size()),
                0)
          << info(field).name << " " << c;
    }
  }
}

}  // namespace
}  // namespace flexor
