// SPDX-License-Identifier: Apache-2.0
#include <weir/report/exports.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/record/json.hpp>

#include "small_run.hpp"

namespace {

using nlohmann::ordered_json;
using weir::analysis::summarize;
using weir::record::run_record;
using weir_test::small_run;

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> all;
  for (const auto& [key, value] : object.items()) all.push_back(key);
  return all;
}

/// Every number in a document is finite: what is not is dumped as null.
void expect_strict(const ordered_json& document) {
  EXPECT_EQ(weir::record::json_text(document).find("null"), std::string::npos);
}

/// A benchmark of one sound fork and nothing that is not a number.
run_record doubtful_run() {
  run_record run = small_run();
  run.benchmarks[0].forks.resize(2);
  auto& iteration = run.benchmarks[0].forks[0].iterations[1];
  iteration.real_ns = std::numeric_limits<double>::quiet_NaN();
  iteration.counters[0].value = std::numeric_limits<double>::infinity();
  run.benchmarks.pop_back();
  return run;
}

TEST(GoogleBenchmark, ContextHasTheFieldsOfItsReporter) {
  const auto context = weir::report::google_benchmark(small_run())["context"];
  EXPECT_EQ(context["date"], "2024-05-06T07:08:09Z");
  EXPECT_EQ(context["host_name"], "");  // weir keeps none
  EXPECT_EQ(context["executable"], "demo");
  EXPECT_EQ(context["num_cpus"], 2);
  EXPECT_EQ(context["mhz_per_cpu"], 2'400);
  EXPECT_FALSE(context.contains("cpu_scaling_enabled")) << "the governor is not known";
  EXPECT_EQ(context["aslr_enabled"], true);
  EXPECT_TRUE(context["caches"].is_array());  // Bencher reads nothing without it
  EXPECT_EQ(context["load_avg"], ordered_json({0.5, 0.4, 0.3}));
  EXPECT_EQ(context["library_build_type"], "release");
  EXPECT_EQ(context["json_schema_version"], 1);  // compare.py refuses any other
  EXPECT_EQ(context["weir_seed"], "7");
}

TEST(GoogleBenchmark, HasOneRowForEachSoundForkAndAggregatesOverThem) {
  const auto document = weir::report::google_benchmark(small_run());
  expect_strict(document);
  std::vector<ordered_json> rows;
  for (const auto& row : document["benchmarks"])
    if (row["run_name"] == "rows/row/copyPlainRow") rows.push_back(row);
  ASSERT_EQ(rows.size(), 2U + 4U);
  EXPECT_EQ(keys(rows[0]), (std::vector<std::string>{"name", "family_index", "per_family_instance_index", "run_name",
                                                     "run_type", "repetitions", "repetition_index", "threads",
                                                     "iterations", "real_time", "cpu_time", "time_unit", "allocs"}));
  EXPECT_EQ(rows[0]["name"], "rows/row/copyPlainRow");
  EXPECT_EQ(rows[0]["run_type"], "iteration");
  EXPECT_EQ(rows[0]["repetitions"], 3);
  EXPECT_EQ(rows[0]["repetition_index"], 0);
  EXPECT_EQ(rows[1]["repetition_index"], 2) << "the second fork failed";
  EXPECT_EQ(rows[0]["threads"], 1);
  EXPECT_EQ(rows[0]["iterations"], 2'000'000);
  EXPECT_DOUBLE_EQ(rows[0]["real_time"].get<double>(), 10);
  EXPECT_DOUBLE_EQ(rows[0]["cpu_time"].get<double>(), 9.5);
  EXPECT_EQ(rows[0]["time_unit"], "ns");
  EXPECT_DOUBLE_EQ(rows[0]["allocs"].get<double>(), 2);

  EXPECT_EQ(rows[2]["name"], "rows/row/copyPlainRow_mean");
  EXPECT_EQ(rows[2]["run_type"], "aggregate");
  EXPECT_EQ(rows[2]["aggregate_name"], "mean");
  EXPECT_EQ(rows[2]["aggregate_unit"], "time");
  EXPECT_FALSE(rows[2].contains("repetition_index"));
  EXPECT_DOUBLE_EQ(rows[2]["real_time"].get<double>(), 11);
  EXPECT_EQ(rows[3]["aggregate_name"], "median");
  EXPECT_EQ(rows[4]["aggregate_name"], "stddev");
  EXPECT_DOUBLE_EQ(rows[4]["real_time"].get<double>(), std::sqrt(2.0));
  EXPECT_EQ(rows[5]["aggregate_name"], "cv");
  EXPECT_EQ(rows[5]["aggregate_unit"], "percentage");
  EXPECT_DOUBLE_EQ(rows[5]["real_time"].get<double>(), std::sqrt(2.0) / 11);
}

TEST(GoogleBenchmark, PipelinesAreInMillisecondsAJobOverValidJobs) {
  const auto document = weir::report::google_benchmark(small_run());
  std::vector<ordered_json> rows;
  for (const auto& row : document["benchmarks"])
    if (row["run_name"] == "pipelines/sourceTransformSinkWithTrace/rows:1000000") rows.push_back(row);
  ASSERT_EQ(rows.size(), 2U + 4U);
  EXPECT_EQ(rows[0]["family_index"], 1);
  EXPECT_EQ(rows[0]["iterations"], 4);
  EXPECT_EQ(rows[1]["iterations"], 3) << "one of its jobs lost a row";
  EXPECT_EQ(rows[0]["time_unit"], "ms");
  EXPECT_DOUBLE_EQ(rows[0]["real_time"].get<double>(), 2'000);
  EXPECT_DOUBLE_EQ(rows[1]["real_time"].get<double>(), 2'500);
  EXPECT_DOUBLE_EQ(rows[0]["cpu_time"].get<double>(), 540);
  EXPECT_DOUBLE_EQ(rows[0]["items_per_second"].get<double>(), 500'000);
  EXPECT_DOUBLE_EQ(rows[0]["latency_p99_ms"].get<double>(), 0.038);
  EXPECT_DOUBLE_EQ(rows[0]["cpu_ns_per_row"].get<double>(), 540);
}

TEST(GoogleBenchmark, FamiliesGatherWhatDiffersInParametersAlone) {
  run_record run = small_run();
  run.benchmarks.resize(1);
  run.benchmarks.resize(3, run.benchmarks[0]);
  run.benchmarks[0].name = "sort/size:1/threads:4";
  run.benchmarks[1].name = "other";
  run.benchmarks[2].name = "sort/size:2";
  const auto rows = weir::report::google_benchmark(run)["benchmarks"];
  EXPECT_EQ(rows[0]["family_index"], 0);
  EXPECT_EQ(rows[0]["threads"], 4);
  EXPECT_EQ(rows[6]["family_index"], 1);
  EXPECT_EQ(rows[12]["family_index"], 0);
  EXPECT_EQ(rows[12]["per_family_instance_index"], 1);
}

TEST(GoogleBenchmark, ACounterOfTheUsersReplacesNoFieldOfTheLibrarys) {
  run_record run = small_run();
  run.benchmarks.resize(1);
  for (auto& f : run.benchmarks[0].forks)
    for (auto& i : f.iterations)
      i.counters = {{"real_time", 1}, {"user_real_time", 2}, {"aggregate_name", 3}, {"items_per_second", 4}};
  const auto rows = weir::report::google_benchmark(run)["benchmarks"];
  ASSERT_EQ(rows.size(), 6U);
  for (const std::size_t row : {0U, 2U}) {
    EXPECT_GE(rows[row]["real_time"].get<double>(), 10);
    EXPECT_EQ(rows[row]["user_real_time"], 1.0);
    EXPECT_EQ(rows[row]["user_user_real_time"], 2.0);
    EXPECT_EQ(rows[row]["user_aggregate_name"], 3.0);
    EXPECT_EQ(rows[row]["items_per_second"], 4.0);
  }
  EXPECT_EQ(rows[2]["aggregate_name"], "mean");
}

// tools/compare.py of Google Benchmark: the rows of one name that both files have, and of each of these fields.
TEST(GoogleBenchmark, EveryRowHasWhatTheCompareScriptReads) {
  const auto document = weir::report::google_benchmark(small_run());
  EXPECT_EQ(document["context"]["json_schema_version"], 1);
  for (const auto& row : document["benchmarks"]) {
    for (const char* number : {"real_time", "cpu_time", "family_index", "per_family_instance_index"})
      EXPECT_TRUE(row[number].is_number()) << number;
    for (const char* text : {"name", "run_type", "time_unit"}) EXPECT_TRUE(row[text].is_string()) << text;
    if (row["run_type"] == "iteration") {
      EXPECT_GT(row["cpu_time"].get<double>(), 0) << "the geomean is over these";
    }
    EXPECT_EQ(row["run_type"] == "iteration", row.contains("repetition_index"));
    EXPECT_EQ(row["run_type"] == "aggregate", row.contains("aggregate_name"));
  }
}

TEST(GoogleBenchmark, LeavesOutWhatFailedAndWhatIsNoNumber) {
  run_record run = doubtful_run();
  run.benchmarks[0].forks[0].iterations[2].cpu_ns = 0;  // not known
  run.benchmarks[0].forks[0].iterations[1].cpu_ns = 0;
  run.benchmarks.push_back({"failed", "", {run.benchmarks[0].forks[1]}});
  const auto document = weir::report::google_benchmark(run);
  expect_strict(document);
  ASSERT_EQ(document["benchmarks"].size(), 1U) << "one sound fork: no aggregates";
  EXPECT_DOUBLE_EQ(document["benchmarks"][0]["real_time"].get<double>(), 11);
  EXPECT_DOUBLE_EQ(document["benchmarks"][0]["cpu_time"].get<double>(), 11) << "0 would spoil compare.py's geomean";
}

TEST(Jmh, HasTheFieldsOfItsResultFormat) {
  const run_record run = small_run();
  const auto document = weir::report::jmh(run, summarize(run));
  expect_strict(document);
  ASSERT_EQ(document.size(), 2U);
  const auto& row = document[0];
  EXPECT_EQ(keys(row),
            (std::vector<std::string>{"jmhVersion", "benchmark", "mode", "threads", "forks", "jvm", "jvmArgs",
                                      "jdkVersion", "vmName", "vmVersion", "warmupIterations", "warmupTime",
                                      "warmupBatchSize", "measurementIterations", "measurementTime",
                                      "measurementBatchSize", "params", "primaryMetric", "secondaryMetrics"}));
  EXPECT_EQ(row["benchmark"], "rows.row.copyPlainRow");
  EXPECT_EQ(row["params"], (ordered_json{{"payload_size", "256"}}));
  EXPECT_EQ(row["threads"], 1);
  EXPECT_EQ(row["mode"], "avgt");
  EXPECT_EQ(row["forks"], 2);
  EXPECT_EQ(row["jvmArgs"], ordered_json({"-O3 -DNDEBUG"}));
  EXPECT_EQ(row["vmName"], "g++");
  EXPECT_EQ(row["vmVersion"], "12.2.0");
  EXPECT_EQ(row["warmupIterations"], 1);
  EXPECT_EQ(row["measurementIterations"], 2);
  EXPECT_EQ(row["measurementTime"], "0.05 s");

  const auto& metric = row["primaryMetric"];
  EXPECT_DOUBLE_EQ(metric["score"].get<double>(), 11);
  const double error = metric["scoreError"].get<double>();
  EXPECT_NEAR(error, 636.619, 1e-3);  // t(0.9995, 1) * 1
  EXPECT_EQ(metric["scoreConfidence"], ordered_json({11 - error, 11 + error}));
  EXPECT_EQ(metric["scoreUnit"], "ns/op");
  EXPECT_EQ(metric["rawData"], ordered_json({{9.0, 11.0}, {11.0, 13.0}}));
  EXPECT_EQ(keys(metric["scorePercentiles"]), (std::vector<std::string>{"0.0", "50.0", "90.0", "95.0", "99.0", "99.9",
                                                                        "99.99", "99.999", "99.9999", "100.0"}));
  EXPECT_DOUBLE_EQ(metric["scorePercentiles"]["0.0"].get<double>(), 9);
  EXPECT_DOUBLE_EQ(metric["scorePercentiles"]["50.0"].get<double>(), 11);
  EXPECT_DOUBLE_EQ(metric["scorePercentiles"]["100.0"].get<double>(), 13);
  EXPECT_EQ(metric["weir"]["df"], 1);
  EXPECT_EQ(keys(row["secondaryMetrics"]), (std::vector<std::string>{"cpu", "allocs"}));
  EXPECT_EQ(row["secondaryMetrics"]["cpu"]["rawData"], ordered_json({{9.5}, {11.5}}));
}

TEST(Jmh, PipelinesAreNanosecondsARowWithParameters) {
  const run_record run = small_run();
  const auto row = weir::report::jmh(run, summarize(run))[1];
  EXPECT_EQ(row["benchmark"], "pipelines.sourceTransformSinkWithTrace");
  EXPECT_EQ(row["params"], (ordered_json{{"rows", "1000000"}, {"payload_size", "256"}}));
  EXPECT_DOUBLE_EQ(row["primaryMetric"]["score"].get<double>(), 2'250);
  EXPECT_EQ(row["primaryMetric"]["rawData"], ordered_json({{2000.0, 2000.0}, {2500.0, 2500.0}}));
  EXPECT_EQ(row["secondaryMetrics"]["p99"]["scoreUnit"], "ns");
  EXPECT_DOUBLE_EQ(row["secondaryMetrics"]["score"]["score"].get<double>(), 450'000);
}

TEST(Jmh, NamesHaveADotAndNoneInTheMethodAndNoSpaces) {
  run_record run = small_run();
  run.benchmarks.resize(1);
  run.parameters.clear();
  run.benchmarks[0].name = "vec<1.5> a b/p:x y=1.5/threads:4";
  run.benchmarks[0].variant = "base";
  const auto row = weir::report::jmh(run, summarize(run))[0];
  EXPECT_EQ(row["benchmark"], "demo.vec%3C1%2E5%3E%20a%20b");
  EXPECT_EQ(row["params"], (ordered_json{{"p", "x%20y%3D1.5"}, {"threads", "4"}, {"variant", "base"}}));
  EXPECT_EQ(row["threads"], 4);
}

TEST(Jmh, NoTwoBenchmarksHaveOneNameAndParameters) {
  run_record run = small_run();
  run.parameters.clear();
  const std::vector<std::string> names{"x",       "demo/x", "demo//x",   "demo/demo/x", "demo/x/", "/x",
                                       "a_b/x",   "a b/x",  "a.b/x",     "a/b/x",       "a%20b/x", "a/x:1/b",
                                       "a/b/x:1", "x:1",    "a/x:1/x:2", "a/x:2"};
  run.benchmarks.resize(1);
  run.benchmarks.resize(names.size(), run.benchmarks[0]);
  for (std::size_t i = 0; i < names.size(); ++i) run.benchmarks[i].name = names[i];
  std::set<std::string> seen;
  for (const auto& row : weir::report::jmh(run, summarize(run))) {
    const auto name = row["benchmark"].get<std::string>();
    EXPECT_TRUE(seen.insert(name + ' ' + row.value("params", ordered_json()).dump()).second) << name;
    EXPECT_NE(name.find('.'), std::string::npos) << name;
    EXPECT_EQ(name.find(".."), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with('.') || name.ends_with('.')) << name;
  }
  EXPECT_EQ(seen.size(), names.size());
  EXPECT_TRUE(seen.contains("demo.x null")) << "the usual name of the library's stays plain";
}

TEST(Jmh, OneForkHasAnIntervalOfNoWidth) {
  const run_record run = doubtful_run();
  const auto document = weir::report::jmh(run, summarize(run));
  expect_strict(document);
  const auto& metric = document[0]["primaryMetric"];
  EXPECT_EQ(metric["scoreError"], 0.0);
  EXPECT_EQ(metric["scoreConfidence"], ordered_json({11.0, 11.0}));
  EXPECT_EQ(metric["rawData"], ordered_json({{11.0}}));
}

TEST(Bencher, IsMetricFormatWithBounds) {
  const run_record run = small_run();
  const auto document = weir::report::bencher(run, summarize(run));
  expect_strict(document);
  const auto& row = document["rows/row/copyPlainRow/payload_size:256"];
  EXPECT_EQ(keys(row), (std::vector<std::string>{"latency", "throughput", "cpu"}));
  EXPECT_DOUBLE_EQ(row["latency"]["value"].get<double>(), 11);
  EXPECT_EQ(row["latency"]["lower_value"], 0.0) << "time is not negative";
  EXPECT_NEAR(row["latency"]["upper_value"].get<double>(), 23.706, 1e-3);
  EXPECT_DOUBLE_EQ(row["throughput"]["value"].get<double>(), 1e9 / 11);
  EXPECT_FALSE(row["throughput"].contains("upper_value")) << "the interval of the time reaches 0";

  const auto& pipeline = document["pipelines/sourceTransformSinkWithTrace/rows:1000000/payload_size:256"];
  EXPECT_EQ(keys(pipeline), (std::vector<std::string>{"score", "throughput", "p50", "p99", "p999", "cpu"}));
  EXPECT_DOUBLE_EQ(pipeline["p99"]["value"].get<double>(), 38'000);
  EXPECT_DOUBLE_EQ(pipeline["p99"]["lower_value"].get<double>(), 38'000);
  EXPECT_DOUBLE_EQ(pipeline["score"]["value"].get<double>(), 450'000);
}

TEST(Bencher, ThroughputTurnsTheIntervalOver) {
  run_record run = small_run();
  run.benchmarks[0].forks[2] = weir_test::row_fork(4, 10.1);
  const auto row = weir::report::bencher(run, summarize(run))["rows/row/copyPlainRow/payload_size:256"];
  EXPECT_DOUBLE_EQ(row["throughput"]["lower_value"].get<double>(), 1e9 / row["latency"]["upper_value"].get<double>());
  EXPECT_DOUBLE_EQ(row["throughput"]["upper_value"].get<double>(), 1e9 / row["latency"]["lower_value"].get<double>());
}

TEST(Bencher, LeavesOutWhatFailedAndKeepsNamesShortAndApart) {
  run_record run = doubtful_run();
  run.parameters.clear();
  run.benchmarks.push_back(run.benchmarks[0]);
  run.benchmarks[0].name = std::string(2'000, 'x') + "1";
  run.benchmarks[1].name = std::string(2'000, 'x') + "2";
  run.benchmarks.push_back({"failed", "", {run.benchmarks[0].forks[1]}});
  const auto document = weir::report::bencher(run, summarize(run));
  expect_strict(document);
  ASSERT_EQ(document.size(), 2U);
  for (const auto& [name, measures] : document.items()) {
    EXPECT_EQ(name.size(), 1'024U);
    EXPECT_TRUE(name.starts_with(std::string(1'007, 'x') + '#'));
    EXPECT_EQ(keys(measures["latency"]), (std::vector<std::string>{"value"}));
  }
}

TEST(GithubAction, HasTimesInOneFileAndRatesInTheOther) {
  const run_record run = small_run();
  const auto smaller = weir::report::github_action_smaller(run, summarize(run));
  const auto bigger = weir::report::github_action_bigger(run, summarize(run));
  expect_strict(smaller);
  expect_strict(bigger);
  const std::string pipeline = "pipelines/sourceTransformSinkWithTrace/rows:1000000/payload_size:256";
  const auto names = [](const ordered_json& rows) {
    std::vector<std::string> all;
    for (const auto& row : rows)
      all.push_back(row["name"].get<std::string>() + " in " + row["unit"].get<std::string>());
    return all;
  };
  const std::string row = "rows/row/copyPlainRow/payload_size:256";
  EXPECT_EQ(names(smaller),
            (std::vector<std::string>{row + " time in ns", row + " cpu in ns", pipeline + " p50 in ns",
                                      pipeline + " p99 in ns", pipeline + " p999 in ns", pipeline + " cpu in ns"}));
  EXPECT_EQ(names(bigger), (std::vector<std::string>{row + " throughput in ops/s", pipeline + " score in rows/s",
                                                     pipeline + " throughput in rows/s"}));
  EXPECT_EQ(keys(smaller[0]), (std::vector<std::string>{"name", "unit", "value", "range", "extra"}));
  EXPECT_DOUBLE_EQ(smaller[0]["value"].get<double>(), 11);
  EXPECT_EQ(smaller[0]["range"], "± 12.71");
  EXPECT_EQ(smaller[0]["extra"], "95 % interval 0 .. 23.7062 ns over 2 of 3 forks; CV between forks 12.9%");
  EXPECT_EQ(bigger[0]["extra"], "2 of 3 forks");
  EXPECT_NE(smaller[3]["extra"].get<std::string>().find("7 of 8 samples valid"), std::string::npos);
}

}  // namespace
