// SPDX-License-Identifier: Apache-2.0

#include <weir/analysis/plan.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "made_runs.hpp"

namespace {

using namespace weir::analysis;
using weir_test::benchmark_of;

/// Mean 100, 10 forks at 95 %.
benchmark_summary measured(std::vector<layer> layers) {
  benchmark_summary s;
  s.name = "rows/a";
  estimate& e = s.estimates.emplace_back();
  e.what = {"time", "ns/op", direction::lower_is_better};
  e.mean = 100;
  e.level = 0.95;
  e.df = 9;
  s.layers = std::move(layers);
  return s;
}

layer of(const char* name, double repetitions, double variance, double cost) {
  return {
      .name = name, .repetitions = repetitions, .variance = variance, .detectable = variance > 0, .cost_seconds = cost};
}

}  // namespace

// sqrt(2 / 0.5 * 16 / 4) = 4 iterations; S^2 = 4 + 16 / 4 = 8; t[n - 1] sqrt(8 / n) <= 1 first holds for n = 34.
TEST(Plan, TwoLayersByHand) {
  const auto p = plan(measured({of("fork", 10, 4, 2), of("iteration", 10, 16, 0.5)}), 0.01);
  ASSERT_EQ(p.why_not, "");
  EXPECT_EQ(p.benchmark, "rows/a");
  EXPECT_EQ(p.layers[1].repetitions, 4);
  EXPECT_EQ(p.layers[0].repetitions, 34);
  EXPECT_NEAR(p.relative_half_width, 2.0345153 * std::sqrt(8.0 / 34) / 100, 1e-8);
  EXPECT_DOUBLE_EQ(p.seconds, 34 * (2 + 4 * 0.5));
}

TEST(Plan, NeverFewerThanFiveForks) {
  const auto p = plan(measured({of("fork", 10, 4, 2), of("iteration", 10, 16, 0.5)}), 0.5);
  EXPECT_EQ(p.layers[0].repetitions, 5);
  EXPECT_LT(p.relative_half_width, 0.5);
}

// Iterations do all the work: 5 forks need S^2 <= 5 / t[4]^2 = 0.6486, so 16 / 0.6486 = 25 iterations.
TEST(Plan, ForksThatDoNotDifferAreFiveOfManyIterations) {
  const auto p = plan(measured({of("fork", 10, -0.2, 2), of("iteration", 10, 16, 0.5)}), 0.01);
  EXPECT_EQ(p.layers[1].repetitions, 25);
  EXPECT_EQ(p.layers[0].repetitions, 5);
  EXPECT_LE(p.relative_half_width, 0.01);
}

TEST(Plan, LayerThatIsNotDetectableGetsOneUnit) {
  const auto p =
      plan(measured({of("fork", 10, 4, 2), of("iteration", 10, 0, 0.5), of("invocation", 3, 16, 0.1)}), 0.01);
  EXPECT_EQ(p.layers[1].repetitions, 1);
  // The iteration comes with the fork: sqrt((2 + 0.5) / 0.1 * 16 / 4) = 10.
  EXPECT_EQ(p.layers[2].repetitions, 10);
}

TEST(Plan, CostOfALayerThatIsNotDetectableGoesToTheOneAbove) {
  const auto p =
      plan(measured({of("fork", 10, 4, 2), of("iteration", 10, 16, 0.4), of("invocation", 3, 0, 0.1)}), 0.01);
  EXPECT_EQ(p.layers[2].repetitions, 1);
  EXPECT_EQ(p.layers[1].repetitions, 4);  // sqrt(2 / 0.5 * 16 / 4)
}

TEST(Plan, UnknownCostLeavesWhatIsBelowAsItWas) {
  const auto p = plan(measured({of("build", 3, 4, 0), of("fork", 7, 4, 2), of("iteration", 10, 16, 0.5)}), 0.01);
  EXPECT_EQ(p.layers[1].repetitions, 7);
  EXPECT_EQ(p.layers[2].repetitions, 4);
}

TEST(Plan, CheapestOfItsNeighbours) {
  const double forks = 4, iterations = 9, fork_cost = 3, iteration_cost = 0.2;
  const auto p =
      plan(measured({of("fork", 10, forks, fork_cost), of("iteration", 10, iterations, iteration_cost)}), 0.002);
  const auto cost = [&](double r) {  // for a variance of 1, many forks
    return (forks + iterations / r) * (fork_cost + r * iteration_cost);
  };
  const double r = p.layers[1].repetitions;
  EXPECT_LE(cost(r), cost(r - 1) * 1.001);
  EXPECT_LE(cost(r), cost(r + 1));
}

TEST(Plan, EveryPrecisionHasOne) {
  for (const double wanted : {1e-12, 1e-9, 1e-4, 0.01, 10.0}) {
    const auto p = plan(measured({of("fork", 10, 4, 2), of("iteration", 10, 16, 0.5)}), wanted);
    EXPECT_LE(p.relative_half_width, wanted);
    EXPECT_TRUE(std::isfinite(p.seconds));
  }
}

TEST(Plan, SaysWhyThereIsNone) {
  EXPECT_EQ(plan(benchmark_summary{}, 0.01).why_not, "no fork has a value");
  EXPECT_EQ(plan(summarize(benchmark_of("a", {{1, 2}})), 0.01).why_not,
            "one fork tells nothing about the variance among them: run two or more");
  const std::string not_finite = "the mean or a variance is not finite: nothing can be planned from it";
  EXPECT_EQ(plan(summarize(benchmark_of("a", {{1e200, 2e200}, {3e200, 4e200}})), 0.01).why_not, not_finite);
  for (const double strange : {std::numeric_limits<double>::infinity(), unknown}) {
    auto of_mean = measured({of("fork", 10, 4, 2), of("iteration", 10, 16, 0.5)});
    of_mean.estimates[0].mean = strange;
    EXPECT_EQ(plan(of_mean, 0.01).why_not, not_finite);
  }
}

TEST(Plan, FromARun) {
  const auto p = plan(summarize(benchmark_of("a", {{9, 10, 11}, {11, 12, 13}, {10, 11, 12}})), 0.01);
  EXPECT_EQ(p.layers.size(), 2u);
  EXPECT_GE(p.layers[0].repetitions, 5);
  EXPECT_LE(p.relative_half_width, 0.01);
}
