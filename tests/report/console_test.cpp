// SPDX-License-Identifier: Apache-2.0
#include <weir/report/console.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "../judge/clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
using weir::judge::assess;
using weir::judge::judged_sample;
using weir::record::sample;
using weir::report::human_rate;
using weir::report::human_time;
using weir::report::pipelines_table;
using weir::report::row_figure;
using weir::report::rows_table;
using weir_test::clean_sample;
using weir_test::latencies;

sample sample_of(const char* scenario) {
  sample s = clean_sample();
  s.scenario = scenario;
  return s;
}

judged_sample judged(const sample& s) { return {s, assess(s)}; }

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    widest = std::max(widest, line.size());
    text.remove_prefix(line.size() + 1);
  }
  return widest;
}

TEST(HumanUnits, KeepThreeDigits) {
  EXPECT_EQ(human_time(0), "0ns");
  EXPECT_EQ(human_time(999.4), "999ns");
  EXPECT_EQ(human_time(999.6), "1.00us");
  EXPECT_EQ(human_time(9'996), "10.0us");
  EXPECT_EQ(human_time(26'140), "26.1us");
  EXPECT_EQ(human_time(999'600), "1.00ms");
  EXPECT_EQ(human_time(-1.234e6), "-1.23ms");
  EXPECT_EQ(human_time(12.34e9), "12.3s");
  EXPECT_EQ(human_rate(0), "0.00/s");
  EXPECT_EQ(human_rate(12), "12.0/s");
  EXPECT_EQ(human_rate(599'970), "600k/s");
  EXPECT_EQ(human_rate(1'234'000), "1.23M/s");
  EXPECT_EQ(human_rate(2e9), "2.00G/s");
}

TEST(PipelinesTable, ShowsMediansOfValidSamplesAndEveryReason) {
  std::vector<judged_sample> samples;
  for (const auto late : {30us, 50us, 38us}) {
    sample s = sample_of("sourceSink");
    s.latency_first_half = s.latency_second_half = latencies(500'000, 20us, late);
    samples.push_back(judged(s));
  }
  sample lost = sample_of("sourceSink");
  lost.processed_rows = 999'998;
  lost.latency_first_half = lost.latency_second_half = latencies(499'999, 800ms, 900ms);  // not in the medians
  samples.push_back(judged(lost));
  sample traced = sample_of("sourceTransformSinkWithObservabilityAndTrace");
  traced.features[0].fired = 0;
  samples.push_back(judged(traced));
  traced.notes = {"steal: the hypervisor took 20 ms of 1668 ms"};
  samples.push_back(judged(traced));
  sample unpaced = sample_of("sourceTransformSink");
  unpaced.asked.offered = {};
  unpaced.last_receipt = unpaced.first_receipt + 100ms;
  samples.push_back(judged(unpaced));

  EXPECT_EQ(pipelines_table(samples),
            R"(scenario                  offered achieved    P50    P99    max growth lag P99 cpu/row verdict
sourceSink                 600k/s   600k/s 20.0us 38.0us 38.0us   1.00  16.0us   540ns 3/4 valid
sourceTransformSinkWithObservabilityAndTrace
                           600k/s   600k/s 20.0us 38.0us 38.0us   1.00  16.0us   540ns 0/2 valid
sourceTransformSink       unpaced  10.0M/s      -      -      -      -       -   540ns 1/1 valid

feature_not_fired in 2 of 7 samples (sourceTransformSinkWithObservabilityAndTrace): measured 0
    times, limit 1 times: trace is part of the scenario and was never seen to work: this measured
    something else, or the job was too short for it; ask for more rows
rows_missing in 1 of 7 samples (sourceSink): measured 2 rows, limit 0 rows: rows were lost on the
    way: look for a dropped batch or a drain that ended too soon
remark: latency_not_judged in 1 of 7 samples (sourceTransformSink): unpaced: rows have no due time,
    so latency and pace mean nothing here
note on 1 of 7 samples, the first: steal: the hypervisor took 20 ms of 1668 ms
Next: 3 of 7 samples do not count; start with feature_not_fired and run again (docs/verdicts.md
    explains it).
)");
}

TEST(PipelinesTable, AllValidSaysThatTheFiguresMayBeUsed) {
  const std::vector<judged_sample> samples(2, judged(sample_of("sourceSink")));
  EXPECT_EQ(pipelines_table(samples),
            R"(scenario                  offered achieved    P50    P99    max growth lag P99 cpu/row verdict
sourceSink                 600k/s   600k/s 20.0us 38.0us 38.0us   1.00  16.0us   540ns 2/2 valid

Next: all 2 samples are valid; these figures may be used.
)");
}

TEST(PipelinesTable, ASweepHasALineForEachRequest) {
  std::vector<judged_sample> samples(2, judged(sample_of("sourceSink")));
  samples[1].sample.asked.parallelism = 8;
  const std::string text = pipelines_table(samples);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  EXPECT_NE(text.find("1/1 valid"), std::string::npos);
}

TEST(PipelinesTable, AClampedPercentileIsALowerBound) {
  sample s = sample_of("sourceSink");
  s.latency_first_half = s.latency_second_half = latencies(500'000, 20us, std::chrono::hours(1));
  const std::string text = pipelines_table(std::vector{judged(s)});
  EXPECT_NE(text.find(" >=1100s "), std::string::npos) << text;
  EXPECT_NE(text.find(" 20.0us "), std::string::npos) << text;
}

TEST(PipelinesTable, FitsAHundredColumnsAtItsWorst) {
  sample s = sample_of("sourceTransformSinkWithObservabilityAndTrace");
  s.latency_first_half = s.latency_second_half = latencies(500'000, std::chrono::hours(1), std::chrono::hours(1));
  s.release_lag = latencies(1'000'000, 400s, 400s);
  s.asked.offered = weir::rate::per_second(999'000);
  s.sut_cpu = 1'000'000'000us;
  s.failure = "a long story " + std::string(60, 'x') + " that goes on and on and on";
  EXPECT_LE(widest_line(pipelines_table(std::vector<judged_sample>(15, judged(s)))), 100U);
  s.failure.reset();
  EXPECT_LE(widest_line(pipelines_table(std::vector<judged_sample>(15, judged(s)))), 100U);
}

TEST(PipelinesTable, NothingMeasuredIsSaid) {
  EXPECT_EQ(pipelines_table({}), "Next: nothing was measured; see whether the filter matches a pipeline.\n");
}

TEST(RowsTable, ComparesEachTypeWithTheFirst) {
  const std::vector<row_figure> figures{{"copyPlainRow", "row", 3.21},
                                        {"copyProjectedRowWithOptions", "row", 33.21},
                                        {"copyPlainRow", "naive_row", 123.4},
                                        {"readFields", "naive_row", 1'234.5}};
  EXPECT_EQ(rows_table(figures),
            R"(op                                     row ns   naive_row ns   ratio
copyPlainRow                             3.21            123   38.4x
copyProjectedRowWithOptions              33.2              -       -
readFields                                  -           1234       -
)");
}

TEST(RowsTable, OneTypeHasNoRatio) {
  EXPECT_EQ(rows_table(std::vector<row_figure>{{"readFields", "mine", 2}}),
            R"(op                                    mine ns
readFields                               2.00
)");
}

}  // namespace
