// SPDX-License-Identifier: Apache-2.0
#include <weir/stats/autocorrelation.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>

namespace {

using weir::stats::correlation_time;
using weir::stats::variance_of_mean;

/// x_n = phi x_n-1 + noise, from its stationary law. The sum of its correlations is phi / (1 - phi), so its
/// correlation time is (1 + phi) / (1 - phi).
std::vector<double> autoregressive(double phi, std::size_t n, std::uint64_t seed) {
  weir::random_bits bits(seed);
  const auto noise = [&] { return bits.uniform() + bits.uniform() + bits.uniform() - 1.5; };  // variance 1/4
  std::vector<double> values{noise() / std::sqrt(1 - phi * phi)};
  while (values.size() < n) values.push_back(phi * values.back() + noise());
  return values;
}

TEST(CorrelationTime, IsThatOfAKnownProcess) {
  for (const double phi : {0.5, 0.9}) {
    const double expected = (1 + phi) / (1 - phi);
    EXPECT_NEAR(correlation_time(autoregressive(phi, 200'000, 1)), expected, 0.1 * expected) << phi;
  }
}

TEST(CorrelationTime, OfIndependentValuesIsOne) {
  EXPECT_NEAR(correlation_time(autoregressive(0, 100'000, 2)), 1, 0.05);
}

TEST(CorrelationTime, IsNeverBelowOne) {
  EXPECT_EQ(correlation_time(std::vector<double>{}), 1);
  EXPECT_EQ(correlation_time(std::vector{5.0}), 1);
  EXPECT_EQ(correlation_time(std::vector{5.0, 5.0, 5.0}), 1);
  EXPECT_EQ(correlation_time(std::vector{0.0, 1.0, 0.0, 1.0, 0.0, 1.0}), 1);
}

// By hand: 1, 2, 3, 4, 5 has c0 = 2, c1 = 0.8, c2 = -0.2, c3 = -0.8. Pairs: 1.4, then -0.5.
TEST(CorrelationTime, EndsAtTheFirstPairThatIsNotPositive) {
  EXPECT_DOUBLE_EQ(correlation_time(std::vector{1.0, 2.0, 3.0, 4.0, 5.0}), 2 * 1.4 - 1);
}

TEST(VarianceOfMean, OfAHandfulIsTheirVarianceByTheirNumber) {
  EXPECT_DOUBLE_EQ(variance_of_mean(std::vector{1.0, 5.0, 1.0, 5.0}), 16.0 / 3 / 4);
  EXPECT_EQ(variance_of_mean(std::vector{3.0, 3.0}), 0);
}

// The variance of 400 such means against what each series said of itself.
TEST(VarianceOfMean, IsWhatTheMeansOfManySeriesShow) {
  constexpr int series = 400;
  double said = 0;
  double squares = 0;
  for (int i = 0; i < series; ++i) {
    const auto values = autoregressive(0.8, 2'000, 100 + static_cast<std::uint64_t>(i));
    double mean = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    squares += mean * mean / series;
    said += variance_of_mean(values) / series;
  }
  EXPECT_NEAR(said / squares, 1, 0.2);
}

}  // namespace
