// SPDX-License-Identifier: Apache-2.0
#include <weir/clock/waiting.hpp>

#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <weir/clock/manual.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/tsc.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
namespace clock_room = weir::clock;
using clock_room::any_waiting;
using clock_room::manual;
using clock_room::steady;

/// A clock that runs by itself, 10 ns a look, and writes down every sleep.
struct scripted {
  static constexpr std::string_view name = "scripted";
  struct script {
    nanoseconds now{1ms};
    int looks = 0;
    std::vector<nanoseconds> sleeps{};
  };
  script* state;

  nanoseconds now() const noexcept {
    ++state->looks;
    return state->now += 10ns;
  }
  void sleep_until(nanoseconds deadline) const noexcept {
    state->sleeps.push_back(deadline);
    if (deadline > state->now) state->now = deadline;
  }
};
static_assert(clock_room::time_source<scripted> && !clock_room::virtual_time_source<scripted>);

std::vector<any_waiting> all_policies() {
  return {clock_room::spin{}, clock_room::yield{}, clock_room::sleep{}, clock_room::sleep_then_spin{}};
}

TEST(Waiting, IsSatisfiedByEveryPolicy) {
  static_assert(clock_room::waiting<clock_room::spin>);
  static_assert(clock_room::waiting<clock_room::yield, manual>);
  static_assert(clock_room::waiting<clock_room::sleep, clock_room::tsc>);
  static_assert(clock_room::waiting<clock_room::sleep_then_spin>);
  static_assert(clock_room::waiting<any_waiting, manual>);
  static_assert(!clock_room::waiting<int>);
}

TEST(Waiting, EndsAtTheDeadlineOnEveryClockThatRuns) {
  for (const any_waiting& wait : all_policies()) {
    const auto deadline = steady::now() + 1ms;
    wait(steady{}, deadline);
    EXPECT_GE(steady::now(), deadline) << wait.name();
    if (!clock_room::tsc::probe().usable) continue;
    const clock_room::tsc tsc;
    const auto on_tsc = tsc.now() + 1ms;
    wait(tsc, on_tsc);
    EXPECT_GE(tsc.now(), on_tsc) << wait.name();
  }
}

TEST(Waiting, SleepsOnVirtualTime) {
  for (const any_waiting& wait : all_policies()) {
    const manual clock;
    nanoseconds woken_at{};
    const std::jthread waiter([&, seat = clock.reserve_seat()] {
      wait(clock, 1s);
      woken_at = clock.now();
    });
    EXPECT_EQ(clock.advance(2s), 1U) << wait.name();
    EXPECT_EQ(woken_at, 1s) << wait.name();
  }
}

TEST(Waiting, LooksOnceWhenTheDeadlineHasPassed) {
  for (const nanoseconds passed : {nanoseconds(1ms), nanoseconds(0), nanoseconds::min()}) {
    for (const any_waiting& wait : all_policies()) {
      scripted::script script;
      wait(scripted{&script}, passed);
      EXPECT_LE(script.looks, 2) << wait.name();
      EXPECT_LT(script.now, 2ms) << wait.name();
    }
  }
}

TEST(Spin, LooksUntilTheDeadlineAndNeverSleeps) {
  for (const any_waiting& wait : {any_waiting(clock_room::spin{}), any_waiting(clock_room::yield{})}) {
    scripted::script script;
    wait(scripted{&script}, 1ms + 100ns);
    EXPECT_EQ(script.looks, 10) << wait.name();
    EXPECT_TRUE(script.sleeps.empty()) << wait.name();
  }
}

TEST(Sleep, SleepsOnceToTheDeadline) {
  scripted::script script;
  clock_room::sleep{}(scripted{&script}, 5ms);
  EXPECT_EQ(script.sleeps, std::vector<nanoseconds>{5ms});
}

TEST(SleepThenSpin, SleepsToItsMarginAndSpinsTheRest) {
  scripted::script script;
  clock_room::sleep_then_spin{.margin = 1us}(scripted{&script}, 5ms);
  EXPECT_EQ(script.sleeps, std::vector<nanoseconds>{5ms - 1us});
  EXPECT_EQ(script.now, 5ms);
  EXPECT_EQ(script.looks, 1 + 100);
}

TEST(SleepThenSpin, OnlySpinsWithinItsMargin) {
  scripted::script script;
  clock_room::sleep_then_spin{}(scripted{&script}, 1ms + 200us);
  EXPECT_TRUE(script.sleeps.empty());
  EXPECT_EQ(script.now, 1ms + 200us);
}

// The slack that this thread is given after its first wait is left alone: it was asked once.
TEST(Sleep, SharpensTheTimersOfItsThreadOnce) {
  std::jthread([] {
    ::prctl(PR_SET_TIMERSLACK, 50'000UL, 0UL, 0UL, 0UL);
    clock_room::spin{}(steady{}, 0ns);
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 50'000);
    clock_room::sleep_then_spin{}(steady{}, steady::now() + 1ms);
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 1);
    ::prctl(PR_SET_TIMERSLACK, 40'000UL, 0UL, 0UL, 0UL);
    clock_room::sleep{}(steady{}, steady::now() + 1us);
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 40'000);
  }).join();
}

TEST(ParseWaiting, KnowsEveryPolicyByItsName) {
  for (const std::string_view name : {"spin", "yield", "sleep", "sleep_then_spin"}) {
    ASSERT_TRUE(clock_room::parse_waiting(name)) << name;
    EXPECT_EQ(clock_room::parse_waiting(name)->name(), name);
  }
  for (const std::string_view name : {"", "Spin", "sleep_", "nap"})
    EXPECT_FALSE(clock_room::parse_waiting(name)) << name;
  static_assert(clock_room::parse_waiting("yield")->name() == "yield");
}

TEST(ChooseWaiting, SpinsOnlyWithACoreToSpareAndSaysWhy) {
  EXPECT_EQ(clock_room::choose_waiting(2, 5).policy.name(), "yield");
  EXPECT_EQ(clock_room::choose_waiting(2, 5).reason, "2 cores for 5 threads");
  EXPECT_EQ(clock_room::choose_waiting(5, 5).policy.name(), "yield");
  EXPECT_EQ(clock_room::choose_waiting(6, 5).policy.name(), "sleep_then_spin");
  EXPECT_EQ(clock_room::choose_waiting(1, 1).reason, "1 core for 1 thread");
}

}  // namespace
