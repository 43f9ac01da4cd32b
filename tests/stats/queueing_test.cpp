// SPDX-License-Identifier: Apache-2.0
#include <weir/stats/queueing.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace {

using weir::stats::dd1;
using weir::stats::md1;
using weir::stats::mm1;
using weir::stats::mm1_tandem;
using weir::stats::stall;

constexpr double mu = 10'000;
constexpr double lambda = 8'000;

TEST(Queueing, NothingWaitsInDD1UpToFullLoad) {
  EXPECT_EQ((dd1{lambda, mu}.slope()), 0);
  EXPECT_EQ((dd1{mu, mu}.latency_at(60)), 1 / mu);
}

TEST(Queueing, OverloadedDD1IsLaterTheLaterARowIsDue) {
  constexpr dd1 queue{.lambda = 1'250, .mu = 1'000};
  EXPECT_DOUBLE_EQ(queue.slope(), 0.25);
  EXPECT_DOUBLE_EQ(queue.latency_at(60), 15.001);
  EXPECT_DOUBLE_EQ(queue.quantile(0.99, 60), 14.851);
}

TEST(Queueing, TimeInMM1IsExponential) {
  constexpr mm1 queue{lambda, mu};
  EXPECT_DOUBLE_EQ(queue.utilization(), 0.8);
  EXPECT_DOUBLE_EQ(queue.mean(), 0.5e-3);
  EXPECT_NEAR(queue.quantile(0.5), 0.34657e-3, 1e-8);
  EXPECT_NEAR(queue.quantile(0.9), 1.15129e-3, 1e-8);
  EXPECT_NEAR(queue.quantile(0.99), 2.30259e-3, 1e-8);
  EXPECT_NEAR(queue.quantile(0.999), 3.45388e-3, 1e-8);
  EXPECT_EQ(queue.quantile(0), 0);
}

// Half the quantiles of chi-square with 6 degrees of freedom: 5.34812, 16.81189, 22.45774.
TEST(Queueing, TimeInATandemOfThreeIsErlang) {
  constexpr mm1_tandem queue{.lambda = lambda, .mu = mu, .stages = 3};
  EXPECT_DOUBLE_EQ(queue.mean(), 1.5e-3);
  EXPECT_NEAR(queue.quantile(0.5), 5.34812 / 2 / 2'000, 1e-8);
  EXPECT_NEAR(queue.quantile(0.99), 16.81189 / 2 / 2'000, 1e-8);
  EXPECT_NEAR(queue.quantile(0.999), 22.45774 / 2 / 2'000, 1e-8);
  EXPECT_NEAR(queue.quantile(0), 0, 1e-300);
}

TEST(Queueing, ATandemOfOneIsMM1) {
  for (const double p : {0.01, 0.5, 0.99, 0.9999})
    EXPECT_NEAR((mm1_tandem{lambda, mu, 1}.quantile(p)), (mm1{lambda, mu}.quantile(p)), 1e-15);
}

TEST(Queueing, MeanOfMD1IsPollaczekKhinchine) {
  EXPECT_DOUBLE_EQ((md1{lambda, mu}.mean()), 0.3e-3);
  EXPECT_DOUBLE_EQ((md1{5'000, mu}.mean()), 0.15e-3);
}

/// Textbook series in the units of service, good to 1e-9 below 8 D: wait <= t.
double wait_cdf_by_series(double rho, double t) {
  double sum = 0;
  for (int k = 0; k <= static_cast<int>(t); ++k)
    sum += std::pow(rho * (k - t), k) / std::tgamma(k + 1.0) * std::exp(rho * (t - k));
  return (1 - rho) * sum;
}

TEST(Queueing, QuantilesOfMD1InvertTheSeries) {
  for (const double rho : {0.1, 0.5, 0.8}) {
    for (const double p : {0.3, 0.6, 0.9, 0.93}) {
      const double wait = md1{rho, 1}.quantile(p) - 1;
      if (p <= 1 - rho)
        EXPECT_EQ(wait, 0) << rho << ' ' << p;
      else
        EXPECT_NEAR(wait_cdf_by_series(rho, wait), p, 1e-9) << rho << ' ' << p;
    }
  }
}

// The same series in 120 digits (mpmath).
TEST(Queueing, QuantilesOfMD1AreThoseOfExactArithmetic) {
  constexpr double relative = 1e-11;
  const auto expect = [](double rho, double p, double exact) {
    EXPECT_NEAR((md1{rho, 1}.quantile(p)), exact, exact * relative) << rho << ' ' << p;
  };
  expect(0.5, 0.99, 4.3362559570022);
  expect(0.5, 0.99999, 9.833688428859);
  expect(0.8, 0.5, 2.27593987337624);
  expect(0.8, 0.99, 11.355886791995);
  expect(0.8, 0.999, 16.7002681940664);
  expect(0.95, 0.999, 68.5733021556977);
}

// The tail of the wait falls as e^(-theta t), where lambda (e^(theta D) - 1) = theta: Cramer and Lundberg.
TEST(Queueing, TheTailOfMD1FallsAtTheRateOfItsRoot) {
  for (const double rho : {0.5, 0.9, 0.98}) {
    double low = 1e-6;
    double high = 5;
    for (int i = 0; i < 200; ++i) {
      const double middle = (low + high) / 2;
      (rho * std::expm1(middle) < middle ? low : high) = middle;
    }
    const md1 queue{rho, 1};
    EXPECT_NEAR((queue.quantile(0.99999) - queue.quantile(0.9999)) * low, std::log(10), 1e-5) << rho;
  }
}

// 1 s of stall in 100 s at 1,000 rows/s.
TEST(Queueing, AStallIsSeenFromTheShareOfRowsThatItHolds) {
  constexpr stall at_once{.length = 1, .span = 100, .base = 0.001};
  EXPECT_DOUBLE_EQ(at_once.quantile(0.99), 0.001);
  EXPECT_DOUBLE_EQ(at_once.quantile(0.995), 0.501);
  EXPECT_DOUBLE_EQ(at_once.quantile(0.999), 0.901);
  EXPECT_DOUBLE_EQ(at_once.mean(), 0.006);
  EXPECT_DOUBLE_EQ((stall{1, 100, 0.5, 0.0005}.quantile(0.99)), 0.5005);
  EXPECT_DOUBLE_EQ((stall{1, 100, 0.5, 0.0005}.quantile(0.999)), 0.9505);
  EXPECT_DOUBLE_EQ((stall{1, 100, 0.8, 0.0008}.quantile(0.99)), 0.8008);
}

TEST(Queueing, AClosedLoopDoesNotSeeTheStall) {
  constexpr stall s{.length = 1, .span = 100, .base = 0.001};
  EXPECT_EQ(s.closed_loop_quantile(0.9999, 1, 100'000), 0.001);
  EXPECT_EQ(s.closed_loop_quantile(0.99999, 2, 100'000), 1);
}

#if WEIR_CHECKS
TEST(QueueingDeathTest, RefusesALoadWithoutAnAnswer) {
  EXPECT_DEATH((void)(mm1{2, 1}.mean()), "weir.expects.*lambda < mu");
  EXPECT_DEATH((void)(md1{1, 1}.quantile(0.5)), "weir.expects.*lambda < mu");
  EXPECT_DEATH((void)(mm1{0.5, 1}.quantile(1)), "weir.expects.*p < 1");
}
#endif

}  // namespace
