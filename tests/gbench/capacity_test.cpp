// SPDX-License-Identifier: Apache-2.0
#include <weir/gbench/capacity.hpp>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/job/spec.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/record/sample.hpp>

#include "../judge/clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
namespace gbench = weir::gbench;
namespace job = weir::job;

constexpr std::uint64_t known = 20'000;  // rows/s

weir::record::stage_usage stage(std::string name, std::uint64_t rows, std::chrono::nanoseconds busy) {
  return {.name = std::move(name), .tasks = 1, .rows = rows, .busy = busy, .wall = 10s, .cpu = busy};
}

/// A pipeline that keeps up with `known`, limited by its transform. Its sink seems the slower stage where the load is
/// below that, and far above it.
weir::record::sample ran(const job::spec& job) {
  weir::record::sample s = weir_test::clean_sample();
  const auto rows = static_cast<std::uint64_t>(job.rows);
  const auto rate = static_cast<std::uint64_t>(job.rate_per_second);
  s.asked.rows = s.processed_rows = rows;
  s.asked.offered = weir::rate::per_second(rate);
  s.seen = s.expected = weir::measure::exactly_once::expected(rows);
  s.schedule_time = s.asked.offered.time_of(rows - 1);
  s.last_receipt = s.first_receipt + s.schedule_time;
  s.latency_first_half = s.latency_second_half = weir_test::latencies(rows / 2, 20us, 38us);
  s.residence = s.latency();
  s.release_lag = weir_test::latencies(rows, 5us, 16us);
  const double over = static_cast<double>(rate) / static_cast<double>(known) - 1;
  s.trend = weir_test::line(40, s.schedule_time, 20us, std::max(0.0, over * 4), rows / 40);
  const bool near = rate > known && rate <= 2 * known;
  s.stages = {stage("transform", rows, std::chrono::microseconds(50 * rows)),
              stage("sink", rows, std::chrono::microseconds((near ? 10 : 90) * rows))};
  s.sut_cpu = std::chrono::microseconds(30 * rows);
  return s;
}

struct search {
  std::set<std::int64_t> seeds;
  std::vector<std::string> said;

  weir::record::capacity_result of(const gbench::capacity_options& options, std::int64_t first = 400'000) {
    const gbench::detail::runner how{.check = [](const job::spec&) {},
                                     .prepare = [](const job::spec&) {},
                                     .run =
                                         [&](const job::spec& job) {
                                           seeds.insert(job.seed);
                                           return ran(job);
                                         }};
    job::spec load;
    load.rate_per_second = first;
    return gbench::find_capacity(how, {"known", "known"}, load, options,
                                 [&](const std::string& line) { said.push_back(line); });
  }
};

TEST(FindCapacity, FindsTheRateTheStageAndTheCurve) {
  search s;
  const auto found = s.of({.trial_time = 1s});
  EXPECT_EQ(found.ended_by, "found");
  EXPECT_NEAR(static_cast<double>(found.sustained_per_s), known, known * 0.02);
  ASSERT_TRUE(found.failed_per_s);
  EXPECT_LE(*found.failed_per_s, found.sustained_per_s * 102 / 100);
  ASSERT_EQ(found.curve.size(), 8u);
  EXPECT_EQ(found.curve.front().percent, 10u);
  EXPECT_EQ(found.curve.front().verdict, "valid");
  EXPECT_EQ(found.curve.back().percent, 105u);
  EXPECT_EQ(found.curve.back().verdict, "invalid");
  EXPECT_GE(s.said.size(), found.trials.size() + found.curve.size());
}

TEST(FindCapacity, TheStageThatLimitsIsThatOfTheFailuresNearest) {
  EXPECT_EQ(search{}.of({.trial_time = 1s}).limiting_stage, "transform");
}

TEST(FindCapacity, EachTrialMeetsOtherArrivals) {
  search s;
  const auto found = s.of({.trial_time = 1s});
  EXPECT_EQ(s.seeds.size(), found.trials.size() + 1);  // and one for the curve
}

TEST(FindCapacity, OutOfTimeItGivesTheBracketItHas) {
  int asked = 0;
  const auto found = search{}.of({.trial_time = 1s, .cancelled = [&] { return ++asked > 2; }});
  EXPECT_EQ(found.ended_by, "stopped");
  EXPECT_TRUE(found.curve.empty());
  EXPECT_FALSE(found.trials.empty());
}

TEST(CapacityOutcome, LagAloneIsTheGeneratorsAndBesideItsHalfOfP99AsWell) {
  using weir::run::trial_outcome;
  weir::record::sample s = weir_test::clean_sample();
  const auto outcome = [&] { return gbench::detail::capacity_outcome({s, weir::judge::assess(s)}); };
  EXPECT_EQ(outcome(), trial_outcome::passed);
  s.release_lag = weir_test::latencies(s.asked.rows, 2ms, 3ms);
  EXPECT_EQ(outcome(), trial_outcome::generator_limited);
  s.trend = weir_test::line(64, s.schedule_time, 20us, 0.2, s.asked.rows / 64);  // the system falls behind as well
  EXPECT_EQ(outcome(), trial_outcome::generator_limited);                       // but lag makes all of P99
  s.latency_first_half = s.latency_second_half = weir_test::latencies(s.asked.rows / 2, 5ms, 20ms);
  EXPECT_EQ(outcome(), trial_outcome::failed);
}

}  // namespace
