// Messages: what the guard says, once for each time it acts, and not more than anybody can read.

#include "flexor/sim/log.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "flexor/core/status.hpp"
#include "sim/logging.hpp"
#include "sim_models.hpp"

namespace flexor {
namespace {

class Log : public testing::OnEachBackend {
 public:
  Log() {
    set_log([this](const LogMessage& message) { heard.push_back(message); });
  }
  ~Log() override { set_log({}); }
  Simulation simulation(Guard guard, int num_worlds) {
    SimulationOptions asked = options(num_worlds);
    asked.guard = guard;
    return Simulation(testing::suspended_load().finalize(), asked);
  }
  static void spoil(Simulation& sim, long world) {
    const ArrayRef ref = sim.array(Field::qvel);
    if (ref.is_float)
      static_cast<float*>(ref.data)[world] = std::numeric_limits<float>::quiet_NaN();
    else
      static_cast<double*>(ref.data)[world] = std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<LogMessage> heard;
};
FLEXOR_ON_EACH_BACKEND(Log);

TEST_P(Log, AWorldThatFreezesIsSaidOnce) {
  Simulation sim = simulation(Guard::kFreeze, 5);
  sim.step(4);
  EXPECT_TRUE(heard.empty());
  spoil(sim, 3);
  sim.step(2);
  sim.step(2);
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].code, "guard-freeze");
  EXPECT_EQ(heard[0].level, LogLevel::kWarning);
  EXPECT_EQ(heard[0].world, 3);
  EXPECT_EQ(heard[0].step, 4);
  EXPECT_NE(heard[0].text.find("world 3: NONFINITE_STATE"), std::string::npos) << heard[0].text;

  const std::vector<std::uint8_t> mask = {0, 0, 0, 1, 0};
  sim.reset(mask);
  spoil(sim, 3);
  sim.step(1);
  EXPECT_EQ(heard.size(), 2u) << "another time is another message";
}

TEST_P(Log, AWorldThatIsResetIsSaidEachTime) {
  Simulation sim = simulation(Guard::kReset, 3);
  for (int n = 0; n < 3; ++n) {
    spoil(sim, 1);
    sim.step(1);
  }
  ASSERT_EQ(heard.size(), 3u);
  for (const LogMessage& message : heard) {
    EXPECT_EQ(message.code, "guard-reset");
    EXPECT_EQ(message.world, 1);
  }
}

TEST_P(Log, IgnoredFailuresAndSilenceSayNothing) {
  Simulation ignoring = simulation(Guard::kIgnore, 2);
  spoil(ignoring, 0);
  ignoring.step(2);
  EXPECT_TRUE(heard.empty());
  set_log({});
  Simulation sim = simulation(Guard::kFreeze, 2);
  spoil(sim, 0);
  sim.step(1);
  EXPECT_TRUE(heard.empty());
}

TEST_P(Log, ABatchThatFailsSaysTen) {
  Simulation sim = simulation(Guard::kFreeze, 40);
  for (long w = 0; w < 40; ++w) spoil(sim, w);
  sim.step(1);
  EXPECT_EQ(heard.size(), 10u);
}

TEST(RateLimit, TenOfACodePassInAMinute) {
  RateLimit limit;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(limit.pass("a", 100 + i), 0);
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(limit.pass("a", 159.9).has_value());
  EXPECT_EQ(limit.pass("b", 159.9), 0) << "every code has its own count";
  EXPECT_EQ(limit.pass("a", 160), 7) << "how many were left out";
  EXPECT_EQ(limit.pass("a", 160), 0);
}

}  // namespace
}  // namespace flexor
