// SPDX-License-Identifier: Apache-2.0

#include <weir/analysis/summary.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/judge/percentile.hpp>
#include <weir/measure/snapshot.hpp>

#include "made_runs.hpp"

namespace {

using namespace std::chrono_literals;
using namespace weir::analysis;
using weir_test::benchmark_of;
using weir_test::failed;
using weir_test::has_finding;
using weir_test::job_of;
using weir_test::run_of;
using weir_test::text_of;
namespace record = weir::record;

const estimate* find(const benchmark_summary& s, const std::string& id) {
  for (const estimate& e : s.estimates)
    if (e.what.id == id) return &e;
  return nullptr;
}

record::fork pipeline_fork(std::uint32_t place, const std::vector<std::vector<record::sample>>& iterations) {
  record::fork f;
  f.place = place;
  f.warmup = 1;
  f.took = 20s;
  f.invocations.push_back({0, job_of(9s, 900us, 950us)});
  for (std::uint32_t i = 0; i < iterations.size(); ++i)
    for (const record::sample& s : iterations[i]) f.invocations.push_back({i + 1, s});
  return f;
}

}  // namespace

TEST(Summary, NamesTheFirstDisturbanceAndCountsForksThatHadOne) {
  record::benchmark b = benchmark_of("rows/a", {{9, 11}, {11, 13}, {13, 15}});
  EXPECT_FALSE(has_finding(summarize(b).findings, "disturbed"));
  b.forks[1].notes = {"neighbours: other processes used 60 ms of CPU in 400 ms", "steal: a bit"};
  b.forks[2].notes = {"steal: more"};
  EXPECT_EQ(text_of(summarize(b).findings, "disturbed"),
            "2 of 3 forks shared their cores, the first: neighbours: other processes used 60 ms of CPU in 400 ms");
}

// Fork means 10, 12, 14: mean 12, s = 2, t[0.975, 2] = 4.302653.
TEST(Summary, IntervalIsOverForkMeansAndWarmUpDoesNotCount) {
  const auto s = summarize(benchmark_of("rows/a", {{9, 11}, {11, 13}, {13, 15}}));
  ASSERT_EQ(s.estimates.size(), 2u);
  const estimate& time = s.estimates[0];
  EXPECT_EQ(time.what, (metric{"time", "ns/op", direction::lower_is_better}));
  EXPECT_EQ(time.fork_values, (std::vector<double>{10, 12, 14}));
  EXPECT_DOUBLE_EQ(time.mean, 12);
  EXPECT_NEAR(time.high - 12, 4.302653 * 2 / std::sqrt(3.0), 1e-5);
  EXPECT_NEAR(time.low + time.high, 24, 1e-9);
  EXPECT_EQ(time.df, 2);
  EXPECT_EQ(time.level, 0.95);
  EXPECT_EQ(time.over, "fork");
  EXPECT_DOUBLE_EQ(time.median, 12);
  EXPECT_DOUBLE_EQ(time.min, 10);
  EXPECT_DOUBLE_EQ(time.max, 14);
  EXPECT_DOUBLE_EQ(time.cv_between, 2.0 / 12);
  EXPECT_DOUBLE_EQ(time.cv_within, std::sqrt(2.0) / 12);
  EXPECT_DOUBLE_EQ(s.estimates[1].mean, 6);
}

TEST(Summary, OneForkHasNoInterval) {
  const auto s = summarize(benchmark_of("rows/a", {{9, 11}}));
  EXPECT_FALSE(s.estimates[0].has_interval());
  EXPECT_DOUBLE_EQ(s.estimates[0].mean, 10);
  EXPECT_TRUE(std::isnan(s.estimates[0].low));
  EXPECT_TRUE(has_finding(s.findings, "few_forks"));
}

TEST(Summary, ForksComeInOrderOfPlace) {
  auto b = benchmark_of("rows/a", {{1, 1}, {2, 2}, {3, 3}});
  b.forks[0].place = 9;
  EXPECT_EQ(summarize(b).estimates[0].fork_values, (std::vector<double>{2, 3, 1}));
}

TEST(Summary, FailedForkIsCountedNamedAndLeftOut) {
  auto b = benchmark_of("rows/a", {{1, 1}, {2, 2}, {3, 3}, {4, 4}});
  b.forks[1] = failed(b.forks[1], "signal", 11);
  b.forks[2] = failed(b.forks[2], "timeout", 0);
  const auto s = summarize(b);
  EXPECT_EQ(s.forks_ok, 2u);
  EXPECT_EQ(s.forks_failed, 2u);
  EXPECT_EQ(s.estimates[0].fork_values, (std::vector<double>{1, 4}));
  EXPECT_EQ(text_of(s.findings, "failed_forks"), "2 of 4 forks sound; 1 failed: signal 11; 1 failed: timeout");
}

TEST(Summary, BenchmarkWithoutASoundForkHasNoEstimate) {
  auto b = benchmark_of("rows/a", {{1, 1}});
  b.forks[0] = failed(b.forks[0], "exit", 1);
  const auto s = summarize(b);
  EXPECT_TRUE(s.estimates.empty());
  EXPECT_TRUE(s.layers.empty());
  EXPECT_TRUE(has_finding(s.findings, "failed_forks"));
  EXPECT_TRUE(summarize(record::benchmark{}).estimates.empty());
}

TEST(Summary, CountersFollowTimeAndCpu) {
  auto b = benchmark_of("rows/a", {{1, 1}, {2, 2}});
  for (auto& f : b.forks)
    for (auto& i : f.iterations) i.counters = {{"items_per_second", 1e9 / i.real_ns}, {"p50_ns", 3}, {"sent", 4}};
  const auto s = summarize(b);
  ASSERT_EQ(s.estimates.size(), 5u);
  EXPECT_EQ(s.estimates[2].what.id, "items_per_second");
  EXPECT_EQ(s.estimates[2].what.better, direction::higher_is_better);
  EXPECT_EQ(s.estimates[2].fork_values, (std::vector<double>{1e9, 5e8}));
  EXPECT_EQ(s.estimates[3].what.better, direction::lower_is_better);
  EXPECT_EQ(s.estimates[4].what.better, direction::neither);
}

TEST(Summary, ValuesThatAreNoNumbersAreLeftOut) {
  auto b = benchmark_of("rows/a", {{1, 1}, {2, 2}});
  b.forks[0].iterations[1].cpu_ns = std::nan("");
  b.forks[1].iterations[1].real_ns = INFINITY;
  const auto s = summarize(b);
  EXPECT_DOUBLE_EQ(s.estimates[0].mean, 1.5);
  EXPECT_DOUBLE_EQ(s.estimates[1].mean, 0.75);
}

TEST(Summary, LayersTellForksFromIterations) {
  const auto s = summarize(benchmark_of("rows/a", {{9, 10, 11}, {19, 20, 21}}));
  ASSERT_EQ(s.layers.size(), 2u);
  EXPECT_EQ(s.layers[0].name, "fork");
  EXPECT_DOUBLE_EQ(s.layers[0].repetitions, 2);
  EXPECT_DOUBLE_EQ(s.layers[0].variance, 50 - 1.0 / 3);
  EXPECT_TRUE(s.layers[0].detectable);
  EXPECT_NEAR(s.layers[0].cost_seconds, 1, 1e-9);  // beside its measured iterations
  EXPECT_EQ(s.layers[1].name, "iteration");
  EXPECT_DOUBLE_EQ(s.layers[1].variance, 1);
  EXPECT_NEAR(s.layers[1].cost_seconds, 0.015, 1e-9);  // 1e6 operations of 15 ns
}

// Google Benchmark counts the operations of all threads, which run at once.
TEST(Summary, ThreadsShareTheTimeOfAnIteration) {
  const auto s = summarize(benchmark_of("rows/a/threads:4", {{9, 10, 11}, {19, 20, 21}}));
  EXPECT_NEAR(s.layers[1].cost_seconds, 0.015 / 4, 1e-9);
  EXPECT_NEAR(s.layers[0].cost_seconds, 1 + 3 * 0.015 * 3 / 4, 1e-9) << "what is left of the fork's time";
}

TEST(Summary, BuildsAndHostsAreTheUnitsOnceThereAreSeveral) {
  auto b = benchmark_of("rows/a", {{10, 10}, {12, 12}, {20, 20}, {22, 22}});
  b.forks[2].build = b.forks[3].build = "b2";
  auto s = summarize(b);
  EXPECT_EQ(s.estimates[0].over, "build");
  EXPECT_EQ(s.estimates[0].df, 1);  // means 11 and 21
  EXPECT_DOUBLE_EQ(s.estimates[0].mean, 16);
  EXPECT_EQ(s.estimates[0].fork_values.size(), 4u);
  ASSERT_EQ(s.layers.size(), 3u);
  EXPECT_EQ(s.layers[0].name, "build");
  EXPECT_DOUBLE_EQ(s.layers[0].variance, 50 - 2.0 / 2);

  for (auto& f : b.forks) f.host = f.place < 3 ? "h1" : "h2";
  s = summarize(b);
  EXPECT_EQ(s.estimates[0].over, "host");
  EXPECT_DOUBLE_EQ(s.estimates[0].mean, (15.5 + 22) / 2);  // h1: builds of 11 and 20; h2: one of 22
  ASSERT_EQ(s.layers.size(), 4u);
  EXPECT_EQ(s.layers[0].name, "host");
  EXPECT_EQ(s.layers[1].name, "build");
  EXPECT_DOUBLE_EQ(s.layers[0].repetitions, 2);
}

TEST(Summary, PipelineIsReadFromItsValidSamples) {
  record::sample lost = job_of(4s, 50us, 60us);
  --lost.processed_rows;
  record::benchmark b;
  b.name = "pipelines/a";
  // Means of iterations: 500,000 rows/s and 250,000; the lost one's are neither counted nor shown.
  b.forks.push_back(
      pipeline_fork(0, {{job_of(2s, 20us, 30us), job_of(2s, 20us, 30us)}, {job_of(4s, 40us, 50us), lost}}));
  b.forks.push_back(pipeline_fork(1, {{job_of(2s, 20us, 30us)}}));
  const auto s = summarize(b);
  EXPECT_EQ(s.samples, 5u);
  EXPECT_EQ(s.valid, 4u);
  ASSERT_EQ(s.reasons.size(), 1u);
  EXPECT_EQ(s.reasons[0], (std::pair<std::string, std::size_t>{"rows_missing", 1}));
  ASSERT_EQ(s.estimates.size(), 6u);
  EXPECT_EQ(s.estimates[0].what.id, "score");
  EXPECT_EQ(s.estimates[0].what.better, direction::higher_is_better);
  EXPECT_EQ(s.estimates[0].fork_values, (std::vector<double>{375'000, 500'000}));
  ASSERT_EQ(s.layers.size(), 3u);
  EXPECT_EQ(s.layers[2].name, "invocation");
  EXPECT_EQ(s.pooled_latency.count(), 4'000'000u);
}

// Three jobs, of which one is slow: the mean of their medians would be 200 us, the median of all rows is 100.
TEST(Summary, PercentilesAreOfMergedHistograms) {
  record::benchmark b;
  for (std::uint32_t f = 0; f < 2; ++f) {
    b.forks.push_back(
        pipeline_fork(f, {{job_of(2s, 100us, 110us), job_of(2s, 100us, 110us)}, {job_of(2s, 400us, 440us)}}));
  }
  const auto s = summarize(b);
  ASSERT_NE(find(s, "p50"), nullptr);
  EXPECT_NEAR(find(s, "p50")->mean, 100'000, 100);
  EXPECT_NEAR(find(s, "p99")->mean, 400'000, 400);
  EXPECT_EQ(find(s, "p99")->what.unit, "ns");
}

// 64 slices of 15,625 rows. In half of them every row is up to the percentile, so that they say little more than 64 do.
TEST(Summary, PercentilesSayHowManyIndependentRowsTheyAreWorth) {
  record::sample s = job_of(2s, 100us, 110us);
  record::percentile_slices slices{.p = weir::measure::p50, .half = 0, .rows = {}, .below = {}, .within = {}};
  for (int i = 0; i < 64; ++i) {
    slices.rows.push_back(s.asked.rows / 64);
    slices.below.push_back(i % 2 == 0 ? slices.rows.back() : 0);
    slices.within.push_back(0);
  }
  s.slices = {slices};
  record::benchmark b;
  for (std::uint32_t f = 0; f < 2; ++f) b.forks.push_back(pipeline_fork(f, {{s, s}, {s}}));
  const auto all = summarize(b);
  const estimate& p50 = *find(all, "p50");
  EXPECT_EQ(p50.rows, 3.0 * static_cast<double>(s.asked.rows));
  const auto one = weir::judge::percentile_interval(s, weir::measure::p50);
  ASSERT_TRUE(one);
  EXPECT_LT(one->effective_samples, 64);
  EXPECT_DOUBLE_EQ(p50.effective_rows, 3 * one->effective_samples);
  EXPECT_TRUE(std::isnan(find(all, "p99")->effective_rows)) << "without slices it is not known";
  EXPECT_TRUE(std::isnan(find(all, "score")->rows));
}

TEST(Summary, PercentilesOfTooFewRowsAreLeftOut) {
  const auto of_rows = [](std::uint64_t rows) {
    record::sample s = job_of(2s, 20us, 30us);
    s.asked.rows = s.processed_rows = rows;
    s.seen = s.expected = weir::measure::exactly_once::expected(rows);
    s.schedule_time = s.asked.offered.time_of(rows - 1);
    s.last_receipt = s.first_receipt + s.schedule_time;
    s.latency_first_half = weir_test::latencies(rows / 2, 20us, 30us);
    s.latency_second_half = weir_test::latencies(rows - rows / 2, 20us, 30us);
    s.trend = weir_test::line(64, s.schedule_time, 20us, 0, rows / 64);
    record::benchmark b;
    b.forks = {pipeline_fork(0, {{s}}), pipeline_fork(1, {{s}})};
    return summarize(b);
  };
  EXPECT_EQ(of_rows(9'999).valid, 2u);
  EXPECT_NE(find(of_rows(9'999), "p50"), nullptr);
  EXPECT_EQ(find(of_rows(9'999), "p99"), nullptr);
  EXPECT_NE(find(of_rows(10'000), "p99"), nullptr);
  EXPECT_EQ(find(of_rows(99'999), "p999"), nullptr);
  EXPECT_NE(find(of_rows(100'000), "p999"), nullptr);
}

TEST(Summary, UnpacedJobsHaveNoLatency) {
  record::sample unpaced = job_of(2s, 20us, 30us);
  unpaced.asked.offered = {};
  record::benchmark b;
  b.forks = {pipeline_fork(0, {{unpaced}}), pipeline_fork(1, {{unpaced}})};
  const auto s = summarize(b);
  EXPECT_EQ(s.valid, 2u);
  EXPECT_EQ(s.estimates.size(), 3u);
  EXPECT_EQ(find(s, "p99"), nullptr);
  EXPECT_TRUE(s.pooled_latency.empty());
}

TEST(Summary, ForkWithoutAValidSampleDoesNotCount) {
  record::sample lost = job_of(2s, 20us, 30us);
  --lost.processed_rows;
  record::benchmark b;
  b.forks = {pipeline_fork(0, {{job_of(2s, 20us, 30us)}}), pipeline_fork(1, {{lost}})};
  auto s = summarize(b);
  EXPECT_EQ(s.forks_ok, 2u);
  EXPECT_EQ(s.estimates[0].fork_values.size(), 1u);
  EXPECT_EQ(text_of(s.findings, "no_valid_sample"),
            "1 of 2 forks have no valid sample and do not count: mostly rows_missing");
  b.forks[0] = pipeline_fork(0, {{lost}});
  s = summarize(b);
  EXPECT_TRUE(s.estimates.empty());
  EXPECT_TRUE(has_finding(s.findings, "no_valid_sample"));
}

TEST(Summary, ClassesFollowTheWholeForkWarmUpIncluded) {
  std::vector<double> steady;
  weir::random_bits bits(3);
  for (int i = 0; i < 12; ++i) steady.push_back(100 + bits.uniform());
  std::vector<double> late = steady;
  for (int i = 0; i < 4; ++i) late[static_cast<std::size_t>(i)] += 50;
  const auto s = summarize(benchmark_of("rows/a", {steady, late, {100, 100}}));
  EXPECT_EQ(s.classes, (std::vector<fork_class>{fork_class::warm_up, fork_class::warm_up, fork_class::unknown}));
  // The first fork's warm-up ends with its warm-up iteration, as it should.
  EXPECT_EQ(text_of(s.findings, "unsteady"), "1 of 3 forks change speed after their warm-up: use 5 warm-up iterations");
}

TEST(Summary, TwoGroupsOfForksAreReported) {
  const auto s = summarize(benchmark_of(
      "rows/a", {{10.0, 10.0}, {10.1, 10.1}, {12, 12}, {9.9, 9.9}, {12.1, 12.1}, {11.9, 11.9}, {10.05, 10.05}}));
  EXPECT_EQ(text_of(s.findings, "multimodal"),
            "forks fall into two groups: 4 near 10.01, 3 near 12 ns/op: the mean describes neither");
}

TEST(Summary, FewerThanTenForksMayHideTheirModes) {
  std::vector<std::vector<double>> forks(9, {10, 10});
  const std::string text = text_of(summarize(benchmark_of("rows/a", forks)).findings, "few_forks");
  EXPECT_TRUE(text.starts_with("9 sound: one process is one sample of memory layout; use 10 forks or more. ")) << text;
  forks.push_back({10, 10});
  EXPECT_FALSE(has_finding(summarize(benchmark_of("rows/a", forks)).findings, "few_forks"));
}

TEST(Summary, GroupsAPerMilleApartDoNotMatter) {
  const auto s = summarize(
      benchmark_of("rows/a", {{1000, 1000}, {1000, 1000}, {1001, 1001}, {1000, 1000}, {1001, 1001}, {1001, 1001}}));
  EXPECT_FALSE(has_finding(s.findings, "multimodal"));
}

TEST(Summary, IterationOfMicrosecondsIsTooShortForTheClock) {
  auto b = benchmark_of("rows/a", {{10, 10}, {10, 10}});
  EXPECT_FALSE(has_finding(summarize(b).findings, "coarse_clock"));
  b.forks[0].iterations[2].operations = 100;
  EXPECT_TRUE(has_finding(summarize(b).findings, "coarse_clock"));
}

TEST(Summary, RunSaysWhatIsDoubtfulAboutItsHostAndBuild) {
  auto run = run_of({});
  EXPECT_TRUE(summarize(run).findings.empty());
  run.environments.resize(2);
  for (auto& e : run.environments) {
    e.facts = {{"optimized", "no", ""},
               {"aslr", "off (personality of this process)", ""},
               {"governor", "powersave", ""},
               {"turbo", {}, "cannot be read"}};
  }
  run.ended_by = "interrupted";
  std::vector<std::string> ids;
  for (const finding& f : summarize(run).findings) ids.push_back(f.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"incomplete", "debug_build", "aslr_off", "cpu_scaling"}));
}
