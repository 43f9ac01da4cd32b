#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Mean and variance of a few values. Temperature: cold.
//
//   const double cv = std::sqrt(stats::variance(values)) / stats::mean(values);

#include <numeric>
#include <span>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::stats {

/// Requires: a value.
[[nodiscard]] inline double mean(std::span<const double> values) noexcept {
  WEIR_EXPECTS(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squares around the mean, in two passes: the one-pass form cancels when the mean is far from 0.
[[nodiscard]] inline double squares_around_mean(std::span<const double> values) noexcept {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return squares;
}

/// Of the population that the values are a sample of (n - 1 in the divisor).  Requires: two values.
[[nodiscard]] inline double variance(std::span<const double> values) noexcept {
  WEIR_EXPECTS(values.size() >= 2);
  return squares_around_mean(values) / static_cast<double>(values.size() - 1);
}

}  // namespace weir::inline WEIR_ABI::stats
