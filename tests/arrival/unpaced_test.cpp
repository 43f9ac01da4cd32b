// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/unpaced.hpp>

#include <chrono>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;

TEST(UnpacedSchedule, MakesEveryRowDueAtOnce) {
  weir::arrival::unpaced due;
  for (int row = 0; row < 3; ++row) EXPECT_EQ(due.next(), 0ns);
}

}  // namespace
