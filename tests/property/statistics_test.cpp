// SPDX-License-Identifier: Apache-2.0
//
// What the statistics promise, tried on thousands of simulated experiments with known answers: an effect of each fork
// and one of each iteration within it. Seeds are fixed, so every figure is the same each time; the bounds leave room
// for the 2000 experiments' own error (0.5 % at 95 %).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/analysis/comparison.hpp>
#include <weir/analysis/plan.hpp>
#include <weir/analysis/summary.hpp>
#include <weir/base/random.hpp>
#include <weir/stats/modality.hpp>
#include <weir/stats/quantile.hpp>
#include <weir/stats/steady_state.hpp>
#include <weir/stats/variance_components.hpp>

#include "../analysis/made_runs.hpp"

namespace {

using namespace weir::analysis;
using weir_test::benchmark_of;
using weir_test::has_finding;
using weir_test::normal;
using weir_test::run_of;
namespace record = weir::record;
namespace stats = weir::stats;

enum class shape { normal, skewed, strongly_skewed, bimodal };

const char* name_of(shape s) {
  constexpr std::array names{"normal", "skewed", "strongly skewed", "bimodal"};
  return names[static_cast<std::size_t>(s)];
}

/// Mean 0, standard deviation 1. Skewed: lognormal with sigma 0.25, skewness 0.78; strongly, 0.5 and 1.75. Bimodal: two
/// modes as likely, 20 of their own standard deviations apart.
double effect(weir::random_bits& bits, shape s) {
  if (s == shape::normal) return normal(bits);
  if (s == shape::bimodal) return (bits.uniform() < 0.5 ? -1 : 1) * 0.995 + 0.0995 * normal(bits);
  const double sigma = s == shape::skewed ? 0.25 : 0.5;
  const double mean = std::exp(sigma * sigma / 2);
  return (std::exp(sigma * normal(bits)) - mean) / (mean * std::sqrt(std::exp(sigma * sigma) - 1));
}

/// Forks whose values have the given mean; sd of forks and of iterations in percent of it. Iterations of bimodal forks
/// are skewed.
std::vector<std::vector<double>> experiment(weir::random_bits& bits, std::size_t forks, std::size_t iterations, shape s,
                                            double mean, double between, double within) {
  std::vector<std::vector<double>> all(forks);
  for (auto& fork : all) {
    const double at = mean * (1 + between / 100 * effect(bits, s));
    for (std::size_t i = 0; i < iterations; ++i) {
      fork.push_back(at + mean * within / 100 * effect(bits, s == shape::bimodal ? shape::skewed : s));
    }
  }
  return all;
}

struct design {
  std::size_t forks;
  std::size_t iterations;
};

constexpr std::array designs{design{3, 10}, design{5, 5}, design{5, 20}, design{10, 5}};

}  // namespace

TEST(IntervalOfTheMean, HoldsTheTruthAsOftenAsItSays) {
  constexpr int experiments = 2'000;
  for (const auto [forks, iterations] : designs) {
    for (const shape s : {shape::normal, shape::skewed, shape::strongly_skewed, shape::bimodal}) {
      weir::random_bits bits(17);
      int covered = 0;
      for (int e = 0; e < experiments; ++e) {
        const auto summary = summarize(benchmark_of("a", experiment(bits, forks, iterations, s, 100, 2, 2)));
        const estimate& time = summary.estimates[0];
        covered += time.low <= 100 && 100 <= time.high;
      }
      const double coverage = covered / double{experiments};
      std::printf("%2zu x %2zu %-8s covered %.3f\n", forks, iterations, name_of(s), coverage);
      if (s == shape::bimodal && forks < 10) {  // of one mode all, at times, or of two and unequal numbers
        EXPECT_NEAR(coverage, forks == 3 ? 0.83 : 0.93, 0.02) << forks << " x " << iterations;
        continue;
      }
      EXPECT_GE(coverage, s == shape::strongly_skewed ? 0.91 : 0.93)
          << forks << " x " << iterations << ' ' << name_of(s);
      EXPECT_LE(coverage, 0.97) << forks << " x " << iterations << ' ' << name_of(s);
    }
  }
}

// What cannot be told from a few forks is said of all of them: with fewer than 10, that they may hide their modes. That
// two groups were seen is said in addition, and seldom of forks that have none.
TEST(IntervalOfTheMean, FewForksAreWarnedOfAndTwoGroupsSeldomSeenWhereThereAreNone) {
  constexpr int experiments = 1'000;
  for (const auto [forks, iterations] : designs) {
    for (const double within : {0.2, 1.0, 2.0, 4.0}) {
      weir::random_bits bits(18);
      int warned = 0, of_both = 0, found = 0;
      std::array<int, 2> false_alarms{};
      for (int e = 0; e < experiments; ++e) {
        const auto b =
            summarize(benchmark_of("a", experiment(bits, forks, iterations, shape::bimodal, 100, 2, within)));
        const bool two_groups = has_finding(b.findings, "multimodal");
        const bool both = b.estimates[0].min < 100 && b.estimates[0].max > 100;
        warned += two_groups || has_finding(b.findings, "few_forks");
        of_both += both;
        found += both && two_groups;
        for (const shape s : {shape::normal, shape::skewed}) {
          const auto one = summarize(benchmark_of("a", experiment(bits, forks, iterations, s, 100, 2, within)));
          false_alarms[static_cast<std::size_t>(s)] += has_finding(one.findings, "multimodal");
        }
      }
      const auto share = [](int count) { return count / double{experiments}; };
      std::printf(
          "%2zu x %2zu, iterations %.1f %%: bimodal warned %.3f; two groups seen where both modes are %.3f, where none "
          "are %.3f (normal), %.3f (skewed)\n",
          forks, iterations, within, share(warned), double(found) / of_both, share(false_alarms[0]),
          share(false_alarms[1]));
      if (forks < 10) {
        EXPECT_EQ(warned, experiments) << forks << " x " << iterations << ", " << within;
      }
      if (within == 0.2 && forks >= 5) {
        EXPECT_GE(double(found) / of_both, 0.95) << forks << " x " << iterations;
      }
      EXPECT_LE(share(false_alarms[0]), 0.08) << forks << " x " << iterations << ", " << within;
      EXPECT_LE(share(false_alarms[1]), 0.11) << forks << " x " << iterations << ", " << within;
    }
  }
}

TEST(TwoModes, FalseAlarmsAreRare) {
  constexpr int experiments = 20'000;
  for (const std::size_t n : {5u, 6u, 8u, 9u, 10u, 15u, 20u, 25u, 30u, 50u}) {
    weir::random_bits bits(19);
    std::array<int, 2> found{};
    std::array<int, 2> seen{};  // modes 10 and 20 standard deviations apart
    for (int e = 0; e < experiments; ++e) {
      std::array<std::vector<double>, 4> values;
      for (std::size_t i = 0; i < n; ++i) {
        values[0].push_back(normal(bits));
        values[1].push_back(std::exp(0.25 * normal(bits)));
        const double mode = bits.uniform() < 0.5 ? 1 : 0;
        values[2].push_back(normal(bits) + 10 * mode);
        values[3].push_back(normal(bits) + 20 * mode);
      }
      for (std::size_t k = 0; k < 2; ++k) {
        found[k] += stats::find_two_modes(values[k]).has_value();
        seen[k] += stats::find_two_modes(values[k + 2]).has_value();
      }
    }
    const auto share = [](int count) { return count / double{experiments}; };
    std::printf("%2zu values: two modes seen in normal %.3f, lognormal %.3f; of modes 10 apart %.3f, 20 apart %.3f\n",
                n, share(found[0]), share(found[1]), share(seen[0]), share(seen[1]));
    EXPECT_LE(share(found[0]), 0.07) << n;
    EXPECT_LE(share(found[1]), 0.11) << n;
    EXPECT_GE(share(seen[1]), 0.90) << n;
  }
}

TEST(SteadyState, NoiseIsFlatAndAWarmUpIsFound) {
  constexpr int experiments = 2'000;
  for (const std::size_t n : {8u, 10u, 20u, 50u, 200u}) {
    weir::random_bits bits(20);
    int flat = 0, flat_spiked = 0, warm = 0;
    for (int e = 0; e < experiments; ++e) {
      std::vector<double> noise, spiked, warming;
      for (std::size_t i = 0; i < n; ++i) {
        noise.push_back(100 + normal(bits));
        spiked.push_back(100 + normal(bits) + (i > 0 && bits.uniform() < 0.03 ? 30 : 0));
        warming.push_back(100 + normal(bits) + (i == 0 ? 20 : 0));
      }
      flat += stats::find_steady_state(noise).course == stats::course::flat;
      flat_spiked += stats::find_steady_state(spiked).course == stats::course::flat;
      warm += stats::find_steady_state(warming).course == stats::course::warm_up;
    }
    const auto share = [](int count) { return count / double{experiments}; };
    std::printf("%3zu iterations: noise flat %.3f, with spikes %.3f, first one 20 sd slower called warm-up %.3f\n", n,
                share(flat), share(flat_spiked), share(warm));
    EXPECT_GE(share(flat), 0.99) << n;
    EXPECT_GE(share(flat_spiked), 0.95) << n;
    EXPECT_GE(share(warm), 0.95) << n;
  }
}

// T2^2 = 4 beside T1^2 = 16 and T3^2 = 9: unbiased also with unequal repetitions, and where there is nothing to find.
TEST(VarianceComponents, AreUnbiased) {
  constexpr int experiments = 20'000;
  for (const double truth : {4.0, 0.0}) {
    weir::random_bits bits(21);
    std::array<double, 3> sum{};
    for (int e = 0; e < experiments; ++e) {
      std::vector<double> values;
      std::vector<std::vector<std::size_t>> parents(2);
      for (std::size_t build = 0; build < 4; ++build) {
        const double b = 3 * normal(bits);
        for (std::size_t fork = 0; fork < 2 + build; ++fork) {
          const double f = b + std::sqrt(truth) * normal(bits);
          const std::size_t iterations = 2 + bits() % 4;
          for (std::size_t i = 0; i < iterations; ++i) {
            values.push_back(100 + f + 4 * normal(bits));
            parents[0].push_back(parents[1].size());
          }
          parents[1].push_back(build);
        }
      }
      const auto layers = stats::variance_components(values, parents);
      for (std::size_t l = 0; l < 3; ++l) sum[l] += layers[l].variance / experiments;
    }
    std::printf("true 16, %.0f, 9: estimated %.3f, %.3f, %.3f\n", truth, sum[0], sum[1], sum[2]);
    EXPECT_NEAR(sum[0], 16, 0.15);
    EXPECT_NEAR(sum[1], truth, 0.15);
    EXPECT_NEAR(sum[2], 9, 0.25);
  }
}

// No threshold here: it would only make false alarms rarer. Ten benchmarks a run, time and cpu of each. Three forks may
// all be of one mode on one side and of the other on the other; that is what the warning of few forks is for.
TEST(Compare, FalseAlarmsOfARunAreAtMostNominal) {
  constexpr int experiments = 300;
  for (const auto [forks, iterations] : designs) {
    for (const shape s : {shape::normal, shape::skewed, shape::bimodal}) {
      weir::random_bits bits(22);
      int alarms = 0, paired_alarms = 0;
      for (int e = 0; e < experiments; ++e) {
        std::vector<record::benchmark> base, candidate, both;
        for (int b = 0; b < 10; ++b) {
          const std::string name = std::to_string(b);
          base.push_back(benchmark_of(name, experiment(bits, forks, iterations, s, 100, 2, 2), "base"));
          candidate.push_back(benchmark_of(name, experiment(bits, forks, iterations, s, 100, 2, 2), "base"));
          both.push_back(base.back());
          both.push_back(candidate.back());
          both.back().variant = "candidate";
        }
        const auto changed = [](const comparison_report& report) {
          return std::ranges::any_of(report.rows, [](const comparison& c) { return c.verdict == change::changed; });
        };
        const comparison_options any{.threshold = 0, .level = 0.95};
        alarms += changed(compare(run_of(base), run_of(candidate), any));
        paired_alarms += changed(compare_variants(run_of(both), any));
      }
      std::printf("%2zu x %2zu %-8s family-wise false alarms %.3f, paired %.3f\n", forks, iterations, name_of(s),
                  alarms / double{experiments}, paired_alarms / double{experiments});
      // 5 % are 15; more than 27 come in 1 of 1000 cases.
      if (s == shape::bimodal && forks < 5) continue;
      EXPECT_LE(alarms, 27) << forks << " x " << iterations << ' ' << name_of(s);
      EXPECT_LE(paired_alarms, 27) << forks << " x " << iterations << ' ' << name_of(s);
    }
  }
}

TEST(Compare, FindsThreePercentWithTenForksOfOnePercent) {
  constexpr int experiments = 500;
  weir::random_bits bits(23);
  int found = 0, paired = 0, wrong = 0, covered = 0;
  for (int e = 0; e < experiments; ++e) {
    const auto base = benchmark_of("a", experiment(bits, 10, 10, shape::normal, 100, 1, 1), "base");
    auto candidate = benchmark_of("a", experiment(bits, 10, 10, shape::normal, 103, 1, 1), "candidate");
    const comparison in_one = compare_variants(run_of({base, candidate})).rows[0];
    candidate.variant = "base";
    const comparison of_two = compare(run_of({base}), run_of({candidate})).rows[0];
    found += of_two.verdict == change::changed && !of_two.better;
    paired += in_one.verdict == change::changed && !in_one.better;
    wrong += of_two.verdict == change::same;
    covered += of_two.low <= 1.03 && 1.03 <= of_two.high;
  }
  std::printf("3 %% found %.3f, paired %.3f, called the same %.3f, interval of the ratio covers %.3f\n",
              found / double{experiments}, paired / double{experiments}, wrong / double{experiments},
              covered / double{experiments});
  EXPECT_GE(found, 475);
  EXPECT_GE(paired, 475);
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(covered, 460);
}

// `detectable` of a typical run is what is called changed 4 times in 5.
TEST(Compare, DetectableDifferenceIsFoundFourTimesInFive) {
  constexpr int experiments = 2'000;
  for (const auto& [forks, between] : {std::pair<std::size_t, double>{5, 1}, {10, 1}, {10, 4}, {30, 1}}) {
    weir::random_bits bits(24);
    std::vector<double> detectable;
    const auto rows = [&](double mean) {
      const auto base = benchmark_of("a", experiment(bits, forks, 2, shape::normal, 100, between, 0));
      const auto candidate = benchmark_of("a", experiment(bits, forks, 2, shape::normal, mean, between, 0));
      return compare(run_of({base}), run_of({candidate})).rows[0];
    };
    double typical = 0;
    for (int e = 0; e < experiments; ++e) typical += rows(100).detectable / experiments;
    int found = 0;
    for (int e = 0; e < experiments; ++e) found += rows(100 * (1 + typical)).verdict == change::changed;
    std::printf("%zu forks, sd %.0f %%: detectable %.2f %%, found %.3f\n", forks, between, 100 * typical,
                found / double{experiments});
    EXPECT_NEAR(found / double{experiments}, 0.8, 0.06);
  }
}

// Planned from one run of 10 forks, the next has the precision asked for about half of the time or nearly: the plan is
// as rough as the variance it rests on.
TEST(Plan, PredictsThePrecisionOfTheNextRun) {
  constexpr int experiments = 300;
  weir::random_bits bits(25);
  std::vector<double> reached;
  for (int e = 0; e < experiments; ++e) {
    const auto p = plan(summarize(benchmark_of("a", experiment(bits, 10, 10, shape::normal, 100, 2, 4))), 0.01);
    const auto next = summarize(
        benchmark_of("a", experiment(bits, static_cast<std::size_t>(p.layers[0].repetitions),
                                     static_cast<std::size_t>(p.layers[1].repetitions), shape::normal, 100, 2, 4)));
    reached.push_back(next.estimates[0].relative_half_width());
  }
  const double middle = stats::median(reached);
  std::printf("wanted 1 %%, reached %.2f %% in the middle, %.2f %% at the 90th percentile\n", 100 * middle,
              100 * (std::ranges::sort(reached), reached[experiments * 9 / 10]));
  EXPECT_NEAR(middle, 0.01, 0.0015);
}

// Costs are measured elsewhere; here the point is that it works and that nothing in it is quadratic.
TEST(Compare, TakesAThousandBenchmarks) {
  record::run_record run = run_of({});
  weir::random_bits bits(26);
  for (int b = 0; b < 1'000; ++b) {
    run.benchmarks.push_back(
        benchmark_of("rows/" + std::to_string(b), experiment(bits, 30, 10, shape::normal, 100, 1, 1)));
  }
  const auto summary = summarize(run);
  ASSERT_EQ(summary.benchmarks.size(), 1'000u);
  for (const auto& s : summary.benchmarks) EXPECT_EQ(s.estimates[0].df, 29);
  const auto report = compare(run, run);
  ASSERT_EQ(report.rows.size(), 2'000u);
  for (const comparison& c : report.rows) EXPECT_EQ(c.verdict, change::same);
}
