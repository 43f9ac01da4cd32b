#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a series of values that depend on each other says about its mean: less than as many independent ones.
// Temperature: cold.
//
//   const double error = std::sqrt(stats::variance_of_mean(batch_means));

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::stats {

namespace detail {

/// Sum of (v[i] - mean) (v[i + lag] - mean), over n.
[[nodiscard]] inline double autocovariance(std::span<const double> values, double mean, std::size_t lag) noexcept {
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i) sum += (values[i] - mean) * (values[i - lag] - mean);
  return sum / static_cast<double>(values.size());
}

}  // namespace detail

/// How many neighbours in time tell as much as one independent value: 1 + 2 (rho_1 + rho_2 + ...), at least 1.
/// The sum ends at the first pair rho_2m + rho_2m+1 that is not positive, because from there on it is noise.
/// Source: initial positive sequence, Geyer, "Practical Markov chain Monte Carlo", Statistical Science 7 (1992).
[[nodiscard]] inline double correlation_time(std::span<const double> values) noexcept {
  if (values.size() < 2) return 1;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const double variance = detail::autocovariance(values, mean, 0);
  if (variance <= 0) return 1;
  double pairs = 0;
  for (std::size_t lag = 0; lag + 1 < values.size(); lag += 2) {
    const double pair =
        (detail::autocovariance(values, mean, lag) + detail::autocovariance(values, mean, lag + 1)) / variance;
    if (pair <= 0) break;
    pairs += pair;
  }
  return std::max(1.0, 2 * pairs - 1);
}

/// Variance of the mean of a stationary series: s^2 / n * correlation_time().  Requires: two values or more.
[[nodiscard]] inline double variance_of_mean(std::span<const double> values) noexcept {
  WEIR_EXPECTS(values.size() >= 2);
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  return detail::autocovariance(values, mean, 0) / (n - 1) * correlation_time(values);
}

}  // namespace weir::inline WEIR_ABI::stats
