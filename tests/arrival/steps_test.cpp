// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/steps.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::arrival::rows_within;
using weir::arrival::step;
using weir::arrival::steps;

std::vector<nanoseconds> first(steps due, std::size_t rows) {
  std::vector<nanoseconds> all(rows);
  for (auto& row : all) row = due.next();
  return all;
}

TEST(StepsSchedule, GoesFromOneRateToTheNext) {
  EXPECT_EQ(first(steps({{2, 1s}, {4, 1s}}), 8),
            (std::vector<nanoseconds>{0ms, 500ms, 1s, 1'250ms, 1'500ms, 1'750ms, 2s, 2'250ms}));
}

TEST(StepsSchedule, WithOneStepIsConstant) {
  steps due({{700'000, 1ms}});
  for (std::uint64_t n = 0; n < 10'000; ++n) ASSERT_EQ(due.next(), weir::rate::per_second(700'000).time_of(n));
}

// 2.5 rows in the first step: half of row 3 is still to come, at the second rate.
TEST(StepsSchedule, CarriesAPartOfARowIntoTheNextStep) {
  EXPECT_EQ(first(steps({{1, 2'500ms}, {10, 1s}}), 5), (std::vector<nanoseconds>{0s, 1s, 2s, 2'550ms, 2'650ms}));
}

TEST(StepsSchedule, PassesOverStepsInWhichNoRowIsDue) {
  EXPECT_EQ(first(steps({{1, 100ms}, {2, 100ms}, {100, 1s}}), 3), (std::vector<nanoseconds>{0s, 207ms, 217ms}));
}

TEST(StepsSchedule, PausesAtRateZero) {
  EXPECT_EQ(first(steps({{2, 1s}, {0, 10s}, {1, 1s}}), 4), (std::vector<nanoseconds>{0s, 500ms, 1s, 12s}));
  EXPECT_EQ(first(steps({{0, 1s}, {1, 1s}}), 2), (std::vector<nanoseconds>{0s, 2s}));
  EXPECT_EQ(first(steps({{1, 1s}, {0, 1s}}), 3), (std::vector<nanoseconds>{0s, 1s, nanoseconds::max()}));
}

// 3.33 ms hold 3,329.94339 rows at 999,983/s and 3,330.00999 at 1,000,003/s: fifteen of both 99,899.3007.
TEST(StepsSchedule, DoesNotDrift) {
  std::vector<step> all;
  for (int i = 0; i < 15; ++i) all.insert(all.end(), {{999'983, 3'330us}, {1'000'003, 3'330us}});
  ASSERT_EQ(rows_within(all), 99'900U);
  steps due(all);
  nanoseconds last{};
  for (std::uint64_t n = 0; n < 99'900; ++n) last = due.next();
  EXPECT_LT(last, 99'900us);
  EXPECT_EQ(due.next(), 99'900us + 699ns);  // 0.6993 of a row is still to come
}

TEST(StepsSchedule, CountsTheRowsThatAreDueWithin) {
  EXPECT_EQ(rows_within(std::vector<step>{{1'000, 2s}, {5'000, 2s}}), 12'000U);
  EXPECT_EQ(rows_within(std::vector<step>{{1, 2'500ms}}), 3U);
  EXPECT_EQ(rows_within(std::vector<step>{{1'000'000'000, 24h * 365}}), 31'536'000'000'000'000U);
}

}  // namespace
