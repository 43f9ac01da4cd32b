// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/constant.hpp>

#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::rate;
using weir::arrival::constant;

std::vector<nanoseconds> first(constant due, std::size_t rows) {
  std::vector<nanoseconds> all(rows);
  for (auto& row : all) row = due.next();
  return all;
}

// As upstream's ThroughputSchedule, which counts in whole ms.
TEST(ConstantSchedule, GivesTheGoldenTimesOfThreeASecond) {
  const auto due = first(constant(rate::per_second(3)), 4);
  const auto in_ms = [](nanoseconds t) { return std::chrono::floor<std::chrono::milliseconds>(1000ms + t); };
  EXPECT_EQ(in_ms(due[0]), 1000ms);
  EXPECT_EQ(in_ms(due[1]), 1333ms);
  EXPECT_EQ(in_ms(due[3]), 2000ms);
  EXPECT_EQ(due, (std::vector{0ns, 333'333'333ns, 666'666'666ns, 1'000'000'000ns}));
}

// Whole ns alone would be early by 0.004 % at 60,000/s and by 0.6 % at 7,000,000/s. Every second of rows
// repeats the one before it exactly, so that nothing is left to add up, at row 10^9 or later.
TEST(ConstantSchedule, DoesNotDrift) {
  for (const std::uint64_t events : {60'000U, 700'000U, 1'500'000U, 3'000'000U, 7'000'000U}) {
    constant due(rate::per_second(events));
    constant a_second_later = due;
    for (std::uint64_t n = 0; n < events; ++n) (void)a_second_later.next();
    std::uint64_t wrong = 0;
    for (std::uint64_t n = 0; n < events; ++n) wrong += a_second_later.next() != due.next() + 1s;
    EXPECT_EQ(wrong, 0U) << events;
  }
}

// Computed with Python's integers: 10^9 * 10^9 // rate.
TEST(ConstantSchedule, HasRowABillionWhereTheArithmeticOfItsRatePutsIt) {
  constexpr std::uint64_t billion = 1'000'000'000;
  EXPECT_EQ(rate::per_second(60'000).time_of(billion), 16'666'666'666'666ns);
  EXPECT_EQ(rate::per_second(700'000).time_of(billion), 1'428'571'428'571ns);
  EXPECT_EQ(rate::per_second(1'500'000).time_of(billion), 666'666'666'666ns);
  EXPECT_EQ(rate::per_second(3'000'000).time_of(billion), 333'333'333'333ns);
  EXPECT_EQ(rate::per_second(7'000'000).time_of(billion), 142'857'142'857ns);
}

TEST(ConstantSchedule, AgreesWithItsRateRowByRow) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const rate rates[] = {
      rate::per_second(1),
      rate::per_second(599'999),
      rate::per_second(600'000),
      rate::per_second(7'000'000),
      rate::per_second(999'999'999),
      rate::per_second(1'000'000'000),
      rate::per_second(1'000'000'001),
      rate::per_second(most),
      rate::per_second(most - 1),
      {.events = 1, .per = 1h},
      {.events = 3, .per = 7ns},
      {.events = most, .per = nanoseconds::max()},
      {.events = most / 2 + 2, .per = nanoseconds::max()},
  };
  for (const rate& every : rates) {
    constant due(every);
    std::uint64_t wrong = 0;
    for (std::uint64_t n = 0; n < 100'000; ++n) wrong += due.next() != every.time_of(n);
    EXPECT_EQ(wrong, 0U) << every.events << " events in " << every.per.count() << " ns";
  }
}

TEST(ConstantSchedule, StaysAtTheEndOfTime) {
  constant a_century_apart({.events = 1, .per = 24h * 36'525});
  EXPECT_EQ(first(a_century_apart, 5),
            (std::vector<nanoseconds>{0ns, 24h * 36'525, 24h * 73'050, nanoseconds::max(), nanoseconds::max()}));
  EXPECT_EQ(first(constant({.events = 1, .per = nanoseconds::max()}), 3),
            (std::vector{0ns, nanoseconds::max(), nanoseconds::max()}));
}

TEST(ConstantSchedule, WorksAtCompileTime) {
  static_assert([] {
    constant due(rate::per_second(3));
    (void)due.next();
    return due.next();
  }() == 333'333'333ns);
}

#if WEIR_CHECKS
TEST(ConstantScheduleDeathTest, RefusesARateWithoutAPace) {
  EXPECT_DEATH(constant(rate{}), "weir.expects.*paced");
  EXPECT_DEATH(constant({.events = 1, .per = 0s}), "weir.expects.*per");
}
#endif

}  // namespace
