// SPDX-License-Identifier: Apache-2.0
#include <weir/report/capacity.hpp>

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/analysis/summary.hpp>
#include <weir/record/capacity.hpp>
#include <weir/record/json.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/markdown.hpp>

namespace {

using namespace std::chrono_literals;
using weir::record::capacity_result;
using weir::report::capacity_table;

capacity_result found() {
  return {.benchmark = "pipelines/sourceSink",
          .sustained_per_s = 594'000,
          .failed_per_s = 600'000,
          .ended_by = "found",
          .limiting_stage = "transform+sink",
          .predicted_per_s = 612'000,
          .took = 41s,
          .trials = {{600'000, 1'200'000, "failed", {"latency_growing_slope"}}, {594'000, 1'188'000, "passed", {}}},
          .curve = {{.percent = 10,
                     .offered_per_s = 4'000,
                     .achieved_per_s = 4'000.4,
                     .rows = 8'000,
                     .verdict = "valid",
                     .reasons = {},
                     .p50 = {{.value = 20us, .low = 19us, .high = 21us}},
                     .p99 = {},
                     .p999 = {}},
                    {.percent = 105,
                     .offered_per_s = 623'700,
                     .achieved_per_s = 594'100,
                     .rows = 1'247'400,
                     .verdict = "invalid",
                     .reasons = {"latency_growing_slope", "achieved_below_offered"},
                     .p50 = {{.value = 50ms, .low = 40ms, .high = 60ms}},
                     .p99 = {{.value = 98ms, .low = 90ms, .high = 100ms, .open = true}},
                     .p999 = {{.value = 99ms, .low = 98ms, .high = 100ms}}}}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

TEST(CapacityTable, SaysWhatLastsWhatLimitsItAndTheCurve) {
  const auto text = lines(capacity_table(std::vector{found()}));
  ASSERT_EQ(text.size(), 5U);
  EXPECT_EQ(text[0],
            "pipelines/sourceSink: sustains 594k/s, fails at 600k/s; limited by transform+sink; its stages predicted "
            "612k/s; 4 jobs in 41 s");
  EXPECT_EQ(text[2], "    10% 4.00k/s  4.00k/s     20.0us n/a (8000)                   n/a   n/a (8000)  valid");
  EXPECT_EQ(text[3],
            "   105%  624k/s   594k/s     50.0ms     98.0ms     90.0ms .. >=100ms       99.0ms  invalid: "
            "latency_growing_slope");
}

TEST(CapacityTable, SaysWhyThereIsNoCapacity) {
  const auto headline = [](const char* end, std::uint64_t low, std::optional<std::uint64_t> high) {
    capacity_result c;
    c.benchmark = "p";
    c.sustained_per_s = low;
    c.failed_per_s = high;
    c.ended_by = end;
    const std::string text = capacity_table(std::vector{c});
    return text.substr(0, text.find(';'));
  };
  EXPECT_EQ(headline("lowest_fails", 0, 100), "p: the lowest rate tried fails already, fails at 100/s");
  EXPECT_EQ(headline("highest_passes", 1'000'000'000, {}), "p: sustains the highest rate tried, 1.00G/s");
  EXPECT_EQ(headline("generator_limited", 5'000'000, {}), "p: generator limited, at least 5.00M/s");
  EXPECT_EQ(headline("stopped", 400, 600), "p: stopped before the end: at least 400/s, fails at 600/s");
  EXPECT_EQ(headline("stopped", 0, {}), "p: stopped before the end: no rate passed yet");
}

TEST(SummaryPage, HasTheCapacityAndItsCurve) {
  weir::record::run_record run;
  run.program = "pipelines";
  run.ended_by = "budget";
  run.capacities = {found()};
  const std::string page = weir::report::summary_page(run, weir::analysis::summarize(run));
  EXPECT_NE(page.find("# pipelines: capacity of 1 pipelines"), page.npos) << page;
  EXPECT_NE(page.find("## Capacity: pipelines/sourceSink\n\n**sustains 594k/s, fails at 600k/s**; limited"), page.npos)
      << page;
  EXPECT_NE(page.find("| 10% | 4.00k/s | 4.00k/s | 20.0us | 19.0us .. 21.0us | n/a (8000) | n/a | n/a (8000) | n/a | "
                      "valid |"),
            page.npos)
      << page;
}

TEST(CapacityResult, SurvivesJson) {
  weir::record::run_record run;
  run.program = "pipelines";
  run.ended_by = "budget";
  run.capacities = {found()};
  const nlohmann::ordered_json written = run;
  EXPECT_EQ(written.get<weir::record::run_record>().capacities, run.capacities);
}

}  // namespace
