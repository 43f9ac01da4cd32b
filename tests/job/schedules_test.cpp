// SPDX-License-Identifier: Apache-2.0
#include <weir/job/schedules.hpp>

#include <array>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/arrival/constant.hpp>

namespace {

using namespace std::chrono_literals;
using weir::rate;
namespace job = weir::job;

const job::schedule_makers known{
    {"twice", [](rate offered) { return weir::arrival::constant(rate{.events = 2 * offered.events}); }}};

std::chrono::nanoseconds second_due(const weir::flow::pipeline& plan) {
  std::array<std::chrono::nanoseconds, 2> due{};
  plan.make_schedule().fill(due);
  return due[1];
}

TEST(Schedules, NamesTheLawsAndTheUsers) {
  EXPECT_EQ(job::arrivals(known),
            (std::vector<std::string>{"constant", "poisson", "burst", "ramp", "steps", "trace", "twice"}));
}

TEST(Schedules, GivesTheOneThatTheArrivalNames) {
  weir::flow::pipeline plan;
  plan.asked = {.offered = rate::per_second(1000), .rows = 2, .parallelism = 1, .arrival = "twice"};
  {
    const job::schedule_makers gone = known;  // the pipeline outlives the book it came from
    job::give_schedule(plan, gone, 1);
  }
  EXPECT_EQ(second_due(plan), 500us);
}

TEST(Schedules, GivesTheLawThatTheArrivalNames) {
  weir::flow::pipeline plan;
  plan.asked = {.offered = rate::per_second(1000), .rows = 100, .parallelism = 1, .arrival = "burst:at_once=2"};
  job::give_schedule(plan, known, 1);
  EXPECT_EQ(second_due(plan), 0ms);
  plan.asked.arrival = "ramp:from=100+to=100";
  job::give_schedule(plan, known, 1);
  EXPECT_EQ(second_due(plan), 10ms);
}

TEST(Schedules, AnotherSeedIsAnotherSequenceUnlessTheArrivalNamesIts) {
  weir::flow::pipeline plan;
  plan.asked = {.offered = rate::per_second(1000), .rows = 2, .parallelism = 1, .arrival = "poisson"};
  const auto due_with = [&](std::int64_t seed) {
    job::give_schedule(plan, known, seed);
    return second_due(plan);
  };
  EXPECT_EQ(due_with(1), due_with(1));
  EXPECT_NE(due_with(1), due_with(2));
  plan.asked.arrival = "poisson:seed=7";
  EXPECT_EQ(due_with(1), due_with(2));
}

TEST(Schedules, LeavesAnUnpacedJobAlone) {
  weir::flow::pipeline plan;
  plan.asked = {.offered = {}, .rows = 2, .parallelism = 1, .arrival = "unpaced"};
  job::give_schedule(plan, known, 1);
  EXPECT_FALSE(plan.paced());
}

TEST(Schedules, LeavesAConstantOneAlone) {
  weir::flow::pipeline plan;
  plan.asked = {.offered = rate::per_second(1000), .rows = 2, .parallelism = 1};
  job::give_schedule(plan, known, 1);
  EXPECT_FALSE(plan.schedule);
  EXPECT_EQ(second_due(plan), 1ms);
}

}  // namespace
