// The random generator against known values, and its functions against libm.   [RN-1]-[RN-4]

#include "flexor/math/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace flexor {
namespace {

TEST(Random, Case15PhiloxKnownAnswers) {
  // the known answers of the authors' own implementation
  const RandomBlock zero = philox(0, {{0, 0, 0, 0}});
  const std::uint32_t expected_zero[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const RandomBlock ones = philox(~std::uint64_t{0}, {{~0u, ~0u, ~0u, ~0u}});
  const std::uint32_t expected_ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(zero.word[i], expected_zero[i]);
    EXPECT_EQ(ones.word[i], expected_ones[i]);
  }
}

TEST(Random, Case16WordsUniformsAndNormals) {
  const RandomStream random{42, 0, 0, 0};
  const std::uint32_t words[4] = {0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7};
  const double normals[4] = {-0.9701897, 0.1940190, -1.2356201, 1.9239270};
  for (std::uint32_t j = 0; j < 4; ++j) {
    EXPECT_EQ(random.word(j), words[j]);
    EXPECT_NEAR(random.normal(j), normals[j], 1e-6);
  }
  EXPECT_NEAR(random.uniform(0), 0.612959862, 1e-9);
  EXPECT_NEAR(random.uniform(1), 0.468586504, 1e-9);
}

TEST(Random, Case17RangesAndIntegers) {
  const RandomStream parameters{42, kRandomParameters, 0, 0};
  const double uniforms[3] = {0.775618947, 1.056322098, 0.897112823};
  for (std::uint32_t j = 0; j < 3; ++j)
    EXPECT_NEAR(parameters.uniform(j, 0.7, 1.3), uniforms[j], 1e-9);
  const RandomStream task{42, kRandomTask, 0, 0};
  const std::uint32_t integers[8] = {3, 1, 4, 0, 3, 8, 5, 0};
  for (std::uint32_t j = 0; j < 8; ++j) EXPECT_EQ(task.integer(j, 10), integers[j]);
}

TEST(Random, Case18SeedsOfManyWorlds) {
  const std::uint64_t expected[3] = {8807911525803609844u, 5914229793403087100u,
                                     548188569751183986u};
  for (std::uint64_t g = 0; g < 3; ++g) EXPECT_EQ(seed_for(0, g), expected[g]);
  EXPECT_NE(seed_for(0, 0), seed_for(0, std::uint64_t{1} << 32));  // the high word counts
}

TEST(Random, EveryPartOfTheCounterMatters) {
  const RandomStream base{7, 1, 2, 3};
  for (const RandomStream& other :
       {RandomStream{8, 1, 2, 3}, RandomStream{7, 2, 2, 3}, RandomStream{7, 1, 3, 3},
        RandomStream{7, 1, 2, 4}, RandomStream{7 | std::uint64_t{1} << 32, 1, 2, 3}})
    EXPECT_NE(base.word(0), other.word(0));
}

TEST(Random, MomentsAreThoseOfTheDistributions) {
  constexpr int kCount = 40000;
  const RandomStream random{1, kRandomUser, 0, 0};
  double mean_u = 0, mean = 0, square = 0, fourth = 0;
  for (std::uint32_t j = 0; j < kCount; ++j) {
    const double u = random.uniform(j), z = random.normal(j);
    ASSERT_TRUE(0 <= u && u < 1);
    ASSERT_LE(std::abs(z), 5.77);  // sqrt(-2 ln 2^-24) = 5.768
    const double r = random.log_uniform(j, 1e-3, 10);
    ASSERT_TRUE(1e-3 * (1 - 1e-15) <= r && r <= 10 * (1 + 1e-15));
    mean_u += u / kCount, mean += z / kCount;
    square += z * z / kCount, fourth += z * z * z * z / kCount;
  }
  // five standard deviations: sqrt(1/12), 1, sqrt 2, sqrt 96, over sqrt(kCount) = 200
  EXPECT_NEAR(mean_u, 0.5, 5 * 0.289 / 200);
  EXPECT_NEAR(mean, 0, 5.0 / 200);
  EXPECT_NEAR(square, 1, 5 * 1.415 / 200);
  EXPECT_NEAR(fourth, 3, 5 * 9.8 / 200);
}

TEST(Random, LogarithmAgreesWithLibm) {
  for (int i = -60; i <= 60; ++i)
    for (int k = 0; k < 400; ++k) {
      const double x = std::ldexp(1.0 + k / 400.0, i), expected = std::log(x);
      const double ulp = std::max(std::abs(std::nextafter(expected, 1e300) - expected), 1e-17);
      ASSERT_NEAR(log(x), expected, 1.5 * ulp) << x;  // half an ulp of libm's own
    }
  EXPECT_EQ(log(1.0), 0.0);
}

}  // namespace
}  // namespace flexor
