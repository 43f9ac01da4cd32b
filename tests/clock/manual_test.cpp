// SPDX-License-Identifier: Apache-2.0
#include <weir/clock/manual.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using weir::clock::manual;

/// What a thread saw when it woke. No lock: with seats, one thread runs at a time, and ThreadSanitizer checks that.
struct wake {
  char who;
  nanoseconds at;
  friend bool operator==(const wake&, const wake&) = default;
};

void until_someone_sleeps(const manual& clock) {
  while (!clock.next_deadline()) std::this_thread::yield();
}

TEST(ManualClock, MovesOnlyWhenAdvanced) {
  const manual clock;
  EXPECT_EQ(clock.now(), 0ns);
  EXPECT_EQ(clock.advance(3ms), 0U);
  EXPECT_EQ(clock.advance_to(5ms), 0U);
  EXPECT_EQ(clock.now(), 5ms);
}

TEST(ManualClock, NeverGoesBack) {
  const manual clock;
  clock.advance_to(5ms);
  EXPECT_EQ(clock.advance_to(4ms), 0U);
  EXPECT_EQ(clock.now(), 5ms);
}

TEST(ManualClock, IsSharedByItsCopies) {
  const manual clock;
  const manual copy = clock;
  clock.advance(1s);
  EXPECT_EQ(copy.now(), 1s);
  EXPECT_EQ(manual().now(), 0s);
}

TEST(ManualClock, DoesNotSleepForADeadlineThatHasPassed) {
  const manual clock;
  clock.sleep_until(0ns);
  clock.advance(1ms);
  clock.sleep_until(1ms);
  clock.sleep_until(nanoseconds::min());
  EXPECT_EQ(clock.next_deadline(), std::nullopt);
}

TEST(ManualClock, WakesInOrderOfDeadline) {
  const manual clock;
  std::vector<wake> log;
  const auto sleeper = [&](char who, nanoseconds deadline) {
    return std::jthread([&log, clock, who, deadline, seat = clock.reserve_seat()] {
      clock.sleep_until(deadline);
      log.push_back({who, clock.now()});
    });
  };
  const auto a = sleeper('a', 30ms), b = sleeper('b', 10ms), c = sleeper('c', 20ms);
  EXPECT_EQ(clock.advance(100ms), 3U);
  EXPECT_EQ(log, (std::vector<wake>{{'b', 10ms}, {'c', 20ms}, {'a', 30ms}}));
  EXPECT_EQ(clock.now(), 100ms);
}

TEST(ManualClock, WakesEqualDeadlinesInOrderOfArrival) {
  const manual clock;
  std::vector<wake> log;
  std::vector<std::jthread> threads;
  for (const char who : {'a', 'b', 'c'}) {
    threads.emplace_back([&log, clock, who, seat = clock.reserve_seat()] {
      clock.sleep_until(10ms);
      log.push_back({who, clock.now()});
    });
    EXPECT_EQ(clock.next_deadline(), 10ms);  // once it sleeps
  }
  EXPECT_EQ(clock.advance(10ms), 3U);
  EXPECT_EQ(log, (std::vector<wake>{{'a', 10ms}, {'b', 10ms}, {'c', 10ms}}));
}

TEST(ManualClock, LetsAThreadSleepAgainWithinOneAdvance) {
  const manual clock;
  std::vector<wake> log;
  std::vector<wake> expected;
  const std::jthread ticker([&log, clock, seat = clock.reserve_seat()] {
    for (int tick = 1; tick <= 10; ++tick) {
      clock.sleep_until(tick * 100ms);
      log.push_back({'t', clock.now()});
    }
  });
  for (int tick = 1; tick <= 10; ++tick) expected.push_back({'t', tick * 100ms});
  EXPECT_EQ(clock.advance(1s), 10U);
  EXPECT_EQ(log, expected);
}

// At 150 ms both are due: b has slept since 100 ms, a since 120.
TEST(ManualClock, InterleavesTickersTheSameWayEveryTime) {
  for (int run = 0; run < 20; ++run) {
    const manual clock;
    std::vector<wake> log;
    const auto ticker = [&](char who, nanoseconds period, int ticks) {
      return std::jthread([&log, clock, who, period, ticks, seat = clock.reserve_seat()] {
        for (int tick = 1; tick <= ticks; ++tick) {
          clock.sleep_until(tick * period);
          log.push_back({who, clock.now()});
        }
      });
    };
    const auto a = ticker('a', 30ms, 5), b = ticker('b', 50ms, 3);
    EXPECT_EQ(clock.advance_to(149ms), 6U);
    EXPECT_EQ(clock.advance_to(150ms), 2U);
    ASSERT_EQ(log, (std::vector<wake>{{'a', 30ms},
                                      {'b', 50ms},
                                      {'a', 60ms},
                                      {'a', 90ms},
                                      {'b', 100ms},
                                      {'a', 120ms},
                                      {'b', 150ms},
                                      {'a', 150ms}}));
  }
}

TEST(ManualClock, WaitsForASeatWhoseThreadIsNotThereYet) {
  const manual clock;
  std::optional<manual::seat> seat = clock.reserve_seat();
  std::size_t woken = 0;
  std::jthread advancer([&] { woken = clock.advance(1s); });
  std::jthread late([&, seat = *std::exchange(seat, std::nullopt)] { clock.sleep_until(500ms); });
  advancer.join();
  EXPECT_EQ(woken, 1U);
}

TEST(ManualClock, GoesOnWhenASeatIsGivenUp) {
  const manual clock;
  std::optional<manual::seat> seat = clock.reserve_seat();
  std::jthread advancer([&] { clock.advance(1s); });
  seat.reset();
  advancer.join();
  EXPECT_EQ(clock.now(), 1s);
}

TEST(ManualClock, WakesThoseDueAndNoOther) {
  const manual clock;
  std::jthread now([clock, seat = clock.reserve_seat()] { clock.sleep_until(1s); });
  std::jthread later([clock, seat = clock.reserve_seat()] { clock.sleep_until(1s + 1ns); });
  EXPECT_EQ(clock.advance(1s), 1U);
  EXPECT_EQ(clock.next_deadline(), 1s + 1ns);
  EXPECT_EQ(clock.advance(1ns), 1U);
  EXPECT_EQ(clock.next_deadline(), std::nullopt);
}

TEST(ManualClock, CanBeSteppedFromDeadlineToDeadline) {
  const manual clock;
  const std::jthread ticker([clock, seat = clock.reserve_seat()] {
    for (int tick = 1; tick <= 5; ++tick) clock.sleep_until(tick * tick * 1s);
  });
  std::vector<nanoseconds> steps;
  while (const auto next = clock.next_deadline()) {
    steps.push_back(*next);
    EXPECT_EQ(clock.advance_to(*next), 1U);
  }
  EXPECT_EQ(steps, (std::vector<nanoseconds>{1s, 4s, 9s, 16s, 25s}));
}

TEST(ManualClock, WakesASleeperWithoutASeat) {
  const manual clock;
  std::jthread sleeper([clock] { clock.sleep_until(1s); });
  until_someone_sleeps(clock);
  EXPECT_EQ(clock.advance(1s), 1U);
}

// Whether the thread comes before, during or after the advance, it gets through.
TEST(ManualClock, ForgetsNobodyWithoutASeat) {
  const manual clock;
  std::vector<std::jthread> tickers;
  for (int thread = 0; thread < 3; ++thread) {
    tickers.emplace_back([clock] {
      for (int tick = 1; tick <= 1000; ++tick) {
        clock.sleep_until(tick * 1ms);
        EXPECT_GE(clock.now(), tick * 1ms);
      }
    });
  }
  EXPECT_LE(clock.advance(1s), 3000U);
}

TEST(ManualClock, IsAdvancedByManyThreadsAtOnce) {
  const manual clock;
  std::vector<wake> log;
  std::jthread ticker([&log, clock, seat = clock.reserve_seat()] {
    for (int tick = 1; tick <= 100; ++tick) {
      clock.sleep_until(tick * 1ms);
      log.push_back({'t', clock.now()});
    }
  });
  {
    std::jthread one([clock] { clock.advance_to(70ms); });
    std::jthread other([clock] { clock.advance_to(100ms); });
  }
  ticker.join();
  EXPECT_EQ(clock.now(), 100ms);
  for (std::size_t i = 0; i < log.size(); ++i) EXPECT_EQ(log[i].at, (static_cast<int>(i) + 1) * 1ms);
}

#if WEIR_CHECKS
TEST(ManualClockDeathTest, RefusesANegativeSpan) { EXPECT_DEATH(manual().advance(-1ns), "weir.expects.*span"); }
#endif

}  // namespace
