// SPDX-License-Identifier: Apache-2.0
#include <weir/arrival/exponential.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using weir::arrival::exponential;

// By a model of both the generator of bits and the law, written in Python with whole numbers.
TEST(Exponential, GivesTheGoldenDraws) {
  exponential draw(1);
  for (const std::uint64_t golden : {401'023'166'317'173'390U, 887'880'975'517'229'554U, 13'206'764'506'697'095U,
                                     133'517'013'298'758'622U, 349'318'120'247'131'294U, 291'395'707'159'518'885U})
    EXPECT_EQ(draw.next(), golden);
}

TEST(Exponential, WorksAtCompileTime) { static_assert(exponential(1).next() == 401'023'166'317'173'390U); }

// Of n = 200,000 draws the mean is 1 +- 1/sqrt(n), the mean square 2 +- sqrt(20/n), the share above k e^-k; 4 sigma.
TEST(Exponential, HasTheMomentsAndTheTailOfItsLaw) {
  constexpr int n = 200'000;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    exponential draw(seed);
    double sum = 0;
    double squares = 0;
    std::vector<int> above(8);
    for (int i = 0; i < n; ++i) {
      const double x = static_cast<double>(draw.next()) * 0x1p-58;
      sum += x;
      squares += x * x;
      for (std::size_t k = 0; k < above.size(); ++k) above[k] += x > static_cast<double>(k) + 0.5;
    }
    EXPECT_NEAR(sum / n, 1, 4 / std::sqrt(n));
    EXPECT_NEAR(squares / n, 2, 4 * std::sqrt(20.0 / n));
    for (std::size_t k = 0; k < above.size(); ++k) {
      const double p = std::exp(-0.5 - static_cast<double>(k));
      EXPECT_NEAR(above[k], n * p, 4 * std::sqrt(n * p)) << k;
    }
  }
}

TEST(Exponential, ScalesADrawToAMean) {
  exponential scaled(7);
  exponential plain(7);
  for (int i = 0; i < 1'000; ++i) {
    const double exact = static_cast<double>(plain.next()) * 0x1p-58 * 1e8;
    EXPECT_NEAR(static_cast<double>(scaled(100ms).count()), exact - 0.5, 0.501);
  }
  EXPECT_EQ(scaled(0ns), 0ns);
}

}  // namespace
