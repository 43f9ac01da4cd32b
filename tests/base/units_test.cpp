// SPDX-License-Identifier: Apache-2.0
#include <weir/base/units.hpp>

#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using weir::rate;

TEST(Rate, GivesTheDueTimesOfThreeASecond) {
  constexpr rate three = rate::per_second(3);
  static_assert(three.time_of(0) == 0ns);
  EXPECT_EQ(three.time_of(1), 333'333'333ns);
  EXPECT_EQ(three.time_of(2), 666'666'666ns);
  EXPECT_EQ(three.time_of(3), 1s);
}

// An integer period of 142 ns would put this event 6 ms early.
TEST(Rate, DoesNotDriftAtRatesWithoutAWholePeriod) {
  EXPECT_EQ(rate::per_second(7'000'000).time_of(7'000'000), 1s);
  EXPECT_EQ(rate::per_second(7'000'000).time_of(70'000'001), 10s + 142ns);
}

TEST(Rate, StaysExactWhereSixtyFourBitsOverflow) {
  // n * 1e9 = 3e19 > 2^64.
  EXPECT_EQ(rate::per_second(1'000'000).time_of(30'000'000'000), 30'000s);
}

TEST(Rate, NeverDecreasesAndIsWithinOneNanosecondOfTheRealNumber) {
  constexpr rate odd{.events = 599'999, .per = 1s};
  std::chrono::nanoseconds last = -1ns;
  for (std::uint64_t n = 0; n < 600'000; n += 7) {
    const auto due = odd.time_of(n);
    ASSERT_GE(due, last);
    const auto distance = static_cast<std::uint64_t>(due.count()) * odd.events;
    ASSERT_LE(distance, n * 1'000'000'000);
    ASSERT_GT(distance + odd.events, n * 1'000'000'000);
    last = due;
  }
}

TEST(Rate, CountsInAnyStretchOfTime) {
  constexpr rate ten_a_minute{.events = 10, .per = 1min};
  EXPECT_EQ(ten_a_minute.time_of(5), 30s);
  EXPECT_DOUBLE_EQ(ten_a_minute.per_s(), 1.0 / 6.0);
}

TEST(Rate, IsUnpacedWithoutEvents) {
  static_assert(!rate{}.paced());
  static_assert(rate::per_second(1).paced());
  static_assert(rate{} == rate::per_second(0));
  EXPECT_EQ(rate{}.per_s(), 0.0);
}

#if WEIR_CHECKS
TEST(RateDeathTest, RefusesADueTimeWithoutAPace) { EXPECT_DEATH((void)rate{}.time_of(1), "weir.expects.*paced"); }
#endif

}  // namespace
