// SPDX-License-Identifier: Apache-2.0
#include <weir/report/markdown.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "small_run.hpp"

namespace {

using weir::analysis::summarize;
using weir::record::run_record;
using weir::report::summary_page;
using weir_test::small_run;

std::string page_of(const run_record& run) { return summary_page(run, summarize(run)); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SummaryPage, OpensWithTheVerdict) {
  EXPECT_TRUE(page_of(small_run()).starts_with("# demo: 2 of 6 forks failed; 1 of 8 samples do not count\n\n"));
  run_record sound = small_run();
  sound.benchmarks.resize(1);
  sound.benchmarks[0].forks.erase(sound.benchmarks[0].forks.begin() + 1);
  EXPECT_TRUE(page_of(sound).starts_with("# demo: 1 benchmarks, all sound\n\n"));
  sound.benchmarks.clear();
  EXPECT_TRUE(page_of(sound).starts_with("# demo: nothing was measured\n\n"));
}

TEST(SummaryPage, AnIncompleteRunSaysSoAtTheTop) {
  run_record run = small_run();
  run.ended_by = "interrupted";
  EXPECT_TRUE(
      page_of(run).starts_with("# demo: incomplete; 2 of 6 forks failed; 1 of 8 samples do not count\n\n"
                               "**Incomplete: the run was interrupted. "));
  run.ended_by = "";
  EXPECT_TRUE(has(page_of(run), "**Incomplete: the run has not ended. "));
}

TEST(SummaryPage, HasATableOfRowsAndOneOfPipelines) {
  const std::string page = page_of(small_run());
  EXPECT_TRUE(has(page,
                  "| benchmark | time/op | 95% interval | min | median | CV between forks | CV within | forks |\n"
                  "|---|--:|--:|--:|--:|--:|--:|--:|\n"
                  "| rows/row/copyPlainRow | 11.0ns | -1.71ns .. 23.7ns | 10.0ns | 11.0ns | 12.9% | 12.9% | 2 of 3 "
                  "|\n\n"))
      << page;
  EXPECT_TRUE(
      has(page,
          "| pipelines/sourceTransformSinkWithTrace/rows:1000000 | 450k/s | -185k/s .. 1.09M/s | 600k/s | "
          "20.0us | 38.0us | 38.0us .. 38.0us | 38.0us | n/a / n/a / n/a of 3.50M | 540ns | 7 of 8 | rows_missing in 1 "
          "|\n\nIntervals are over forks. "))
      << page;
  EXPECT_TRUE(has(page, "| compiler | g++ 12.2.0 |\n"));
  EXPECT_TRUE(has(page, "| governor | unknown: no such file |\n"));
  EXPECT_TRUE(has(page, "## Warnings\n\n- failed_forks (rows/row/copyPlainRow and 1 more): "));
}

TEST(SummaryPage, WhatThereIsNoFigureForIsNotAvailable) {
  run_record run = small_run();
  for (auto& f : run.benchmarks[1].forks)
    for (auto& i : f.invocations) i.sample.processed_rows -= 1;
  run.benchmarks[0].forks.erase(run.benchmarks[0].forks.begin(), run.benchmarks[0].forks.begin() + 2);
  const std::string page = page_of(run);
  EXPECT_TRUE(
      has(page, "/rows:1000000 | n/a | n/a | n/a | n/a | n/a | n/a | n/a | n/a | n/a | 0 of 8 | rows_missing in 8 |"))
      << page;
  EXPECT_TRUE(has(page, "| rows/row/copyPlainRow | 12.0ns | n/a | 12.0ns | 12.0ns | n/a | ")) << page;
}

TEST(SummaryPage, SaysHowManyIndependentRowsAPercentileIsWorth) {
  run_record run = small_run();
  auto summary = summarize(run);
  for (auto& e : summary.benchmarks[1].estimates) {
    if (e.what.id == "p50") e.effective_rows = 812'345;
    if (e.what.id == "p99") e.effective_rows = 11'210;
  }
  EXPECT_TRUE(has(summary_page(run, summary), " | 812k / 11.2k / n/a of 3.50M | "));
}

TEST(SummaryPage, ShowsWhatTheBasesBinarySaysOtherwise) {
  run_record run = small_run();
  run.base_environment = run.environments[0];
  run.base_environment->facts[0].value = "def456";
  EXPECT_TRUE(page_of(run).ends_with(
      "## What the base's binary says otherwise\n\n| fact | value |\n|---|---|\n| commit | def456 |\n\n"));
}

TEST(SummaryPage, ShowsFailedForksWithTheirLastLines) {
  const std::string page = page_of(small_run());
  EXPECT_TRUE(has(page,
                  "<details><summary>rows/row/copyPlainRow, fork 2: signal 11</summary>\n\n<pre>\n"
                  "a &#124; b &#60;script&#62;\nthe end\n</pre>\n"))
      << page;
  EXPECT_TRUE(has(page, "fork 2: timeout: ran for 60 s</summary>\n\nIt said nothing.\n")) << page;
}

TEST(SummaryPage, ManyFailedForksAreCutShort) {
  run_record run = small_run();
  run.benchmarks[0].forks.resize(30, run.benchmarks[0].forks[1]);
  run.benchmarks[0].forks[9].block = 77;
  const std::string page = page_of(run);
  std::size_t shown = 0;
  for (std::size_t at = 0; (at = page.find("<details>", at)) != page.npos; ++at) ++shown;
  EXPECT_EQ(shown, 20U);
  EXPECT_TRUE(has(page, ", fork 78: ")) << "as the terminal names it, by its block";
  EXPECT_TRUE(has(page, "\n9 more are in result.json.\n")) << page;
}

TEST(SummaryPage, NothingThatUsersOrChildrenWriteBecomesMarkup) {
  run_record run = small_run();
  const std::string evil = "</pre>|`x`\n# <img src=x>*b*[l](u)\x1B[31m\xFF&lt;";
  run.program = evil;
  run.benchmarks[0].name = evil;
  run.benchmarks[0].forks[1].failure = {.kind = evil, .code = 0, .text = evil, .last_lines = {evil}};
  run.environments[0].facts[0] = {evil, evil, ""};
  run.started = run.budget.profile = run.ended_by = evil;
  const std::string page = page_of(run);
  for (const char* part : {"<img", "`", "*b*", "[l]", "\x1B", "\xFF", "&lt;", "\n# <"})
    EXPECT_FALSE(has(page, part)) << part;
  std::size_t ends = 0;
  for (std::size_t at = 0; (at = page.find("</pre>", at)) != page.npos; ++at) ++ends;
  EXPECT_EQ(ends, 1U);
  EXPECT_TRUE(has(page, "\n| &#60;/pre&#62;&#124;&#96;x&#96; &#35; ")) << page;
}

TEST(SummaryPage, UnderscoresAreEscapedWhereTheyCouldBeEmphasis) {
  run_record run = small_run();
  run.benchmarks[0].name = "rows/_it_/a_b__c$d$";
  EXPECT_TRUE(has(page_of(run), "\n| rows/&#95;it&#95;/a_b&#95;&#95;c&#36;d&#36; | "));
}

TEST(SummaryPage, AComparisonComesFirstAndMarksChanges) {
  run_record run = small_run();
  weir::analysis::comparison_report report;
  auto& c = report.rows.emplace_back();
  c.benchmark = "a|b";
  c.what = {"time", "ns/op"};
  c.base = 10;
  c.candidate = 11;
  c.ratio = 1.1;
  c.low = 1.05;
  c.high = 1.15;
  c.p_holm = 0.01;
  c.detectable = 0.02;
  c.verdict = weir::analysis::change::changed;
  report.warnings = {{"other_host", "the processors differ"}};
  const std::string page = summary_page(run, summarize(run), &report);
  EXPECT_TRUE(page.starts_with("# demo: 1 worse, 0 better, 0 same, 0 inconclusive; 2 of 6 forks failed; "));
  EXPECT_TRUE(has(page,
                  "| a&#124;b | time | 10.0ns | 11.0ns | +10.00% | +5.00% .. +15.00% | 0.010 | 2.0% | **worse** |\n"
                  "\n- other_host: the processors differ\n"))
      << page;
  EXPECT_LT(page.find("## Comparison"), page.find("| benchmark | time/op |"));
}

TEST(SummaryPage, SeveralHostsHaveTheirEnvironmentsNumbered) {
  run_record run = small_run();
  run.environments.push_back(run.environments[0]);
  EXPECT_TRUE(has(page_of(run), "## Environment 2\n\n| fact | value |\n"));
}

}  // namespace
