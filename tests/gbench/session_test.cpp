// SPDX-License-Identifier: Apache-2.0

#include <weir/gbench/session.hpp>

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::gbench::exit_code;
using weir::gbench::session;
using weir::gbench::tally;
using weir::judge::outcome;

/// What a run comes to that gave these outcomes, by benchmark.
exit_code result_of(const std::vector<std::pair<std::string, outcome>>& samples) {
  tally verdicts;
  for (const auto& [benchmark, state] : samples)
    verdicts.add(benchmark, {.sample = {}, .verdict = {.state = state, .reasons = {}}});
  return verdicts.result();
}

constexpr auto valid = outcome::valid;
constexpr auto invalid = outcome::invalid;
constexpr auto inconclusive = outcome::inconclusive;

TEST(Tally, IsFineWithoutSamplesAndWithValidOnes) {
  EXPECT_EQ(result_of({}), exit_code::fine);
  EXPECT_EQ(result_of({{"a", valid}, {"b", valid}}), exit_code::fine);
}

TEST(Tally, IsFineWhileHalfOfEachScenarioIsValid) {
  EXPECT_EQ(result_of({{"a", valid}, {"a", invalid}, {"b", valid}, {"b", inconclusive}}), exit_code::fine);
}

TEST(Tally, IsFailedWhenOneScenarioHasFewerThanHalfValid) {
  EXPECT_EQ(result_of({{"a", valid}, {"a", invalid}, {"a", invalid}, {"b", valid}, {"b", valid}}), exit_code::failed);
}

TEST(Tally, IsInconclusiveWhenOnlyThatKeepsAScenarioFromHalf) {
  EXPECT_EQ(result_of({{"a", valid}, {"b", valid}, {"b", inconclusive}, {"b", inconclusive}}), exit_code::inconclusive);
  EXPECT_EQ(result_of({{"a", inconclusive}, {"b", invalid}}), exit_code::failed);
}

TEST(Tally, IsFailedByOneJobThatFailed) {
  tally verdicts;
  for (const bool fails : {false, false, true}) {
    weir::judge::judged_sample one;
    if (fails) one.sample.failure = "thrown";
    verdicts.add("a", one);
  }
  EXPECT_EQ(verdicts.result(), exit_code::failed);
}

TEST(SessionSelect, ChecksWhatIsSelectedAlone) {
  session s({});
  std::vector<std::string> checked;
  for (const char* name : {"pipelines/a", "pipelines/b"})
    s.expect_pipeline(name, {}, [&checked, name] { checked.emplace_back(name); });
  s.select({"pipelines/b", "rows/row/copyPlainRow"});
  EXPECT_EQ(checked, std::vector<std::string>{"pipelines/b"});
}

TEST(SessionIterations, HoldAsManyInvocationsAsFit) {
  weir::gbench::settings chosen;
  chosen.budget = {.profile = "full", .forks = 3, .warmup = 2, .iterations = 5, .iteration_seconds = 10};
  session s(chosen);
  weir::job::spec job;
  job.rows = 1'000'000;
  job.rate_per_second = 500'000;
  s.expect_pipeline("pipelines/long", job, [] {});
  job.rate_per_second = 0;
  s.expect_pipeline("pipelines/unpaced", job, [] {});
  EXPECT_EQ(s.per_iteration("pipelines/long"), 5U);
  EXPECT_EQ(s.per_iteration("pipelines/unpaced"), 200U);
  EXPECT_EQ(s.per_iteration("rows/row/copyPlainRow"), 1U);
  EXPECT_DOUBLE_EQ(s.fork_seconds("pipelines/long"), 70);
  EXPECT_DOUBLE_EQ(s.fork_seconds("rows/row/copyPlainRow"), 70);
}

TEST(SessionIterations, HoldAtLeastOne) {
  session s({});  // an iteration of 0.05 s, a schedule of 1.7
  s.expect_pipeline("pipelines/long", {}, [] {});
  EXPECT_EQ(s.per_iteration("pipelines/long"), 1U);
}

TEST(SessionSamples, ReachTheirReceiver) {
  session s({});
  s.add("pipelines/a", {});  // nobody wants it
  std::vector<std::string> seen;
  s.on_sample([&](const std::string& benchmark, const weir::judge::judged_sample&) { seen.push_back(benchmark); });
  s.add("pipelines/b", {});
  EXPECT_EQ(seen, std::vector<std::string>{"pipelines/b"});
}

}  // namespace
