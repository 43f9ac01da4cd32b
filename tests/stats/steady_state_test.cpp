// SPDX-License-Identifier: Apache-2.0

#include <weir/stats/steady_state.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>

namespace stats = weir::stats;
using stats::course;

namespace {

/// n values around 100 with a uniform noise of +-1, after shift(i).
template <class Shift>
std::vector<double> series(std::size_t n, Shift shift) {
  weir::random_bits bits(7);
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(99 + 2 * bits.uniform() + shift(i));
  return values;
}

}  // namespace

TEST(SteadyState, TooFewIterationsAreUnknown) {
  EXPECT_EQ(stats::find_steady_state({}).course, course::unknown);
  EXPECT_EQ(stats::find_steady_state(series(7, [](std::size_t i) { return i == 0 ? 50 : 0; })).course, course::unknown);
}

TEST(SteadyState, NoiseIsFlat) {
  for (const std::size_t n : {8u, 10u, 20u, 100u, 1000u}) {
    EXPECT_EQ(stats::find_steady_state(series(n, [](std::size_t) { return 0; })).course, course::flat) << n;
  }
  EXPECT_EQ(stats::find_steady_state(std::vector<double>(10, 3.0)).course, course::flat);
}

TEST(SteadyState, SlowFirstIterationIsWarmUp) {
  const auto s = stats::find_steady_state(series(10, [](std::size_t i) { return i == 0 ? 30 : 0; }));
  EXPECT_EQ(s.course, course::warm_up);
  EXPECT_EQ(s.from, 1u);
}

TEST(SteadyState, WarmUpEndsWhereTheMeanSettles) {
  const auto s = stats::find_steady_state(series(40, [](std::size_t i) { return i < 12 ? 20 : 0; }));
  EXPECT_EQ(s.course, course::warm_up);
  EXPECT_EQ(s.from, 12u);
}

TEST(SteadyState, EndingSlowerThanItWasIsSlowdown) {
  const auto s = stats::find_steady_state(series(40, [](std::size_t i) { return i < 12 ? -20 : 0; }));
  EXPECT_EQ(s.course, course::slowdown);
  EXPECT_EQ(s.from, 12u);
}

TEST(SteadyState, FirstSlowThenFastThenSlowIsSlowdown) {
  const auto s = stats::find_steady_state(series(40, [](std::size_t i) {
    return i < 8 ? 40.0 : i < 20 ? -20.0 : 0.0;
  }));
  EXPECT_EQ(s.course, course::slowdown);
  EXPECT_EQ(s.from, 20u);
}

TEST(SteadyState, ChangeInTheLastQuarterIsNone) {
  EXPECT_EQ(stats::find_steady_state(series(40, [](std::size_t i) { return i < 34 ? 20 : 0; })).course,
            course::no_steady_state);
}

TEST(SteadyState, DriftIsNotFlat) {
  const auto s = stats::find_steady_state(series(100, [](std::size_t i) { return 0.5 * static_cast<double>(i); }));
  EXPECT_EQ(s.course, course::no_steady_state);
}

TEST(SteadyState, SpikesAreNoChange) {
  EXPECT_EQ(stats::find_steady_state(series(40, [](std::size_t i) { return i % 13 == 5 || i == 6 ? 50 : 0; })).course,
            course::flat);
}

TEST(SteadyState, ChangeBelowOnePercentDoesNotMatter) {
  std::vector<double> values = series(40, [](std::size_t) { return 0; });
  for (std::size_t i = 0; i < 40; ++i) values[i] = 100 + (values[i] - 100) / 100 + (i < 20 ? 0.9 : 0);
  EXPECT_EQ(stats::find_steady_state(values).course, course::flat);
  for (std::size_t i = 0; i < 20; ++i) values[i] += 0.3;
  EXPECT_EQ(stats::find_steady_state(values).course, course::warm_up);
}
