// SPDX-License-Identifier: Apache-2.0

#include <weir/analysis/comparison.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>
#include <weir/stats/student_t.hpp>

#include "made_runs.hpp"

namespace {

using namespace std::chrono_literals;
using namespace weir::analysis;
using weir_test::benchmark_of;
using weir_test::failed;
using weir_test::has_finding;
using weir_test::run_of;
using weir_test::text_of;
namespace record = weir::record;

/// n forks of one iteration around `mean`, 0.1 % apart.
std::vector<std::vector<double>> around(double mean, int n = 6) {
  std::vector<std::vector<double>> forks;
  for (int i = 0; i < n; ++i) forks.push_back({mean * (1 + 0.001 * (i % 3 - 1)), mean * (1 + 0.001 * (i % 2))});
  return forks;
}

template <class Body>
std::string raised(Body body) {
  try {
    body();
  } catch (const weir::error& e) {
    return e.what();
  }
  return "nothing raised";
}

}  // namespace

TEST(Compare, CallsWhatIsBeyondThresholdAndChanceChanged) {
  const auto report = compare(run_of({benchmark_of("a", around(100))}), run_of({benchmark_of("a", around(105))}));
  ASSERT_EQ(report.rows.size(), 2u);
  const comparison& time = report.rows[0];
  EXPECT_EQ(time.benchmark, "a");
  EXPECT_EQ(time.what.id, "time");
  EXPECT_EQ(report.rows[1].what.id, "cpu");
  EXPECT_NEAR(time.ratio, 1.05, 1e-9);
  EXPECT_NEAR(time.candidate / time.base, 1.05, 1e-9);
  EXPECT_LT(time.low, time.ratio);
  EXPECT_GT(time.low, 1.04);
  EXPECT_FALSE(time.paired);
  EXPECT_FALSE(time.better);
  EXPECT_EQ(time.verdict, change::changed);
  EXPECT_TRUE(report.warnings.empty());
}

TEST(Compare, CallsASmallDifferenceTheSameHoweverCertain) {
  const auto report = compare(run_of({benchmark_of("a", around(100))}), run_of({benchmark_of("a", around(101))}));
  EXPECT_LT(report.rows[0].p_holm, 1e-4);
  EXPECT_EQ(report.rows[0].verdict, change::same);
}

TEST(Compare, ResultWithItselfIsTheSame) {
  const auto run = run_of({benchmark_of("a", around(100)), benchmark_of("b", around(3))});
  for (const comparison& c : compare(run, run).rows) {
    EXPECT_EQ(c.verdict, change::same);
    EXPECT_EQ(c.ratio, 1);
    EXPECT_EQ(c.p_holm, 1);
  }
}

TEST(Compare, LatencyOfABenchmarkOnAScheduleIsComparedAndItsTimeIsNot) {
  const auto with_latency = [](double p50) {
    auto b = benchmark_of("channels/shm/latency/64", around(100'000));
    for (auto& f : b.forks)
      for (auto& i : f.iterations)
        i.counters = {{"p50_ns", p50 * i.real_ns / 100'000}, {"offered_per_s", 10'000}, {"sent", p50}};
    return run_of({b});
  };
  const auto report = compare(with_latency(200), with_latency(400));
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].what.id, "cpu");
  EXPECT_EQ(report.rows[0].verdict, change::same);
  EXPECT_EQ(report.rows[1].what.id, "p50_ns");
  EXPECT_EQ(report.rows[1].verdict, change::changed);
  EXPECT_FALSE(report.rows[1].better);
}

TEST(Compare, NoisyForksAreInconclusive) {
  const auto report = compare(run_of({benchmark_of("a", {{80, 80}, {100, 100}, {120, 120}})}),
                              run_of({benchmark_of("a", {{90, 90}, {110, 110}, {130, 130}})}));
  EXPECT_EQ(report.rows[0].verdict, change::inconclusive);
  EXPECT_GT(report.rows[0].detectable, 0.3);
  EXPECT_EQ(text_of(report.warnings, "few_forks"), "1 benchmark has fewer than 5 sound forks on a side");
}

TEST(VerdictOf, DrawsItsLinesWhereItSays) {
  const comparison_options o{.threshold = 0.02, .level = 0.95};
  const auto verdict = [&](double ratio, double half, double p) {
    comparison c;
    c.ratio = ratio;
    c.low = ratio - half;
    c.high = ratio + half;
    c.p_holm = p;
    return verdict_of(c, o);
  };
  EXPECT_EQ(verdict(1.021, 0.005, 0.049), change::changed);
  EXPECT_EQ(verdict(1.021, 0.005, 0.051), change::inconclusive);
  EXPECT_EQ(verdict(1.019, 0.005, 0.001), change::inconclusive);
  EXPECT_EQ(verdict(1.010, 0.005, 0.001), change::same);
  EXPECT_EQ(verdict(0.979, 0.005, 0.049), change::changed);
  EXPECT_EQ(verdict(0.99, 0.005, 0.5), change::same);
  EXPECT_EQ(verdict(0.99, 0.015, 0.5), change::inconclusive);
}

TEST(Compare, HolmCountsEveryComparison) {
  std::vector<record::benchmark> base, candidate;
  for (int i = 0; i < 10; ++i) {
    base.push_back(benchmark_of("b" + std::to_string(i), around(100)));
    candidate.push_back(benchmark_of("b" + std::to_string(i), around(i == 0 ? 103 : 100)));
  }
  const auto report = compare(run_of(base), run_of(candidate));
  ASSERT_EQ(report.rows.size(), 20u);
  EXPECT_NEAR(report.rows[0].p_holm / report.rows[0].p, 20, 1e-9);
}

TEST(Compare, HigherScoreIsBetter) {
  const auto run = [](std::chrono::nanoseconds job_time) {
    record::benchmark b;
    b.name = "pipelines/a";
    for (std::uint32_t f = 0; f < 5; ++f) {
      record::fork& made = b.forks.emplace_back();
      made.place = f;
      made.invocations = {{0, weir_test::job_of(job_time + f * 1ms, 20us, 30us)}};
    }
    return run_of({b});
  };
  const auto report = compare(run(2s), run(1s));
  std::vector<std::string> ids;
  for (const comparison& c : report.rows) ids.push_back(c.what.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"score", "throughput", "p50", "p99", "p999", "cpu_per_row"}));
  EXPECT_EQ(report.rows[0].verdict, change::changed);
  EXPECT_TRUE(report.rows[0].better);
  EXPECT_EQ(report.rows[2].verdict, change::same);
}

/// Five forks of ten jobs, of which the first `lost` of all miss a row.
record::run_record losing(int lost) {
  record::benchmark b;
  b.name = "pipelines/a";
  for (std::uint32_t f = 0; f < 5; ++f) {
    record::fork& made = b.forks.emplace_back();
    made.place = f;
    for (std::uint32_t i = 0; i < 10; ++i) {
      made.invocations.push_back({i, weir_test::job_of(2s + f * 1ms, 20us, 30us)});
      if (lost-- > 0) --made.invocations.back().sample.processed_rows;
    }
  }
  return run_of({b});
}

TEST(Compare, NothingIsTheSameOnceASideLosesMoreOfItsSamples) {
  const auto few = compare(losing(3), losing(8));
  EXPECT_EQ(few.rows[0].verdict, change::same);
  EXPECT_FALSE(has_finding(few.warnings, "unequal_survival"));
  for (const auto& report : {compare(losing(3), losing(9)), compare(losing(9), losing(3))}) {
    for (const comparison& c : report.rows) EXPECT_EQ(c.verdict, change::inconclusive) << c.what.id;
    EXPECT_TRUE(has_finding(report.warnings, "unequal_survival"));
  }
  EXPECT_EQ(text_of(compare(losing(0), losing(9)).warnings, "unequal_survival"),
            "pipelines/a: base 5 of 5 forks sound, 50 of 50 samples valid; candidate 5 of 5 forks sound, 41 of 50 "
            "samples valid: what is left may be the lucky part of a side");
}

TEST(Compare, NothingIsBetterOnceASideLosesForks) {
  const auto base = run_of({benchmark_of("a", around(100))});
  auto candidate = run_of({benchmark_of("a", around(90))});
  EXPECT_TRUE(compare(base, candidate).rows[0].better);
  EXPECT_EQ(compare(base, candidate).rows[0].verdict, change::changed);
  auto& forks = candidate.benchmarks[0].forks;
  for (std::size_t i = 0; i < forks.size() / 2; ++i) forks[i] = failed(forks[i], "timeout", 9);
  EXPECT_EQ(compare(base, candidate).rows[0].verdict, change::inconclusive);
  EXPECT_TRUE(has_finding(compare(base, candidate).warnings, "unequal_survival"));
  EXPECT_EQ(compare(candidate, base).rows[0].verdict, change::changed);  // worse all the same
}

TEST(Compare, WhatDropsIsNotComparedByItsTime) {
  const auto with = [](double ns, double dropped) {
    auto b = benchmark_of("channels/ring/throughput/64", around(ns));
    for (auto& f : b.forks)
      for (auto& i : f.iterations) i.counters = {{"dropped", dropped}, {"messages_per_second", 1e9 / i.real_ns}};
    return run_of({b});
  };
  EXPECT_EQ(compare(with(100, 0), with(100, 0)).rows[0].what.id, "time");
  EXPECT_EQ(compare(with(100, 0), with(50, 9)).rows[0].what.id, "cpu");
  EXPECT_EQ(compare(with(100, 9), with(50, 0)).rows[0].what.id, "cpu");
}

TEST(Compare, NothingIsTheSameOncePercentilesOfOneSideAreBeyondTheHistogram) {
  const auto base = losing(0);
  auto candidate = base;
  for (auto& i : candidate.benchmarks[0].forks[4].invocations) {  // 0.5 %: P99 is sound, P99.9 is not
    i.sample.latency_second_half.merge(weir_test::latencies(10, std::chrono::hours(1), std::chrono::hours(1)));
    i.sample.latency_first_half.merge(weir_test::latencies(5'000, std::chrono::hours(1), std::chrono::hours(1)));
  }
  const auto report = compare(base, candidate);
  EXPECT_EQ(report.rows[0].verdict, change::inconclusive);
  EXPECT_EQ(
      text_of(report.warnings, "unequal_survival"),
      "pipelines/a: percentiles beyond the histogram left out: base 0, candidate 1: what is left may be the lucky "
      "part of a side");
}

TEST(Compare, RefusesOtherParametersByNameAndValues) {
  auto base = run_of({benchmark_of("a", around(100))});
  auto candidate = base;
  base.parameters = {{"rows", {"1000"}}, {"size", {"1", "2"}}};
  candidate.parameters = {{"size", {"1", "2"}}, {"rows", {"2000"}}};
  EXPECT_EQ(raised([&] { (void)compare(base, candidate); }),
            "[weir.analysis.parameters_differ] rows: base 1000, candidate 2000: run both with the same parameters");
  candidate.parameters = {{"size", {"1", "2"}}};
  EXPECT_EQ(
      raised([&] { (void)compare(base, candidate); }),
      "[weir.analysis.parameters_differ] rows: base 1000, candidate not given: run both with the same parameters");
  candidate.parameters = {{"size", {"1", "2"}}, {"rows", {"1000"}}};
  candidate.budget.forks = 77;
  EXPECT_EQ(compare(base, candidate).rows.size(), 2u);
}

TEST(Compare, RefusesResultsWithNothingInCommon) {
  EXPECT_EQ(raised([] {
              (void)compare(run_of({benchmark_of("a", around(1)), benchmark_of("b", around(1))}),
                            run_of({benchmark_of("c", around(1))}));
            }),
            "[weir.analysis.no_common_benchmark] benchmarks: base has a, ..., candidate has c: compare results of the "
            "same benchmarks");
  EXPECT_EQ(raised([] { (void)compare(run_of({}), run_of({})); }),
            "[weir.analysis.no_common_benchmark] benchmarks: base has none, candidate has none: compare results of the "
            "same benchmarks");
}

TEST(Compare, NamesBenchmarksOfOneSide) {
  const auto report = compare(run_of({benchmark_of("a", around(1)), benchmark_of("b", around(1))}),
                              run_of({benchmark_of("c", around(1)), benchmark_of("a", around(1))}));
  EXPECT_EQ(text_of(report.warnings, "only_in_base"), "b");
  EXPECT_EQ(text_of(report.warnings, "only_in_candidate"), "c");
}

TEST(Compare, SideWithoutSoundForksIsARowThatSaysSo) {
  auto dead = benchmark_of("a", around(100));
  for (auto& f : dead.forks) f = failed(f, "signal", 11);
  const auto base = run_of({benchmark_of("a", around(100)), benchmark_of("b", around(100))});
  const auto report = compare(base, run_of({dead, benchmark_of("b", around(100))}));
  ASSERT_EQ(report.rows.size(), 4u);
  EXPECT_EQ(report.rows[0].not_comparable, "candidate has no sound fork");
  EXPECT_NEAR(report.rows[0].base, 100.04, 0.1);
  EXPECT_TRUE(std::isnan(report.rows[0].p));
  EXPECT_EQ(report.rows[0].verdict, change::inconclusive);
  EXPECT_EQ(report.rows[2].verdict, change::same);
  EXPECT_NEAR(report.rows[2].p_holm, 1, 1e-12);

  const auto of_none = compare(run_of({dead}), run_of({dead}));
  ASSERT_EQ(of_none.rows.size(), 1u);
  EXPECT_EQ(of_none.rows[0].not_comparable, "base has no sound fork");
  EXPECT_EQ(of_none.rows[0].verdict, change::inconclusive);
}

TEST(Compare, OneForkOnASideCannotBeJudged) {
  const auto base = run_of({benchmark_of("a", {{1, 1}}), benchmark_of("b", around(100))});
  const auto report = compare(base, base);
  EXPECT_EQ(report.rows[0].not_comparable, "fewer than two forks on a side: nothing to judge the difference by");
}

TEST(Compare, WhatIsNotAboveZeroHasNoRatio) {
  auto zero = benchmark_of("a", around(100));
  for (auto& f : zero.forks)
    for (auto& i : f.iterations) i.cpu_ns = 0;
  const auto report = compare(run_of({zero}), run_of({zero}));
  EXPECT_EQ(report.rows[0].verdict, change::same);
  EXPECT_EQ(report.rows[1].not_comparable, "base has forks in which it is not above 0");
}

TEST(Compare, WarnsOfOtherHostsAndBuilds) {
  auto base = run_of({benchmark_of("a", around(100))});
  auto candidate = base;
  base.environments = {{{{"cpu_model", "A", ""}, {"kernel", "6.1", ""}, {"compiler", "g++ 12", ""}}}};
  candidate.environments = {{{{"cpu_model", "B", ""}, {"kernel", {}, "unreadable"}, {"compiler", "g++ 13", ""}}}};
  const auto report = compare(base, candidate);
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_EQ(text_of(report.warnings, "hosts_differ"),
            "cpu_model: base A, candidate B: a difference may be the host's, not the program's");
  EXPECT_EQ(text_of(report.warnings, "builds_differ"),
            "compiler: base g++ 12, candidate g++ 13: a difference may be the build's, not the source's");
}

TEST(CompareVariants, WarnsOfAnotherBuildOfTheBase) {
  auto run = run_of({benchmark_of("a", around(100), "base"), benchmark_of("a", around(100), "candidate")});
  run.environments = {{{{"kernel", "6.1", ""}, {"cxx_flags", "-O3", ""}, {"compiler", "g++ 12", ""}}}};
  EXPECT_TRUE(compare_variants(run).warnings.empty()) << "the base is this binary too";
  run.base_environment = run.environments.front();
  EXPECT_TRUE(compare_variants(run).warnings.empty());
  run.base_environment->facts[0].value = "6.2";
  run.base_environment->facts[1].value = "-O2";
  const auto report = compare_variants(run);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(text_of(report.warnings, "builds_differ"),
            "cxx_flags: base -O2, candidate -O3: a difference may be the build's, not the source's");
}

TEST(CompareVariants, PairingByBlockCancelsWhatBlocksShare) {
  // Blocks differ by 40 %, the sides by 3 %.
  std::vector<std::vector<double>> base, candidate;
  for (int i = 0; i < 6; ++i) {
    const double block = 100 + 8 * i;
    base.push_back({block, block});
    candidate.push_back({block * (1.03 + 0.001 * (i % 2)), block * 1.03});
  }
  const auto run = run_of({benchmark_of("a", base, "base"), benchmark_of("a", candidate, "candidate")});
  const auto report = compare_variants(run);
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].benchmark, "a");
  EXPECT_TRUE(report.rows[0].paired);
  EXPECT_EQ(report.rows[0].verdict, change::changed);

  auto apart = run_of({benchmark_of("a", base)});
  EXPECT_EQ(compare(apart, run_of({benchmark_of("a", candidate)})).rows[0].verdict, change::inconclusive);
}

TEST(CompareVariants, BlockWithOneSideDoesNotCount) {
  auto base = benchmark_of("a", {{10, 10}, {20, 20}, {30, 30}}, "base");
  auto candidate = benchmark_of("a", {{11, 11}, {22, 22}, {99, 99}}, "candidate");
  base.forks[2] = failed(base.forks[2], "timeout", 0);
  const auto report = compare_variants(run_of({base, candidate}));
  EXPECT_NEAR(report.rows[0].ratio, 1.1, 1e-12);
  base.forks[1] = failed(base.forks[1], "timeout", 0);
  EXPECT_EQ(compare_variants(run_of({base, candidate})).rows[0].not_comparable,
            "fewer than two blocks with both sides: nothing to judge the difference by");
}

TEST(CompareVariants, SideWithoutSoundForksIsARowThatSaysSo) {
  auto dead = benchmark_of("a", around(100), "candidate");
  for (auto& f : dead.forks) f = failed(f, "signal", 6);
  const auto report = compare_variants(run_of({benchmark_of("a", around(100), "base"), dead}));
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].not_comparable, "candidate has no sound fork");
  EXPECT_EQ(report.rows[0].verdict, change::inconclusive);
}

TEST(CompareVariants, HostsAreThePairsOnceThereAreSeveral) {
  auto base = benchmark_of("a", around(100, 6), "base");
  auto candidate = benchmark_of("a", around(110, 6), "candidate");
  for (auto* side : {&base, &candidate})
    for (auto& f : side->forks) f.host = f.place < 2 ? "h1" : f.place < 4 ? "h2" : "h3";
  const auto report = compare_variants(run_of({base, candidate}));
  EXPECT_TRUE(report.rows[0].paired);
  // 3 hosts, not 6 blocks: no spread among hosts, so the interval is closed, but p has 2 degrees of freedom.
  EXPECT_NEAR(report.rows[0].ratio, 1.1, 1e-12);
  candidate.forks[0].iterations[1].real_ns *= 1.01;
  const comparison row = compare_variants(run_of({base, candidate})).rows[0];
  const double t = weir::stats::student_t_quantile(0.975, 2);
  const double off = std::log(row.ratio / 1.1);  // a third of what the one host is off by
  EXPECT_NEAR(std::log(row.high / row.ratio), t * off, 1e-9);
}

TEST(CompareVariants, NeedsTwoSides) {
  EXPECT_EQ(raised([] { (void)compare_variants(run_of({benchmark_of("a", around(1))})); }),
            "[weir.analysis.no_variants] benchmarks: none has a base and a candidate: run with --weir_against or "
            "--weir_aa");
}
