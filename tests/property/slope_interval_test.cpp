// SPDX-License-Identifier: Apache-2.0
//
// Does the 95 % interval of the latency slope hold the true one about 95 times in 100 when neighbours in time resemble
// each other? That of ordinary least squares holds it 76 times at a correlation of 0.5, 61 times at 0.7.
#include <weir/judge/trend.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/flow/sink.hpp>
#include <weir/record/sample.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::record::sample;

constexpr nanoseconds schedule = 10s;

/// As many stretches as the sink makes, with latencies in ms.
template <class Latency>
sample with_latencies(Latency latency) {
  constexpr auto points = static_cast<int>(weir::flow::sink::stretches);
  sample s;
  s.schedule_time = schedule;
  for (int i = 0; i < points; ++i)
    s.trend.push_back({.intended = schedule * (2 * i + 1) / (2 * points),
                       .latency = nanoseconds(std::llround(latency() * 1e6)),
                       .rows = 1'000});
  return s;
}

/// Percent of `runs` whose interval holds the slope.
template <class Sample>
double covered(int runs, double truth, Sample next) {
  int held = 0;
  for (int run = 0; run < runs; ++run) {
    const auto slope = weir::judge::latency_slope(next());
    EXPECT_TRUE(slope);
    held += slope && slope->low <= truth && truth <= slope->high;
  }
  return 100.0 * held / runs;
}

TEST(SlopeInterval, HoldsTheTruthAsOftenAsItSaysOnAnAutoregression) {
  weir::random_bits bits(5);
  const auto normal = [&] {
    return std::sqrt(-2 * std::log1p(-bits.uniform())) * std::cos(2 * std::numbers::pi * bits.uniform());
  };
  for (const double correlation : {0.0, 0.3, 0.5, 0.7}) {
    const double found = covered(4'000, 0, [&] {
      double next = normal() / std::sqrt(1 - correlation * correlation);
      return with_latencies([&] {
        const double now = next;
        next = correlation * now + normal();
        return 50 + now;
      });
    });
    EXPECT_GE(found, correlation < 0.4 ? 93 : 91) << correlation;  // 92.8 at 0.5, 91.8 at 0.7
    EXPECT_LE(found, 97) << correlation;
  }
}

// At 0.8, 36 points are worth 4: the interval is nearly endless, and still holds the truth a little too seldom.
TEST(SlopeInterval, ComesNearItAtACorrelationThatLeavesFourPoints) {
  weir::random_bits bits(6);
  const double found = covered(4'000, 0, [&] {
    double next = 0;
    return with_latencies([&] { return 500 + (next = 0.8 * next + bits.uniform() - 0.5); });
  });
  EXPECT_GE(found, 89);
}

// 20,000 rows are 500 a stretch, and the queue forgets within some hundreds.
TEST(SlopeInterval, HoldsTheTruthAsOftenAsItSaysOnAQueueAtFourFifths) {
  weir::random_bits bits(7);
  const auto exponential = [&](double mean) { return -mean * std::log1p(-bits.uniform()); };
  for (const int rows : {20'000, 100'000}) {
    double wait = 0;  // in services
    const auto row = [&] {
      const double latency = wait + exponential(1);
      wait = std::max(0.0, latency - exponential(1 / 0.8));
      return latency;
    };
    for (int n = 0; n < 20'000; ++n) (void)row();  // until it has forgotten that it began empty
    const int in_stretch = rows / static_cast<int>(weir::flow::sink::stretches);
    const double found = covered(1'000, 0, [&] {
      return with_latencies([&] {
        double sum = 0;
        for (int n = 0; n < in_stretch; ++n) sum += row();
        return sum / in_stretch;
      });
    });
    EXPECT_GE(found, 93) << rows;
    EXPECT_LE(found, 97) << rows;
  }
}

}  // namespace
