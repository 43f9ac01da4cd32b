// SPDX-License-Identifier: Apache-2.0
#include <weir/job/problem.hpp>

#include <gtest/gtest.h>

#include <weir/base/error.hpp>

namespace {

using weir::job::problems;

TEST(Problems, NoneRaisesNothing) {
  const problems none;
  EXPECT_TRUE(none.empty());
  none.raise_if_any("job.json");
}

TEST(Problems, AreRaisedAllAtOnceInTheOrderFound) {
  problems found;
  found.add("job.rows_not_positive", "/source/rows", "0: give at least 1");
  found.add("job.rate_negative", "/source/rate_per_second", "-3: give at least 0");
  EXPECT_FALSE(found.empty());
  EXPECT_EQ(found.lines().size(), 2U);
  try {
    found.raise_if_any("job.json");
    FAIL() << "raised nothing";
  } catch (const weir::error& e) {
    EXPECT_EQ(e.id(), "job.refused");
    EXPECT_EQ(e.where(), "job.json");
    EXPECT_STREQ(e.what(),
                 "[weir.job.refused] job.json: 2 problems\n"
                 "  [weir.job.rows_not_positive] /source/rows: 0: give at least 1\n"
                 "  [weir.job.rate_negative] /source/rate_per_second: -3: give at least 0");
  }
}

TEST(Problems, OneIsCalledOneProblem) {
  problems found;
  found.add("job.a", "/b", "c");
  try {
    found.raise_if_any("flags");
    FAIL() << "raised nothing";
  } catch (const weir::error& e) {
    EXPECT_STREQ(e.what(), "[weir.job.refused] flags: 1 problem\n  [weir.job.a] /b: c");
  }
}

}  // namespace
