// SPDX-License-Identifier: Apache-2.0
#include <weir/judge/verdict.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/measure/histogram.hpp>

#include "clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::judge::assess;
using weir::judge::outcome;
using weir::judge::verdict;
using weir::record::sample;
using weir_test::clean_sample;
using weir_test::latencies;

std::vector<std::string> ids(const verdict& v) {
  std::vector<std::string> found;
  for (const auto& r : v.reasons) found.push_back(r.id);
  return found;
}

void drop_row(sample& s) {
  --s.processed_rows;
  --s.seen.count;
  s.seen.sum -= weir::mix64(17);
  s.seen.xored ^= weir::mix64(17);
}

void duplicate_row(sample& s) {
  ++s.processed_rows;
  ++s.seen.count;
  s.seen.sum += weir::mix64(4'711);
  s.seen.xored ^= weir::mix64(4'711);
  s.latency_second_half.merge(latencies(1, 20us, 20us));
}

struct fault {
  const char* id;
  outcome state;
  double measured;
  double limit;
  void (*commit)(sample&);
};

/// Each turns the clean sample's verdict under its own reason, and raises no other.
const fault faults[] = {
    {"job_failed", outcome::invalid, 1, 0, [](sample& s) { s.failure = "sink: boom"; }},
    {"no_rows", outcome::invalid, 0, 1, [](sample& s) { s = {}; }},
    {"rows_missing", outcome::invalid, 1, 0, drop_row},
    {"rows_duplicated", outcome::invalid, 1, 0, duplicate_row},
    {"rows_exchanged", outcome::invalid, 1, 0, [](sample& s) { drop_row(s), duplicate_row(s); }},
    {"payload_corrupt", outcome::invalid, 2, 0, [](sample& s) { s.corrupt_payloads = 2; }},
    {"checksum_mismatch", outcome::invalid, 1, 0, [](sample& s) { s.checksum ^= 1; }},
    {"checksums_exchanged", outcome::invalid, 1, 0, [](sample& s) { s.checksum_by_row ^= 1; }},
    {"rows_reordered", outcome::invalid, 3, 0, [](sample& s) { s.reordered_rows = 3; }},
    {"feature_not_fired", outcome::invalid, 0, 1, [](sample& s) { s.features[0].fired = 0; }},
    {"negative_latency", outcome::invalid, 5, 0, [](sample& s) { s.negative_latencies = 5; }},
    {"latency_unmeasured", outcome::invalid, 500'000, 0, [](sample& s) { s.latency_second_half = {}; }},
    {"percentile_clamped", outcome::invalid, 10'000, 0,
     [](sample& s) { s.latency_first_half = latencies(500'000, 20us, std::chrono::hours(1)); }},
    {"p99_above_limit", outcome::invalid, 1.2e9, 1e9,
     [](sample& s) { s.latency_first_half = s.latency_second_half = latencies(500'000, 20us, 1200ms); }},
    {"stalled", outcome::inconclusive, 50e6, 40e6, [](sample& s) { s.longest_stall = 50ms; }},
    {"stalled_again", outcome::valid, 50e6, 40e6,
     [](sample& s) {
       s.longest_stall = 50ms;
       s.notes.emplace_back(weir::judge::stalled_before_note);
     }},
    {"latency_growing_ratio", outcome::invalid, 11 / 1.038, 1.2,
     [](sample& s) {
       s.trend = weir_test::line(64, s.schedule_time, 20us, 0.004);
       s.latency_second_half = latencies(500'000, 20us, 10ms);
     }},
    {"ratio_inconclusive", outcome::inconclusive, 11 / 1.038, 1.2,
     [](sample& s) { s.latency_second_half = latencies(500'000, 20us, 10ms); }},
    {"latency_growing_slope", outcome::invalid, 0.02, 0.01,
     [](sample& s) { s.trend = weir_test::line(64, s.schedule_time, 20us, 0.02); }},
    {"slope_inconclusive", outcome::inconclusive, 0.0075, 0.005,
     [](sample& s) { s.trend = weir_test::line(64, s.schedule_time, 20us, 0.0075); }},
    {"achieved_below_offered", outcome::invalid, 0.8, 0.99,
     [](sample& s) { s.last_receipt = s.first_receipt + nanoseconds(1'000'000'000LL * 1'000'000 / 480'000); }},
    {"achieved_inconclusive", outcome::inconclusive, 0.988, 0.99,
     [](sample& s) { s.last_receipt += s.schedule_time * 12 / 988; }},
    {"source_back_pressured", outcome::invalid, 0.02, 0.01, [](sample& s) { s.source_blocked = s.schedule_time / 50; }},
    {"release_lag", outcome::invalid, 1.5e6, 1e6,
     [](sample& s) { s.release_lag = latencies(1'000'000, 5us, 1'500us); }},
    {"lag_unmeasured", outcome::invalid, 10, 0, [](sample& s) { s.release_lag = latencies(999'990, 5us, 16us); }},
    {"too_short", outcome::inconclusive, 998, 1'000,
     [](sample& s) {
       s.asked.rows = s.processed_rows = 998;
       s.seen = s.expected = weir::measure::exactly_once::expected(998);
       s.latency_first_half = s.latency_second_half = latencies(499, 20us, 38us);
       s.last_receipt = s.first_receipt + s.asked.offered.time_of(998);
     }},
    {"latency_not_judged", outcome::valid, 0, 0, [](sample& s) { s.asked.offered = {}; }},
};

TEST(Verdict, ACleanSampleIsValidWithoutAWord) {
  const verdict v = assess(clean_sample());
  EXPECT_EQ(v.state, outcome::valid);
  EXPECT_EQ(ids(v), std::vector<std::string>{});
}

TEST(Verdict, EachFaultIsNamedByItsOwnReasonAndNoOther) {
  for (const fault& f : faults) {
    sample s = clean_sample();
    f.commit(s);
    const verdict v = assess(s);
    EXPECT_EQ(v.state, f.state) << f.id;
    ASSERT_EQ(ids(v), std::vector<std::string>{f.id});
    EXPECT_TRUE(v.has(f.id));
    EXPECT_EQ(v.reasons[0].weight, f.state) << f.id;
    EXPECT_NEAR(v.reasons[0].measured, f.measured, 1e-3 * f.measured) << f.id;
    EXPECT_DOUBLE_EQ(v.reasons[0].limit, f.limit) << f.id;
    EXPECT_FALSE(v.reasons[0].advice.empty()) << f.id;
  }
}

/// The words that stand in `file` between `before` and `after`.
std::set<std::string> words(const char* file, const std::string& before, const std::string& after) {
  std::ifstream in(std::filesystem::path(WEIR_SOURCE) / file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  std::set<std::string> found;
  for (auto at = text.find(before); at != text.npos; at = text.find(before, at)) {
    at += before.size();
    found.insert(text.substr(at, text.find(after, at) - at));
  }
  return found;
}

TEST(Verdict, DocumentationListsEveryReasonAndNoOther) {
  const auto emitted = words("include/weir/judge/verdict.hpp", "      add(\"", "\"");
  std::set<std::string> tried;
  for (const fault& f : faults) tried.insert(f.id);
  EXPECT_EQ(tried, emitted);
  EXPECT_EQ(words("docs/verdicts.md", "\n| `", "`"), emitted);
}

TEST(Verdict, InvalidBeatsInconclusive) {
  sample s = clean_sample();
  s.trend = weir_test::line(64, s.schedule_time, 20us, 0.0075);
  drop_row(s);
  const verdict v = assess(s);
  EXPECT_EQ(ids(v), (std::vector<std::string>{"rows_missing", "slope_inconclusive"}));
  EXPECT_EQ(v.state, outcome::invalid);
}

TEST(Verdict, ACountThatOnlyOneWitnessSeesIsEnough) {
  sample s = clean_sample();
  --s.seen.count;
  EXPECT_TRUE(assess(s).has("rows_missing"));
  s = clean_sample();
  --s.processed_rows;
  EXPECT_TRUE(assess(s).has("rows_missing"));
}

TEST(Verdict, TheChecksumOfTheWrongRowsIsNotAnotherFault) {
  sample s = clean_sample();
  drop_row(s);
  s.checksum -= 17;
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"rows_missing"});
}

TEST(Verdict, OrderThatIsNotPromisedIsNotHeldAgainstASystem) {
  sample s = clean_sample();
  s.reordered_rows.reset();
  EXPECT_TRUE(assess(s).reasons.empty());
}

TEST(Verdict, WhatAStallExplainsIsNotAlsoOverload) {
  sample s = clean_sample();
  s.longest_stall = 50ms;
  s.latency_second_half.merge(latencies(30'000, 25ms, 50ms));  // its wake: P99 of the half is 40 ms
  s.last_receipt += 50ms;
  s.source_blocked = 40ms;
  s.release_lag = latencies(1'000'000, 20us, 40ms);
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"stalled"});
  s.longest_stall = 39ms;
  EXPECT_EQ(assess(s).state, outcome::invalid);
}

TEST(Verdict, PausesOfTheSystemExcuseNothing) {
  sample s = clean_sample();
  s.longest_stall = 50ms;
  s.notes.emplace_back(weir::judge::stalled_before_note);
  s.last_receipt += 50ms;
  s.release_lag = latencies(1'000'000, 20us, 40ms);
  EXPECT_EQ(ids(assess(s)), (std::vector<std::string>{"stalled_again", "achieved_below_offered", "release_lag"}));
}

TEST(Verdict, AJobIsLateByAPauseOnlyIfItIsNoMoreThanOneAndNothingGrows) {
  sample s = clean_sample();
  s.last_receipt += 39ms;
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"achieved_inconclusive"});
  s.last_receipt += 2ms;
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"achieved_below_offered"});
  s.last_receipt -= 10ms;
  s.trend = weir_test::line(64, s.schedule_time, 20us, 0.02);
  EXPECT_EQ(ids(assess(s)), (std::vector<std::string>{"latency_growing_slope", "achieved_below_offered"}));
}

TEST(Verdict, APauseThatIsTheSystemsPaceIsNoStall) {
  sample s = clean_sample();
  s.longest_stall = 100ms;
  s.latency_first_half = s.latency_second_half = latencies(500'000, 50ms, 100ms);
  EXPECT_TRUE(assess(s).reasons.empty());
}

TEST(Verdict, EveryFeatureThatDidNotFireIsNamed) {
  sample s = clean_sample();
  s.features = {{"observability", 0}, {"trace", 0}, {"async_boundary", 1}};
  const verdict v = assess(s);
  ASSERT_EQ(ids(v), (std::vector<std::string>{"feature_not_fired", "feature_not_fired"}));
  EXPECT_TRUE(v.reasons[0].advice.starts_with("observability "));
  EXPECT_TRUE(v.reasons[1].advice.starts_with("trace "));
}

TEST(Verdict, HoldsThePaceAgainstTheScheduleThatRan) {
  sample s = clean_sample();
  s.asked.arrival = "half_speed";  // a schedule of the user's: half as fast as the rate it was given
  s.schedule_time *= 2;
  s.last_receipt = s.schedule_time + 20us;
  s.trend = weir_test::line(64, s.schedule_time, 20us, 0, 1'000'000 / 64);
  EXPECT_TRUE(assess(s).reasons.empty());
  s.last_receipt = s.schedule_time * 102 / 100;
  EXPECT_TRUE(assess(s).has("achieved_below_offered"));
}

TEST(Verdict, AnUnknownChecksumIsNotHeldAgainstASystem) {
  sample s = clean_sample();
  s.expected_checksum.reset();
  EXPECT_TRUE(assess(s).reasons.empty());
}

TEST(Verdict, OneMillisecondMoreMakesGrowthOfMicrosecondsSmall) {
  sample s = clean_sample();  // P99 of the first half: 38 us
  s.latency_second_half = latencies(500'000, 20us, 240us);  // ratio 1.195
  EXPECT_TRUE(assess(s).reasons.empty());
  s.latency_second_half = latencies(500'000, 20us, 250us);  // ratio 1.204
  EXPECT_TRUE(assess(s).has("ratio_inconclusive"));
}

/// Ten slices a half of 50,000 rows: 20 us, and in each of the second half `late[i]` rows of 10 ms.
void slice(sample& s, const std::vector<std::uint64_t>& late) {
  weir::measure::histogram second;
  s.slices = {{.p = weir::measure::p99,
               .half = 1,
               .rows = std::vector<std::uint64_t>(10, 50'000),
               .below = std::vector<std::uint64_t>(10, 0),
               .within = std::vector<std::uint64_t>(10, 50'000)},
              {.p = weir::measure::p99,
               .half = 2,
               .rows = std::vector<std::uint64_t>(10, 50'000),
               .below = {},
               .within = late}};
  for (const std::uint64_t n : late) {
    second.record(20us, 50'000 - n);
    if (n > 0) second.record(10ms, n);
    s.slices[1].below.push_back(50'000 - n);
  }
  s.latency_first_half = latencies(500'000, 20us, 20us);
  s.latency_second_half = second.snapshot();
}

TEST(Verdict, OnePauseOfTheHostIsNoGrowth) {
  sample s = clean_sample();
  s.trend = weir_test::line(64, s.schedule_time, 20us, 0.004);
  slice(s, {0, 0, 0, 0, 0, 0, 0, 20'000, 0, 0});
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"ratio_inconclusive"});
  slice(s, std::vector<std::uint64_t>(10, 2'000));  // as many late rows, all the time
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"latency_growing_ratio"});
  s.trend = weir_test::line(64, s.schedule_time, 20us, 0);  // but not ever later
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"ratio_inconclusive"});
}

TEST(Verdict, AFewSlicesOfHostNoiseLeaveAFullJobValid) {
  sample s = clean_sample();
  weir::random_bits bits(3);
  for (int hiccup = 0; hiccup < 3; ++hiccup) s.trend[bits() % s.trend.size()].latency += 300us;  // 4 ms in 26
  s.latency_second_half.merge(latencies(1'000, 2ms, 4ms));
  EXPECT_TRUE(assess(s).reasons.empty());
}

TEST(Verdict, AShortJobIsNotBlamedForANoisySlope) {
  sample s = clean_sample();
  s.trend.clear();
  EXPECT_EQ(assess(s).state, outcome::inconclusive);
  s.schedule_time = 999ms;
  s.last_receipt = s.schedule_time + 20us;
  const verdict v = assess(s);
  EXPECT_EQ(v.state, outcome::valid);
  EXPECT_EQ(ids(v), std::vector<std::string>{"slope_inconclusive"});
  EXPECT_EQ(v.reasons[0].weight, outcome::valid);
}

TEST(Verdict, AShortJobThatClearlyFallsBehindIsStillCaught) {
  sample s = clean_sample();
  s.schedule_time = 333ms;
  s.trend = weir_test::line(64, s.schedule_time, 20us, 0.02);
  EXPECT_TRUE(assess(s).has("latency_growing_slope"));
}

TEST(Verdict, LagIsTheQueuesFaultWhenTheQueueHeldTheGenerator) {
  sample s = clean_sample();
  s.source_blocked = s.schedule_time / 4;
  s.release_lag = latencies(1'000'000, 20ms, 400ms);
  EXPECT_EQ(ids(assess(s)), std::vector<std::string>{"source_back_pressured"});
}

TEST(Verdict, LagMayBeATenthOfAHighLatency) {
  sample s = clean_sample();
  s.latency_first_half = s.latency_second_half = latencies(500'000, 40ms, 50ms);
  s.release_lag = latencies(1'000'000, 5us, 3'900us);
  EXPECT_TRUE(assess(s).reasons.empty());
  s.release_lag = latencies(1'000'000, 5us, 4'100us);
  EXPECT_TRUE(assess(s).has("release_lag"));
}

TEST(Verdict, UnpacedJobsAreStillJudgedByTheirRows) {
  sample s = clean_sample();
  s.asked.offered = {};
  s.source_blocked = s.schedule_time;  // always, by intent
  s.last_receipt = s.first_receipt + 10s;
  drop_row(s);
  const verdict v = assess(s);
  EXPECT_EQ(v.state, outcome::invalid);
  EXPECT_EQ(ids(v), (std::vector<std::string>{"rows_missing", "latency_not_judged"}));
}

TEST(Verdict, LimitsCanBeSet) {
  const sample s = clean_sample();
  EXPECT_TRUE(assess(s, {.p99 = 30us}).has("p99_above_limit"));
  EXPECT_TRUE(assess(s, {.achieved = 1.01}).has("achieved_inconclusive"));
  EXPECT_TRUE(assess(s, {.release_lag_p99 = 10us}).has("release_lag"));
  EXPECT_TRUE(assess(s, {.rows = 2'000'000}).has("too_short"));
}

TEST(Verdict, OutcomesHaveNames) {
  EXPECT_EQ(to_string(outcome::valid), "valid");
  EXPECT_EQ(to_string(outcome::invalid), "invalid");
  EXPECT_EQ(to_string(outcome::inconclusive), "inconclusive");
}

}  // namespace
