// SPDX-License-Identifier: Apache-2.0
#include <weir/job/json.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <weir/base/error.hpp>
#include <weir/job/scenario.hpp>
#include <weir/job/spec.hpp>
#include <weir/measure/trace.hpp>

namespace {

using namespace std::chrono_literals;
using weir::job::spec;

const weir::job::offer twelve{.slots = 12};

/// A whole and correct file, to be broken at one pointer.
nlohmann::json correct() {
  const auto& s = *weir::job::find_scenario("sourceTransformSinkWithObservabilityAndTrace");
  return nlohmann::json::parse(weir::job::to_text(weir::job::standard_spec(s, "x-1-1")));
}

std::string refusal(std::string_view text) {
  try {
    (void)weir::job::read(text, twelve);
  } catch (const weir::error& e) {
    return e.what();
  }
  return "accepted";
}

std::string refusal_at(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json file = correct();
  file[nlohmann::json::json_pointer(pointer)] = value;
  return refusal(file.dump());
}

std::string one_problem(const std::string& line) { return "[weir.job.refused] job.json: 1 problem\n  " + line; }

TEST(JobFile, EveryScenarioComesBackAsItWasWritten) {
  for (const auto& s : weir::job::scenarios) {
    spec job = weir::job::standard_spec(s, std::string(s.id) + "-7-99");
    job.rows = 123'456;
    job.rate_per_second = 0;
    job.parallelism = 3;
    job.payload_size = 0;
    job.seed = 12;
    if (job.transform) job.transform->operations = 5;
    if (job.async_boundary) job.async_boundary->capacity = 6;
    if (job.observability) job.observability->sample_interval_ms = 7;
    if (job.trace) job.trace = {.one_in = 8, .per_second = 9};
    EXPECT_EQ(weir::job::read(weir::job::to_text(job), twelve), job) << s.name;
  }
}

TEST(JobFile, WhatIsLeftOutHasItsDefault) {
  const spec job = weir::job::read(R"({"job": {"run_id": "r-1-1", "scenario": "sourceTransformSinkWithTrace"},
                                       "source": {"rows": 10, "rate_per_second": 5}, "transform": {}, "trace": {}})",
                                   twelve);
  spec expected = weir::job::standard_spec(*weir::job::find_scenario("sourceTransformSinkWithTrace"), "r-1-1");
  expected.rows = 10;
  expected.rate_per_second = 5;
  EXPECT_EQ(job, expected);
}

TEST(JobFile, ARequiredFieldThatIsMissingIsNamed) {
  for (const std::string pointer : {"/job/run_id", "/source/rows", "/source/rate_per_second"}) {
    nlohmann::json file = correct();
    const nlohmann::json::json_pointer at(pointer);
    file[at.parent_pointer()].erase(at.back());
    EXPECT_EQ(refusal(file.dump()), one_problem("[weir.job.missing_field] " + pointer + ": missing: add it"));
  }
  nlohmann::json file = correct();
  file.erase("source");
  EXPECT_EQ(refusal(file.dump()), one_problem("[weir.job.missing_field] /source: missing: add it"));
  file = correct();
  file["job"].erase("scenario");
  EXPECT_NE(refusal(file.dump()).find("[weir.job.missing_field] /job/scenario"), std::string::npos);
}

TEST(JobFile, AnUnknownFieldIsNamed) {
  const std::string text = ": not known here: remove it, or check the spelling";
  for (const std::string pointer : {"/extra", "/job/paralelism", "/source/rate", "/transform/ops", "/async_boundary/x",
                                    "/observability/interval", "/trace/one-in"})
    EXPECT_EQ(refusal_at(pointer, 1), one_problem("[weir.job.unknown_field] " + pointer + text));
  EXPECT_EQ(refusal_at("/source/a~1b~0c", 1), one_problem("[weir.job.unknown_field] /source/a~1b~0c" + text));
}

TEST(JobFile, AWrongTypeIsNamedAndShown) {
  const auto wrong = [](const std::string& pointer, const std::string& shown, const std::string& wanted) {
    return one_problem("[weir.job.wrong_type] " + pointer + ": " + shown + ": give " + wanted);
  };
  const std::string whole = "a whole number of 64 bits";
  for (const std::string pointer :
       {"/job/parallelism", "/source/rows", "/source/rate_per_second", "/source/payload_size", "/transform/operations",
        "/async_boundary/capacity", "/observability/sample_interval_ms", "/trace/one_in", "/trace/per_second"}) {
    EXPECT_EQ(refusal_at(pointer, "4"), wrong(pointer, "\"4\"", whole));
    EXPECT_EQ(refusal_at(pointer, 2.5), wrong(pointer, "2.5", whole));
    EXPECT_EQ(refusal_at(pointer, 1e3), wrong(pointer, "1000.0", whole));
    EXPECT_EQ(refusal_at(pointer, nullptr), wrong(pointer, "null", whole));
    EXPECT_EQ(refusal_at(pointer, true), wrong(pointer, "true", whole));
    EXPECT_EQ(refusal_at(pointer, std::uint64_t{1} << 63), wrong(pointer, "9223372036854775808", whole));
  }
  EXPECT_EQ(refusal_at("/job/run_id", 7), wrong("/job/run_id", "7", "a string"));
  EXPECT_EQ(refusal_at("/source/arrival", false), wrong("/source/arrival", "false", "a string"));
  EXPECT_EQ(refusal_at("/trace", nlohmann::json::array({1})), wrong("/trace", "[1]", "an object"));
  EXPECT_EQ(refusal_at("/source", nullptr), wrong("/source", "null", "an object"));
}

TEST(JobFile, ALongWrongValueIsCutWhenShown) {
  const std::string text = refusal_at("/source/rows", std::string(500, 'x'));
  EXPECT_NE(text.find("xxx...: give a whole number"), std::string::npos) << text;
  EXPECT_LT(text.size(), 200U);
}

TEST(JobFile, ANumberOutOfRangeIsNamed) {
  const std::vector<std::pair<std::string, std::int64_t>> cases{
      {"/source/rows", 0},          {"/source/rows", -5},    {"/source/rate_per_second", -1},
      {"/job/parallelism", 0},      {"/job/parallelism", 7}, {"/job/parallelism", 1'000'000'000'000},
      {"/source/payload_size", -1}, {"/trace/one_in", 0},    {"/source/rows", 9'223'372'036'854'775'807},
  };
  for (const auto& [pointer, value] : cases) {
    const std::string text = refusal_at(pointer, value);
    EXPECT_EQ(text.find("[weir.job.refused] job.json: 1 problem\n  [weir.job."), 0U) << text;
    EXPECT_NE(text.find("] " + pointer + ": " + std::to_string(value) + ": "), std::string::npos) << text;
  }
}

TEST(JobFile, NumbersBeyondAnyTypeAreRefusedNotCut) {
  const auto with_rows = [](const std::string& rows) {
    return refusal(R"({"job": {"run_id": "r", "scenario": "sourceSink"}, "source": {"rate_per_second": 1, "rows": )" +
                   rows + "}}");
  };
  EXPECT_EQ(with_rows("10"), "accepted");
  EXPECT_NE(with_rows("99999999999999999999999").find("[weir.job.wrong_type] /source/rows"), std::string::npos);
  EXPECT_NE(with_rows("-9223372036854775809").find("[weir.job.wrong_type] /source/rows"), std::string::npos);
  EXPECT_EQ(with_rows("1e999"), "[weir.job.malformed] job.json: a number beyond 1.8e308: correct the file");
}

TEST(JobFile, AllProblemsAreNamedAtOnce) {
  nlohmann::json file = correct();
  file["source"]["rows"] = 0;
  file["source"]["rate_per_second"] = "fast";
  file["source"].erase("payload_size");
  file["source"]["payload"] = 12;
  file["trace"]["one_in"] = -1;
  file["transfrom"] = nlohmann::json::object();
  const std::string text = refusal(file.dump());
  EXPECT_EQ(text.find("[weir.job.refused] job.json: 5 problems\n"), 0U) << text;
  for (const char* line :
       {"[weir.job.rows_not_positive] /source/rows:", "[weir.job.wrong_type] /source/rate_per_second:",
        "[weir.job.unknown_field] /source/payload:", "[weir.job.trace_interval_not_positive] /trace/one_in:",
        "[weir.job.unknown_field] /transfrom:"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(JobFile, MalformedTextIsRefusedWithItsByte) {
  const auto message = [](int byte) {
    return "[weir.job.malformed] job.json: no JSON at byte " + std::to_string(byte) + ": correct the file";
  };
  EXPECT_EQ(refusal(""), message(1));
  EXPECT_EQ(refusal("{\"job\": }"), message(9));
  EXPECT_EQ(refusal("{} x"), message(4));
  EXPECT_EQ(refusal("{\"a\": \"\xFF\"}"), message(8));
  EXPECT_EQ(refusal(std::string(5, '\0')), message(1));
  const std::string whole = correct().dump();
  for (const std::size_t length : {whole.size() - 1, whole.size() / 2, std::size_t{3}})
    EXPECT_EQ(refusal(whole.substr(0, length)).find("[weir.job.malformed] "), 0U) << length;
}

TEST(JobFile, AFileThatHoldsNoObjectIsRefused) {
  for (const char* text : {"[]", "3", "null", "\"job\""})
    EXPECT_EQ(refusal(text), one_problem("[weir.job.wrong_type] /: the file must hold one object")) << text;
}

TEST(JobFile, AFieldThatIsThereTwiceIsNamed) {
  const std::string once = correct().dump();
  std::string twice = once;
  twice.insert(twice.find("\"rows\""), "\"rows\": 1, ");
  EXPECT_EQ(refusal(twice), one_problem("[weir.job.duplicate_field] /source/rows: there twice: keep one"));
  twice = once;
  twice.insert(twice.find("\"trace\""), "\"trace\": {\"one_in\": 3}, ");
  EXPECT_EQ(refusal(twice), one_problem("[weir.job.duplicate_field] /trace: there twice: keep one"));
}

TEST(JobFile, DeepNestingIsNoTrouble) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(refusal(deep), one_problem("[weir.job.wrong_type] /: the file must hold one object"));
}

TEST(TraceLine, HoldsIdSequenceAndStamps) {
  weir::measure::trace t(12, 34);
  t.append(weir::measure::trace_stage::source_emit, 0, 5ns);
  t.append(weir::measure::trace_stage::sink_write_done, 3, 9us);
  EXPECT_EQ(weir::job::to_line(t), R"({"trace_id":12,"sequence":34,"stamps":[)"
                                   R"({"stage":"source_emit","stage_code":1,"task":0,"at_ns":5},)"
                                   R"({"stage":"sink_write_done","stage_code":6,"task":3,"at_ns":9000}],"truncated":0})"
                                   "\n");
}

}  // namespace
