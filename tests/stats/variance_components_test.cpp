// SPDX-License-Identifier: Apache-2.0

#include <weir/stats/variance_components.hpp>

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace stats = weir::stats;
using parents_of = std::vector<std::vector<std::size_t>>;

// Two forks of three iterations: S1^2 = 1, S2^2 = 50, T2^2 = 50 - 1/3.
TEST(VarianceComponents, OfTwoLayersByHand) {
  const parents_of parents{{0, 0, 0, 1, 1, 1}};
  const auto layers = stats::variance_components({9, 10, 11, 19, 20, 21}, parents);
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_DOUBLE_EQ(layers[0].variance, 1);
  EXPECT_DOUBLE_EQ(layers[0].repetitions, 3);
  EXPECT_DOUBLE_EQ(layers[1].spread, 50);
  EXPECT_DOUBLE_EQ(layers[1].variance, 50 - 1.0 / 3);
  EXPECT_DOUBLE_EQ(layers[1].repetitions, 2);
  EXPECT_TRUE(layers[1].detectable());
}

// Three layers, so that the corrected term S2^2 / r2 and the printed T2^2 / r2 differ: S1^2 = 2, S2^2 = 4.5, T2^2
// = 3.5, S3^2 = 50, and T3^2 = 50 - 4.5 / 2, not 50 - 3.5 / 2.
TEST(VarianceComponents, SubtractAllThatComesFromBelow) {
  const parents_of parents{{0, 0, 1, 1, 2, 2, 3, 3}, {0, 0, 1, 1}};
  const auto layers = stats::variance_components({0, 2, 3, 5, 10, 12, 13, 15}, parents);
  EXPECT_DOUBLE_EQ(layers[0].variance, 2);
  EXPECT_DOUBLE_EQ(layers[1].spread, 4.5);
  EXPECT_DOUBLE_EQ(layers[1].variance, 3.5);
  EXPECT_DOUBLE_EQ(layers[2].spread, 50);
  EXPECT_DOUBLE_EQ(layers[2].variance, 47.75);
}

TEST(VarianceComponents, NegativeShareIsNotDetectable) {
  const parents_of parents{{0, 0, 1, 1}};
  const auto layers = stats::variance_components({1, 9, 2, 8}, parents);
  EXPECT_LT(layers[1].variance, 0);
  EXPECT_TRUE(layers[1].known);
  EXPECT_FALSE(layers[1].detectable());
}

TEST(VarianceComponents, LayerOfSingleUnitsIsUnknownAndCountsAsPartOfTheNext) {
  const parents_of parents{{0, 1, 2}};
  const auto layers = stats::variance_components({1, 2, 3}, parents);
  EXPECT_FALSE(layers[0].known);
  EXPECT_FALSE(layers[0].detectable());
  EXPECT_DOUBLE_EQ(layers[1].variance, 1);
}

// Forks of 2, 3 and 4 iterations: what the means inherit is 1/2, 1/3 and 1/4 of the iterations' variance.
TEST(VarianceComponents, UnequalRepetitionsInheritByTheirOwnNumber) {
  const parents_of parents{{0, 0, 1, 1, 1, 2, 2, 2, 2}};
  const std::vector<double> values{0, 2, 9, 10, 11, 20, 22, 20, 22};
  const auto layers = stats::variance_components(values, parents);
  const double iterations = (2.0 + 2.0 + 4.0) / 6;
  EXPECT_DOUBLE_EQ(layers[0].variance, iterations);
  EXPECT_DOUBLE_EQ(layers[0].repetitions, 3 / (1.0 / 2 + 1.0 / 3 + 1.0 / 4));
  EXPECT_DOUBLE_EQ(layers[1].variance, layers[1].spread - iterations * (1.0 / 2 + 1.0 / 3 + 1.0 / 4) / 3);
}
