// SPDX-License-Identifier: Apache-2.0
#include <weir/job/spec.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/job/problem.hpp>
#include <weir/job/scenario.hpp>

namespace {

using namespace std::chrono_literals;
using weir::job::spec;

constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

spec job_of(std::string_view scenario) {
  return weir::job::standard_spec(*weir::job::find_scenario(scenario), "x-1-1");
}
spec whole_job() { return job_of("sourceTransformSinkWithObservabilityAndTrace"); }

/// "<id> <pointer>" of everything wrong with the job on an engine of 12 slots.
std::vector<std::string> wrong_with(const spec& job) {
  weir::job::problems found;
  weir::job::check(job, {.slots = 12}, found);
  std::vector<std::string> short_lines;
  for (const std::string& line : found.lines()) {
    const std::size_t id_end = line.find("] ");
    const std::size_t where_end = line.find(": ", id_end);
    short_lines.push_back(line.substr(10, id_end - 10) + " " + line.substr(id_end + 2, where_end - id_end - 2));
  }
  return short_lines;
}

TEST(Spec, TheStandardJobOfEveryScenarioIsFine) {
  for (const auto& s : weir::job::scenarios) {
    const spec job = weir::job::standard_spec(s, "x-1-1");
    EXPECT_TRUE(wrong_with(job).empty()) << s.name;
    EXPECT_EQ(job.scenario, s.name);
    EXPECT_EQ(job.transform.has_value(), s.transform);
    EXPECT_EQ(job.async_boundary.has_value(), s.async_boundary);
    EXPECT_EQ(job.observability.has_value(), s.observability);
    EXPECT_EQ(job.trace.has_value(), s.trace);
  }
}

TEST(Spec, EveryNumberHasItsRange) {
  struct row {
    std::function<std::int64_t&(spec&)> field;
    std::int64_t least, most;
    std::string too_low, too_high, where;
  };
  const std::vector<row> fields{
      {[](spec& s) -> std::int64_t& { return s.rows; }, 1, 9'000'000'000, "rows_not_positive", "rows_too_many",
       "/source/rows"},
      {[](spec& s) -> std::int64_t& { return s.rate_per_second; }, 0, 1'000'000'000, "rate_negative", "rate_too_high",
       "/source/rate_per_second"},
      {[](spec& s) -> std::int64_t& { return s.payload_size; }, 0, 64 << 20, "payload_size_negative",
       "payload_size_too_large", "/source/payload_size"},
      {[](spec& s) -> std::int64_t& { return s.parallelism; }, 1, 6, "parallelism_not_positive",
       "parallelism_beyond_slots", "/job/parallelism"},
      {[](spec& s) -> std::int64_t& { return s.transform->operations; }, 0, 1'000'000'000, "operations_negative",
       "operations_too_many", "/transform/operations"},
      {[](spec& s) -> std::int64_t& { return s.async_boundary->capacity; }, 1, 100'000, "capacity_not_positive",
       "capacity_too_large", "/async_boundary/capacity"},
      {[](spec& s) -> std::int64_t& { return s.observability->sample_interval_ms; }, 1, 3'600'000,
       "interval_not_positive", "interval_too_long", "/observability/sample_interval_ms"},
      {[](spec& s) -> std::int64_t& { return s.trace->one_in; }, 1, highest, "trace_interval_not_positive", "",
       "/trace/one_in"},
      {[](spec& s) -> std::int64_t& { return s.trace->per_second; }, 1, 1'000'000, "trace_budget_not_positive",
       "trace_budget_too_large", "/trace/per_second"},
  };
  for (const row& r : fields) {
    const auto with = [&](std::int64_t value) {
      spec job = whole_job();
      r.field(job) = value;
      return wrong_with(job);
    };
    using lines = std::vector<std::string>;
    EXPECT_EQ(with(r.least), lines{}) << r.where;
    EXPECT_EQ(with(r.most), lines{}) << r.where;
    EXPECT_EQ(with(r.least - 1), lines{r.too_low + " " + r.where});
    EXPECT_EQ(with(lowest), lines{r.too_low + " " + r.where});
    if (r.most == highest) continue;
    EXPECT_EQ(with(r.most + 1), lines{r.too_high + " " + r.where});
    EXPECT_EQ(with(highest), lines{r.too_high + " " + r.where});
  }
}

TEST(Spec, LanesTakeTwoSlotsWithABoundary) {
  spec job = job_of("sourceSink");
  job.parallelism = 12;
  EXPECT_TRUE(wrong_with(job).empty());
  job.parallelism = 13;
  EXPECT_EQ(wrong_with(job), std::vector<std::string>{"parallelism_beyond_slots /job/parallelism"});
  job = job_of("sourceTransformSinkWithAsyncBoundary");
  job.parallelism = 6;
  EXPECT_TRUE(wrong_with(job).empty());
  EXPECT_EQ(weir::job::slots_needed(job), 12);
  job.parallelism = 7;
  EXPECT_EQ(wrong_with(job), std::vector<std::string>{"parallelism_beyond_slots /job/parallelism"});
}

TEST(Spec, WordsMustBeKnown) {
  spec job = job_of("sourceSink");
  job.scenario = "sourceSinkk";
  job.arrival = "poison";
  EXPECT_EQ(wrong_with(job),
            (std::vector<std::string>{"unknown_arrival /source/arrival", "unknown_scenario /job/scenario"}));
  weir::job::problems found;
  weir::job::check_load(job, {"constant", "poison"}, found);
  EXPECT_TRUE(found.empty());
}

TEST(Spec, AnArrivalNeedsARate) {
  spec job = job_of("sourceSink");
  job.rate_per_second = 0;
  EXPECT_TRUE(wrong_with(job).empty());
  weir::job::problems found;
  job.arrival = "poisson";
  weir::job::check_load(job, {"constant", "poisson"}, found);
  EXPECT_EQ(found.lines(), std::vector<std::string>{
                               "[weir.job.arrival_without_rate] /source/arrival: \"poisson\": a rate of 0 is unpaced, "
                               "and rows have no due time: give a rate or no arrival"});
  found = {};
  job.rate_per_second = 1;
  weir::job::check_load(job, {"constant", "poisson"}, found);
  EXPECT_TRUE(found.empty());
}

TEST(Spec, ARunIdMustBeAFilesNameAndNoPath) {
  for (const char* fine : {"source-sink-1-2", "A.b_c-9", ""}) {
    spec job = job_of("sourceSink");
    job.run_id = fine;
    EXPECT_TRUE(wrong_with(job).empty()) << fine;
  }
  for (const char* bad : {"../x", "a/b", "/etc/x", ".hidden", "..", "a b", "a\n", "\xC3\xA9"}) {
    spec job = job_of("sourceSink");
    job.run_id = bad;
    EXPECT_EQ(wrong_with(job), std::vector<std::string>{"run_id_unusable /job/run_id"}) << bad;
  }
}

TEST(Spec, TheTransformMustBeThatOfTheScenario) {
  spec job = job_of("sourceTransformSinkWithTrace");
  job.transform.reset();  // would compute nothing and be right about it
  EXPECT_EQ(wrong_with(job), std::vector<std::string>{"transform_mismatch /transform"});
  job = job_of("sourceSink");
  job.transform.emplace();
  EXPECT_EQ(wrong_with(job), std::vector<std::string>{"transform_mismatch /transform"});
}

TEST(Spec, AllProblemsAreFoundAtOnce) {
  spec job;
  job.scenario = "none";
  job.parallelism = 0;
  job.rows = 0;
  job.rate_per_second = -1;
  job.payload_size = -1;
  job.transform.emplace().operations = -1;
  EXPECT_EQ(wrong_with(job).size(), 6U);
}

TEST(Build, MakesThePipelineOfTheJob) {
  spec job = whole_job();
  job.rows = 77;
  job.rate_per_second = 88;
  job.parallelism = 2;
  job.payload_size = 5;
  job.transform->operations = 9;
  job.async_boundary->capacity = 33;
  job.observability->sample_interval_ms = 4;
  job.trace = {.one_in = 6, .per_second = 7};
  const weir::flow::pipeline p = weir::job::build(job);
  EXPECT_EQ(p.run_id, "x-1-1");
  EXPECT_EQ(p.scenario, "sourceTransformSinkWithObservabilityAndTrace");
  EXPECT_EQ(p.asked, (weir::record::request{.offered = weir::rate::per_second(88),
                                            .rows = 77,
                                            .parallelism = 2,
                                            .payload_size = 5,
                                            .transform_operations = 9,
                                            .arrival = "constant"}));
  EXPECT_EQ(p.features, (std::vector<std::string>{"async_boundary", "observability", "trace"}));
  EXPECT_EQ(p.boundary_capacity, 33U);
  EXPECT_EQ(p.observe_every, 4ms);
  EXPECT_EQ(p.trace, (weir::flow::trace_plan{.one_in = 6, .per_second = 7}));
  EXPECT_TRUE(p.paced());
}

TEST(Build, AddsNoFeatureThatTheJobHasNot) {
  const weir::flow::pipeline p = weir::job::build(job_of("sourceSink"));
  EXPECT_EQ(p.boundary_capacity, std::nullopt);
  EXPECT_EQ(p.observe_every, std::nullopt);
  EXPECT_EQ(p.trace, std::nullopt);
  EXPECT_EQ(p.asked.transform_operations, 0U);
  EXPECT_TRUE(p.features.empty());
}

TEST(Build, ARateOfZeroIsUnpaced) {
  spec job = job_of("sourceSink");
  job.rate_per_second = 0;
  const weir::flow::pipeline p = weir::job::build(job);
  EXPECT_EQ(p.asked.arrival, "unpaced");
  EXPECT_FALSE(p.paced());
}

}  // namespace
