// SPDX-License-Identifier: Apache-2.0

#include <weir/stats/modality.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace stats = weir::stats;

TEST(TwoModes, AreDescribed) {
  const auto two = stats::find_two_modes({10.1, 12.0, 9.9, 12.1, 10.0, 11.9, 10.05});
  ASSERT_TRUE(two);
  EXPECT_EQ(two->low_count, 4u);
  EXPECT_EQ(two->high_count, 3u);
  EXPECT_NEAR(two->low, 10.0125, 1e-9);
  EXPECT_NEAR(two->high, 12, 1e-9);
}

TEST(TwoModes, NotInEvenlySpreadValues) {
  EXPECT_FALSE(stats::find_two_modes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_FALSE(stats::find_two_modes({1, 2, 3, 4, 5}));
}

TEST(TwoModes, NeedFiveValues) {
  EXPECT_FALSE(stats::find_two_modes({1, 1, 9, 9}));
  EXPECT_TRUE(stats::find_two_modes({1, 1, 9, 9, 9}));
}

TEST(TwoModes, NotInEqualValues) { EXPECT_FALSE(stats::find_two_modes({3, 3, 3, 3, 3, 3})); }

TEST(TwoModes, OneOutlierOfTenIsNoGroup) {
  EXPECT_FALSE(stats::find_two_modes({10.0, 10.1, 9.9, 10.05, 9.95, 10.02, 9.98, 10.07, 9.93, 15}));
  EXPECT_TRUE(stats::find_two_modes({10.0, 10.1, 9.9, 10.05, 9.95, 10.02, 9.98, 10.07, 15.1, 15}));
}

TEST(TwoModes, DoNotDependOnScaleOrPlace) {
  std::vector<double> values{1, 1.1, 0.9, 2, 2.1, 1.9, 1.05};
  const auto plain = stats::find_two_modes(values);
  for (double& v : values) v = 1e9 + 1e3 * v;
  const auto moved = stats::find_two_modes(values);
  ASSERT_TRUE(plain && moved);
  EXPECT_EQ(plain->low_count, moved->low_count);
  EXPECT_NEAR(moved->high, 1e9 + 1e3 * plain->high, 1e-3);
}
