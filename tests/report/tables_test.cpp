// SPDX-License-Identifier: Apache-2.0
#include <weir/report/tables.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "small_run.hpp"

namespace {

using weir::analysis::benchmark_summary;
using weir::analysis::change;
using weir::analysis::comparison;
using weir::analysis::comparison_report;
using weir::analysis::direction;
using weir::analysis::estimate;
using weir::analysis::repetition_plan;
using weir::analysis::run_summary;
using weir::report::comparison_table;
using weir::report::plan_table;
using weir::report::summary_table;

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    widest = std::max(widest, line.size());
    text.remove_prefix(line.size() + 1);
  }
  return widest;
}

estimate figure(const char* id, const char* unit, double mean) {
  estimate e;
  e.what = {id, unit, direction::lower_is_better};
  e.mean = e.median = mean;
  e.min = mean * 0.99;
  e.low = mean * 0.992;
  e.high = mean * 1.008;
  e.level = 0.95;
  e.df = 4;
  e.cv_between = 0.0123;
  return e;
}

benchmark_summary rows(const char* name) {
  benchmark_summary b;
  b.name = name;
  b.forks_ok = 5;
  b.estimates = {figure("time", "ns/op", 3.214)};
  return b;
}

benchmark_summary pipeline(const char* name) {
  benchmark_summary b;
  b.name = name;
  b.forks_ok = 5;
  b.samples = 15;
  b.valid = 14;
  b.estimates = {figure("score", "rows/s", 600'000), figure("throughput", "rows/s", 599'000),
                 figure("p50", "ns", 26'100), figure("p99", "ns", 1.23e6), figure("cpu_per_row", "ns/row", 540)};
  return b;
}

TEST(SummaryTable, HasALineForEachBenchmarkAndEachFindingOnce) {
  run_summary s;
  s.benchmarks = {rows("rows/row/copyPlainRow"), pipeline("pipelines/sourceSink"), rows("rows/row/readFields")};
  s.benchmarks[2].forks_failed = 2;
  s.benchmarks[2].variant = "base";
  s.benchmarks[0].findings = {{"few_forks", "5 forks: use more"}};
  s.benchmarks[2].findings = {{"few_forks", "another text"}, {"multimodal", "two modes"}};
  s.findings = {{"aslr_off", "layouts are all the same"}};
  EXPECT_EQ(summary_table(s),
            R"(benchmark                                      time/op   +-95%       min    median      CV   forks
rows/row/copyPlainRow                           3.21ns    0.8%    3.18ns    3.21ns    1.2%     5/5
rows/row/readFields/variant:base                3.21ns    0.8%    3.18ns    3.21ns    1.2%     5/7

pipeline                          score   +-95%  through      P50      P99    P99.9  cpu/row   valid
pipelines/sourceSink             600k/s    0.8%   599k/s   26.1us   1.23ms      n/a    540ns   14/15

aslr_off: layouts are all the same
few_forks (rows/row/copyPlainRow and 1 more): 5 forks: use more
multimodal (rows/row/readFields/variant:base): two modes
)");
}

TEST(SummaryTable, WhatIsNotKnownIsSaid) {
  run_summary s;
  s.benchmarks = {rows("failed")};
  s.benchmarks[0].estimates.clear();
  s.benchmarks[0].forks_ok = 0;
  s.benchmarks[0].forks_failed = 3;
  EXPECT_EQ(summary_table(s),
            R"(benchmark                                      time/op      +-       min    median      CV   forks
failed                                             n/a     n/a       n/a       n/a     n/a     0/3

)");
}

comparison row(const char* id, double ratio, change verdict, bool better) {
  comparison c;
  c.benchmark = "rows/row/copyPlainRow";
  c.what = {id, "ns/op", direction::lower_is_better};
  c.base = 3.2;
  c.candidate = 3.2 * ratio;
  c.ratio = ratio;
  c.low = ratio - 0.005;
  c.high = ratio + 0.005;
  c.p = 0.0001;
  c.p_holm = verdict == change::changed ? 0.0002 : 0.4;
  c.verdict = verdict;
  c.detectable = 0.012;
  c.better = better;
  return c;
}

TEST(ComparisonTable, SaysWhatChangedAndWhatCouldHaveBeenSeen) {
  comparison_report report;
  report.rows = {row("time", 1.03, change::changed, false), row("cpu", 0.97, change::changed, true),
                 row("allocs", 1, change::same, false), row("misses", 1.01, change::inconclusive, false),
                 row("time", 1, change::inconclusive, false)};
  report.rows[4].benchmark = "rows/row/readFields";
  report.rows[4].ratio = report.rows[4].low = report.rows[4].high = report.rows[4].p_holm = report.rows[4].detectable =
      std::numeric_limits<double>::quiet_NaN();
  report.rows[4].not_comparable = "one fork on a side";
  report.warnings = {{"other_host", "the processors differ"}};
  EXPECT_EQ(comparison_table(report),
            R"(                      base candidate    change              interval      p     sees  verdict
rows/row/copyPlainRow
  time              3.20ns    3.30ns    +3.00%      +2.50% .. +3.50% <0.001     1.2%  worse
  cpu               3.20ns    3.10ns    -3.00%      -3.50% .. -2.50% <0.001     1.2%  better
  allocs            3.20ns    3.20ns    +0.00%      -0.50% .. +0.50%  0.400     1.2%  same
  misses            3.20ns    3.23ns    +1.00%      +0.50% .. +1.50%  0.400     1.2%  inconclusive
rows/row/readFields
  time              3.20ns    3.20ns       n/a            n/a .. n/a    n/a      n/a  not comparable
    one fork on a side

other_host: the processors differ
1 worse, 1 better, 1 same, 1 inconclusive, 1 not comparable
)");
}

TEST(PlanTable, ShowsRepetitionsOfEachLayerOrWhyThereIsNoPlan) {
  repetition_plan good;
  good.benchmark = "rows/row/copyPlainRow";
  good.layers = {{.name = "fork", .repetitions = 12}, {.name = "iteration", .repetitions = 1}};
  good.relative_half_width = 0.0098;
  good.seconds = 14.4;
  repetition_plan none;
  none.benchmark = "rows/row/readFields";
  none.why_not = "one fork tells nothing";
  EXPECT_EQ(plan_table(std::vector{good, none}),
            R"(benchmark                                repetitions                                     +-     time
rows/row/copyPlainRow                    12 forks x 1 iteration                        1.0%    14.4s
rows/row/readFields
    no plan: one fork tells nothing
)");
}

TEST(Tables, FitAHundredColumns) {
  run_summary s;
  s.benchmarks = {rows("rows/naive_row/copyThenMutateCopiedOptions"),
                  pipeline("pipelines/sourceTransformSinkWithObservabilityAndTrace/arrival:poisson")};
  s.findings = {{"a_finding", std::string(60, 'x') + ' ' + std::string(60, 'y')}};
  EXPECT_LE(widest_line(summary_table(s)), 100U);
  comparison_report report;
  report.rows = {row("time", 1.03, change::inconclusive, false)};
  report.rows[0].low = 0.0001;
  report.rows[0].high = 50;
  report.rows[0].detectable = 123.4;
  EXPECT_LE(widest_line(comparison_table(report)), 100U);
}

}  // namespace
