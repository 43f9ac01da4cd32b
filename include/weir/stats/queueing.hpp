#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Queues whose answer is known, to hold measurements against. All are one server, first come first served;
// lambda rows arrive and mu can be served per unit of time, and every time is in that unit. Temperature: cold.
//
//   constexpr stats::mm1 queue{.lambda = 8'000, .mu = 10'000};  // per second
//   queue.quantile(0.99);                                       // 2.303e-3 seconds from arrival to departure
//
//   dd1         arrivals and service at fixed times, overloaded or not
//   mm1         Poisson arrivals, exponential service
//   mm1_tandem  several of them in a row
//   md1         Poisson arrivals, fixed service
//   stall       a server that stands still once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::stats {

/// Nothing waits up to lambda = mu. Above, the latency of the row due at t grows with t for ever.
struct dd1 {
  double lambda = 0;
  double mu = 0;

  /// Rise of latency per intended time. By time of completion it would be slope / (1 + slope).
  [[nodiscard]] constexpr double slope() const noexcept { return std::max(0.0, lambda / mu - 1); }
  [[nodiscard]] constexpr double latency_at(double due) const noexcept { return 1 / mu + due * slope(); }
  /// The latency that a share p of the rows due within `span` does not exceed, all of them drained.
  [[nodiscard]] constexpr double quantile(double p, double span) const noexcept { return latency_at(p * span); }
};

/// Requires: lambda < mu.  Source: Kleinrock, "Queueing Systems", vol. 1, 1975, 3.2: time in system is
/// exponential with rate mu - lambda.
struct mm1 {
  double lambda = 0;
  double mu = 0;

  [[nodiscard]] constexpr double utilization() const noexcept { return lambda / mu; }
  [[nodiscard]] constexpr double mean() const noexcept {
    WEIR_EXPECTS(lambda < mu);
    return 1 / (mu - lambda);
  }
  /// Requires: 0 <= p < 1.
  [[nodiscard]] double quantile(double p) const noexcept {
    WEIR_EXPECTS(p >= 0 && p < 1);
    return -std::log1p(-p) * mean();
  }
};

/// `stages` equal M/M/1 in a row, the work of a row drawn anew at each.
/// Requires: lambda < mu.  Source: Burke 1956, Reich 1957: what leaves one is again Poisson and the times in
/// each are independent, so their sum is Erlang with rate mu - lambda.
struct mm1_tandem {
  double lambda = 0;
  double mu = 0;
  int stages = 1;

  [[nodiscard]] constexpr double mean() const noexcept { return stages * mm1{lambda, mu}.mean(); }
  /// P[time in all of them <= t].
  [[nodiscard]] double cdf(double t) const noexcept {
    const double x = t / mm1{lambda, mu}.mean();
    double term = 1;
    double sum = 1;
    for (int k = 1; k < stages; ++k) sum += term *= x / k;
    return 1 - std::exp(-x) * sum;
  }
  /// Requires: 0 <= p < 1.  Cost: a bisection to the last bit.
  [[nodiscard]] double quantile(double p) const noexcept {
    WEIR_EXPECTS(p >= 0 && p < 1);
    double low = 0;
    double high = mean();
    while (cdf(high) < p) high *= 2;
    for (double middle = high / 2; low < middle && middle < high; middle = low + (high - low) / 2)
      (cdf(middle) < p ? low : high) = middle;
    return high;
  }
};

/// Requires: lambda < mu.
struct md1 {
  double lambda = 0;
  double mu = 0;

  [[nodiscard]] constexpr double utilization() const noexcept { return lambda / mu; }

  /// Source: Pollaczek, Khinchine: the wait is lambda E[S^2] / (2 (1 - rho)).
  [[nodiscard]] constexpr double mean() const noexcept {
    WEIR_EXPECTS(lambda < mu);
    return 1 / mu + utilization() / (2 * (mu - lambda));
  }

  /// Requires: 0 <= p < 1.  Cost: quadratic in quantile / service: 2 us at rho 0.8 and p 0.99, 0.3 ms at 0.99 and
  /// 0.9999. Error: below 1e-11 relative. Source: Franx, "A simple solution for the M/D/c waiting time distribution",
  /// Oper. Res. Lett. 29, 2001: P[wait <= k D - u] = sum_{j<k} Q[k-1-j] e^{-lambda u} (lambda u)^j / j!, with Q[m] =
  /// P[at most m + 1 in the system]. No term is negative, where the textbook's alternating series loses every digit at
  /// 30 D.
  [[nodiscard]] double quantile(double p) const {
    WEIR_EXPECTS(lambda < mu && p >= 0 && p < 1);
    const double rho = utilization();
    if (p <= 1 - rho) return 1 / mu;
    const std::vector<double> at_most = at_most_one_more_until(p);
    const std::size_t k = at_most.size();
    const auto wait_cdf = [&](double u) {  // of the wait k - u, in units of service
      double term = std::exp(-rho * u);
      double sum = 0;
      for (std::size_t j = 0; j < k; ++j) {
        sum += at_most[k - 1 - j] * term;
        term *= rho * u / static_cast<double>(j + 1);
      }
      return sum;
    };
    double low = 0;
    double high = 1;
    for (double u = 0.5; low < u && u < high; u = low + (high - low) / 2) (wait_cdf(u) < p ? high : low) = u;
    return (static_cast<double>(k) - low + 1) / mu;
  }

 private:
  /// P[at most 1, 2, ... in the system], up to the first that is at least p.
  /// As many rows leave n behind as cross from n to n + 1 by arrivals during a service, Poisson with mean rho:
  /// P[n+1] a[0] = P[0] A[n+1] + sum_{i=1..n} P[i] A[n+2-i], A[m] = P[m or more arrive]: only additions.
  [[nodiscard]] std::vector<double> at_most_one_more_until(double p) const {
    const double rho = utilization();
    const double none = std::exp(-rho);
    const auto tail = [&](std::size_t least) {
      double term = none;
      for (std::size_t i = 1; i <= least; ++i) term *= rho / static_cast<double>(i);
      double sum = 0;
      for (std::size_t i = least + 1; sum + term != sum; ++i) {
        sum += term;
        term *= rho / static_cast<double>(i);
      }
      return sum;
    };
    std::vector<double> many;  // A[0], A[1], ...
    for (std::size_t m = 0; m < 3; ++m) many.push_back(tail(m));
    std::vector<double> in_system{1 - rho};
    std::vector<double> at_most;
    double sum = in_system[0];
    for (std::size_t n = 0; sum < p || at_most.empty(); ++n) {
      while (many.size() < n + 2) many.push_back(tail(many.size()));
      double crossing = in_system[0] * many[n + 1];
      for (std::size_t i = 1; i <= n; ++i) crossing += in_system[i] * many[n + 2 - i];
      in_system.push_back(crossing / none);
      at_most.push_back(sum += in_system.back());
    }
    return at_most;
  }
};

/// A server that stands still for `length` once in a run of `span`, and catches up afterwards; constant
/// arrivals, service so short beside the stall that a row outside has the latency `base`.
struct stall {
  double length = 0;
  double span = 0;
  double utilization = 0;  // lambda / mu while it catches up; 0: at once
  double base = 0;

  /// The rows late by more than x are those due in the first (length - x) / (1 - rho) of the stall's wake.
  [[nodiscard]] constexpr double quantile(double p) const noexcept {
    return base + std::max(0.0, length - (1 - p) * span * (1 - utilization));
  }
  /// What a load generator would report that sends the next of `rows` rows only when one of its `slots` is free:
  /// nothing is sent during the stall, so only `slots` rows meet it.
  [[nodiscard]] constexpr double closed_loop_quantile(double p, double slots, double rows) const noexcept {
    return slots / rows > 1 - p ? std::max(length, base) : base;
  }
  /// Mean over all rows: the stall's wake is a triangle.
  [[nodiscard]] constexpr double mean() const noexcept {
    return base + length * length / (2 * span * (1 - utilization));
  }
};

}  // namespace weir::inline WEIR_ABI::stats
