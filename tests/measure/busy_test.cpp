// SPDX-License-Identifier: Apache-2.0
#include <weir/measure/busy.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::measure::activity;
using weir::measure::busy_meter;
using weir::measure::busy_split;

static_assert(noexcept(std::declval<busy_meter&>().enter(activity::busy, nanoseconds{})));

TEST(BusyMeter, AddsUpToTheWallTimeExactly) {
  busy_meter meter;
  meter.start(1'000ns);
  meter.enter(activity::busy, 1'010ns);
  meter.enter(activity::back_pressured, 1'110ns);
  meter.enter(activity::busy, 1'117ns);
  meter.enter(activity::idle, 1'120ns);
  meter.stop(1'500ns);
  const busy_split split = meter.reading(9'999ns);
  EXPECT_EQ(split, (busy_split{.busy = 103ns, .idle = 390ns, .back_pressured = 7ns}));
  EXPECT_EQ(split.wall(), 500ns);
}

TEST(BusyMeter, ShowsTheOpenInterval) {
  busy_meter meter;
  meter.start(100ns);
  EXPECT_EQ(meter.reading(130ns), (busy_split{.idle = 30ns}));
  meter.enter(activity::busy, 150ns);
  EXPECT_EQ(meter.reading(170ns), (busy_split{.busy = 20ns, .idle = 50ns}));
  EXPECT_EQ(meter.reading(180ns), (busy_split{.busy = 30ns, .idle = 50ns}));
}

TEST(BusyMeter, TakesAReadersOldTimeAsTheLastChange) {
  busy_meter meter;
  meter.start(100ns);
  meter.enter(activity::busy, 150ns);
  EXPECT_EQ(meter.reading(120ns), (busy_split{.idle = 50ns}));
}

TEST(BusyMeter, CountsNothingOutsideStartAndStop) {
  busy_meter meter;
  EXPECT_EQ(meter.reading(1'000ns), busy_split{});
  meter.start(1'000ns);
  meter.stop(1'010ns);
  EXPECT_EQ(meter.reading(5'000ns).wall(), 10ns);
  meter.start(6'000ns);
  EXPECT_EQ(meter.reading(6'001ns).wall(), 1ns);
}

// The task is busy for 3 ns, idle for 2, back-pressured for 1, over and over, so that the split at any
// instant is known: a torn reading cannot hide.
busy_split known_split(std::int64_t t) {
  const std::int64_t rounds = t / 6;
  const std::int64_t rest = t % 6;
  return {.busy = nanoseconds(3 * rounds + std::min<std::int64_t>(rest, 3)),
          .idle = nanoseconds(2 * rounds + std::clamp<std::int64_t>(rest - 3, 0, 2)),
          .back_pressured = nanoseconds(rounds + std::clamp<std::int64_t>(rest - 5, 0, 1))};
}

TEST(BusyMeter, IsNeverTornForAReaderInAnotherThread) {
  constexpr int readings = 200'000;
  busy_meter meter;
  std::atomic<std::int64_t> now{0};
  std::atomic<bool> enough{false};
  meter.start(0ns);
  meter.enter(activity::busy, 0ns);

  std::thread task([&] {
    std::int64_t t = 0;
    const auto enter_after = [&](std::int64_t ns, activity next) {
      t += ns;
      now.store(t, std::memory_order_release);
      meter.enter(next, nanoseconds(t));
    };
    while (!enough.load(std::memory_order_relaxed)) {
      enter_after(3, activity::idle);
      enter_after(2, activity::back_pressured);
      enter_after(1, activity::busy);
    }
  });

  while (now.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  int torn = 0;
  for (int i = 0; i < readings; ++i) {
    const std::int64_t t = now.load(std::memory_order_acquire);
    const busy_split split = meter.reading(nanoseconds(t));
    if (split.wall().count() < t || split != known_split(split.wall().count())) ++torn;
  }
  enough.store(true, std::memory_order_relaxed);
  task.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
