// SPDX-License-Identifier: Apache-2.0
#include <weir/clock/steady.hpp>

#include <chrono>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using weir::clock::steady;

TEST(SteadyClock, NeverGoesBack) {
  auto last = steady::now();
  for (int i = 0; i < 1000; ++i) {
    const auto now = steady::now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SteadyClock, IsTheStandardLibrarysSteadyClock) {
  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  const auto now = steady::now();
  const auto after = std::chrono::steady_clock::now().time_since_epoch();
  EXPECT_LE(before, now);
  EXPECT_LE(now, after);
}

TEST(SteadyClock, SleepsUntilTheDeadlineAndNotForOneThatHasPassed) {
  const auto deadline = steady::now() + 1ms;
  steady::sleep_until(deadline);
  EXPECT_GE(steady::now(), deadline);
  // The kernel takes no negative time: asked for one, it would refuse for ever.
  steady::sleep_until(-1ns);
  steady::sleep_until(std::chrono::nanoseconds::min());
}

}  // namespace
