// SPDX-License-Identifier: Apache-2.0
#include <weir/run/capacity.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::run::find_capacity;
using weir::run::search_end;
using weir::run::search_result;
using weir::run::trial;
using weir::run::trial_outcome;
using enum weir::run::trial_outcome;

/// Passes up to `capacity`.
auto up_to(std::uint64_t capacity) {
  return [capacity](std::uint64_t rate, bool) { return rate <= capacity ? passed : failed; };
}

/// Answers trial by trial at the rates it is told of, and else as up_to(capacity).
class scripted {
 public:
  scripted(std::uint64_t capacity, std::map<std::uint64_t, std::vector<trial_outcome>> script)
      : capacity_(capacity), script_(std::move(script)) {}

  trial_outcome operator()(std::uint64_t rate, bool longer) {
    auto& left = script_[rate];
    if (left.empty()) return up_to(capacity_)(rate, longer);
    const trial_outcome next = left.front();
    left.erase(left.begin());
    return next;
  }

 private:
  std::uint64_t capacity_;
  std::map<std::uint64_t, std::vector<trial_outcome>> script_;
};

TEST(CapacitySearch, BracketsTheCapacityWithinOnePercent) {
  const search_result found = find_capacity(up_to(600'000), {.first = 500'000});
  EXPECT_EQ(found.end, search_end::found);
  EXPECT_LE(found.low, 600'000U);
  ASSERT_TRUE(found.high);
  EXPECT_GT(*found.high, 600'000U);
  EXPECT_LE(*found.high - found.low, 6'000U);
  EXPECT_LE(found.trials.size(), 12U);
}

TEST(CapacitySearch, TriesBothEndsAgainWithALongerRun) {
  const search_result found = find_capacity(up_to(600'000), {.first = 500'000});
  const std::vector<trial> last(found.trials.end() - 4, found.trials.end());
  const trial fails{*found.high, true, failed};
  const trial passes{found.low, true, passed};
  EXPECT_EQ(last, (std::vector<trial>{fails, fails, passes, passes}));
}

TEST(CapacitySearch, StepsDownFromAGuessThatIsTooHigh) {
  const search_result found = find_capacity(up_to(1'000), {.first = 1'000'000});
  EXPECT_EQ(found.end, search_end::found);
  EXPECT_LE(found.low, 1'000U);
  EXPECT_GE(found.low, 990U);
}

TEST(CapacitySearch, SaysThatTheLowestRateFails) {
  const search_result found = find_capacity(up_to(99), {.lowest = 100, .highest = 10'000, .first = 2'000});
  EXPECT_EQ(found.end, search_end::lowest_fails);
  EXPECT_EQ(found.low, 0U);
  EXPECT_EQ(found.high, 100U);
  EXPECT_EQ(found.trials.back(), (trial{100, true, failed}));
}

TEST(CapacitySearch, SaysThatTheHighestRatePasses) {
  const search_result found = find_capacity(up_to(10'000), {.lowest = 100, .highest = 10'000, .first = 2'000});
  EXPECT_EQ(found.end, search_end::highest_passes);
  EXPECT_EQ(found.low, 10'000U);
  EXPECT_EQ(found.high, std::nullopt);
}

TEST(CapacitySearch, WorksWithOneRateOnly) {
  EXPECT_EQ(find_capacity(up_to(7), {.lowest = 7, .highest = 7, .first = 7}).end, search_end::highest_passes);
  EXPECT_EQ(find_capacity(up_to(6), {.lowest = 7, .highest = 7, .first = 7}).end, search_end::lowest_fails);
}

TEST(CapacitySearch, CutsTheGuessToTheBounds) {
  EXPECT_EQ(find_capacity(up_to(50), {.lowest = 10, .highest = 100, .first = 1}).trials[0].rate, 10U);
  EXPECT_EQ(find_capacity(up_to(50), {.lowest = 10, .highest = 100, .first = 900}).trials[0].rate, 100U);
}

TEST(CapacitySearch, SaysThatTheGeneratorIsTheLimit) {
  const auto late_above = [](std::uint64_t rate, bool) { return rate <= 5'000 ? passed : generator_limited; };
  const search_result found = find_capacity(late_above, {.first = 1'000});
  EXPECT_EQ(found.end, search_end::generator_limited);
  EXPECT_GE(found.low, 4'950U);
  EXPECT_LE(found.low, 5'000U);
  EXPECT_EQ(found.high, std::nullopt);
}

TEST(CapacitySearch, TheSystemThatFailsBeforeTheGeneratorIsTheLimit) {
  const auto oracle = [](std::uint64_t rate, bool) {
    return rate <= 5'000 ? passed : rate <= 8'000 ? failed : generator_limited;
  };
  EXPECT_EQ(find_capacity(oracle, {.first = 20'000}).end, search_end::found);
}

TEST(CapacitySearch, AGeneratorThatWasLateOnceDrivesNoRateDown) {
  const search_result found = find_capacity(scripted(100'000, {{10'000, {generator_limited}}}), {.first = 10'000});
  ASSERT_GE(found.trials.size(), 4U);
  EXPECT_EQ(found.trials[1], (weir::run::trial{10'000, true, passed}));
  EXPECT_GT(found.trials[2].rate, 10'000U);
  EXPECT_EQ(found.end, search_end::found);
}

TEST(CapacitySearch, StopsWhenAskedWithTheBracketItHas) {
  int asked = 0;
  const search_result found = find_capacity(up_to(600'000), {.first = 500'000}, [&] { return ++asked == 3; });
  EXPECT_EQ(found.end, search_end::stopped);
  EXPECT_EQ(found.trials.size(), 3U);
  EXPECT_LE(found.low, 600'000U);
  EXPECT_GT(found.high.value(), 600'000U);
  EXPECT_EQ(find_capacity(up_to(1), {}, [] { return true; }).trials.size(), 1U);
}

TEST(CapacitySearch, ANoisyFailureFarBelowFixesNothing) {
  const search_result found = find_capacity(scripted(100'000, {{10'000, {failed}}}), {.first = 10'000});
  EXPECT_EQ(found.end, search_end::found);
  EXPECT_GE(found.low, 99'000U);
}

TEST(CapacitySearch, ALuckyPassFarAboveFixesNothing) {
  const search_result found = find_capacity(scripted(100'000, {{200'000, {passed}}}), {.first = 200'000});
  EXPECT_EQ(found.end, search_end::found);
  EXPECT_LE(found.low, 100'000U);
  EXPECT_GE(found.low, 99'000U);
}

TEST(CapacitySearch, TwoOfThreeLongerRunsDecide) {
  const search_result kept = find_capacity(scripted(100, {{100, {passed, passed, failed, passed}}}), {.first = 100});
  EXPECT_EQ(kept.low, 100U);
  const search_result lost = find_capacity(scripted(100, {{100, {passed, passed, failed, failed}}}), {.first = 100});
  EXPECT_EQ(lost.low, 99U);
  EXPECT_EQ(lost.high, 100U);
}

TEST(CapacitySearch, WhatIsNotShownToPassDoesNotButIsNoUpperEndEither) {
  const auto oracle = [](std::uint64_t rate, bool) {
    return rate <= 5'000 ? passed : rate <= 6'000 ? inconclusive : failed;
  };
  const search_result found = find_capacity(oracle, {.first = 4'500});
  EXPECT_EQ(found.end, search_end::found);
  EXPECT_LE(found.low, 5'000U);
  EXPECT_GE(found.low, 4'950U);
  ASSERT_TRUE(found.high);
  EXPECT_GT(*found.high, 6'000U);
}

TEST(CapacitySearch, EndsHaveNames) {
  EXPECT_EQ(to_string(search_end::found), "found");
  EXPECT_EQ(to_string(search_end::lowest_fails), "lowest_fails");
  EXPECT_EQ(to_string(search_end::highest_passes), "highest_passes");
  EXPECT_EQ(to_string(search_end::generator_limited), "generator_limited");
  EXPECT_EQ(to_string(search_end::stopped), "stopped");
}

}  // namespace
