// SPDX-License-Identifier: Apache-2.0
#include <weir/measure/snapshot.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/base/random.hpp>
#include <weir/measure/histogram.hpp>

namespace {

using namespace std::chrono_literals;
using namespace weir::measure;
using std::chrono::nanoseconds;

constexpr nanoseconds limit{static_cast<std::int64_t>(hdr_layout::limit)};

snapshot one_to(std::int64_t last) {
  histogram h;
  for (std::int64_t ns = 1; ns <= last; ++ns) h.record(nanoseconds(ns));
  return h.snapshot();
}

TEST(Percentile, IsTheNearestRankRoundedUp) {
  const snapshot thousand = one_to(1'000);
  EXPECT_EQ(thousand.at({9'904, 10'000}).value, 991ns);
  EXPECT_EQ(thousand.at({9'900, 10'000}).value, 990ns);  // a whole rank is not rounded up
  EXPECT_EQ(thousand.at(p50).value, 500ns);
  EXPECT_EQ(thousand.at(p999).value, 999ns);
  EXPECT_EQ(thousand.at(p9999).value, 1'000ns);
  EXPECT_EQ(thousand.at({0, 1}).value, 1ns);
  EXPECT_EQ(thousand.at({1, 1}).value, 1'000ns);
}

TEST(Percentile, FindsTheUpstreamTestPoints) {
  histogram below;
  below.record(5ms, 99);
  below.record(11ms);
  EXPECT_NEAR(static_cast<double>(below.snapshot().at(p99).value.count()), 5e6, 5e3);
  EXPECT_FALSE(below.snapshot().at(p99).clamped);

  // Upstream's histogram ends at 10: ours, at 2^40 ns.
  histogram above;
  above.record(5ms, 98);
  above.record(limit + 11ns);
  above.record(limit + 12ns);
  const snapshot seen = above.snapshot();
  EXPECT_EQ(seen.at(p99), (quantile{limit, true}));
  EXPECT_FALSE(seen.at({98, 100}).clamped);
  EXPECT_EQ(seen.max(), limit + 12ns);
  EXPECT_EQ(seen.overflow(), 2U);
}

TEST(Percentile, OfTheLastValueBelowTheLimitIsNotClamped) {
  histogram h;
  h.record(limit - 1ns);
  EXPECT_EQ(h.snapshot().at(p99), (quantile{limit - 1ns, false}));
}

TEST(Percentile, IsNeverAboveTheExactMaximum) {
  histogram h;
  h.record(1'000'000ns);  // bucket 999,936 .. 1,000,447
  EXPECT_EQ(h.snapshot().at(p50).value, 1'000'000ns);
  h.record(2'000'000ns);
  EXPECT_EQ(h.snapshot().at(p50).value, 1'000'447ns);
}

TEST(Percentile, OfNothingIsZero) { EXPECT_EQ(snapshot().at(p99), quantile{}); }

TEST(Percentile, StaysExactWithCountsBeyondDoublePrecision) {
  // 2^53 + 1 rows: ceil(count / 2) = 2^52 + 1, which a double rank rounds to 2^52.
  const snapshot huge(3, {{1, std::uint64_t{1} << 52}, {2, (std::uint64_t{1} << 52) + 1}}, 1ns, 2ns, 3ns);
  EXPECT_EQ(huge.at({1, 2}).value, 2ns);
}

TEST(Percentile, AgreesWithASortedVectorWithinTheBucketWidth) {
  weir::random_bits bits(4);
  for (int round = 0; round < 20; ++round) {
    histogram h;
    std::vector<std::int64_t> sorted(1 + bits() % 5'000);
    for (auto& ns : sorted) {
      ns = static_cast<std::int64_t>(std::exp2(39 * bits.uniform()));
      h.record(nanoseconds(ns));
    }
    std::sort(sorted.begin(), sorted.end());
    const snapshot seen = h.snapshot();
    for (std::uint32_t p = 0; p <= 1'000; ++p) {
      const std::uint64_t rank = std::max<std::uint64_t>(1, (sorted.size() * p + 999) / 1'000);
      const std::int64_t exact = sorted[rank - 1];
      const quantile found = seen.at({p, 1'000});
      ASSERT_FALSE(found.clamped);
      ASSERT_GE(found.value.count(), exact);
      ASSERT_LE(found.value.count() - exact, exact / 1'024);
    }
  }
}

TEST(Snapshot, MeanComesFromTheExactSum) {
  histogram h;
  h.record(1'000'000ns);
  h.record(1'000'003ns);
  EXPECT_EQ(h.snapshot().mean(), 1'000'001ns);
  EXPECT_EQ(snapshot().mean(), 0ns);
}

TEST(Snapshot, MergesAsHistogramsDo) {
  histogram a;
  histogram b;
  weir::random_bits bits(5);
  for (int i = 0; i < 500; ++i) {
    (bits() % 3 == 0 ? a : b).record(nanoseconds(static_cast<std::int64_t>(1 + (bits() >> (24 + bits() % 40)))));
  }
  snapshot merged = a.snapshot();
  merged.merge(b.snapshot());
  a.merge(b);
  EXPECT_EQ(merged, a.snapshot());

  snapshot left;
  left.merge(merged);
  EXPECT_EQ(left, merged);
  left.merge(snapshot());
  EXPECT_EQ(left, merged);
}

TEST(Snapshot, TakesTheResolutionOfTheFirstRowsMerged) {
  basic_histogram<2> coarse;
  coarse.record(10'007ns);
  snapshot merged;
  merged.merge(coarse.snapshot());
  EXPECT_EQ(merged.digits(), 2);
  EXPECT_THROW(merged.merge(one_to(3)), weir::error);
}

TEST(Snapshot, RefusesPartsThatDoNotFitTogether) {
  const auto refused_at = [](int digits, std::vector<bucket> buckets, nanoseconds min, nanoseconds max) -> std::string {
    try {
      (void)snapshot(digits, std::move(buckets), min, max, 1ns);
    } catch (const weir::error& e) {
      EXPECT_EQ(e.id(), "measure.snapshot_malformed");
      return e.where();
    }
    return "accepted";
  };
  EXPECT_EQ(refused_at(3, {{1, 1}, {2, 1}}, 1ns, 2ns), "accepted");
  EXPECT_EQ(refused_at(0, {{1, 1}}, 1ns, 1ns), "digits");
  EXPECT_EQ(refused_at(6, {{1, 1}}, 1ns, 1ns), "digits");
  EXPECT_EQ(refused_at(3, {}, 0ns, 0ns), "buckets");
  EXPECT_EQ(refused_at(3, {{2, 1}, {1, 1}}, 2ns, 1ns), "buckets/1");
  EXPECT_EQ(refused_at(3, {{1, 1}, {1, 1}}, 1ns, 1ns), "buckets/1");
  EXPECT_EQ(refused_at(3, {{1, 0}}, 1ns, 1ns), "buckets/0");
  EXPECT_EQ(refused_at(3, {{31'745, 1}}, limit, limit), "buckets/0");
  EXPECT_EQ(refused_at(3, {{1, std::uint64_t{1} << 62}, {2, std::uint64_t{1} << 62}}, 1ns, 2ns), "buckets");
  EXPECT_EQ(refused_at(3, {{1, 1}, {2, 1}}, 0ns, 2ns), "min");
  EXPECT_EQ(refused_at(3, {{1, 1}, {2, 1}}, 1ns, 3ns), "max");
  EXPECT_EQ(refused_at(3, {{1, 1}}, -1ns, 1ns), "min");
  EXPECT_EQ(refused_at(3, {{31'744, 1}}, -1ns, limit), "min");
  EXPECT_EQ(refused_at(3, {{31'744, 1}}, limit, 9 * limit), "accepted");
}

}  // namespace
