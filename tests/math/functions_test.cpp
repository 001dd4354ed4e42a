// Elementary functions against libm in long double, over the ranges and to the errors that
// math/functions.hpp states; packs against scalars bit for bit.

#include "flexor/math/functions.hpp"

#include "core/lanes.hpp"
#include "gtest/gtest.h"

namespace flexor::tests {
namespace {

using Exact = long double;

/// Bounds stated in math/functions.hpp.
constexpr double kSincosError = 1.0;  ///< absolute, in epsilon of 1
constexpr double kAtan2Error = 4.0;   ///< in ulp of the result
constexpr double kExpError = 1.2;     ///< relative, in epsilon
constexpr int kSamples = 20000;

template <class S>
double ulp(Exact x) {
  const S a = static_cast<S>(std::abs(x));
  return static_cast<double>(std::nextafter(a, std::numeric_limits<S>::infinity()) - a);
}

template <class S>
class ElementaryFunctions : public ::testing::Test {
 public:
  std::mt19937_64 random{11};
  S uniform(double low, double high) {
    return static_cast<S>(std::uniform_real_distribution<double>(low, high)(random));
  }
  /// Either sign, magnitude spread evenly over the exponents from 2^low to 2^high.
  S spread(int low, int high) {
    const S x =
        static_cast<S>(std::exp2(std::uniform_real_distribution<double>(low, high)(random)));
    return random() % 2 ? x : -x;
  }
};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ElementaryFunctions, Scalars);

template <class S>
double sincos_error(S x) {
  S s, c;
  sincos(x, s, c);
  const Exact es = std::sin(Exact(x)), ec = std::cos(Exact(x));
  return static_cast<double>(std::max(std::abs(s - es), std::abs(c - ec))) / kEpsilon<S>;
}

TYPED_TEST(ElementaryFunctions, sincos_is_within_one_epsilon_of_one) {
  using S = TypeParam;
  const double range = sizeof(S) == 4 ? 1e4 : 1e6;
  const double half_pi = 1.57079632679489661923;
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    worst = std::max(worst, sincos_error(this->uniform(-10, 10)));
    worst = std::max(worst, sincos_error(this->uniform(-range, range)));
    worst = std::max(worst, sincos_error(this->spread(-60, 13)));
    // next to multiples of pi/4, where the quadrant changes or a result vanishes
    const double k = std::floor(static_cast<double>(this->uniform(-range, range)) / half_pi);
    const S near = static_cast<S>(k * half_pi / 2);
    for (const S x : {near, std::nextafter(near, S(2e6)), std::nextafter(near, S(-2e6))}) {
      worst = std::max(worst, sincos_error(x));
    }
  }
  for (const S x : {S(range), S(-range)}) worst = std::max(worst, sincos_error(x));
  EXPECT_LE(worst, kSincosError);
  EXPECT_GT(worst, 0);  // exact everywhere would mean that libm was compared with itself
  this->RecordProperty("worst", std::to_string(worst));
}

TYPED_TEST(ElementaryFunctions, sincos_of_zero_and_of_tiny_angles_is_exact) {
  using S = TypeParam;
  for (const S x : {S(0), S(1e-10), S(-1e-10), S(1e-30), S(-1e-30)}) {
    S s, c;
    sincos(x, s, c);
    EXPECT_EQ(s, x);
    EXPECT_EQ(c, S(1));
  }
}

template <class S>
double atan2_error(S y, S x) {
  const Exact expected = std::atan2(Exact(y), Exact(x));
  return static_cast<double>(std::abs(flexor::atan2(y, x) - expected)) / ulp<S>(expected);
}

TYPED_TEST(ElementaryFunctions, atan2_is_within_four_ulp) {
  using S = TypeParam;
  const int range = sizeof(S) == 4 ? 126 : 1000;
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    worst = std::max(worst, atan2_error(this->uniform(-1, 1), this->uniform(-1, 1)));
    worst = std::max(worst, atan2_error(this->spread(-range, range), this->spread(-range, range)));
    worst = std::max(worst, atan2_error(this->spread(-20, 5), this->spread(0, 1)));
    // where the errors are largest
    worst = std::max(worst, atan2_error(this->uniform(0.4, 0.5), S(1)));
    // next to the seams |y| = |x| and |y| = tan(pi/8) |x|
    const S x = this->spread(-3, 3);
    worst = std::max(worst, atan2_error(std::nextafter(x, S(0)), x));
    worst = std::max(worst, atan2_error(S(x * S(0.41421356237309503)), x));
    worst = std::max(worst, atan2_error(std::nextafter(S(x * S(0.41421357)), S(0)), x));
  }
  EXPECT_LE(worst, kAtan2Error);
  EXPECT_GT(worst, 0);
  this->RecordProperty("worst", std::to_string(worst));
}

TYPED_TEST(ElementaryFunctions, atan2_on_the_axes_and_at_the_ends_of_the_range) {
  using S = TypeParam;
  const S pi = static_cast<S>(3.14159265358979323846L),
          half_pi = static_cast<S>(1.57079632679489661923L);
  for (const S r : {std::numeric_limits<S>::min(), S(1), std::numeric_limits<S>::max()}) {
    EXPECT_EQ(flexor::atan2(S(0), r), S(0));
    EXPECT_EQ(flexor::atan2(r, S(0)), half_pi);
    EXPECT_EQ(flexor::atan2(-r, S(0)), -half_pi);
    EXPECT_EQ(flexor::atan2(S(0), -r), pi);
    EXPECT_EQ(flexor::atan2(S(-0.0), -r), pi);  // a zero has no sign here, other than in libm
    EXPECT_EQ(flexor::atan2(r, r), static_cast<S>(0.78539816339744830962L));
    EXPECT_EQ(flexor::atan2(-r, r), -static_cast<S>(0.78539816339744830962L));
  }
  for (const S y : {S(0), S(-0.0)}) {
    for (const S x : {S(0), S(-0.0)}) EXPECT_EQ(flexor::atan2(y, x), S(0));
  }
  // below the negative axis by less than the last bit: rounded to -pi
  EXPECT_EQ(flexor::atan2(S(-1e-30), S(-1)), -pi);
}

template <class S>
double exp_error(S x) {
  const Exact expected = std::exp(Exact(x));
  return static_cast<double>(std::abs(flexor::exp(x) - expected) / expected) / kEpsilon<S>;
}

TYPED_TEST(ElementaryFunctions, exp_is_within_its_relative_error) {
  using S = TypeParam;
  const double low = sizeof(S) == 4 ? -87 : -708, high = sizeof(S) == 4 ? 88 : 709;
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    worst = std::max(worst, exp_error(this->uniform(low, high)));
    worst = std::max(worst, exp_error(this->uniform(-2, 2)));
    worst = std::max(worst, exp_error(this->spread(-60, 4)));
    // next to odd multiples of log(2)/2, where the reduction changes its multiple
    const S half =
        static_cast<S>((std::floor(this->uniform(-100, 100)) + 0.5) * 0.69314718055994531);
    worst = std::max(worst, exp_error(half));
  }
  for (const S x : {S(low), S(high)}) worst = std::max(worst, exp_error(x));
  EXPECT_LE(worst, kExpError);
  EXPECT_GT(worst, 0);
  this->RecordProperty("worst", std::to_string(worst));
}

TYPED_TEST(ElementaryFunctions, exp_at_zero_and_beyond_the_clamps) {
  using S = TypeParam;
  const S low = sizeof(S) == 4 ? S(-87) : S(-708), high = sizeof(S) == 4 ? S(88) : S(709);
  EXPECT_EQ(flexor::exp(S(0)), S(1));
  EXPECT_EQ(flexor::exp(S(-0.0)), S(1));
  EXPECT_GT(flexor::exp(low), S(0));
  EXPECT_EQ(flexor::exp(std::nextafter(low, S(-1e4))), S(0));
  EXPECT_EQ(flexor::exp(std::numeric_limits<S>::lowest()), S(0));
  EXPECT_EQ(flexor::exp(S(high + 1)), flexor::exp(high));
  EXPECT_EQ(flexor::exp(std::numeric_limits<S>::max()), flexor::exp(high));
}

TYPED_TEST(ElementaryFunctions, clamp_and_polynomial) {
  using S = TypeParam;
  EXPECT_EQ(clamp(S(3), S(-1), S(2)), S(2));
  EXPECT_EQ(clamp(S(-3), S(-1), S(2)), S(-1));
  EXPECT_EQ(clamp(S(1), S(-1), S(2)), S(1));
  EXPECT_EQ(polynomial(S(2), 5.0), S(5));
  EXPECT_EQ(polynomial(S(2), 1.0, -3.0, 0.5), S(1 - 6 + 2));
}

template <class Real>
class FunctionsOfLanes : public ::testing::Test {};
TYPED_TEST_SUITE(FunctionsOfLanes, LaneTypes);

// Lanes of one pack take different quadrants, octants and exponents.
TYPED_TEST(FunctionsOfLanes, equal_those_of_scalars_bit_for_bit) {
  using R = TypeParam;
  using S = Scalar<R>;
  constexpr int n = Lanes<R>::count;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> wide(-80, 80), narrow(-1e-3, 1e-3);
  for (int k = 0; k < kSamples / 10; ++k) {
    S a[n], b[n], s[n], c[n], t[n], e[n];
    for (int i = 0; i < n; ++i) {
      a[i] = static_cast<S>(k % 3 ? wide(random) : narrow(random));
      b[i] = static_cast<S>(k % 5 ? wide(random) : 0.0);
    }
    const R x = load(a, R()), y = load(b, R());
    R rs, rc;
    sincos(x, rs, rc);
    store(s, rs);
    store(c, rc);
    store(t, flexor::atan2(x, y));
    store(e, flexor::exp(x));
    for (int i = 0; i < n; ++i) {
      S ss, sc;
      sincos(a[i], ss, sc);
      EXPECT_TRUE(same_bits(s[i], ss)) << "sin " << a[i];
      EXPECT_TRUE(same_bits(c[i], sc)) << "cos " << a[i];
      EXPECT_TRUE(same_bits(t[i], flexor::atan2(a[i], b[i]))) << "atan2 " << a[i] << " " << b[i];
      EXPECT_TRUE(same_bits(e[i], flexor::exp(a[i]))) << "exp " << a[i];
    }
  }
}

}  // namespace
}  // namespace flexor::tests
