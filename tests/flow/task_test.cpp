// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/task.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/flow/sink.hpp>
#include <weir/flow/stepper.hpp>
#include <weir/measure/busy.hpp>
#include <weir/record/sample.hpp>

#include "plans.hpp"

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::clock::manual;
using weir::flow::event;
using weir::flow::ring;
using weir::flow::sink;
using weir::flow::stage_task;
using weir::flow::to_ring;
using weir::flow::to_sink;
using weir::measure::busy_split;
using weir_test::fixed_service;

std::vector<event> rows(std::uint64_t n) {
  std::vector<event> all(n);
  for (std::uint64_t i = 0; i < n; ++i) all[i].sequence = i;
  return all;
}

weir::record::sample report(const sink& s) {
  weir::record::sample out;
  s.report(out);
  return out;
}

TEST(StageTask, WorksOnABatchAndHandsItOn) {
  const manual clock;
  const nanoseconds origin{};
  ring in(8);
  sink end({.rows = 5, .payload = {}});
  stage_task t("sink", in, fixed_service{10us}, to_sink(clock, end), clock, origin, false);
  EXPECT_FALSE(t.has_input());
  ASSERT_EQ(in.try_push(rows(5)), 5U);
  EXPECT_TRUE(t.has_input());
  EXPECT_EQ(t.work(3), 30us);
  EXPECT_EQ(in.size(), 5U);  // not given back before they are handed on
  EXPECT_TRUE(t.deliver(7us));
  EXPECT_EQ(in.size(), 2U);
  EXPECT_EQ(end.received(), 3U);
  EXPECT_EQ(t.work(64), 20us);
  EXPECT_TRUE(t.deliver(9us));
  EXPECT_EQ(t.meter().rows.load(), 5U);
  EXPECT_FALSE(t.input_ended());
  in.close();
  EXPECT_TRUE(t.input_ended());
  EXPECT_EQ(report(end).checksum, 5U);
  EXPECT_EQ(report(end).last_receipt, 9us);
}

TEST(StageTask, KeepsWhatHasNoRoomDownstream) {
  const manual clock;
  const nanoseconds origin{};
  ring in(8);
  ring out(2);
  stage_task t("transform", in, fixed_service{}, to_ring(out), clock, origin, false);
  ASSERT_EQ(in.try_push(rows(5)), 5U);
  t.work(5);
  EXPECT_FALSE(t.deliver(0ns));
  EXPECT_EQ(out.size(), 2U);
  EXPECT_EQ(in.size(), 3U);
  out.release(out.peek(2).size());
  EXPECT_FALSE(t.deliver(0ns));
  out.release(out.peek(2).size());
  EXPECT_TRUE(t.deliver(0ns));
  EXPECT_EQ(out.peek(2)[0].sequence, 4U);
  EXPECT_EQ(out.peek(2)[0].checksum, 1U);  // worked on once, in place
  EXPECT_EQ(t.meter().rows.load(), 5U);
  EXPECT_TRUE(t.wait_for_room());
  t.end_output();
  EXPECT_TRUE(out.closed());
  EXPECT_FALSE(t.wait_for_room());
}

TEST(StageTask, TimesEveryRowOnlyWhenObserved) {
  const manual clock;
  const nanoseconds origin{};
  for (const bool observed : {false, true}) {
    ring in(8);
    sink end({.rows = 4, .payload = {}});
    const auto takes_5us = [&clock](event&) { clock.advance(5us); };
    stage_task t("transform+sink", in, takes_5us, to_sink(clock, end), clock, origin, observed);
    ASSERT_EQ(in.try_push(rows(4)), 4U);
    t.work(4);
    EXPECT_TRUE(t.deliver(0ns));
    EXPECT_EQ(t.meter().timed_work_ns.load(), observed ? 20'000 : 0);
    EXPECT_EQ(t.meter().timed_rows.load(), observed ? 8U : 0U);  // in the stage and in the sink
    EXPECT_EQ(end.received(), 4U);
  }
}

// Blocking tandem, D1 = 100 us, D2 = 200 us, a buffer of one event that holds the one in service: the second
// server takes event n at 100 + 200 n us, and from event 1 on the first waits 100 us to get rid of each.
TEST(Server, BackPressureOfABlockingTandemIsExact) {
  constexpr std::uint64_t n = 50;
  const manual clock;
  const nanoseconds origin{};
  ring in(64);
  ring between(1);
  sink end({.rows = n, .payload = {}});
  stage_task first("first", in, fixed_service{100us}, to_ring(between), clock, origin, false);
  stage_task second("second", between, fixed_service{200us}, to_sink(clock, end), clock, origin, false);
  weir::flow::detail::server a(first, origin);
  weir::flow::detail::server b(second, origin);
  ASSERT_EQ(in.try_push(rows(n)), n);
  in.close();
  while (!b.ended()) {
    const bool a_moved = a.advance(clock.now(), origin);
    const bool b_moved = b.advance(clock.now(), origin);
    if (a_moved || b_moved) continue;
    clock.advance_to(std::min(a.next(), b.next()));
  }
  EXPECT_EQ(report(end).latency().min(), 300us);  // row 0: 100 + 200; all are intended at 0
  EXPECT_EQ(report(end).latency().max(), 100us + n * 200us);
  EXPECT_EQ(clock.now(), 100us + n * 200us);
  EXPECT_EQ(first.meter().busy.reading(clock.now()),
            (busy_split{.busy = n * 100us, .idle = 0ns, .back_pressured = (n - 1) * 100us}));
  EXPECT_EQ(second.meter().busy.reading(clock.now()),
            (busy_split{.busy = n * 200us, .idle = 100us, .back_pressured = 0ns}));
  EXPECT_EQ(first.meter().wall, 100us + (n - 1) * 200us);
  EXPECT_EQ(second.meter().wall, clock.now());
}

}  // namespace
