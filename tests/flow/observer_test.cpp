// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/observer.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/measure/busy.hpp>

namespace {

using namespace std::chrono_literals;
using weir::flow::event;
using weir::flow::observer;
using weir::flow::task_meter;
using weir::measure::activity;

TEST(Observer, SamplesOnceAPeriod) {
  observer eye(10ms, {}, {});
  for (const auto t : {0ms, 1ms, 9ms, 10ms, 12ms, 25ms, 34ms, 35ms}) eye.sample_if_due(5s + t, t);
  const auto timeline = eye.timeline();
  ASSERT_EQ(timeline.size(), 4U);
  EXPECT_EQ(timeline[0].at, 0ms);
  EXPECT_EQ(timeline[1].at, 10ms);
  EXPECT_EQ(timeline[2].at, 25ms);
  EXPECT_EQ(timeline[3].at, 35ms);
}

TEST(Observer, BusyRatioIsTheShareSinceTheLastSampleOverAllTasksOfAStage) {
  task_meter a("transform");
  task_meter b("transform");
  task_meter c("sink");
  for (task_meter* m : {&a, &b, &c}) m->busy.start(100ms);
  observer eye(10ms, {&a, &b, &c}, {});
  eye.sample_if_due(100ms, 0ms);
  a.busy.enter(activity::busy, 100ms);  // busy for 10, and open
  b.busy.enter(activity::busy, 105ms);
  b.busy.enter(activity::back_pressured, 107ms);  // for 2
  eye.sample_if_due(110ms, 10ms);
  eye.sample_if_due(120ms, 20ms);
  const auto timeline = eye.timeline();
  ASSERT_EQ(timeline.size(), 3U);
  EXPECT_EQ(timeline[0].busy_ratio, (std::vector{0.0, 0.0}));
  EXPECT_EQ(timeline[1].busy_ratio, (std::vector{0.6, 0.0}));  // 12 of 20 ms
  EXPECT_EQ(timeline[2].busy_ratio, (std::vector{0.5, 0.0}));
}

TEST(Observer, QueueFillIsOfTheFullestChannel) {
  weir::flow::event e;
  weir::channel::spsc_ring<event> a(4);
  weir::channel::spsc_ring<event> b(8);
  observer eye(1ms, {}, {&a, &b});
  eye.sample_if_due(0ms, 0ms);
  (void)a.try_push({&e, 1});
  for (int i = 0; i < 6; ++i) (void)b.try_push({&e, 1});
  eye.sample_if_due(1ms, 1ms);
  EXPECT_EQ(eye.timeline()[0].queue_fill, 0.0);
  EXPECT_EQ(eye.timeline()[1].queue_fill, 0.75);
}

TEST(Observer, FiredOnlyWhenEveryTaskTimesItsWork) {
  task_meter a("transform");
  task_meter b("sink");
  observer eye(1ms, {&a, &b}, {});
  eye.sample_if_due(0ms, 0ms);
  a.time(5ns);
  eye.sample_if_due(1ms, 1ms);
  EXPECT_EQ(eye.fired(), 0U);
  b.time(0ns);  // timed, and free on this clock
  eye.sample_if_due(2ms, 2ms);
  eye.sample_if_due(3ms, 3ms);
  EXPECT_EQ(eye.fired(), 2U);
}

TEST(Observer, ALongRunKeepsTheFirstSamplesAndTheLast) {
  observer eye(1ms, {}, {});
  for (int t = 0; t < 3'000; ++t) eye.sample_if_due(t * 1ms, t * 1ms);
  const auto timeline = eye.timeline();
  ASSERT_EQ(timeline.size(), 1'024U);
  EXPECT_EQ(timeline[1'022].at, 1'022ms);
  EXPECT_EQ(timeline[1'023].at, 2'999ms);
}

}  // namespace
