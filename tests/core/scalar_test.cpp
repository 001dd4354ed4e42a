// What core/scalar.hpp says of the types themselves. Its operations run in pack_test.cpp.

#include "flexor/core/scalar.hpp"

#include <type_traits>

#include "core/lanes.hpp"
#include "gtest/gtest.h"

namespace flexor::tests {
namespace {

template <class Real>
class LaneTraits : public ::testing::Test {};
TYPED_TEST_SUITE(LaneTraits, LaneTypes);

TYPED_TEST(LaneTraits, a_real_is_count_scalars_and_nothing_else) {
  using R = TypeParam;
  using S = Scalar<R>;
  EXPECT_EQ(sizeof(R), Lanes<R>::count * sizeof(S));
  EXPECT_EQ(sizeof(Bits<R>), sizeof(R));  // integer lanes of the same size
  EXPECT_TRUE(std::is_trivially_copyable_v<R>);
}

TYPED_TEST(LaneTraits, epsilon_is_the_step_above_one) {
  using S = Scalar<TypeParam>;
  EXPECT_EQ(kEpsilon<TypeParam>, std::numeric_limits<S>::epsilon());
  EXPECT_TRUE((std::is_same_v<std::remove_cv_t<decltype(kEpsilon<TypeParam>)>, S>));
}

TYPED_TEST(LaneTraits, by_precision_chooses_by_the_scalar) {
  using S = Scalar<TypeParam>;
  EXPECT_EQ(by_precision<TypeParam>(1.5, 2.5), sizeof(S) == 4 ? S(1.5) : S(2.5));
}

TYPED_TEST(LaneTraits, infinity_is_infinite) {
  using S = Scalar<TypeParam>;
  EXPECT_EQ(infinity(S()), std::numeric_limits<S>::infinity());
}

}  // namespace
}  // namespace flexor::tests
