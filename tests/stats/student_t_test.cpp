// SPDX-License-Identifier: Apache-2.0
#include <weir/stats/student_t.hpp>

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace {

using weir::stats::student_t_cdf;
using weir::stats::student_t_quantile;

// Two-sided 95 % and 99.9 % points as printed in statistical tables.
TEST(StudentT, QuantilesMatchTheTables) {
  struct point {
    double probability, degrees, expected;
  };
  constexpr point table[] = {
      {0.975, 1, 12.7062},  {0.975, 2, 4.30265},  {0.975, 4, 2.77645},   {0.975, 10, 2.22814},
      {0.975, 18, 2.10092}, {0.975, 30, 2.04227}, {0.975, 120, 1.97993}, {0.95, 5, 2.01505},
      {0.995, 8, 3.35539},  {0.9995, 2, 31.5991}, {0.9995, 14, 4.14045}, {0.9, 3, 1.63774},
  };
  for (const auto& p : table) {
    EXPECT_NEAR(student_t_quantile(p.probability, p.degrees) / p.expected, 1, 5e-6)
        << p.probability << " at " << p.degrees;
  }
}

TEST(StudentT, OneDegreeIsCauchy) {
  for (const double t : {-30.0, -1.0, 0.0, 0.25, 7.0}) {
    EXPECT_NEAR(student_t_cdf(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-13);
  }
}

TEST(StudentT, ManyDegreesApproachTheNormal) { EXPECT_NEAR(student_t_quantile(0.975, 1e6), 1.959964 + 2.4e-6, 1e-6); }

TEST(StudentT, FractionalDegreesLieBetweenWholeOnes) {
  const double between = student_t_quantile(0.975, 2.5);
  EXPECT_LT(between, student_t_quantile(0.975, 2));
  EXPECT_GT(between, student_t_quantile(0.975, 3));
}

TEST(StudentT, IsSymmetricAndInverts) {
  EXPECT_EQ(student_t_quantile(0.025, 7), -student_t_quantile(0.975, 7));
  EXPECT_NEAR(student_t_quantile(0.5, 7), 0, 1e-9);
  for (const double p : {0.001, 0.3, 0.77, 0.9999}) {
    EXPECT_NEAR(student_t_cdf(student_t_quantile(p, 3.7), 3.7), p, 1e-12);
  }
}

}  // namespace
