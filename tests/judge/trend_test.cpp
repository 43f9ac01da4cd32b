// SPDX-License-Identifier: Apache-2.0
#include <weir/judge/trend.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/stats/student_t.hpp>

#include "clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::judge::classify;
using weir::judge::latency_slope;
using weir::judge::slope_interval;
using weir::judge::trend_state;
using weir::record::sample;
using weir::record::trend_point;

sample with_trend(std::vector<trend_point> trend, nanoseconds schedule) {
  sample s;
  s.schedule_time = schedule;
  s.trend = std::move(trend);
  return s;
}

/// One server, constant arrivals and service: row n is due at n/lambda and takes 1/mu.
sample simulated_queue(double lambda, double mu, std::uint64_t rows, std::uint64_t points) {
  std::vector<trend_point> trend;
  double free_at = 0;
  for (std::uint64_t n = 0; n < rows;) {
    double intended = 0;
    double latency = 0;
    const std::uint64_t end = rows * (trend.size() + 1) / points;
    const std::uint64_t first = n;
    for (; n < end; ++n) {
      const double due = static_cast<double>(n) / lambda;
      free_at = std::max(free_at, due) + 1 / mu;
      intended += due;
      latency += free_at - due;
    }
    const auto count = static_cast<double>(end - first);
    trend.push_back({nanoseconds(std::llround(intended / count * 1e9)),
                     nanoseconds(std::llround(latency / count * 1e9)), end - first});
  }
  return with_trend(std::move(trend), nanoseconds(std::llround(static_cast<double>(rows - 1) / lambda * 1e9)));
}

trend_state judged(const sample& s) {
  const auto slope = latency_slope(s);
  return slope ? classify(*slope, 0.01, 0.005, 1ms) : trend_state::inconclusive;
}

TEST(LatencySlope, OverloadedQueueRisesByLambdaOverMuMinusOne) {
  for (const double overload : {1.02, 1.25, 2.0}) {
    const sample s = simulated_queue(overload * 1'000, 1'000, 60'000, 64);
    const auto slope = latency_slope(s);
    ASSERT_TRUE(slope);
    EXPECT_NEAR(slope->value, overload - 1, 1e-6);
    EXPECT_NEAR(slope->low, slope->high, 1e-6);
    EXPECT_EQ(judged(s), trend_state::growing);
  }
}

TEST(LatencySlope, QueueBelowCapacityIsFlat) {
  const sample s = simulated_queue(800, 1'000, 60'000, 64);
  const auto slope = latency_slope(s);
  ASSERT_TRUE(slope);
  EXPECT_NEAR(slope->value, 0, 1e-9);
  EXPECT_EQ(judged(s), trend_state::steady);
}

// By hand: t = 1..8 s, y alternates 1 ms and 2 ms. Sxx = 42, Sxy = 2, no bend, residuals 2 - 4/42, t(0.975, 5)
// = 2.570582.
TEST(LatencySlope, IntervalIsStudentsOverTheBatches) {
  std::vector<trend_point> trend;
  for (int i = 0; i < 8; ++i) trend.push_back({std::chrono::seconds(i + 1), i % 2 == 0 ? 1ms : 2ms, 10});
  const auto slope = latency_slope(with_trend(trend, 8s));
  ASSERT_TRUE(slope);
  const double half_width = 2.570582 * std::sqrt((2 - 4.0 / 42) / 5 / 42) * 1e-3;
  EXPECT_NEAR(slope->value, 2.0 / 42 * 1e-3, 1e-12);
  EXPECT_NEAR(slope->high - slope->value, half_width, 1e-9);
  EXPECT_NEAR(slope->value - slope->low, half_width, 1e-9);
  EXPECT_EQ(slope->span, 7s);
}

// By hand: y = 1, 1, 1, 2, 2, 1, 1, 1 ms is 1.25 - (7, 1, -3, -5, -5, -3, 1, 7) 10/168 and residuals, whose squares add
// up to 19/21, the products of neighbours to -1/12. So -7/76 is seen, too low by (3 - 5 * 7/76) / 8.
TEST(LatencySlope, NeighboursThatResembleEachOtherWidenTheInterval) {
  std::vector<trend_point> trend;
  for (int i = 1; i <= 8; ++i) trend.push_back({std::chrono::seconds(i), i == 4 || i == 5 ? 2ms : 1ms, 10});
  const auto slope = latency_slope(with_trend(trend, 8s));
  ASSERT_TRUE(slope);
  constexpr double rho = 137.0 / 608;
  constexpr double together = (1 + rho) / (1 - rho);
  constexpr double variance = 19.0 / 21 / (8 - 3 * together);
  EXPECT_NEAR(slope->value, 0, 1e-12);
  EXPECT_NEAR(slope->high,
              weir::stats::student_t_quantile(0.975, 8 / together - 3) * std::sqrt(variance * together / 42) * 1e-3,
              1e-9);
}

// From 98 % to 106 % of the capacity: flat for a quarter of the time, then bent upwards. A line fits it badly.
TEST(LatencySlope, AnOverloadThatSetsInLateIsNoNoise) {
  std::vector<trend_point> trend;
  for (int i = 0; i < 40; ++i) {
    const double over = std::max(0.0, (i + 0.5) / 40 - 0.25);
    trend.push_back({100ms * i + 50ms, nanoseconds(std::llround(over * over * 0.16e9)), 1'000});
  }
  const auto slope = latency_slope(with_trend(trend, 4s));
  ASSERT_TRUE(slope);
  EXPECT_GT(slope->low, 0.02);
}

TEST(LatencySlope, LeavesOutTheFirstTenthOfTheSchedule) {
  auto trend = weir_test::line(100, 10s, 50us, 0);
  for (std::size_t i = 0; i < 10; ++i) trend[i].latency = 900ms;  // a cold start
  EXPECT_NEAR(latency_slope(with_trend(trend, 10s))->value, 0, 1e-12);
  trend[10].latency = 900ms;
  EXPECT_LT(latency_slope(with_trend(trend, 10s))->value, -1e-4);
}

// 80 points make 40 batches of two: a point that holds all the rows of its batch decides it.
TEST(LatencySlope, WeighsPointsByTheirRows) {
  std::vector<trend_point> trend;
  for (int i = 0; i < 80; ++i) {
    trend.push_back({std::chrono::seconds(10 + i), i % 2 == 0 ? 5ms : 500ms, i % 2 == 0 ? 1'000'000U : 0U});
  }
  EXPECT_NEAR(latency_slope(with_trend(trend, 90s))->value, 0, 1e-12);
}

TEST(LatencySlope, ManyPointsGiveTheSlopeOfFew) {
  const auto few = latency_slope(with_trend(weir_test::line(200, 10s, 1ms, 0.02), 10s));
  const auto many = latency_slope(with_trend(weir_test::line(20'000, 10s, 1ms, 0.02), 10s));
  EXPECT_NEAR(few->value, 0.02, 1e-9);
  EXPECT_NEAR(many->value, 0.02, 1e-9);
}

TEST(LatencySlope, SaysNothingWhenThereIsTooLittle) {
  EXPECT_FALSE(latency_slope({}));
  EXPECT_FALSE(latency_slope(with_trend(weir_test::line(7, 10s, 1ms, 0.5), 1s)));
  EXPECT_TRUE(latency_slope(with_trend(weir_test::line(8, 10s, 1ms, 0.5), 1s)));
  EXPECT_FALSE(latency_slope(with_trend(std::vector<trend_point>(20, {1s, 1ms, 10}), 1s)));  // all at one instant
  EXPECT_FALSE(latency_slope(with_trend(weir_test::line(20, 10s, 1ms, 0.5, 0), 10s)));  // no rows
}

// 95 % intervals of 2,000 flat, independently noisy runs must hold the true slope about 95 times in 100.
TEST(LatencySlope, IntervalCoversTheTruthAsOftenAsItSays) {
  weir::random_bits bits(7);
  int covered = 0;
  constexpr int runs = 2'000;
  for (int run = 0; run < runs; ++run) {
    auto trend = weir_test::line(64, 1s, 10ms, 0.003);
    for (auto& p : trend) p.latency += nanoseconds(static_cast<std::int64_t>(bits.uniform() * 5e6));
    const auto slope = latency_slope(with_trend(trend, 1s));
    covered += slope->low <= 0.003 && 0.003 <= slope->high ? 1 : 0;
  }
  EXPECT_NEAR(covered / double{runs}, 0.95, 0.02);
}

TEST(ClassifyTrend, NeedsTheWholeIntervalOnOneSide) {
  const auto of = [](double low, double high) {
    return classify(slope_interval{.value = (low + high) / 2, .low = low, .high = high, .span = 10s}, 0.01, 0.005, 1ms);
  };
  EXPECT_EQ(of(0.011, 0.2), trend_state::growing);
  EXPECT_EQ(of(0.009, 0.2), trend_state::inconclusive);
  EXPECT_EQ(of(-0.2, 0.0049), trend_state::steady);
  EXPECT_EQ(of(-0.2, 0.0051), trend_state::inconclusive);
  EXPECT_EQ(of(0.006, 0.009), trend_state::inconclusive);
}

TEST(ClassifyTrend, ARiseBelowTheFloorIsNone) {
  const slope_interval slope{.value = 0.03, .low = 0.02, .high = 0.04, .span = 20ms};  // at most 0.8 ms
  EXPECT_EQ(classify(slope, 0.01, 0.005, 1ms), trend_state::steady);
  EXPECT_EQ(classify(slope, 0.01, 0.005, 100us), trend_state::growing);
}

}  // namespace
