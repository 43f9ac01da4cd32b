// SPDX-License-Identifier: Apache-2.0
#include <weir/judge/percentile.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/measure/histogram.hpp>
#include <weir/measure/snapshot.hpp>

#include "clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::judge::percentile_interval;
using weir::judge::rows_needed;
using weir::record::sample;

/// Slices of 1,000 rows at 10 us, `late[i]` of them at 50 us instead.
sample sliced(const std::vector<std::uint64_t>& late) {
  sample s;
  weir::measure::histogram all;
  for (const std::uint64_t n : late) {
    all.record(10us, 1'000 - n);
    if (n > 0) all.record(50us, n);
  }
  s.latency_first_half = all.snapshot();
  const bool p99_late = s.latency_first_half.at(weir::measure::p99).value > 20us;
  for (const auto p : {weir::measure::p99, weir::measure::p999}) {
    weir::record::percentile_slices slices{.p = p, .half = 0, .rows = {}, .below = {}, .within = {}};
    for (const std::uint64_t n : late) {
      slices.rows.push_back(1'000);
      slices.below.push_back(p99_late ? 1'000 - n : 0);
      slices.within.push_back(p99_late ? n : 1'000 - n);
    }
    s.slices.push_back(slices);
  }
  return s;
}

TEST(RowsNeeded, LeaveAHundredAboveThePercentile) {
  EXPECT_EQ(rows_needed(weir::measure::p50), 200U);
  EXPECT_EQ(rows_needed(weir::measure::p99), 10'000U);
  EXPECT_EQ(rows_needed(weir::measure::p999), 100'000U);
  EXPECT_EQ(rows_needed({1, 1}), ~0ULL);
}

TEST(PercentileInterval, OfTooFewRowsIsNotGiven) {
  sample s = sliced(std::vector<std::uint64_t>(10, 5));
  EXPECT_TRUE(percentile_interval(s, weir::measure::p99));  // 10,000 rows
  EXPECT_FALSE(percentile_interval(s, weir::measure::p999));
  EXPECT_FALSE(percentile_interval(s, weir::measure::p95));  // no slices of it
  s.slices[0].rows[3] = s.slices[0].rows[4] = s.slices[0].rows[5] = 0;
  EXPECT_FALSE(percentile_interval(s, weir::measure::p99));  // seven are too few
  s.slices.clear();
  EXPECT_FALSE(percentile_interval(s, weir::measure::p99));
}

// Shares up to 10 us: 980 and 996 in turn, mean 0.988. s^2 / n = 0.008^2 / 19; the ranks reach 0.99 +- 2.093 * that
// root.
TEST(PercentileInterval, FollowsFromHowMuchTheSlicesDiffer) {
  std::vector<std::uint64_t> late;
  for (int i = 0; i < 10; ++i) late.insert(late.end(), {20, 4});
  const auto p = percentile_interval(sliced(late), weir::measure::p99);
  ASSERT_TRUE(p);
  const double variance = 0.008 * 0.008 / 19;
  EXPECT_NEAR(p->effective_samples, 0.99 * 0.01 / variance, 1);
  EXPECT_EQ(p->value, 50us);
  EXPECT_EQ(p->high, 50us);
  EXPECT_NEAR(static_cast<double>(p->low.count()), 10'000, 10);  // rank 0.9862 < 0.988
  EXPECT_FALSE(p->open);
}

TEST(PercentileInterval, IsNeverNarrowerThanThatOfIndependentRows) {
  const auto p = percentile_interval(sliced(std::vector<std::uint64_t>(20, 10)), weir::measure::p99);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->effective_samples, 20'000);  // the slices agree to the row
  EXPECT_LT(p->low, p->high);               // yet P99 sits on the step between 10 and 50 us
}

TEST(PercentileInterval, OfAConstantIsThatConstant) {
  const auto p = percentile_interval(sliced(std::vector<std::uint64_t>(20, 0)), weir::measure::p99);
  ASSERT_TRUE(p);
  EXPECT_EQ(p->low, 10us);
  EXPECT_EQ(p->high, 10us);
  EXPECT_EQ(p->effective_samples, 20'000);
}

// One slice in which the host took the core away: the tail of the whole job is that one event.
TEST(PercentileInterval, IsOpenWhenOneEventMakesTheTail) {
  std::vector<std::uint64_t> late(20, 0);
  late[7] = 400;
  const auto p = percentile_interval(sliced(late), weir::measure::p99);
  ASSERT_TRUE(p);
  EXPECT_TRUE(p->open);
  EXPECT_LT(p->effective_samples, 100);
}

// Slices that rise together are one trend, not 20 witnesses.
TEST(PercentileInterval, TrustsSlicesThatFollowEachOtherLess) {
  std::vector<std::uint64_t> rising;
  std::vector<std::uint64_t> mixed;
  for (std::uint64_t i = 0; i < 20; ++i) {
    rising.push_back(i);
    mixed.push_back(i * 7 % 20);
  }
  EXPECT_LT(percentile_interval(sliced(rising), weir::measure::p99)->effective_samples,
            percentile_interval(sliced(mixed), weir::measure::p99)->effective_samples / 2);
}

TEST(EffectiveSamples, OfIndependentRowsAreTheRows) {
  weir::random_bits bits(5);
  sample s;
  weir::measure::histogram all;
  for (int point = 0; point < 40; ++point) {
    double sum = 0;
    for (int i = 0; i < 500; ++i) {
      const double latency = 1e6 * bits.uniform();
      sum += latency;
      all.record(nanoseconds(std::llround(latency)));
    }
    s.trend.push_back({.intended = 1ms * point, .latency = nanoseconds(std::llround(sum / 500)), .rows = 500});
  }
  s.latency_first_half = all.snapshot();
  EXPECT_NEAR(*weir::judge::effective_samples(s), 20'000, 9'000);  // from 40 means: a factor of 1.5
  for (auto& p : s.trend) p.latency += p.intended / 10;
  EXPECT_LT(*weir::judge::effective_samples(s), 100);
  s.trend.resize(7);
  EXPECT_FALSE(weir::judge::effective_samples(s));
}

}  // namespace
