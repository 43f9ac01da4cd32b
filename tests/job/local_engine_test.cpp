// SPDX-License-Identifier: Apache-2.0
#include <weir/job/local_engine.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <weir/arrival/unpaced.hpp>
#include <weir/base/error.hpp>
#include <weir/flow/stage.hpp>
#include <weir/job/scenario.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/verdict.hpp>

namespace {

using namespace std::chrono_literals;
using weir::job::local_engine;
using weir::job::spec;
using weir::record::sample;

namespace fs = std::filesystem;

/// A fresh folder, removed at the end.
class folder {
 public:
  folder() {
    std::string name = (fs::temp_directory_path() / "weir-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), path_).string());
    return names;
  }

 private:
  fs::path path_;
};

spec job_of(std::string_view scenario, std::int64_t rows = 20'000, std::int64_t rate = 0) {
  spec job = weir::job::standard_spec(*weir::job::find_scenario(scenario), "test-1-1");
  job.rows = rows;
  job.rate_per_second = rate;
  job.payload_size = 40;
  job.parallelism = 2;
  return job;
}

/// The checksum by the definition, row by row.
std::uint64_t checksum_by_the_book(const spec& job) {
  if (!job.transform) return 0;
  const auto size = static_cast<std::uint64_t>(job.payload_size);
  std::uint64_t sum = 0;
  for (std::uint64_t row = 0; row < static_cast<std::uint64_t>(job.rows); ++row) {
    std::uint64_t h = row ^ 0x9E3779B97F4A7C15ULL;
    for (std::uint64_t op = 0; op < static_cast<std::uint64_t>(job.transform->operations); ++op) {
      h ^= (size == 0 ? 0 : 'a' + op % size % 26) + op;
      h *= 0xC2B2AE3D27D4EB4FULL;
      h = (h << 17) | (h >> 47);
    }
    sum += h;
  }
  return sum;
}

void expect_complete(const sample& s, const spec& job) {
  EXPECT_EQ(s.failure, std::nullopt);
  EXPECT_EQ(s.processed_rows, static_cast<std::uint64_t>(job.rows));
  EXPECT_EQ(s.seen, s.expected);
  EXPECT_EQ(s.seen, weir::measure::exactly_once::expected(static_cast<std::uint64_t>(job.rows)));
  EXPECT_EQ(s.corrupt_payloads, 0U);
  EXPECT_EQ(s.checksum, checksum_by_the_book(job));
  EXPECT_EQ(s.expected_checksum, s.checksum);
  EXPECT_EQ(s.run_id, job.run_id);
  EXPECT_EQ(s.scenario, job.scenario);
  EXPECT_GE(s.job_time, s.last_receipt);
}

bool has_row_reason(const weir::judge::verdict& v) {
  for (const auto& r : v.reasons)
    if (r.id.starts_with("rows_") || r.id == "payload_corrupt" || r.id == "checksum_mismatch" || r.id == "job_failed" ||
        r.id == "feature_not_fired")
      return true;
  return false;
}

TEST(LocalEngine, EveryScenarioIsCompleteUnpacedAndPaced) {
  local_engine engine;
  for (const auto& s : weir::job::scenarios) {
    for (const std::int64_t rate : {0, 1'000'000}) {
      SCOPED_TRACE(std::string(s.name) + (rate == 0 ? " unpaced" : " paced"));
      spec job = job_of(s.name, 20'000, rate);
      job.run_id = std::string(s.id) + "-3-" + std::to_string(rate);
      if (job.async_boundary) job.async_boundary->capacity = 64;
      const sample got = engine.run(job);
      expect_complete(got, job);
      EXPECT_EQ(got.stages.size(), s.async_boundary ? 2U : 1U);
      EXPECT_EQ(got.asked.arrival, rate == 0 ? "unpaced" : "constant");
    }
  }
}

TEST(LocalEngine, EveryNumberOfLanesWorks) {
  local_engine engine;
  for (std::int64_t lanes = 1; lanes <= 12; ++lanes) {
    spec job = job_of("sourceTransformSink", 500);
    job.parallelism = lanes;
    expect_complete(engine.run(job), job);
  }
}

TEST(LocalEngine, FewerRowsThanLanesAndNoPayloadAndNoOperationsAreFine) {
  local_engine engine;
  spec job = job_of("sourceTransformSink", 3);
  job.parallelism = 8;
  job.payload_size = 0;
  expect_complete(engine.run(job), job);
  job.transform->operations = 0;
  expect_complete(engine.run(job), job);
}

TEST(LocalEngine, FeaturesOfTheScenarioFire) {
  local_engine engine;
  spec job = job_of("sourceTransformSinkWithObservabilityAndTrace", 60'000, 1'000'000);
  job.async_boundary->capacity = 64;
  job.observability->sample_interval_ms = 1;
  job.trace = {.one_in = 1'000, .per_second = 1'000'000};
  const sample s = engine.run(job);
  expect_complete(s, job);
  ASSERT_EQ(s.features.size(), 3U);
  EXPECT_EQ(s.features[0], (weir::record::feature{"async_boundary", 60'000}));
  EXPECT_EQ(s.features[1].name, "observability");
  EXPECT_GT(s.features[1].fired, 0U);
  EXPECT_EQ(s.features[2], (weir::record::feature{"trace", 60}));
}

TEST(LocalEngine, AFeatureThatTheJobLeavesOutTurnsTheVerdict) {
  local_engine engine;
  const auto not_fired = [&](const spec& job) { return weir::judge::assess(engine.run(job)).has("feature_not_fired"); };
  spec job = job_of("sourceTransformSinkWithTrace");
  job.trace = {.one_in = 100, .per_second = 1'000'000};
  EXPECT_FALSE(not_fired(job));
  job.trace->one_in = 20'001;
  EXPECT_TRUE(not_fired(job));
  job.trace.reset();
  EXPECT_TRUE(not_fired(job));
  job = job_of("sourceTransformSinkWithAsyncBoundary");
  EXPECT_FALSE(not_fired(job));
  job.async_boundary.reset();
  EXPECT_TRUE(not_fired(job));
}

TEST(LocalEngine, AStageOfTheUsersTakesTheTransformsPlace) {
  local_engine engine;
  const spec job = job_of("sourceTransformSink", 1'000);
  const sample s = engine.run(job, [](weir::flow::event& e) { e.checksum = 2; });
  EXPECT_EQ(s.processed_rows, 1'000U);
  EXPECT_EQ(s.checksum, 2'000U);
  EXPECT_EQ(s.expected_checksum, std::nullopt);
  EXPECT_FALSE(has_row_reason(weir::judge::assess(s)));
}

TEST(LocalEngine, AStageThatThrowsFailsItsJobAndTheNextOneRuns) {
  const folder here;
  local_engine engine({.directory = here.path()});
  const spec job = job_of("sourceTransformSinkWithAsyncBoundary", 5'000);
  const sample s = engine.run(job, [](weir::flow::event& e) {
    if (e.sequence == 4'321) throw std::runtime_error("row 4321 is bad");
  });
  EXPECT_EQ(s.failure, "row 4321 is bad");
  EXPECT_TRUE(weir::judge::assess(s).has("job_failed"));
  EXPECT_TRUE(here.files().empty());
  expect_complete(engine.run(job), job);
}

TEST(LocalEngine, AJobOutOfRangeIsRefusedBeforeAnythingIsComputedOrWritten) {
  const folder here;
  local_engine engine({.slots = 4, .directory = here.path()});
  const auto refused = [](auto&& call) {
    try {
      call();
    } catch (const weir::error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  spec job = job_of("sourceTransformSink");
  job.rows = -1;  // 2^64 - 1 answers to compute
  job.payload_size = -1;
  const std::string expected =
      "[weir.job.refused] job: 2 problems\n"
      "  [weir.job.rows_not_positive] /source/rows: -1: give at least 1\n"
      "  [weir.job.payload_size_negative] /source/payload_size: -1: give at least 0";
  EXPECT_EQ(refused([&] { engine.check(job); }), expected);
  EXPECT_EQ(refused([&] { engine.prepare(job); }), expected);
  EXPECT_EQ(refused([&] { (void)engine.run(job); }), expected);
  EXPECT_EQ(refused([&] { (void)engine.run(job, weir::flow::no_work{}); }), expected);
  job = job_of("sourceSink");
  job.parallelism = 5;
  EXPECT_NE(refused([&] { (void)engine.run(job); }).find("[weir.job.parallelism_beyond_slots] /job/parallelism: 5"),
            std::string::npos);
  job = job_of("sourceSink");
  job.run_id = "../escaped";
  EXPECT_NE(refused([&] { (void)engine.run(job); }).find("[weir.job.run_id_unusable]"), std::string::npos);
  EXPECT_TRUE(here.files().empty());
}

TEST(LocalEngine, AFolderThatCannotBeWrittenIsRefused) {
  const folder here;
  std::ofstream(here.path() / "file") << "in the way";
  try {
    const local_engine engine({.directory = here.path() / "file" / "below"});
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "job.folder_not_writable");
    EXPECT_NE(std::string(e.what()).find((here.path() / "file" / "below").string()), std::string::npos) << e.what();
  }
  EXPECT_EQ(here.files(), std::vector<std::string>{"file"});
}

TEST(LocalEngine, AFolderThatIsGoneWhenTheJobIsWrittenIsRefusedToo) {
  const folder here;
  local_engine engine({.directory = here.path() / "results"});
  fs::remove_all(here.path() / "results");
  std::ofstream(here.path() / "results") << "in the way";
  const spec job = job_of("sourceSink", 100);
  try {
    (void)engine.run(job);
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "job.folder_not_writable");
  }
}

TEST(LocalEngine, TheJobFileIsGoneOnceItHasBeenRead) {
  const folder here;
  {
    local_engine engine({.directory = here.path()});
    const spec job = job_of("sourceTransformSink", 100);
    std::atomic<bool> left{false};
    const sample s = engine.run(job, [&](weir::flow::event&) {
      if (fs::exists(here.path() / "jobs" / "test-1-1.json")) left = true;
    });
    EXPECT_EQ(s.failure, std::nullopt);
    EXPECT_FALSE(left) << "a job that is killed leaves nothing behind";
    EXPECT_TRUE(here.files().empty());
  }
  EXPECT_FALSE(fs::exists(here.path() / "jobs"));
  EXPECT_TRUE(fs::exists(here.path()));
}

TEST(LocalEngine, RemovesNothingThatItDidNotWrite) {
  const folder here;
  fs::create_directories(here.path() / "jobs");
  std::ofstream(here.path() / "jobs" / "mine.txt") << "precious";
  {
    local_engine engine({.directory = here.path()});
    (void)engine.run(job_of("sourceSink", 100));
  }
  EXPECT_EQ(here.files(), std::vector<std::string>{"jobs/mine.txt"});
}

TEST(LocalEngine, TracesAreWrittenOneJsonLineEach) {
  const folder here;
  local_engine engine({.directory = here.path()});
  spec job = job_of("sourceTransformSinkWithTrace", 10'000);
  job.trace = {.one_in = 1'000, .per_second = 1'000'000};
  const sample s = engine.run(job);
  ASSERT_EQ(here.files(), std::vector<std::string>{"traces/test-1-1.jsonl"});
  std::ifstream in(here.path() / "traces" / "test-1-1.jsonl");
  std::size_t lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    const auto trace = nlohmann::json::parse(line);
    EXPECT_LT(trace.at("sequence").get<std::uint64_t>(), 10'000U);
    ASSERT_EQ(trace.at("stamps").size(), 6U);
    std::int64_t before = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(trace["stamps"][i].at("stage_code"), i + 1);
      EXPECT_GE(trace["stamps"][i].at("at_ns").get<std::int64_t>(), before);
      before = trace["stamps"][i]["at_ns"].get<std::int64_t>();
    }
  }
  EXPECT_EQ(lines, 10U);
  EXPECT_EQ(s.features.at(0).fired, 10U);
}

TEST(LocalEngine, RunIdsAndSpecsAreKeptFromJobToJob) {
  local_engine engine;
  for (int i = 0; i < 20; ++i) {
    spec job = job_of(i % 2 == 0 ? "sourceSink" : "sourceTransformSink", 100 + i);
    job.run_id = "again-" + std::to_string(i) + "-77";
    engine.prepare(job);
    engine.prepare(job);  // known already
    expect_complete(engine.run(job), job);
  }
}

TEST(LocalEngine, AnswersAreKeptApartByRowsPayloadAndOperations) {
  local_engine engine;
  spec job = job_of("sourceTransformSink", 100);
  for (const std::int64_t rows : {100, 101}) {
    for (const std::int64_t payload : {0, 40}) {
      for (const std::int64_t operations : {0, 7}) {
        job.rows = rows;
        job.payload_size = payload;
        job.transform->operations = operations;
        expect_complete(engine.run(job), job);
      }
    }
  }
}

struct twice_as_late {
  weir::arrival::any_schedule constant;
  std::chrono::nanoseconds next() noexcept {
    std::chrono::nanoseconds due{};
    constant.fill({&due, 1});
    return 2 * due;
  }
};

TEST(LocalEngine, ASchedulesNameChoosesIt) {
  local_engine engine({.schedules = {{"half_speed", [](weir::rate r) {
                                        EXPECT_TRUE(r.paced());
                                        return weir::arrival::any_schedule(twice_as_late{weir::arrival::make(r)});
                                      }}}});
  EXPECT_EQ(engine.offer().arrivals.back(), "half_speed");
  spec job = job_of("sourceSink", 1'001, 1'000'000);
  EXPECT_EQ(engine.run(job).schedule_time, 1ms);
  job.arrival = "half_speed";
  const sample s = engine.run(job);
  EXPECT_EQ(s.schedule_time, 2ms);
  EXPECT_EQ(s.asked.arrival, "half_speed");
  job.arrival = "constant";
  job.rate_per_second = 0;  // no rate to make a schedule of
  EXPECT_EQ(engine.run(job).asked.arrival, "unpaced");
}

TEST(LocalEngine, EveryLawRunsAndIsRecordedAsItWasAskedFor) {
  local_engine engine;
  spec job = job_of("sourceTransformSink", 1'000, 100'000);
  for (const char* law : {"poisson:seed=3", "burst:at_once=10", "burst:on=1ms+off=1ms", "ramp:from=50000+to=150000",
                          "steps:50000x10ms+100000x10ms"}) {
    job.arrival = law;
    const sample s = engine.run(job);
    expect_complete(s, job);
    EXPECT_EQ(s.asked.arrival, law);
    EXPECT_GT(s.schedule_time, 8ms);
    EXPECT_LT(s.schedule_time, 16ms);
    EXPECT_EQ(s.release_lag.count(), 1'000U);
  }
}

TEST(LocalEngine, ATraceRunsAsRecordedAndFailsTheJobWhereItBreaks) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("weir_trace_" + std::to_string(::getpid()) + ".txt");
  const auto write = [&](int rows) {
    std::ofstream out(file);
    for (int n = 0; n < rows; ++n) out << 1'700'000'000'000'000'000 + n * 10'000 << '\n';
  };
  write(1'000);
  const auto before = std::filesystem::last_write_time(file);
  local_engine engine;
  spec job = job_of("sourceSink", 1'000, 100'000);
  job.arrival = "trace:" + file.string();
  const sample s = engine.run(job);
  expect_complete(s, job);
  EXPECT_EQ(s.schedule_time, 9'990us);
  // Cut in a way that a check by size and time does not see.
  std::ofstream(file, std::ios::in) << "none";
  std::filesystem::last_write_time(file, before);
  const sample broken = engine.run(job);
  ASSERT_TRUE(broken.failure);
  EXPECT_NE(broken.failure->find("flow.schedule_goes_back"), std::string::npos) << *broken.failure;
  std::filesystem::remove(file);
  job.run_id += "-2";
  EXPECT_THROW((void)engine.run(job), weir::error);
}

TEST(LocalEngine, PlacementOnACoreThatIsNotThereIsRefused) {
  try {
    const local_engine engine({.cores = {.generator = 100'000, .lanes = {}}});
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "flow.core_not_usable");
  }
}

TEST(LocalEngine, TwoEnginesInOneProcessDoNotMeet) {
  local_engine a;
  local_engine b;
  const spec job = job_of("sourceSink", 100);
  expect_complete(a.run(job), job);
  expect_complete(b.run(job), job);
}

}  // namespace
