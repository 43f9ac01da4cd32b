// SPDX-License-Identifier: Apache-2.0
#include <weir/clock/tsc.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <weir/base/os.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::clock::tsc;
using weir::clock::detail::tick_pair;
using weir::clock::detail::tick_scale;

constexpr auto longest = std::numeric_limits<std::int64_t>::max();

TEST(TickScale, ConvertsWholePeriodsExactly) {
  constexpr tick_scale at_1_ghz(1'000'000, 1ms);
  static_assert(at_1_ghz(0) == 0ns);
  static_assert(at_1_ghz(123'456'789) == 123'456'789ns);
  constexpr tick_scale at_4_ghz(40'000'000, 10ms);
  static_assert(at_4_ghz(4'000'000'000) == 1s);
  constexpr tick_scale at_25_mhz(250'000, 10ms);
  static_assert(at_25_mhz(25'000'000) == 1s);
}

TEST(TickScale, KeepsAnOddRateToANanosecondAMinute) {
  constexpr tick_scale scale(20'960'699, 10ms);  // 2096.0699 MHz
  EXPECT_LE(60s - scale(125'764'194'000), 1ns);
  EXPECT_GE(60s - scale(125'764'194'000), 0ns);
}

TEST(TickScale, DoesNotOverflowOnAnySpan) {
  constexpr tick_scale at_1_ghz(1'000'000, 1ms);
  static_assert(at_1_ghz(longest) == nanoseconds::max());
  static_assert(at_1_ghz(-longest) == -nanoseconds::max());
  constexpr tick_scale at_4_ghz(4, 1ns);
  static_assert(at_4_ghz(longest) == nanoseconds(longest / 4));
}

// A core may lag the one that calibrated by a few ticks.
TEST(TickScale, TakesTicksBeforeTheFirst) {
  constexpr tick_scale at_2_ghz(2, 1ns);
  static_assert(at_2_ghz(-2) == -1ns);
}

TEST(TscRefusal, AcceptsAConstantRate) {
  EXPECT_EQ(weir::clock::detail::refusal_of({tick_pair{0, 0ms}, {20'960'699, 10ms}, {41'921'398, 20ms}}), "");
  // 0.009 % off: a reading error.
  EXPECT_EQ(weir::clock::detail::refusal_of({tick_pair{0, 0ms}, {10'000'000, 10ms}, {20'000'900, 20ms}}), "");
}

TEST(TscRefusal, NamesACounterThatDoesNotAdvance) {
  for (const std::array<tick_pair, 3>& at : {std::array<tick_pair, 3>{{{9, 0ms}, {8, 10ms}, {20, 20ms}}},
                                             std::array<tick_pair, 3>{{{0, 0ms}, {10, 10ms}, {10, 20ms}}}}) {
    EXPECT_NE(weir::clock::detail::refusal_of(at).find("ran backwards"), std::string::npos);
  }
}

TEST(TscRefusal, NamesARateThatChanges) {
  const std::string faster =
      weir::clock::detail::refusal_of({tick_pair{0, 0ms}, {10'000'000, 10ms}, {20'001'100, 20ms}});
  EXPECT_NE(faster.find("off by 1100 ns in 10000000"), std::string::npos) << faster;
  EXPECT_NE(weir::clock::detail::refusal_of({tick_pair{0, 0ms}, {10'000'000, 10ms}, {19'998'900, 20ms}}), "");
}

TEST(Tsc, SaysWhyItIsUnusableAndThenCannotBeMade) {
  const auto probe = tsc::probe();
  EXPECT_EQ(probe.usable, probe.reason.empty());
  if (probe.usable) {
    EXPECT_NO_THROW(tsc());
    return;
  }
  try {
    tsc();
    FAIL() << "made from a counter that is unusable: " << probe.reason;
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "clock.tsc_unusable");
    EXPECT_NE(std::string(e.what()).find(probe.reason), std::string::npos);
  }
}

TEST(Tsc, LeavesTheThreadOnTheCoresItHad) {
  const unsigned before = weir::os::usable_cores();
  (void)weir::clock::detail::disagreement_of_cores({});
  EXPECT_EQ(weir::os::usable_cores(), before);
}

class UsableTsc : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto probe = tsc::probe(); !probe.usable) GTEST_SKIP() << probe.reason;
  }
};

TEST_F(UsableTsc, TellsTheSameTimeInEveryCopyAndEveryInstance) {
  const tsc one;
  const tsc copy = one;
  const tsc other;
  const auto a = one.now();
  const auto b = copy.now();
  const auto c = other.now();
  const auto d = one.now();
  EXPECT_LE(a, b);
  EXPECT_LE(b, c);
  EXPECT_LE(c, d);
}

// Each reads the clock after it has seen the other's time: a counter that runs behind on one core, or is
// read ahead of the load, shows as a step back.
TEST_F(UsableTsc, NeverGoesBackFromOneThreadToAnother) {
  constexpr int rounds = 5'000;
  const tsc clock;
  std::atomic<std::int64_t> ball{0};  // the time; negated when it is the second thread's turn
  std::atomic<int> steps_back{0};
  const auto play = [&](int sign) {
    for (int round = 0; round < rounds; ++round) {
      std::int64_t seen = ball.load(std::memory_order_acquire);
      while (seen * sign < 0 || (seen == 0 && sign < 0)) {
        weir::os::yield();
        seen = ball.load(std::memory_order_acquire);
      }
      const std::int64_t now = clock.now().count();
      if (now < seen * sign) steps_back.fetch_add(1, std::memory_order_relaxed);
      ball.store(-sign * now, std::memory_order_release);
    }
  };
  {
    const std::jthread second(play, -1);
    play(1);
  }
  EXPECT_EQ(steps_back.load(), 0);
}

TEST_F(UsableTsc, SleepsUntilTheDeadlineAndNotForOneThatHasPassed) {
  const tsc clock;
  const auto deadline = clock.now() + 1ms;
  clock.sleep_until(deadline);
  EXPECT_GE(clock.now(), deadline);
  clock.sleep_until(nanoseconds::min());
}

}  // namespace
