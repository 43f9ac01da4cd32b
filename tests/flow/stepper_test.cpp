// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/stepper.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <weir/arrival/any_schedule.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/trace.hpp>
#include <weir/record/sample.hpp>

#include "plans.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::flow::outcome;
using weir::flow::pipeline;
using weir::flow::step;
using weir::measure::trace_stage;
using weir::record::sample;
using weir::record::stage_usage;
using weir_test::expect_complete;
using weir_test::fixed_service;
using weir_test::plan;

void expect_parts_add_up(const sample& s) {
  ASSERT_FALSE(s.stages.empty());
  for (const stage_usage& stage : s.stages)
    EXPECT_EQ(stage.busy + stage.idle + stage.back_pressured, stage.wall) << stage.name;
}

TEST(Stepper, EveryLatencyOfDD1IsTheServiceTime) {
  for (const std::uint64_t lanes : {1U, 4U}) {
    const sample s = step(plan(2'000, 8'000, lanes), fixed_service{100us}).sample;
    expect_complete(s);
    EXPECT_EQ(s.latency().min(), 100us) << lanes;
    EXPECT_EQ(s.latency().max(), 100us) << lanes;
    EXPECT_EQ(s.residence.max(), 100us);
    EXPECT_EQ(s.release_lag.max(), 0ns);
    EXPECT_EQ(s.source_blocked, 0ns);
    EXPECT_EQ(s.first_receipt, 100us);
    EXPECT_EQ(s.last_receipt, 1'999 * 125us + 100us);
    EXPECT_EQ(s.schedule_time, 1'999 * 125us);
    EXPECT_EQ(s.job_time, 1'999 * 125us + 100us);
    EXPECT_TRUE(weir::judge::assess(s).valid());
  }
}

TEST(Stepper, BusyTimeIsTheServiceTimeOfAllRows) {
  const sample s = step(plan(2'000, 8'000, 4), fixed_service{100us}).sample;
  expect_parts_add_up(s);
  ASSERT_EQ(s.stages.size(), 1U);
  EXPECT_EQ(s.stages[0].name, "transform+sink");
  EXPECT_EQ(s.stages[0].tasks, 4U);
  EXPECT_EQ(s.stages[0].rows, 2'000U);
  EXPECT_EQ(s.stages[0].busy, 200ms);
  EXPECT_EQ(s.stages[0].back_pressured, 0ns);
}

// Row n waits for n rows before it, each of which takes D - 1/lambda longer than the next row needs to come.
TEST(Stepper, LatencyOfOverloadedDD1RisesByTheExactSlope) {
  constexpr std::uint64_t rows = 1'500;
  pipeline p = plan(rows, 10'000);  // 1/lambda = 100 us
  p.channel_capacity = 2'048;
  const sample s = step(p, fixed_service{150us}).sample;
  expect_complete(s);
  expect_parts_add_up(s);
  EXPECT_EQ(s.latency().min(), 150us);
  EXPECT_EQ(s.latency().max(), 150us + (rows - 1) * 50us);
  EXPECT_EQ(s.latency().sum(), rows * 150us + rows * (rows - 1) / 2 * 50us);
  EXPECT_EQ(s.release_lag.max(), 0ns);
  EXPECT_TRUE(weir::judge::assess(s).has("latency_growing_slope"));
}

TEST(Stepper, AFullQueueMovesTheReleaseButNoIntendedTime) {
  constexpr std::uint64_t rows = 1'500;
  pipeline p = plan(rows, 10'000);
  p.channel_capacity = 16;
  const sample s = step(p, fixed_service{150us}).sample;
  expect_complete(s);
  expect_parts_add_up(s);
  EXPECT_EQ(s.latency().max(), 150us + (rows - 1) * 50us);  // as with a wide queue
  EXPECT_EQ(s.latency().sum(), rows * 150us + rows * (rows - 1) / 2 * 50us);
  EXPECT_EQ(s.residence.max(), 16 * 150us);  // a full queue, itself included
  EXPECT_EQ(s.release_lag.max(), s.latency().max() - 16 * 150us);
  EXPECT_GT(s.latency_second_half.at(weir::measure::p50).value, s.latency_first_half.at(weir::measure::p50).value);
  EXPECT_TRUE(weir::judge::assess(s).has("source_back_pressured"));
}

// Row n is due at n * 100 us and has room when row n - 16 leaves, at (n - 15) * 150 us: row 46 is held for 50 us,
// and from 4.7 ms, when row 47 is due, some row is held until the last is released.
TEST(Stepper, TheSourceIsBlockedWhileARowIsDueAndHasNoRoom) {
  pipeline p = plan(1'500, 10'000);
  p.channel_capacity = 16;
  const sample s = step(p, fixed_service{150us}).sample;
  EXPECT_EQ(s.source_blocked, 50us + ((1'499 - 15) * 150us - 4'700us));
}

TEST(Stepper, TandemAddsNothingAtALowLoad) {
  for (const std::size_t capacity : {1U, 1'024U}) {
    pipeline p = plan(1'000, 8'000, 2);
    p.boundary_capacity = capacity;
    const sample s = step(p, fixed_service{100us}).sample;
    expect_complete(s);
    expect_parts_add_up(s);
    EXPECT_EQ(s.latency().min(), 100us);
    EXPECT_EQ(s.latency().max(), 100us);
    ASSERT_EQ(s.stages.size(), 2U);
    EXPECT_EQ(s.stages[0].name, "transform");
    EXPECT_EQ(s.stages[1].name, "sink");
    EXPECT_EQ(s.stages[0].busy, 100ms);
    EXPECT_EQ(s.stages[1].busy, 0ns);
    for (const stage_usage& stage : s.stages) {
      EXPECT_EQ(stage.tasks, 2U);
      EXPECT_EQ(stage.rows, 1'000U);
    }
  }
}

TEST(Stepper, AServerOfATandemIsATaskOfItsOwn) {
  pipeline p = plan(1'000, 8'000, 2);
  const sample s = step(p, weir::flow::tandem{fixed_service{100us}, fixed_service{50us}, fixed_service{70us}}).sample;
  expect_complete(s);
  expect_parts_add_up(s);
  EXPECT_EQ(s.latency().min(), 220us);
  EXPECT_EQ(s.latency().max(), 220us);
  ASSERT_EQ(s.stages.size(), 3U);
  EXPECT_EQ(s.stages[0].name, "stage1");
  EXPECT_EQ(s.stages[1].name, "stage2");
  EXPECT_EQ(s.stages[2].name, "stage3+sink");
  EXPECT_EQ(s.stages[0].busy, 100ms);
  EXPECT_EQ(s.stages[1].busy, 50ms);
  EXPECT_EQ(s.stages[2].busy, 70ms);
  for (const stage_usage& stage : s.stages) EXPECT_EQ(stage.tasks, 2U);
}

TEST(Stepper, AFullEdgeOfATandemHoldsWhoIsBeforeIt) {
  pipeline p = plan(1'000, 10'000);
  p.boundary_capacity = 4;
  const sample s = step(p, weir::flow::tandem{fixed_service{50us}, fixed_service{200us}}).sample;
  expect_complete(s);
  expect_parts_add_up(s);
  EXPECT_EQ(s.latency().max(), 250us + 999 * 100us);  // the slower one alone sets the pace
  EXPECT_GT(s.stages[0].back_pressured, 100ms);
  EXPECT_EQ(s.stages[1].back_pressured, 0ns);
}

// D/D/1 at 4 rows in 5 services: a row is there 100 of every 125 us.
TEST(Stepper, ShowsTheDepthOfEachChannelAsLongAsItLasts) {
  std::map<std::size_t, nanoseconds> spent;
  nanoseconds last{};
  const sample s =
      step(plan(1'000, 8'000), fixed_service{100us}, [&](nanoseconds from, nanoseconds until, const auto& graph) {
        EXPECT_EQ(from, last);
        spent[graph.depth(0)] += until - from;
        last = until;
      }).sample;
  EXPECT_EQ(spent, (std::map<std::size_t, nanoseconds>{{0, 999 * 25us}, {1, 100ms}}));
  EXPECT_EQ(last, s.last_receipt);
}

TEST(Stepper, WithoutATransformTheStageIsTheSinkAlone) {
  const sample s = step(plan(500, 1'000), weir::flow::no_work{}).sample;
  expect_complete(s);
  EXPECT_EQ(s.stages.at(0).name, "sink");
  EXPECT_EQ(s.latency().max(), 0ns);
}

TEST(Stepper, UnpacedRowsFlowAsFastAsTheStage) {
  const sample s = step(plan(5'000, 0, 2), fixed_service{10us}).sample;
  expect_complete(s);
  EXPECT_EQ(s.last_receipt, 25ms);
  EXPECT_EQ(s.schedule_time, 0ns);
}

TEST(Stepper, FewerRowsThanLanesAndNoPayloadAreFine) {
  const sample s = step(plan(3, 1'000, 8, 0), fixed_service{100us}).sample;
  expect_complete(s);
  EXPECT_EQ(s.stages.at(0).tasks, 8U);
}

TEST(Stepper, TakesAScheduleOfTheUsers) {
  struct in_pairs {
    std::uint64_t n = 0;
    nanoseconds next() noexcept { return n++ / 2 * 1ms; }
  };
  pipeline p = plan(1'000, 2'000);
  p.schedule = [] { return weir::arrival::any_schedule(in_pairs{}); };
  const sample s = step(p, fixed_service{100us}).sample;
  expect_complete(s);
  EXPECT_EQ(s.latency().min(), 100us);
  EXPECT_EQ(s.latency().max(), 200us);
  EXPECT_EQ(s.latency().sum(), 500 * 300us);
  EXPECT_EQ(s.schedule_time, 499ms);
}

TEST(Stepper, SaysWhatTimeItRanOn) {
  const sample s = step(plan(10, 1'000), fixed_service{}).sample;
  EXPECT_EQ(s.clock, "manual");
  EXPECT_EQ(s.waiting, "virtual time");
  EXPECT_EQ(s.run_id, "test-1-1");
}

pipeline with_everything() {
  pipeline p = plan(4'000, 8'000, 4);
  p.features = {"async_boundary", "observability", "trace"};
  p.boundary_capacity = 16;
  p.observe_every = 10ms;
  p.trace.emplace(100U, 50U);
  return p;
}

TEST(Stepper, GivesTheSameAnswerTwice) {
  const outcome a = step(with_everything(), fixed_service{300us});
  const outcome b = step(with_everything(), fixed_service{300us});
  EXPECT_EQ(a.sample.latency_first_half, b.sample.latency_first_half);
  EXPECT_EQ(a.sample.latency_second_half, b.sample.latency_second_half);
  EXPECT_EQ(a.sample.residence, b.sample.residence);
  EXPECT_EQ(a.sample.release_lag, b.sample.release_lag);
  EXPECT_EQ(a.sample.trend, b.sample.trend);
  EXPECT_EQ(a.sample.timeline, b.sample.timeline);
  EXPECT_EQ(a.sample.source_blocked, b.sample.source_blocked);
  EXPECT_EQ(a.sample.job_time, b.sample.job_time);
  EXPECT_EQ(a.sample.features, b.sample.features);
  ASSERT_EQ(a.traces.size(), b.traces.size());
  for (std::size_t i = 0; i < a.traces.size(); ++i) {
    EXPECT_EQ(a.traces[i].id(), b.traces[i].id());
    EXPECT_TRUE(std::ranges::equal(a.traces[i].entries(), b.traces[i].entries()));
  }
}

std::uint64_t fired(const sample& s, std::string_view feature) {
  for (const auto& f : s.features)
    if (f.name == feature) return f.fired;
  ADD_FAILURE() << feature << " is not in the account";
  return 0;
}

TEST(Stepper, EveryFeatureOfTheScenarioFires) {
  const sample s = step(with_everything(), fixed_service{400us}).sample;  // 4,000 rows in 500 ms
  expect_complete(s);
  EXPECT_EQ(fired(s, "async_boundary"), 4'000U);
  EXPECT_EQ(fired(s, "observability"), 49U);  // all samples but the one at 0, when nothing has been timed
  EXPECT_EQ(fired(s, "trace"), 40U);
  EXPECT_TRUE(weir::judge::assess(s).valid());
}

TEST(Stepper, AFeatureThatIsSwitchedOffTurnsTheVerdict) {
  const auto without = [](auto switch_off) {
    pipeline p = with_everything();
    switch_off(p);
    return weir::judge::assess(step(p, fixed_service{400us}).sample);
  };
  const auto reasons = [](const weir::judge::verdict& v) {
    std::vector<std::string> ids;
    for (const auto& r : v.reasons) ids.push_back(r.id);
    return ids;
  };
  const std::vector<std::string> one{"feature_not_fired"};
  EXPECT_EQ(reasons(without([](pipeline& p) { p.boundary_capacity.reset(); })), one);
  EXPECT_EQ(reasons(without([](pipeline& p) { p.observe_every.reset(); })), one);
  EXPECT_EQ(reasons(without([](pipeline& p) { p.trace.reset(); })), one);
  EXPECT_EQ(reasons(without([](pipeline& p) { p.trace->one_in = 4'001; })), one);
  EXPECT_EQ(reasons(without([](pipeline& p) { p.trace->per_second = 0; })), one);
  EXPECT_EQ(reasons(without([](pipeline& p) { p.observe_every = 1h; })), one);
}

TEST(Stepper, ObservedBusyRatioIsTheLoadOfTheStage) {
  pipeline p = plan(4'000, 8'000);
  p.observe_every = 10ms;
  const sample s = step(p, fixed_service{100us}).sample;  // busy 100 us of every 125
  ASSERT_EQ(s.timeline.size(), 50U);
  EXPECT_EQ(s.timeline[0].at, 0ns);
  for (std::size_t i = 1; i < s.timeline.size(); ++i) {
    EXPECT_EQ(s.timeline[i].at, i * 10ms);
    ASSERT_EQ(s.timeline[i].busy_ratio.size(), 1U);
    EXPECT_DOUBLE_EQ(s.timeline[i].busy_ratio[0], 0.8);
  }
}

TEST(Stepper, ObservedQueueFillShowsTheBacklog) {
  pipeline p = plan(1'000, 10'000);
  p.channel_capacity = 16;
  p.observe_every = 10ms;
  const sample s = step(p, fixed_service{150us}).sample;
  EXPECT_EQ(s.timeline.back().queue_fill, 1.0);
  EXPECT_EQ(s.timeline.back().busy_ratio.at(0), 1.0);
}

std::vector<trace_stage> stages_of(const weir::measure::trace& t) {
  std::vector<trace_stage> stages;
  for (const auto& e : t.entries()) stages.push_back(e.stage);
  return stages;
}

TEST(Stepper, ATraceHasTheSixStagesInTheOrderOfTime) {
  using enum trace_stage;
  pipeline p = plan(1'000, 8'000, 4);
  p.features = {"trace"};
  p.trace.emplace(100U, 50U);
  const outcome fused = step(p, fixed_service{300us});
  ASSERT_EQ(fused.traces.size(), 10U);
  for (const auto& t : fused.traces) {
    EXPECT_EQ(stages_of(t),
              (std::vector{source_emit, queue_in, queue_out, transform_in, transform_out, sink_write_done}));
    EXPECT_TRUE(std::ranges::is_sorted(t.entries(), {}, &weir::measure::trace_entry::at));
    EXPECT_EQ(t.entries().front().at, t.sequence() * 125us);
    EXPECT_EQ(t.entries().back().at, t.sequence() * 125us + 300us);
    EXPECT_EQ(t.truncated(), 0U);
  }
  p.boundary_capacity = 16;
  const outcome tandem = step(p, fixed_service{300us});
  ASSERT_EQ(tandem.traces.size(), 10U);
  for (const auto& t : tandem.traces) {
    EXPECT_EQ(stages_of(t), (std::vector{source_emit, queue_in, queue_out, transform_in, transform_out, queue_in,
                                         queue_out, sink_write_done}));
    EXPECT_TRUE(std::ranges::is_sorted(t.entries(), {}, &weir::measure::trace_entry::at));
    EXPECT_EQ(t.entries().back().at, t.sequence() * 125us + 300us);
  }
  EXPECT_EQ(fired(tandem.sample, "trace"), 10U);
}

TEST(Stepper, TracesKeepToTheBudgetOfASecond) {
  pipeline p = plan(20'000, 10'000);  // 2 s
  p.trace.emplace(100U, 5U);
  EXPECT_EQ(step(p, fixed_service{10us}).traces.size(), 10U);
}

TEST(Stepper, AStageThatThrowsThrowsHere) {
  EXPECT_THROW((void)step(plan(10, 1'000), weir_test::throws_on{{3}}), std::runtime_error);
}

struct corrupts {
  std::uint64_t every;
  void operator()(weir::flow::event& e) const noexcept {
    if (e.sequence % every == 0) e.payload = "other";
  }
};

TEST(Stepper, AStageThatChangesPayloadsTurnsTheVerdict) {
  const sample s = step(plan(1'000, 8'000, 2), corrupts{250}).sample;
  EXPECT_EQ(s.corrupt_payloads, 4U);
  const auto v = weir::judge::assess(s);
  ASSERT_EQ(v.reasons.size(), 1U);
  EXPECT_EQ(v.reasons[0].id, "payload_corrupt");
}

TEST(Stepper, AStageThatComputesSomethingElseTurnsTheVerdict) {
  pipeline p = plan(1'000, 8'000, 2);
  p.expected.checksum = 1'000;
  EXPECT_TRUE(weir::judge::assess(step(p, fixed_service{100us}).sample).valid());
  p.expected.checksum = 1'001;
  const auto v = weir::judge::assess(step(p, fixed_service{100us}).sample);
  ASSERT_EQ(v.reasons.size(), 1U);
  EXPECT_EQ(v.reasons[0].id, "checksum_mismatch");
}

}  // namespace
