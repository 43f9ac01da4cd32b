// SPDX-License-Identifier: Apache-2.0
//
// weir's generator, channels, tasks and sinks on virtual time, held against queues whose answer is known. Nothing
// here is fitted: seeds are 1, 2, 3, and tolerances are 4 times the standard deviation that a correct system has.
#include <weir/flow/stepper.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/arrival/exponential.hpp>
#include <weir/arrival/poisson.hpp>
#include <weir/base/units.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/stage.hpp>
#include <weir/judge/extension.hpp>
#include <weir/judge/trend.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/sample.hpp>
#include <weir/stats/queueing.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::rate;
using weir::flow::event;
using weir::flow::pipeline;
using weir::flow::step;
using weir::flow::tandem;
using weir::measure::p50;
using weir::measure::p99;
using weir::measure::percentile;
using weir::record::sample;
namespace stats = weir::stats;

constexpr nanoseconds service = 100us;
constexpr std::uint64_t mu = 10'000;  // per second

/// A server of weir's that takes the same time for each row.
struct fixed {
  nanoseconds time = service;
  void operator()(event&) const noexcept {}
  [[nodiscard]] nanoseconds service_time(const event&) const noexcept { return time; }
};

/// Or an exponential one.
struct exponential {
  weir::arrival::exponential draw;
  void operator()(event&) const noexcept {}
  [[nodiscard]] nanoseconds service_time(const event&) noexcept { return draw(service); }
};

/// Or the same time for each row but one.
struct stalling {
  nanoseconds time;
  std::uint64_t row;
  nanoseconds stall;
  void operator()(event&) const noexcept {}
  [[nodiscard]] nanoseconds service_time(const event& e) const noexcept { return e.sequence == row ? stall : time; }
};

pipeline job(std::uint64_t rows, std::uint64_t per_second) {
  pipeline p;
  p.asked = {.offered = rate::per_second(per_second), .rows = rows, .parallelism = 1};
  p.expected.rows = weir::measure::exactly_once::expected(rows);
  p.channel_capacity = std::size_t{1} << 14;  // never full below
  return p;
}

pipeline poisson_job(std::uint64_t rows, std::uint64_t per_second, std::uint64_t seed) {
  pipeline p = job(rows, per_second);
  p.schedule = [per_second, seed] {
    return weir::arrival::any_schedule(weir::arrival::poisson(rate::per_second(per_second), seed));
  };
  return p;
}

double seconds(nanoseconds t) { return std::chrono::duration<double>(t).count(); }
double mean_latency(const sample& s) { return seconds(s.latency().sum()) / static_cast<double>(s.processed_rows); }

void expect_undisturbed(const sample& s) {
  EXPECT_EQ(s.seen, s.expected);
  EXPECT_EQ(s.source_blocked, 0ns);
  EXPECT_EQ(s.release_lag.max(), 0ns);
}

TEST(KnownAnswers, NothingWaitsInDD1) {
  for (const std::uint64_t per_second : {mu / 2, mu * 8 / 10, mu}) {
    const sample s = step(job(1'000'000, per_second), fixed{}).sample;
    expect_undisturbed(s);
    EXPECT_EQ(s.latency().min(), service) << per_second;
    EXPECT_EQ(s.latency().max(), service) << per_second;
  }
}

/// Relative standard deviations of the mean and of P99 over 10^7 rows: simulated for 10^6, by sqrt(10).
struct spread {
  double mean;
  double p99;
};

constexpr std::uint64_t many = 10'000'000;

template <class Law>
void expect_answers(const sample& s, const Law& law, spread sd) {
  expect_undisturbed(s);
  ASSERT_EQ(s.processed_rows, many);
  EXPECT_NEAR(mean_latency(s), law.mean(), 4 * sd.mean / std::sqrt(10) * law.mean());
  // The histogram's 3 digits add at most 0.1 %.
  EXPECT_NEAR(seconds(s.latency().at(p99).value), law.quantile(0.99),
              (4 * sd.p99 / std::sqrt(10) + 0.001) * law.quantile(0.99));
}

TEST(KnownAnswers, MeanAndP99OfMM1) {
  for (const auto& [tenths, sd] : {std::pair{5U, spread{0.0030, 0.007}}, {8U, spread{0.008, 0.016}}}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE("rho 0." + std::to_string(tenths) + ", seed " + std::to_string(seed));
      const std::uint64_t lambda = mu * tenths / 10;
      const sample s =
          step(poisson_job(many, lambda, seed), exponential{weir::arrival::exponential(seed + 100)}).sample;
      expect_answers(s, stats::mm1{static_cast<double>(lambda), mu}, sd);
    }
  }
}

TEST(KnownAnswers, MeanAndP99OfMD1) {
  for (const auto& [tenths, sd] : {std::pair{5U, spread{0.0012, 0.004}}, {8U, spread{0.0045, 0.009}}}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE("rho 0." + std::to_string(tenths) + ", seed " + std::to_string(seed));
      const std::uint64_t lambda = mu * tenths / 10;
      const sample s = step(poisson_job(many, lambda, seed), fixed{}).sample;
      expect_answers(s, stats::md1{static_cast<double>(lambda), mu}, sd);
    }
  }
}

auto three_exponential(std::uint64_t seed) {
  return tandem{exponential{weir::arrival::exponential(seed + 100)},
                exponential{weir::arrival::exponential(seed + 200)},
                exponential{weir::arrival::exponential(seed + 300)}};
}

// Three independent parts spread less than one, so the tolerance of M/M/1 is wide enough.
TEST(KnownAnswers, MeanAndP99OfATandemOfThreeMM1) {
  for (const std::uint64_t seed : {1U, 2U}) {
    SCOPED_TRACE(seed);
    const sample s = step(poisson_job(many, mu * 8 / 10, seed), three_exponential(seed)).sample;
    expect_answers(s, stats::mm1_tandem{mu * 0.8, mu, 3}, {0.008, 0.016});
    ASSERT_EQ(s.stages.size(), 3U);
    for (const auto& stage : s.stages) {
      EXPECT_EQ(stage.back_pressured, 0ns);
      EXPECT_NEAR(seconds(stage.busy) / seconds(stage.wall), 0.8, 0.005) << stage.name;
    }
  }
}

TEST(KnownAnswers, OnlyTheFirstOfEqualFixedServersQueues) {
  const std::uint64_t lambda = mu * 8 / 10;
  const sample one = step(poisson_job(100'000, lambda, 1), fixed{}).sample;
  const sample three = step(poisson_job(100'000, lambda, 1), tandem{fixed{}, fixed{}, fixed{}}).sample;
  EXPECT_EQ(three.latency().min(), one.latency().min() + 2 * service);
  EXPECT_EQ(three.latency().max(), one.latency().max() + 2 * service);
  EXPECT_EQ(three.latency().sum(), one.latency().sum() + 100'000 * 2 * service);
}

// 1,250 rows/s for 60 s into a server of 1,000: each row is 200 us later than the one before it.
TEST(KnownAnswers, LatencyOfOverloadedDD1RisesByTheExactSlope) {
  constexpr stats::dd1 law{.lambda = 1'250, .mu = 1'000};
  constexpr std::uint64_t rows = 75'001;
  pipeline p = job(rows, 1'250);
  p.channel_capacity = std::size_t{1} << 15;  // the backlog is 15,000
  const sample s = step(p, fixed{1ms}).sample;
  expect_undisturbed(s);
  EXPECT_EQ(s.latency().min(), 1ms);
  EXPECT_EQ(s.latency().max(), 1ms + (rows - 1) * 200us);
  EXPECT_DOUBLE_EQ(seconds(s.latency().max()), law.latency_at(60));
  EXPECT_EQ(s.latency().sum(), rows * 1ms + rows * (rows - 1) / 2 * 200us);
  EXPECT_EQ(s.last_receipt, 60s + s.latency().max());  // drained, not dropped
  for (const auto& [p_of, at] : {std::pair{0.5, p50}, {0.99, p99}})
    EXPECT_NEAR(seconds(s.latency().at(at).value), law.quantile(p_of, 60), 0.001 * law.quantile(p_of, 60));
  const auto slope = weir::judge::latency_slope(s);
  ASSERT_TRUE(slope);
  EXPECT_NEAR(slope->value, law.slope(), 1e-6);
  EXPECT_NEAR(slope->low, law.slope(), 1e-6);
  EXPECT_NEAR(slope->high, law.slope(), 1e-6);
}

TEST(KnownAnswers, TheSlowestServerOfATandemSetsTheSlope) {
  pipeline p = job(20'000, 1'250);
  const sample s = step(p, tandem{fixed{500us}, fixed{1ms}, fixed{700us}}).sample;
  EXPECT_EQ(s.latency().max(), 2'200us + 19'999 * 200us);
}

// 100 s at 1,000 rows/s; the row due at 50 s takes 1 s. One period is 1 ms, the histogram's digits are 0.1 %.
TEST(KnownAnswers, OneStallIsSeenAsItsFormulaSays) {
  for (const nanoseconds time : {10us, 500us, 800us}) {
    pipeline p = job(100'000, 1'000);
    const stats::stall law{.length = 1, .span = 100, .utilization = seconds(time) * 1'000, .base = seconds(time)};
    const sample s = step(p, stalling{.time = time, .row = 50'000, .stall = 1s}).sample;
    expect_undisturbed(s);
    SCOPED_TRACE(time.count());
    EXPECT_EQ(s.latency().min(), time);
    EXPECT_EQ(s.latency().max(), 1s);
    for (const percentile at : {percentile{50, 100}, percentile{95, 100}, percentile{98, 100}, percentile{99, 100},
                                percentile{995, 1'000}, percentile{999, 1'000}, percentile{9'999, 10'000}}) {
      const double share = static_cast<double>(at.numerator) / static_cast<double>(at.denominator);
      const double expected = law.quantile(share);
      EXPECT_NEAR(seconds(s.latency().at(at).value), expected, 0.001 + 0.001 * expected) << share;
    }
    EXPECT_NEAR(mean_latency(s), law.mean(), 1e-5 + 0.002 * law.mean());
  }
}

// A run that begins and ends empty: rows in an edge, summed over time, are the times of all rows in it, to the ns.
// The times of each edge come from Lindley's recursion on the same draws, the depths from weir's channels.
TEST(KnownAnswers, LittlesLawHoldsOnEveryEdge) {
  constexpr std::uint64_t rows = 200'000;
  constexpr std::uint64_t lambda = mu * 8 / 10;
  std::array<std::int64_t, 3> row_ns{};
  const auto watch = [&](nanoseconds from, nanoseconds until, const auto& graph) {
    for (std::size_t i = 0; i < row_ns.size(); ++i)
      row_ns[i] += static_cast<std::int64_t>(graph.depth(i)) * (until - from).count();
  };
  const sample s = step(poisson_job(rows, lambda, 1), three_exponential(1), watch).sample;
  expect_undisturbed(s);

  weir::arrival::poisson due(rate::per_second(lambda), 1);
  std::vector<nanoseconds> times(rows);
  for (auto& t : times) t = due.next();
  nanoseconds all{};
  for (std::size_t i = 0; i < row_ns.size(); ++i) {
    weir::arrival::exponential draw((i + 1) * 100 + 1);
    nanoseconds free{};
    nanoseconds within{};
    for (auto& t : times) {
      free = std::max(free, t) + draw(service);
      within += free - t;
      t = free;
    }
    EXPECT_EQ(row_ns[i], within.count()) << i;
    all += within;
  }
  EXPECT_EQ(s.residence.sum(), all);
  EXPECT_EQ(s.last_receipt, times.back());
}

/// The largest distance of gaps from the exponential law of the mean given; its tail at 1.95 / sqrt(n) is 0.1 %.
/// Source: Kolmogorov, Smirnov.
double distance_from_exponential(std::vector<double> gaps, double mean) {
  std::sort(gaps.begin(), gaps.end());
  const auto n = static_cast<double>(gaps.size());
  double worst = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const double law = -std::expm1(-gaps[i] / mean);
    worst = std::max({worst, law - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - law});
  }
  return worst;
}

/// Keeps the intended time of each row.
struct keeps_times {
  std::shared_ptr<std::vector<double>> times;
  void operator()(event& e) const { times->push_back(static_cast<double>(e.intended.count())); }
  [[nodiscard]] nanoseconds service_time(const event&) const noexcept { return 1ns; }
};

TEST(KnownAnswers, RowsComeByThePoissonLaw) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const auto times = std::make_shared<std::vector<double>>();
    (void)step(poisson_job(1'000'000, 600'000, seed), keeps_times{times});
    std::vector<double> gaps;
    double before = 0;
    double squares = 0;
    for (const double t : *times) {
      gaps.push_back(t - before);
      squares += (t - before) * (t - before);
      before = t;
    }
    const auto n = static_cast<double>(gaps.size());
    const double mean = times->back() / n;
    EXPECT_NEAR(mean, 1e9 / 600'000, 4 / std::sqrt(n) * mean) << seed;
    EXPECT_NEAR(std::sqrt(squares / n / mean / mean - 1), 1, 4 / std::sqrt(n)) << seed;  // coefficient of variation
    EXPECT_LT(distance_from_exponential(gaps, 1e9 / 600'000), 1.95 / std::sqrt(n)) << seed;
  }
}

struct tally {
  int valid = 0;
  int invalid = 0;
};

/// Verdicts of ten M/D/1 jobs of 10 s at a load, each extended as a real one would be.
tally verdicts(double load) {
  tally all;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto lambda = static_cast<std::uint64_t>(std::llround(load * mu));
    std::optional<std::uint64_t> rows = 10 * lambda;
    weir::judge::verdict v;
    for (int extension = 0; rows; ++extension) {
      const sample s =
          step(poisson_job(*rows, lambda, seed + static_cast<std::uint64_t>(extension) * 10), fixed{}).sample;
      v = weir::judge::assess(s);
      rows = weir::judge::next_rows(s, v, extension);
    }
    all.valid += v.state == weir::judge::outcome::valid;
    all.invalid += v.state == weir::judge::outcome::invalid;
  }
  return all;
}

TEST(KnownAnswers, ALoadOf90PercentIsSustainable) { EXPECT_EQ(verdicts(0.90).valid, 10); }

TEST(KnownAnswers, AnOverloadIsNotSustainable) {
  EXPECT_LE(verdicts(1.01).valid, 2);
  EXPECT_GE(verdicts(1.02).invalid, 9);
  EXPECT_EQ(verdicts(1.05).invalid, 10);
}

}  // namespace
