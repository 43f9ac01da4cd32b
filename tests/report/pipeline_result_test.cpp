// SPDX-License-Identifier: Apache-2.0
#include <weir/report/pipeline_result.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <unistd.h>

#include "../judge/clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using nlohmann::ordered_json;
using weir::judge::assess;
using weir::judge::judged_sample;
using weir::record::sample;
using weir::report::pipeline_result;
using weir::report::write_pipeline_results;
using weir_test::clean_sample;
using weir_test::latencies;

judged_sample judged(const sample& s) { return {s, assess(s)}; }

TEST(PipelineResult, StartsWithUpstreamsFieldsInUpstreamsOrder) {
  const std::vector<std::string> upstream{"run_id",
                                          "offered_rate_rows_per_second",
                                          "parallelism",
                                          "payload_size",
                                          "transform_operations",
                                          "expected_rows",
                                          "processed_rows",
                                          "duration_seconds",
                                          "throughput_rows_per_second",
                                          "event_time_latency_p50_ms",
                                          "event_time_latency_p95_ms",
                                          "event_time_latency_p99_ms",
                                          "event_time_latency_max_ms",
                                          "first_half_p99_ms",
                                          "second_half_p99_ms",
                                          "latency_growth_ratio",
                                          "latency_percentiles_clamped",
                                          "latency_overflow_rows",
                                          "checksum",
                                          "sustainable"};
  const ordered_json out = pipeline_result(judged(clean_sample()));
  std::vector<std::string> names;
  for (const auto& [name, value] : out.items()) names.push_back(name);
  ASSERT_GE(names.size(), upstream.size());
  names.resize(upstream.size());
  EXPECT_EQ(names, upstream);
}

TEST(PipelineResult, UpstreamsFieldsHoldWhatUpstreamsToolsExpect) {
  sample s = clean_sample();
  s.latency_first_half = latencies(500'000, 20us, 40us);
  s.latency_second_half = latencies(500'000, 20us, 1'250us);
  const ordered_json out = pipeline_result(judged(s));
  EXPECT_EQ(out["run_id"], "sourceTransformSinkWithTrace-1700000000-1");
  EXPECT_EQ(out["offered_rate_rows_per_second"], 600'000);
  EXPECT_TRUE(out["offered_rate_rows_per_second"].is_number_integer());
  EXPECT_EQ(out["parallelism"], 4);
  EXPECT_EQ(out["payload_size"], 256);
  EXPECT_EQ(out["transform_operations"], 64);
  EXPECT_EQ(out["expected_rows"], 1'000'000);
  EXPECT_EQ(out["processed_rows"], 1'000'000);
  EXPECT_DOUBLE_EQ(out["duration_seconds"], 1.666665);
  EXPECT_DOUBLE_EQ(out["throughput_rows_per_second"], 1e6 / 1.666665);
  EXPECT_DOUBLE_EQ(out["event_time_latency_p50_ms"], 0.020015);  // the end of 20 us' bucket
  EXPECT_DOUBLE_EQ(out["event_time_latency_p95_ms"], 0.020015);
  EXPECT_DOUBLE_EQ(out["event_time_latency_p99_ms"], 0.040031);
  EXPECT_DOUBLE_EQ(out["event_time_latency_max_ms"], 1.25);
  EXPECT_DOUBLE_EQ(out["first_half_p99_ms"], 0.04);
  EXPECT_DOUBLE_EQ(out["second_half_p99_ms"], 1.25);
  EXPECT_DOUBLE_EQ(out["latency_growth_ratio"], 2.25 / 1.04);
  EXPECT_EQ(out["latency_percentiles_clamped"], false);
  EXPECT_EQ(out["latency_overflow_rows"], 0);
  EXPECT_EQ(out["checksum"], -81'985'529'216'486'896);  // 0xFEDC..., as a Java long
  EXPECT_EQ(out["sustainable"], false) << "it grows";
  EXPECT_EQ(pipeline_result(judged(clean_sample()))["sustainable"], true);
}

TEST(PipelineResult, WeirsFieldsFollow) {
  sample s = clean_sample();
  s.notes = {"steal: 20 ms"};
  const ordered_json out = pipeline_result(judged(s));
  EXPECT_EQ(out["scenario"], "sourceTransformSinkWithTrace");
  EXPECT_EQ(out["arrival"], "constant");
  EXPECT_EQ(out["verdict"], "valid");
  EXPECT_EQ(out["reasons"], ordered_json::array());
  EXPECT_TRUE(out["failure"].is_null());
  EXPECT_DOUBLE_EQ(out["score_rows_per_second"], 1e6 / 1.668665);
  EXPECT_EQ(out["job_time_ns"], 1'668'665'000);
  EXPECT_EQ(out["schedule_time_ns"], 1'666'665'000);
  EXPECT_EQ(out["event_time_latency_p50_ns"], 20'015);
  EXPECT_EQ(out["event_time_latency_p95_ns"], 20'015);
  EXPECT_EQ(out["event_time_latency_p99_ns"], 38'000);
  EXPECT_EQ(out["event_time_latency_p999_ns"], 38'000);
  EXPECT_EQ(out["event_time_latency_max_ns"], 38'000);
  EXPECT_EQ(out["first_half_p99_ns"], 38'000);
  EXPECT_EQ(out["second_half_p99_ns"], 38'000);
  EXPECT_EQ(out["negative_latency_rows"], 0);
  EXPECT_EQ(out["release_lag_p50_ns"], 5'003);
  EXPECT_EQ(out["release_lag_p99_ns"], 16'000);
  EXPECT_EQ(out["release_lag_max_ns"], 16'000);
  EXPECT_EQ(out["residence_p50_ns"], 12'007);
  EXPECT_EQ(out["residence_p99_ns"], 30'000);
  EXPECT_EQ(out["residence_max_ns"], 30'000);
  EXPECT_EQ(out["source_blocked_ns"], 0);
  EXPECT_DOUBLE_EQ(out["backlog_slope"], 0);
  EXPECT_LE(out["backlog_slope_low"], 0);
  EXPECT_GE(out["backlog_slope_high"], 0);
  EXPECT_DOUBLE_EQ(out["cpu_ns_per_row"], 540);
  EXPECT_EQ(out["cpu_includes_generator"], false);
  EXPECT_DOUBLE_EQ(out["predicted_capacity_rows_per_second"], 10e6);
  EXPECT_DOUBLE_EQ(out["busy_ratio"]["transform"], 400.0 / 6'600);
  EXPECT_DOUBLE_EQ(out["busy_ratio"]["sink"], 100.0 / 6'600);
  EXPECT_EQ(out["exactly_once"], true);
  EXPECT_EQ(out["expected_checksum"], out["checksum"]);
  EXPECT_EQ(out["corrupt_payload_rows"], 0);
  EXPECT_EQ(out["features_fired"], (ordered_json{{"trace", 80}}));
  EXPECT_EQ(out["clock"], "steady");
  EXPECT_EQ(out["waiting"], "yield: 2 cores for 5 threads");
  EXPECT_EQ(out["placement"], "");
  EXPECT_EQ(out["notes"], ordered_json::array({"steal: 20 ms"}));
  EXPECT_EQ(weir::record::decode(out["histogram"].get<std::string>()).count(), 1'000'000U);
}

TEST(PipelineResult, AnInvalidSampleIsNotSustainableAndSaysWhy) {
  sample s = clean_sample();
  s.corrupt_payloads = 2;
  const ordered_json out = pipeline_result(judged(s));
  EXPECT_EQ(out["sustainable"], false);
  EXPECT_EQ(out["verdict"], "invalid");
  ASSERT_EQ(out["reasons"].size(), 1U);
  EXPECT_EQ(out["reasons"][0]["id"], "payload_corrupt");
  EXPECT_EQ(out["reasons"][0]["measured"], 2.0);
  EXPECT_EQ(out["reasons"][0]["limit"], 0.0);
  EXPECT_EQ(out["reasons"][0]["unit"], "rows");
  EXPECT_EQ(out["reasons"][0]["weight"], "invalid");
  EXPECT_FALSE(out["reasons"][0]["advice"].get<std::string>().empty());
}

TEST(PipelineResult, AClampedPercentileOfAHalfShows) {
  sample s = clean_sample();
  s.latency_second_half = latencies(500'000, 20us, std::chrono::hours(1));
  const ordered_json out = pipeline_result(judged(s));
  EXPECT_EQ(out["latency_percentiles_clamped"], true);
  EXPECT_EQ(out["latency_overflow_rows"], 10'000);
}

TEST(PipelineResult, WhatIsUnknownIsNull) {
  sample s;
  s.asked.offered = {.events = 1, .per = 3s};
  const ordered_json out = pipeline_result(judged(s));
  EXPECT_DOUBLE_EQ(out["offered_rate_rows_per_second"], 1.0 / 3);
  EXPECT_TRUE(out["backlog_slope"].is_null());
  EXPECT_TRUE(out["backlog_slope_high"].is_null());
  EXPECT_TRUE(out["expected_checksum"].is_null());
  EXPECT_TRUE(out["predicted_capacity_rows_per_second"].is_null());
  EXPECT_EQ(out["throughput_rows_per_second"], 0.0);
}

class WritePipelineResults : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] static weir::record::run_record run_of(const sample& s) {
    weir::record::run_record run;
    run.benchmarks = {{.name = "pipelines/a", .variant = "", .forks = {{}}}};
    run.benchmarks[0].forks[0].invocations = {{0, s}};
    return run;
  }

  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "pipeline-results"))
      if (entry.is_regular_file()) all.insert(fs::relative(entry.path(), root_ / "pipeline-results").string());
    return all;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / ("weir_result_" + std::to_string(::getpid()));
};

TEST_F(WritePipelineResults, PutsOneFileByRunIdThatSaysWhereItBelongs) {
  auto run = run_of(clean_sample());
  weir::record::fork& fork = run.benchmarks[0].forks[0];
  fork.block = 4;
  fork.host = "h1";
  fork.build = "1:rows";
  fork.warmup = 1;
  fork.invocations[0].iteration = 2;
  write_pipeline_results(root_, run);
  std::ifstream file(root_ / "pipeline-results" / "sourceTransformSinkWithTrace-1700000000-1.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  ordered_json expected = pipeline_result(judged(clean_sample()));
  expected.update({{"benchmark", "pipelines/a"},
                   {"variant", ""},
                   {"host", "h1"},
                   {"build", "1:rows"},
                   {"fork", 5},
                   {"iteration", 2}});
  EXPECT_EQ(weir::record::parse_json(text), expected);
}

TEST_F(WritePipelineResults, SidesHaveFoldersOfTheirOwn) {
  auto run = run_of(clean_sample());
  run.benchmarks.push_back(run.benchmarks[0]);
  run.benchmarks[0].variant = "base";
  run.benchmarks[1].variant = "candidate";
  write_pipeline_results(root_, run);
  EXPECT_EQ(files(), (std::set<std::string>{"base/sourceTransformSinkWithTrace-1700000000-1.json",
                                            "candidate/sourceTransformSinkWithTrace-1700000000-1.json"}));
}

TEST_F(WritePipelineResults, WarmUpAndFailedForksAreNotThere) {
  auto run = run_of(clean_sample());
  run.benchmarks[0].forks.push_back(run.benchmarks[0].forks[0]);
  run.benchmarks[0].forks[0].warmup = 1;
  run.benchmarks[0].forks[1].failure = {.kind = "exit", .code = 1, .text = "", .last_lines = {}};
  write_pipeline_results(root_, run);
  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(WritePipelineResults, FilesOfAnotherRunAreRemovedAndNoOthers) {
  sample s = clean_sample();
  for (const char* id : {"x-1-1", "x-1-2"}) {
    s.run_id = id;
    write_pipeline_results(root_, run_of(s));
  }
  EXPECT_EQ(files(), std::set<std::string>{"x-1-2.json"});
  std::ofstream(root_ / "pipeline-results" / "notes.json") << "mine";
  auto run = run_of(s);
  run.benchmarks[0].variant = "base";
  write_pipeline_results(root_, run);
  EXPECT_EQ(files(), (std::set<std::string>{"base/x-1-2.json", "notes.json"}));
}

TEST_F(WritePipelineResults, RefusesARunIdThatUpstreamsToolsWould) {
  sample s = clean_sample();
  for (const char* id :
       {"", "x", "x-1", "-1-2", "x-1-", "x--2", "x-1-2b", "../x-1-2", "a/../../x-1-2", ".x-1-2", "1-2"}) {
    s.run_id = id;
    try {
      write_pipeline_results(root_, run_of(s));
      ADD_FAILURE() << id;
    } catch (const weir::error& e) {
      EXPECT_EQ(e.id(), "report.run_id_malformed") << id;
      EXPECT_EQ(e.where(), "run_id");
    }
  }
  EXPECT_FALSE(fs::exists(root_));
  s.run_id = "a-b_c.d-007-0";
  EXPECT_NO_THROW(write_pipeline_results(root_, run_of(s)));
}

TEST_F(WritePipelineResults, TwoJobsOfOneRunIdAreRefused) {
  auto run = run_of(clean_sample());
  run.benchmarks.push_back(run.benchmarks[0]);
  try {
    write_pipeline_results(root_, run);
    FAIL();
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "report.run_id_twice");
  }
}

TEST_F(WritePipelineResults, AnUnwritableFolderNamesTheFlag) {
  fs::create_directories(root_);
  std::ofstream(root_ / "pipeline-results") << "a file";
  try {
    write_pipeline_results(root_, run_of(clean_sample()));
    FAIL();
  } catch (const weir::error& e) {
    EXPECT_EQ(e.where(), "--weir_out");
  }
}

}  // namespace
