// SPDX-License-Identifier: Apache-2.0

#include <weir/stats/interval.hpp>

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <weir/stats/moments.hpp>
#include <weir/stats/quantile.hpp>

namespace stats = weir::stats;

TEST(Moments, MeanAndVarianceOfKnownValues) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(stats::mean(values), 5);
  EXPECT_DOUBLE_EQ(stats::variance(values), 32.0 / 7);
}

TEST(Moments, VarianceSurvivesALargeMean) {
  const std::vector<double> values{1e9 + 1, 1e9 + 2, 1e9 + 3};
  EXPECT_DOUBLE_EQ(stats::variance(values), 1);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwo) {
  EXPECT_DOUBLE_EQ(stats::median({3}), 3);
  EXPECT_DOUBLE_EQ(stats::median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(stats::median({9, 1, 5, 3}), 4);
}

// The textbook's: mean 5, s = 2.138, t[0.975, 7] = 2.364624.
TEST(MeanInterval, IsStudents) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  const stats::interval i = stats::mean_interval(values, 0.95);
  const double half = 2.364624251 * std::sqrt(32.0 / 7 / 8);
  EXPECT_NEAR(i.low, 5 - half, 1e-8);
  EXPECT_NEAR(i.high, 5 + half, 1e-8);
  EXPECT_EQ(i.df, 7);
  EXPECT_EQ(i.level, 0.95);
}

TEST(MeanInterval, WidensWithItsLevel) {
  const std::vector<double> values{1, 2, 3, 4, 5};
  EXPECT_GT(stats::mean_interval(values, 0.999).high, stats::mean_interval(values, 0.95).high);
}
