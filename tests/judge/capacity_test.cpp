// SPDX-License-Identifier: Apache-2.0
#include <weir/judge/capacity.hpp>

#include <gtest/gtest.h>

#include "clean_sample.hpp"

namespace {

using namespace std::chrono_literals;
using weir::judge::busy_ratio;
using weir::judge::predicted_capacity_per_s;

TEST(BusyRatio, IsBusyOverWall) {
  EXPECT_DOUBLE_EQ(busy_ratio({.name = "x", .tasks = 1, .rows = 1, .busy = 3s, .wall = 12s}), 0.25);
  EXPECT_DOUBLE_EQ(busy_ratio({}), 0.0);
}

// transform: 4 tasks, 1 M rows, 400 ms busy in all -> 100 ms each at full load -> 10 M rows/s; the sink is dearer
// below.
TEST(PredictedCapacity, IsThatOfTheDearestStage) {
  weir::record::sample s = weir_test::clean_sample();
  EXPECT_DOUBLE_EQ(*predicted_capacity_per_s(s), 10e6);
  s.stages[1].busy = 800ms;
  EXPECT_DOUBLE_EQ(*predicted_capacity_per_s(s), 5e6);
}

TEST(PredictedCapacity, SeesATwoPercentDearerRow) {
  weir::record::sample s = weir_test::clean_sample();
  s.stages[0].busy = 408ms;
  EXPECT_NEAR(*predicted_capacity_per_s(s), 10e6 / 1.02, 1);
}

TEST(PredictedCapacity, IsUnknownWhenNoStageWasSeenBusy) { EXPECT_FALSE(predicted_capacity_per_s({})); }

}  // namespace
