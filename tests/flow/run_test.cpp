// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/run.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/arrival/any_schedule.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/sample.hpp>

#include "plans.hpp"

namespace {

using namespace std::chrono_literals;
using weir::clock::steady;
using weir::flow::engine;
using weir::flow::hash_work;
using weir::flow::no_work;
using weir::flow::outcome;
using weir::flow::pipeline;
using weir::record::sample;
using weir_test::expect_complete;
using weir_test::plan;
using weir_test::throws_on;

std::uint64_t checksum_of(const sample& s, std::uint64_t operations) {
  const std::string payload = weir::flow::payload_text(s.asked.payload_size);
  std::uint64_t sum = 0;
  for (std::uint64_t row = 0; row < s.asked.rows; ++row) sum += weir::flow::hash_chain(row, payload, operations);
  return sum;
}

TEST(Run, EveryRowArrivesOnceOnEveryNumberOfLanes) {
  engine on;
  for (std::uint64_t lanes = 1; lanes <= 12; ++lanes) {
    const sample s = weir::flow::run(on, plan(997, 0, lanes), hash_work{8}, steady{}).sample;
    SCOPED_TRACE(lanes);
    expect_complete(s);
    EXPECT_EQ(s.checksum, checksum_of(s, 8));
    EXPECT_EQ(s.stages.at(0).tasks, lanes);
    EXPECT_EQ(s.stages.at(0).rows, 997U);
    EXPECT_EQ(s.reordered_rows, 0U);  // promised, and kept
  }
}

TEST(Run, EveryRowArrivesOnceAcrossABoundaryOfOneRow) {
  engine on;
  pipeline p = plan(300, 0, 3);
  p.boundary_capacity = 1;
  const sample s = weir::flow::run(on, p, hash_work{4}, steady{}).sample;
  expect_complete(s);
  EXPECT_EQ(s.checksum, checksum_of(s, 4));
  ASSERT_EQ(s.stages.size(), 2U);
  EXPECT_EQ(s.stages[0].name, "transform");
  EXPECT_EQ(s.stages[1].name, "sink");
}

TEST(Run, EveryRowArrivesOnceThroughATandem) {
  engine on(6);
  pipeline p = plan(300, 0, 2);
  p.boundary_capacity = 1;
  const auto add = [](weir::flow::event& e) { e.checksum = e.checksum * 3 + e.sequence; };
  const sample s = weir::flow::run(on, p, weir::flow::tandem{add, add, add}, steady{}).sample;
  expect_complete(s);
  EXPECT_EQ(s.checksum, 300U * 299 / 2 * 13);  // ((row * 3) + row) * 3 + row
  ASSERT_EQ(s.stages.size(), 3U);
  EXPECT_EQ(s.stages[2].name, "stage3+sink");
}

TEST(Run, EveryRowArrivesOnceThroughChannelsOfOneRow) {
  engine on;
  pipeline p = plan(300, 0, 2);
  p.channel_capacity = 1;
  expect_complete(weir::flow::run(on, p, no_work{}, steady{}).sample);
}

TEST(Run, APacedJobIsReleasedOnSchedule) {
  engine on;
  const sample s = weir::flow::run(on, plan(10'000, 1'000'000, 4), hash_work{8}, steady{}).sample;
  expect_complete(s);
  EXPECT_EQ(s.schedule_time, 9'999us);
  EXPECT_EQ(s.release_lag.count(), 10'000U);
  EXPECT_GE(s.last_receipt, s.schedule_time);
  EXPECT_EQ(s.clock, "steady");
  EXPECT_NE(s.waiting.find("for 5 threads"), std::string::npos) << s.waiting;
}

TEST(Run, FewerRowsThanLanesAndNoPayloadAreFine) {
  engine on;
  const sample s = weir::flow::run(on, plan(3, 0, 8, 0), hash_work{8}, steady{}).sample;
  expect_complete(s);
  EXPECT_EQ(s.checksum, checksum_of(s, 8));
}

TEST(Run, TimeOfEachStageAddsUp) {
  engine on;
  pipeline p = plan(10'000, 0, 2);
  p.boundary_capacity = 64;
  const sample s = weir::flow::run(on, p, hash_work{8}, steady{}).sample;
  for (const auto& stage : s.stages)
    EXPECT_EQ(stage.busy + stage.idle + stage.back_pressured, stage.wall) << stage.name;
  EXPECT_EQ(s.sut_cpu, s.stages[0].cpu + s.stages[1].cpu);
}

TEST(Run, AStageThatThrowsFailsItsJobAndTheNextOneRuns) {
  engine on(4);
  constexpr std::uint64_t rows = 600;
  const std::vector<std::vector<std::uint64_t>> cases{{0}, {rows - 1}, {300}, {0, 1}, {rows - 2, rows - 1}};
  for (const bool boundary : {false, true}) {
    for (const std::uint64_t rate : {std::uint64_t{0}, std::uint64_t{1'000'000}}) {
      for (const auto& bad : cases) {
        SCOPED_TRACE("row " + std::to_string(bad.front()) + (boundary ? ", boundary" : ""));
        pipeline p = plan(rows, rate, 2);
        p.channel_capacity = 16;  // so that the generator is held when its lane dies
        if (boundary) p.boundary_capacity = 16;
        const sample s = weir::flow::run(on, p, throws_on{bad}, steady{}).sample;
        ASSERT_TRUE(s.failure.has_value());
        EXPECT_TRUE(*s.failure == "row " + std::to_string(bad.front()) + " is bad" ||
                    *s.failure == "row " + std::to_string(bad.back()) + " is bad")
            << *s.failure;
        EXPECT_LT(s.processed_rows, rows);
        const auto v = weir::judge::assess(s);
        EXPECT_FALSE(v.valid());
        EXPECT_TRUE(v.has("job_failed"));
        expect_complete(weir::flow::run(on, plan(100, 0, 4), no_work{}, steady{}).sample);
      }
    }
  }
}

TEST(Run, RefusesMoreSlotsThanThereAre) {
  engine on(3);
  std::atomic<int> ran{0};
  const auto counts = [&ran](weir::flow::event&) { ++ran; };
  pipeline p = plan(100, 0, 2);
  p.boundary_capacity = 16;
  try {
    (void)weir::flow::run(on, p, counts, steady{});
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "flow.not_enough_slots");
  }
  EXPECT_EQ(ran, 0);
  expect_complete(weir::flow::run(on, plan(100, 0, 3), no_work{}, steady{}).sample);
}

TEST(Run, TwoJobsAtOnceOnOneEngineDoNotMix) {
  engine on(4);
  sample a;
  sample b;
  {
    std::jthread first([&] { a = weir::flow::run(on, plan(8'000, 0, 2), hash_work{4}, steady{}).sample; });
    std::jthread second([&] { b = weir::flow::run(on, plan(9'000, 0, 2, 5), hash_work{7}, steady{}).sample; });
  }
  expect_complete(a);
  expect_complete(b);
  EXPECT_EQ(a.checksum, checksum_of(a, 4));
  EXPECT_EQ(b.checksum, checksum_of(b, 7));
}

TEST(Run, PlacementIsKeptAndRecorded) {
  unsigned core = 0;
  while (!weir::os::core_usable(core)) ++core;
  engine on(4);
  std::atomic<unsigned> most_cores{0};
  const auto looks = [&](weir::flow::event&) {
    if (weir::os::usable_cores() > most_cores) most_cores = weir::os::usable_cores();
  };
  pipeline p = plan(200, 0, 2);
  p.boundary_capacity = 16;
  p.cores = {.generator = core, .lanes = {core}};
  const sample s = weir::flow::run(on, p, looks, steady{}).sample;
  expect_complete(s);
  EXPECT_EQ(s.placement, "generator on core " + std::to_string(core) + ", lanes on " + std::to_string(core));
  EXPECT_EQ(most_cores, 1U);
}

TEST(Run, RefusesACoreThatIsNotThere) {
  engine on(1);
  pipeline p = plan(10, 0);
  p.cores.lanes = {100'000};
  try {
    (void)weir::flow::run(on, p, no_work{}, steady{});
    ADD_FAILURE() << "accepted";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "flow.core_not_usable");
  }
}

TEST(Run, SaysSoWhenThereAreTooFewCoresToSpin) {
  engine on;
  const unsigned cores = weir::os::usable_cores();
  const unsigned lanes = std::clamp(cores - 1, 1U, 12U);  // with the generator as many threads as cores: one too many
  const sample s = weir::flow::run(on, plan(100, 0, lanes), no_work{}, steady{}).sample;
  if (cores <= lanes + 1) {
    ASSERT_EQ(s.notes.size(), 1U);
    EXPECT_NE(s.notes[0].find("too few cores to spin"), std::string::npos);
    EXPECT_EQ(s.waiting.substr(0, 5), "yield");
  }
}

TEST(Run, ObservedAndTracedJobsShowIt) {
  engine on;
  pipeline p = plan(20'000, 1'000'000, 2);
  p.features = {"async_boundary", "observability", "trace"};
  p.channel_capacity = 64;  // so that all tasks have worked before the last row is released, on any host
  p.boundary_capacity = 64;
  p.observe_every = 1us;
  p.trace.emplace(1'000U, 1'000U);
  const outcome out = weir::flow::run(on, p, hash_work{8}, steady{});
  expect_complete(out.sample);
  for (const auto& f : out.sample.features) EXPECT_GT(f.fired, 0U) << f.name;
  EXPECT_GT(out.sample.timeline.size(), 1U);
  EXPECT_EQ(out.traces.size(), 20U);
  for (const auto& stage : out.sample.stages) EXPECT_GT(stage.timed_work, 0ns) << stage.name;
}

TEST(Run, AScheduleThatGoesBackFailsItsJobAndTheNextOneRuns) {
  struct early_row {
    std::int64_t n = 0;
    std::chrono::nanoseconds next() noexcept { return ++n == 301 ? 5ns : n * 100ns; }
  };
  engine on(2);
  pipeline p = plan(600, 1'000, 2);
  p.schedule = [] { return weir::arrival::any_schedule(early_row{}); };
  const sample s = weir::flow::run(on, p, no_work{}, steady{}).sample;
  ASSERT_TRUE(s.failure);
  EXPECT_NE(s.failure->find("[weir.flow.schedule_goes_back] schedule: row 300 is due at 5 ns"), std::string::npos)
      << *s.failure;
  EXPECT_LT(s.processed_rows, 301U);
  EXPECT_TRUE(weir::judge::assess(s).has("job_failed"));
  expect_complete(weir::flow::run(on, plan(600, 0, 2), no_work{}, steady{}).sample);
}

}  // namespace
