// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/ramp.hpp>

#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::arrival::ramp;
using weir::arrival::ramp_rates;

nanoseconds row(ramp due, std::uint64_t n) {
  while (n-- > 0) (void)due.next();
  return due.next();
}

// With 60 digits (mpmath).
TEST(RampSchedule, GivesTheGoldenTimes) {
  constexpr ramp_rates rising{.from = 1'000, .to = 600'000, .rows = 1'000'000};
  EXPECT_EQ(row(ramp(rising), 0), 0ns);
  EXPECT_EQ(row(ramp(rising), 1), 923'280ns);
  EXPECT_EQ(row(ramp(rising), 2), 1'730'487ns);
  EXPECT_EQ(row(ramp(rising), 500'000), 2'351'476'853ns);
  EXPECT_EQ(row(ramp(rising), 999'999), 3'327'785'354ns);
  constexpr ramp_rates falling{.from = 600'000, .to = 1'000, .rows = 1'000'000};
  EXPECT_EQ(row(ramp(falling), 1), 1'666ns);
  EXPECT_EQ(row(ramp(falling), 500'000), 976'310'167ns);
  EXPECT_EQ(row(ramp(falling), 999'999), 3'326'863'741ns);
}

TEST(RampSchedule, BeginsAndEndsAtRest) {
  constexpr ramp_rates up{.from = 0, .to = 100, .rows = 1'000};  // 20 s
  EXPECT_EQ(row(ramp(up), 0), 0ns);
  EXPECT_EQ(row(ramp(up), 1), 632'455'532ns);
  EXPECT_EQ(row(ramp(up), 999), 19'989'997'498ns);
  constexpr ramp_rates down{.from = 100, .to = 0, .rows = 1'000};
  EXPECT_EQ(row(ramp(down), 999), 20s - 632'455'532ns - 1ns);  // the same backwards, cut
  EXPECT_EQ(row(ramp(down), 1'000), 20s);
  EXPECT_EQ(row(ramp(down), 1'001), nanoseconds::max());
}

TEST(RampSchedule, KeepsItsLastRate) {
  constexpr ramp_rates up{.from = 100, .to = 300, .rows = 400};  // 2 s
  EXPECT_EQ(row(ramp(up), 400), 2s);
  EXPECT_EQ(row(ramp(up), 700), 3s);
}

TEST(RampSchedule, WithEqualRatesIsConstant) {
  ramp due({.from = 700'000, .to = 700'000, .rows = 100'000});
  for (std::uint64_t n = 0; n < 200'000; ++n) {
    const nanoseconds exact = weir::rate::per_second(700'000).time_of(n);
    const nanoseconds next = due.next();
    ASSERT_LE(exact - next, 1ns) << n;
    ASSERT_GE(exact - next, -1ns) << n;
  }
}

// Due means: the integrated rate has reached n. At 1 ns less it had not, at 1 ns more it has.
TEST(RampSchedule, IsWithinANanosecondOfTheInverseOfTheIntegratedRate) {
  for (const ramp_rates r : {ramp_rates{.from = 10, .to = 20'000'000, .rows = 300'000},
                             ramp_rates{.from = 20'000'000, .to = 10, .rows = 300'000},
                             ramp_rates{.from = 599'999, .to = 600'000, .rows = 300'000}}) {
    const long double from = static_cast<long double>(r.from);
    const long double seconds = 2.0L * static_cast<long double>(r.rows) / static_cast<long double>(r.from + r.to);
    const long double bend = (static_cast<long double>(r.to) - from) / seconds / 2;
    const auto reached = [&](nanoseconds t) {
      const long double s = static_cast<long double>(t.count()) * 1e-9L;
      return s * (from + bend * s);
    };
    ramp due(r);
    nanoseconds before{};
    for (std::uint64_t n = 0; n < r.rows; ++n) {
      const nanoseconds next = due.next();
      ASSERT_LE(reached(next - 1ns), static_cast<long double>(n) + 1e-9L) << n;
      ASSERT_GE(reached(next + 2ns), static_cast<long double>(n) - 1e-9L) << n;
      ASSERT_GE(next, before);
      before = next;
    }
  }
}

#if WEIR_CHECKS
TEST(RampScheduleDeathTest, RefusesWhatNeverGetsAnywhere) {
  EXPECT_DEATH(ramp({.from = 0, .to = 0, .rows = 10}), "weir.expects.*from");
  EXPECT_DEATH(ramp({.from = 1, .to = 2, .rows = 0}), "weir.expects.*rows");
}
#endif

}  // namespace
