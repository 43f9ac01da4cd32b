// SPDX-License-Identifier: Apache-2.0

#include <weir/stats/comparison.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace stats = weir::stats;

namespace {

const std::vector<double> base{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
                               21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
const std::vector<double> candidate{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
                                    24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4};

}  // namespace

// Reference values: the formulas in double, the tail by Simpson's rule over the density.
TEST(WelchDifference, AgreesWithAnIndependentCalculation) {
  const stats::estimate d = stats::welch_difference(base, candidate);
  EXPECT_NEAR(d.value / d.standard_error, 2.45535639828601, 1e-12);
  EXPECT_NEAR(d.df, 24.98852929023142, 1e-9);
  EXPECT_NEAR(stats::p_value(d), 0.021378001462862, 1e-9);
}

TEST(WelchDifference, SidesMayDifferInNumberAndSpread) {
  const std::vector<double> few{10, 12};
  const std::vector<double> many{20.0, 20.1, 19.9, 20.0, 20.05, 19.95};
  const stats::estimate d = stats::welch_difference(few, many);
  EXPECT_DOUBLE_EQ(d.value, 9);
  EXPECT_GT(d.df, 1);
  EXPECT_LT(d.df, 1.1);  // the two values carry nearly all of the variance
}

TEST(PairedDifference, WhatPairsShareCancels) {
  const std::vector<double> before{1, 20, 300, 4000};
  const std::vector<double> after{2, 21, 301, 4001};
  const stats::estimate d = stats::paired_difference(before, after);
  EXPECT_DOUBLE_EQ(d.value, 1);
  EXPECT_DOUBLE_EQ(d.standard_error, 0);
  EXPECT_EQ(d.df, 3);
}

TEST(PValue, WithoutSpreadIsAllOrNothing) {
  EXPECT_EQ(stats::p_value({0, 0, 4}), 1);
  EXPECT_EQ(stats::p_value({0.1, 0, 4}), 0);
}

// t[0.975, 4] = 2.776445.
TEST(PValue, IsTwoSided) {
  EXPECT_NEAR(stats::p_value({2.776445105, 1, 4}), 0.05, 1e-9);
  EXPECT_NEAR(stats::p_value({-2.776445105, 1, 4}), 0.05, 1e-9);
}

TEST(Holm, AdjustsTheSmallestMostAndNeverFallsBehindIt) {
  const std::vector<double> adjusted = stats::holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);  // 4 * 0.005
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);  // 3 * 0.01
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);  // 2 * 0.03
  EXPECT_DOUBLE_EQ(adjusted[1], 0.06);  // not 0.04
}

TEST(Holm, StopsAtOne) {
  for (const double p : stats::holm(std::vector<double>{0.9, 0.6, 0.5})) EXPECT_EQ(p, 1);
  EXPECT_TRUE(stats::holm({}).empty());
}

TEST(DetectableDifference, GrowsWithTheErrorAndIsBoundedByTheThreshold) {
  // t[0.975, 18] = 2.100922, t[0.8, 18] = 0.862049.
  EXPECT_NEAR(stats::detectable_difference({0, 0.01, 18}, 0.05, 0.8), 0.02962971, 1e-7);
  EXPECT_NEAR(stats::detectable_difference({0, 0.01, 18}, 0.05, 0.8, 0.05), 0.05862049, 1e-7);
  EXPECT_NEAR(stats::detectable_difference({0, 0.0, 18}, 0.05, 0.8, 0.05), 0.05, 1e-12);
}
