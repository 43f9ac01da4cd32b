// SPDX-License-Identifier: Apache-2.0
#include <weir/measure/histogram.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::measure::basic_histogram;
using weir::measure::hdr_layout;
using weir::measure::histogram;
using weir::measure::snapshot;

static_assert(noexcept(std::declval<histogram&>().record(nanoseconds{})));
static_assert(noexcept(std::declval<histogram&>().merge(std::declval<const histogram&>())));
static_assert(!std::is_copy_constructible_v<histogram> && std::is_nothrow_move_constructible_v<histogram>);

constexpr nanoseconds limit{static_cast<std::int64_t>(hdr_layout::limit)};

/// From 1 ns to 18 minutes, every octave alike.
std::vector<nanoseconds> random_latencies(std::uint64_t seed, std::size_t n) {
  weir::random_bits bits(seed);
  std::vector<nanoseconds> all(n);
  for (auto& latency : all) latency = nanoseconds(static_cast<std::int64_t>(std::exp2(40 * bits.uniform())));
  return all;
}

TEST(Histogram, StartsEmpty) {
  const histogram h;
  EXPECT_EQ(h.count(), 0U);
  EXPECT_EQ(h.overflow(), 0U);
  EXPECT_EQ(h.min(), 0ns);
  EXPECT_EQ(h.max(), 0ns);
  EXPECT_EQ(h.sum(), 0ns);
  EXPECT_EQ(h.snapshot(), snapshot());
}

TEST(Histogram, KeepsCountSumMinAndMaxExactly) {
  histogram h;
  nanoseconds sum{};
  nanoseconds min = nanoseconds::max();
  nanoseconds max{};
  std::uint64_t count = 0;
  for (const nanoseconds latency : random_latencies(2, 20'000)) {
    h.record(latency);
    ++count;
    sum += latency;
    min = std::min(min, latency);
    max = std::max(max, latency);
    ASSERT_EQ(h.min(), min);
    ASSERT_EQ(h.max(), max);
    ASSERT_EQ(h.sum(), sum);
  }
  EXPECT_EQ(h.count(), count);
}

TEST(Histogram, FindsMinAndMaxInRisingAndFallingValues) {
  histogram rising;
  histogram falling;
  for (int i = 0; i <= 5'000; ++i) {
    rising.record(nanoseconds(7 * i));
    falling.record(nanoseconds(7 * (5'000 - i)));
  }
  for (const histogram* h : {&rising, &falling}) {
    EXPECT_EQ(h->min(), 0ns);
    EXPECT_EQ(h->max(), 35'000ns);
    EXPECT_EQ(h->count(), 5'001U);
  }
  EXPECT_EQ(rising.snapshot(), falling.snapshot());
}

TEST(Histogram, SaturatesAtTheLimitAndSaysSo) {
  histogram h;
  h.record(limit - 1ns);
  EXPECT_EQ(h.overflow(), 0U);
  h.record(limit);
  h.record(10 * limit, 2);
  h.record(5 * limit);
  EXPECT_EQ(h.overflow(), 4U);
  EXPECT_EQ(h.count(), 5U);
  EXPECT_EQ(h.min(), limit - 1ns);
  EXPECT_EQ(h.max(), 10 * limit);
  EXPECT_EQ(h.sum(), 27 * limit - 1ns);
}

TEST(Histogram, SaturatesWhenNothingBelowTheLimitCameFirst) {
  histogram h;
  h.record(3 * limit);
  h.record(2 * limit);
  EXPECT_EQ(h.overflow(), 2U);
  EXPECT_EQ(h.min(), 2 * limit);
  h.record(5ns);
  h.record(limit);
  EXPECT_EQ(h.overflow(), 3U);
  EXPECT_EQ(h.min(), 5ns);
  EXPECT_EQ(h.max(), 3 * limit);
}

TEST(Histogram, RecordsManyAtOnceAsOneByOne) {
  histogram at_once;
  histogram one_by_one;
  for (const std::int64_t ns : {0, 40, 1'000'000}) {
    at_once.record(nanoseconds(ns), 17);
    for (int i = 0; i < 17; ++i) one_by_one.record(nanoseconds(ns));
  }
  EXPECT_EQ(at_once.snapshot(), one_by_one.snapshot());
}

TEST(Histogram, MergesAsIfRecordedTogether) {
  histogram a;
  histogram b;
  histogram together;
  for (const nanoseconds latency : random_latencies(3, 3'000)) {
    (latency.count() % 2 != 0 ? a : b).record(latency);
    together.record(latency);
  }
  b.record(2 * limit);
  together.record(2 * limit);
  a.merge(b);
  EXPECT_EQ(a.snapshot(), together.snapshot());
  a.record(3ns);  // still knows its range after the merge
  together.record(3ns);
  a.merge(histogram());
  EXPECT_EQ(a.snapshot(), together.snapshot());
}

TEST(Histogram, ResetsToEmpty) {
  histogram h;
  h.record(5ns);
  h.record(2 * limit);
  h.reset();
  EXPECT_EQ(h.snapshot(), snapshot());
  h.record(9ns);
  EXPECT_EQ(h.min(), 9ns);
  EXPECT_EQ(h.max(), 9ns);
}

TEST(Histogram, CountsEveryGoldenValueInItsBucket) {
  basic_histogram<2> h;
  h.record(10'007ns, 3);
  EXPECT_EQ(h.snapshot(), snapshot(2, {{924, 3}}, 10'007ns, 10'007ns, 30'021ns));
}

}  // namespace
