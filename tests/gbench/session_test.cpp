// SPDX-License-Identifier: Apache-2.0

#include <weir/gbench/session.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::gbench::exit_code;
using weir::gbench::session;
using weir::judge::outcome;

/// What a run comes to that gave these outcomes, by scenario.
exit_code result_of(const std::vector<std::pair<std::string, outcome>>& samples) {
  session s({});
  for (const auto& [scenario, state] : samples) {
    weir::judge::judged_sample one;
    one.sample.scenario = scenario;
    one.verdict.state = state;
    s.add(std::move(one));
  }
  return s.result();
}

constexpr auto valid = outcome::valid;
constexpr auto invalid = outcome::invalid;
constexpr auto inconclusive = outcome::inconclusive;

TEST(SessionResult, IsFineWithoutSamplesAndWithValidOnes) {
  EXPECT_EQ(result_of({}), exit_code::fine);
  EXPECT_EQ(result_of({{"a", valid}, {"b", valid}}), exit_code::fine);
}

TEST(SessionResult, IsFineWhileHalfOfEachScenarioIsValid) {
  EXPECT_EQ(result_of({{"a", valid}, {"a", invalid}, {"b", valid}, {"b", inconclusive}}), exit_code::fine);
}

TEST(SessionResult, IsFailedWhenOneScenarioHasFewerThanHalfValid) {
  EXPECT_EQ(result_of({{"a", valid}, {"a", invalid}, {"a", invalid}, {"b", valid}, {"b", valid}}), exit_code::failed);
}

TEST(SessionResult, IsInconclusiveWhenOnlyThatKeepsAScenarioFromHalf) {
  EXPECT_EQ(result_of({{"a", valid}, {"b", valid}, {"b", inconclusive}, {"b", inconclusive}}), exit_code::inconclusive);
  EXPECT_EQ(result_of({{"a", inconclusive}, {"b", invalid}}), exit_code::failed);
}

TEST(SessionResult, IsFailedByOneJobThatFailed) {
  session s({});
  for (const bool fails : {false, false, true}) {
    weir::judge::judged_sample one;
    one.sample.scenario = "a";
    if (fails) one.sample.failure = "thrown";
    s.add(std::move(one));
  }
  EXPECT_EQ(s.result(), exit_code::failed);
}

TEST(SessionResult, IsFailedByABenchmarkThatGaveNoSample) {
  session s({});
  s.note_failure("a: thrown");
  EXPECT_EQ(s.result(), exit_code::failed);
}

TEST(SessionSelect, ChecksWhatIsSelectedAlone) {
  session s({});
  std::vector<std::string> checked;
  for (const char* name : {"pipelines/a", "pipelines/b"})
    s.expect_pipeline(name, {}, [&checked, name] { checked.emplace_back(name); });
  s.select({"pipelines/b", "rows/row/copyPlainRow"});
  EXPECT_EQ(checked, std::vector<std::string>{"pipelines/b"});
}

TEST(SessionIterations, HoldAsManyInvocationsAsFitTheLongestSchedule) {
  session s({.any = true, .time = weir::gbench::budget{.warmup = 2, .iterations = 5, .iteration_seconds = 10}});
  weir::job::spec job;
  job.rows = 1'000'000;
  job.rate_per_second = 1'000'000;
  s.expect_pipeline("short", job, [] {});
  job.rate_per_second = 500'000;
  s.expect_pipeline("long", job, [] {});
  job.rate_per_second = 0;
  s.expect_pipeline("unpaced", job, [] {});
  EXPECT_EQ(s.per_iteration(), 5);
  EXPECT_EQ(s.warmup_invocations(), 10);
}

TEST(SessionIterations, HoldAtLeastOne) {
  session s({.any = true, .time = weir::gbench::budget{.warmup = 1, .iterations = 5, .iteration_seconds = 0.05}});
  s.expect_pipeline("long", {}, [] {});
  EXPECT_EQ(s.per_iteration(), 1);
}

}  // namespace
