// SPDX-License-Identifier: Apache-2.0
#include <weir/gbench/runner.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/measure/exactly_once.hpp>

#include "../judge/clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
namespace job = weir::job;

/// A clean job of 200,000 rows or more whose runs stand still for so long, one after the other.
weir::judge::judged_sample settled(const std::vector<nanoseconds>& stalls) {
  std::size_t runs = 0;
  const weir::gbench::detail::runner how{
      .check = [](const job::spec&) {},
      .prepare = [](const job::spec&) {},
      .run =
          [&](const job::spec& job) {
            weir::record::sample s = weir_test::clean_sample();
            const auto rows = static_cast<std::uint64_t>(job.rows);
            s.asked.rows = s.processed_rows = rows;
            s.seen = s.expected = weir::measure::exactly_once::expected(rows);
            s.schedule_time = s.asked.offered.time_of(rows - 1);
            s.last_receipt = s.first_receipt + s.schedule_time;
            s.latency_first_half = s.latency_second_half = weir_test::latencies(rows / 2, 20us, 38us);
            s.trend = weir_test::line(64, s.schedule_time, 20us, 0, rows / 64);
            s.longest_stall = stalls.at(runs++);
            return s;
          },
  };
  return weir::gbench::detail::run_settled(how, {.scenario = "direct", .id = "direct"},
                                           {.run_id = "", .scenario = "direct", .rows = 200'000});
}

bool noted(const weir::judge::judged_sample& j) {
  return std::ranges::find(j.sample.notes, weir::judge::stalled_before_note) != j.sample.notes.end();
}

}  // namespace

TEST(RunSettled, APauseThatDoesNotComeAgainWasTheHosts) {
  const auto j = settled({50ms, 1ms});
  EXPECT_TRUE(j.verdict.valid());
  EXPECT_TRUE(j.verdict.reasons.empty());
  EXPECT_FALSE(noted(j));
  EXPECT_EQ(j.sample.asked.rows, 400'000u);
}

TEST(RunSettled, APauseThatComesAgainIsTheSystemsAndCounts) {
  const auto j = settled({50ms, 60ms});
  EXPECT_TRUE(j.verdict.valid());
  EXPECT_TRUE(j.verdict.has("stalled_again"));
  EXPECT_TRUE(noted(j));
  EXPECT_EQ(j.sample.longest_stall, 60ms);
  EXPECT_EQ(weir::judge::assess(j.sample), j.verdict);  // so a stored sample is judged the same
}
