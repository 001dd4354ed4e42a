// Every operation of core/pack.hpp and core/scalar.hpp: each lane holds what the plain operation on
// the numbers of that lane gives, bit for bit. Scalars and packs run through the same tests.

#include "flexor/core/pack.hpp"

#include "core/lanes.hpp"
#include "gtest/gtest.h"

namespace flexor::tests {
namespace {

template <class Real>
class LaneOperations : public ::testing::Test {
 public:
  using S = Scalar<Real>;
  static constexpr int n = Lanes<Real>::count;
  const ProbePairs<S> pairs;

  /// f on lanes against g on numbers, over all pairs of probes.
  template <class F, class G>
  void expect_lanewise(const char* name, F f, G g, bool exact_nan = false) {
    for (std::size_t k = 0; k < pairs.a.size(); k += n) {
      S out[n];
      store(out, f(load(&pairs.a[k], Real()), load(&pairs.b[k], Real())));
      for (int i = 0; i < n; ++i) {
        const S a = pairs.a[k + i], b = pairs.b[k + i];
        const S expected = g(a, b);
        EXPECT_TRUE(exact_nan ? same_bits(out[i], expected) : same_value(out[i], expected))
            << name << "(" << a << ", " << b << ") lane " << i << ": " << out[i] << " for "
            << expected;
      }
    }
  }
  template <class F, class G>
  void expect_mask(const char* name, F f, G g) {
    for (std::size_t k = 0; k < pairs.a.size(); k += n) {
      const auto out = lanes_of<Real>(f(load(&pairs.a[k], Real()), load(&pairs.b[k], Real())));
      for (int i = 0; i < n; ++i) {
        const S a = pairs.a[k + i], b = pairs.b[k + i];
        EXPECT_EQ(out[i], g(a, b)) << name << "(" << a << ", " << b << ") lane " << i;
      }
    }
  }
};
TYPED_TEST_SUITE(LaneOperations, LaneTypes);

TYPED_TEST(LaneOperations, arithmetic_of_lanes_is_that_of_numbers) {
  using R = TypeParam;
  using S = Scalar<R>;
  this->expect_lanewise(
      "add", [](R a, R b) { return a + b; }, [](S a, S b) { return a + b; });
  this->expect_lanewise(
      "sub", [](R a, R b) { return a - b; }, [](S a, S b) { return a - b; });
  this->expect_lanewise(
      "mul", [](R a, R b) { return a * b; }, [](S a, S b) { return a * b; });
  this->expect_lanewise(
      "div", [](R a, R b) { return a / b; }, [](S a, S b) { return a / b; });
  this->expect_lanewise(
      "neg", [](R a, R) { return R(-a); }, [](S a, S) { return S(-a); });
  this->expect_lanewise(
      "+=", [](R a, R b) { return a += b; }, [](S a, S b) { return a + b; });
  this->expect_lanewise(
      "-=", [](R a, R b) { return a -= b; }, [](S a, S b) { return a - b; });
  this->expect_lanewise(
      "*=", [](R a, R b) { return a *= b; }, [](S a, S b) { return a * b; });
}

TYPED_TEST(LaneOperations, comparisons_of_lanes_are_those_of_numbers) {
  using R = TypeParam;
  using S = Scalar<R>;
  this->expect_mask(
      "<", [](R a, R b) { return a < b; }, [](S a, S b) { return a < b; });
  this->expect_mask(
      "<=", [](R a, R b) { return a <= b; }, [](S a, S b) { return a <= b; });
  this->expect_mask(
      ">", [](R a, R b) { return a > b; }, [](S a, S b) { return a > b; });
  this->expect_mask(
      ">=", [](R a, R b) { return a >= b; }, [](S a, S b) { return a >= b; });
  this->expect_mask(
      "==", [](R a, R b) { return a == b; }, [](S a, S b) { return a == b; });
  this->expect_mask(
      "!=", [](R a, R b) { return a != b; }, [](S a, S b) { return a != b; });
  this->expect_mask(
      "is_finite", [](R a, R) { return is_finite(a); }, [](S a, S) { return std::isfinite(a); });
}

// The second argument wins when one is NaN, and among zeros: min(NaN, b) = b, min(-0, 0) = 0.
TYPED_TEST(LaneOperations, min_and_max_take_the_second_argument_on_a_tie_and_on_nan) {
  using R = TypeParam;
  using S = Scalar<R>;
  this->expect_lanewise(
      "min", [](R a, R b) { return flexor::min(a, b); }, [](S a, S b) { return a < b ? a : b; },
      true);
  this->expect_lanewise(
      "max", [](R a, R b) { return flexor::max(a, b); }, [](S a, S b) { return a > b ? a : b; },
      true);
  const S nan = std::numeric_limits<S>::quiet_NaN();
  const auto first = [](R x) {
    S out[Lanes<R>::count];
    store(out, x);
    return out[0];
  };
  EXPECT_EQ(first(flexor::min(R(nan), R(S(2)))), S(2));
  EXPECT_TRUE(std::isnan(first(flexor::min(R(S(2)), R(nan)))));
  EXPECT_EQ(first(flexor::max(R(nan), R(S(2)))), S(2));
  EXPECT_TRUE(std::isnan(first(flexor::max(R(S(2)), R(nan)))));
  EXPECT_FALSE(std::signbit(first(flexor::min(R(S(-0.0)), R(S(0))))));
  EXPECT_TRUE(std::signbit(first(flexor::max(R(S(0)), R(S(-0.0))))));
}

TYPED_TEST(LaneOperations, select_copies_the_bits_of_the_chosen_side) {
  using R = TypeParam;
  using S = Scalar<R>;
  this->expect_lanewise(
      "select", [](R a, R b) { return select(a < b, a, b); },
      [](S a, S b) { return a < b ? a : b; }, true);
}

TYPED_TEST(LaneOperations, sqrt_and_abs_are_exact) {
  using R = TypeParam;
  using S = Scalar<R>;
  this->expect_lanewise(
      "sqrt", [](R a, R) { return flexor::sqrt(a); }, [](S a, S) { return std::sqrt(a); });
  this->expect_lanewise(
      "abs", [](R a, R) { return flexor::abs(a); }, [](S a, S) { return std::abs(a); }, true);
}

// Packs floor only numbers below 2^22 (float) and 2^51 (double), and give +0 for -0.
TYPED_TEST(LaneOperations, floor_is_exact_in_its_range) {
  using R = TypeParam;
  using S = Scalar<R>;
  constexpr int n = Lanes<R>::count;
  const S limit = sizeof(S) == 4 ? S(4194304) : S(2251799813685248);
  std::vector<S> x;
  for (int i = -40; i <= 40; ++i) {
    x.push_back(S(i) / 4);
    x.push_back(std::nextafter(S(i), S(100)));
    x.push_back(std::nextafter(S(i), S(-100)));
    x.push_back(std::nextafter(limit, S(0)) - S(i + 40) / 2);
    x.push_back(S(i + 40) / 2 - std::nextafter(limit, S(0)));
  }
  while (x.size() % n != 0) x.push_back(S(0.25));
  for (std::size_t k = 0; k < x.size(); k += n) {
    S out[n];
    store(out, flexor::floor(load(&x[k], R())));
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], std::floor(x[k + i])) << x[k + i];
  }
  S zero[n];
  store(zero, flexor::floor(R(S(-0.0))));
  EXPECT_EQ(std::signbit(zero[0]), n == 1);
}

TYPED_TEST(LaneOperations, masks_combine_lane_by_lane) {
  using R = TypeParam;
  constexpr int n = Lanes<R>::count;
  const int full = (1 << n) - 1;
  for (int p = 0; p <= full; ++p) {
    const auto a = mask_of<R>(p);
    EXPECT_EQ(any(a), p != 0) << p;
    EXPECT_EQ(all(a), p == full) << p;
    const auto not_a = lanes_of<R>(!a);
    for (int i = 0; i < n; ++i) EXPECT_EQ(not_a[i], ((p >> i) & 1) == 0) << p;
    for (int q = 0; q <= full; q += n > 8 ? 8191 : n > 4 ? 37 : 1) {
      const auto b = mask_of<R>(q);
      // & and | of two bool are int
      const auto both = lanes_of<R>(Mask<R>(a & b)), either = lanes_of<R>(Mask<R>(a | b)),
                 left = lanes_of<R>(andnot(a, b));
      for (int i = 0; i < n; ++i) {
        const bool x = (p >> i) & 1, y = (q >> i) & 1;
        EXPECT_EQ(both[i], x && y) << p << " " << q;
        EXPECT_EQ(either[i], x || y) << p << " " << q;
        EXPECT_EQ(left[i], x && !y) << p << " " << q;
      }
    }
  }
}

TYPED_TEST(LaneOperations, load_and_store_move_consecutive_numbers_and_nothing_else) {
  using R = TypeParam;
  using S = Scalar<R>;
  constexpr int n = Lanes<R>::count;
  S in[n + 2], out[n + 2];
  for (int i = 0; i < n + 2; ++i) {
    in[i] = S(i) + S(0.25);
    out[i] = S(-1);
  }
  store(out + 1, load(in + 1, R()));  // addresses need no alignment
  EXPECT_EQ(out[0], S(-1));
  EXPECT_EQ(out[n + 1], S(-1));
  for (int i = 1; i <= n; ++i) EXPECT_EQ(out[i], in[i]);
}

TYPED_TEST(LaneOperations, a_number_fills_all_lanes_with_its_bits) {
  using R = TypeParam;
  using S = Scalar<R>;
  for (const S x : probes<S>()) {
    S out[Lanes<R>::count];
    store(out, R(x));
    for (const S y : out) EXPECT_TRUE(same_bits(x, y)) << x;
  }
  S out[Lanes<R>::count];
  store(out, R(3));
  for (const S y : out) EXPECT_EQ(y, S(3));
  store(out, R(0.1));  // from the other precision: rounded
  for (const S y : out) EXPECT_EQ(y, static_cast<S>(0.1));
  store(out, R(0.1f));
  for (const S y : out) EXPECT_EQ(y, static_cast<S>(0.1f));
}

TYPED_TEST(LaneOperations, bits_of_lanes_set_test_and_combine) {
  using R = TypeParam;
  constexpr int n = Lanes<R>::count;
  const int high = 1 << 22, low = 1 << 0;
  for (int p = 0; p < (1 << n); ++p) {
    const auto a = bits_where(mask_of<R>(p), high, R());
    const auto b = bits_where(mask_of<R>(~p), low, R());
    const Bits<R> both = a | b;
    const auto values = integers_of<R>(both);
    const auto has_high = lanes_of<R>(has_bits(both, high)),
               has_any = lanes_of<R>(has_bits(both, high | low)),
               has_other = lanes_of<R>(has_bits(both, 1 << 5));
    for (int i = 0; i < n; ++i) {
      const bool set = (p >> i) & 1;
      EXPECT_EQ(values[i], set ? high : low);
      EXPECT_EQ(has_high[i], set);
      EXPECT_TRUE(has_any[i]);
      EXPECT_FALSE(has_other[i]);
    }
  }
}

TYPED_TEST(LaneOperations, bits_in_reals_keep_every_bit) {
  using R = TypeParam;
  using S = Scalar<R>;
  constexpr int n = Lanes<R>::count;
  std::int32_t in[n], out[n];
  for (int i = 0; i < n; ++i) in[i] = (i % 2 ? -1 : 1) * (0x5a5a5a + i);
  store_int32(out, real_to_bits(bits_to_real(load_int32(in, R()))));
  for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], in[i]);

  S one[n];
  store(one, bits_to_real(real_to_bits(R(S(-2.5)))));
  for (const S x : one) EXPECT_EQ(x, S(-2.5));
}

TYPED_TEST(LaneOperations, integers_of_every_precision_lie_in_memory_as_int32) {
  using R = TypeParam;
  constexpr int n = Lanes<R>::count;
  std::int32_t in[n], out[n + 1];
  for (int i = 0; i < n; ++i) in[i] = i % 2 ? std::numeric_limits<std::int32_t>::min() + i : i;
  out[n] = 77;
  store_int32(out, load_int32(in, R()));
  for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], in[i]);
  EXPECT_EQ(out[n], 77);
}

TYPED_TEST(LaneOperations, power_of_two_is_exact_over_all_normal_numbers) {
  using R = TypeParam;
  using S = Scalar<R>;
  constexpr int n = Lanes<R>::count;
  const int low = std::numeric_limits<S>::min_exponent - 1,
            high = std::numeric_limits<S>::max_exponent - 1;
  for (int k = low; k <= high; ++k) {
    S in[n], out[n];
    for (int i = 0; i < n; ++i) in[i] = S(std::min(k + i, high));
    store(out, power_of_two(load(in, R())));
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], std::ldexp(S(1), int(in[i])));
  }
}

TYPED_TEST(LaneOperations, to_integer_of_whole_numbers) {
  using R = TypeParam;
  using S = Scalar<R>;
  constexpr int n = Lanes<R>::count;
  for (int k = -70; k <= 70; ++k) {
    S in[n];
    for (int i = 0; i < n; ++i) in[i] = S(k * (i + 1));
    const auto out = integers_of<R>(to_integer(load(in, R())));
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[i], k * (i + 1));
  }
}

TYPED_TEST(LaneOperations, add_where_adds_to_the_lanes_of_the_mask_only) {
  using R = TypeParam;
  constexpr int n = Lanes<R>::count;
  for (int p = 0; p < (1 << n); ++p) {
    double clock[n + 1];
    std::int64_t count[n + 1];
    for (int i = 0; i <= n; ++i) {
      clock[i] = i;
      count[i] = (std::int64_t(1) << 40) + i;
    }
    add_where(mask_of<R>(p), clock, 0.125, R());
    add_where(mask_of<R>(p), count, 3, R());
    for (int i = 0; i <= n; ++i) {
      const bool set = i < n && ((p >> i) & 1);
      EXPECT_EQ(clock[i], i + (set ? 0.125 : 0.0));
      EXPECT_EQ(count[i], (std::int64_t(1) << 40) + i + (set ? 3 : 0));
    }
  }
}

TYPED_TEST(LaneOperations, load_flags_sets_the_lanes_of_bytes_that_are_not_zero) {
  using R = TypeParam;
  constexpr int n = Lanes<R>::count;
  const std::uint8_t kinds[] = {1, 2, 128, 255};
  for (int p = 0; p < (1 << n); ++p) {
    std::uint8_t bytes[n];
    for (int i = 0; i < n; ++i) bytes[i] = ((p >> i) & 1) ? kinds[(p + i) % 4] : 0;
    const auto mask = load_flags(bytes, R());
    const auto set = lanes_of<R>(mask);
    for (int i = 0; i < n; ++i) EXPECT_EQ(set[i], bytes[i] != 0);
    EXPECT_EQ(any(mask), p != 0);
    EXPECT_EQ(all(mask), p == (1 << n) - 1);
  }
}

}  // namespace
}  // namespace flexor::tests
