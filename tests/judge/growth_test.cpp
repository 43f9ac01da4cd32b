// SPDX-License-Identifier: Apache-2.0
#include <weir/judge/growth.hpp>

#include <gtest/gtest.h>

#include "clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
using weir::judge::latency_growth_ratio;
using weir_test::latencies;

TEST(LatencyGrowthRatio, IsOneWhenTheHalvesAreEquallyLate) {
  EXPECT_DOUBLE_EQ(latency_growth_ratio(weir_test::clean_sample()), 1.0);
  EXPECT_DOUBLE_EQ(latency_growth_ratio({}), 1.0);
}

// P99 is exact below: it is the maximum of its half.
TEST(LatencyGrowthRatio, AddsAMillisecondToBothP99s) {
  weir::record::sample s;
  s.latency_first_half = latencies(1'000, 1ms, 4ms);
  s.latency_second_half = latencies(1'000, 1ms, 5'500us);
  EXPECT_DOUBLE_EQ(latency_growth_ratio(s), 6.5 / 5.0);
  std::swap(s.latency_first_half, s.latency_second_half);
  EXPECT_DOUBLE_EQ(latency_growth_ratio(s), 5.0 / 6.5);
}

TEST(LatencyGrowthRatio, TakesP99AndNotTheMaximum) {
  weir::record::sample s;
  s.latency_first_half = latencies(1'000, 1ms, 4ms);
  s.latency_second_half = s.latency_first_half;
  s.latency_second_half.merge(latencies(50, 9s, 9s));
  EXPECT_GT(latency_growth_ratio(s), 1'000);
  s.latency_second_half = latencies(100'000, 1ms, 4ms);
  s.latency_second_half.merge(latencies(50, 9s, 9s));
  EXPECT_NEAR(latency_growth_ratio(s), 1.0, 1e-3);  // 4 ms is a bucket's end now, not the maximum
}

}  // namespace
