#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How far a mean of a few independent values can be trusted. Temperature: cold.
//
//   const stats::interval i = stats::mean_interval(fork_means, 0.95);  // i.low, i.high, i.df

#include <cmath>
#include <span>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/stats/moments.hpp>
#include <weir/stats/student_t.hpp>

namespace weir::inline WEIR_ABI::stats {

struct interval {
  double low = 0;
  double high = 0;
  double level = 0;  // 0.95
  double df = 0;     // degrees of freedom

  friend bool operator==(const interval&, const interval&) = default;
};

/// An estimate with a t distributed error.
struct estimate {
  double value = 0;
  double standard_error = 0;
  double df = 0;
};

/// The mean of independent values.  Requires: two values.
[[nodiscard]] inline estimate mean_estimate(std::span<const double> values) noexcept {
  const auto n = static_cast<double>(values.size());
  return {mean(values), std::sqrt(variance(values) / n), n - 1};
}

/// value -+ t * standard error, both tails equal.
/// Cost: one student_t_quantile.  Requires: 0 < level < 1.
[[nodiscard]] inline interval interval_of(const estimate& e, double level) noexcept {
  WEIR_EXPECTS(level > 0 && level < 1);
  const double half = student_t_quantile((1 + level) / 2, e.df) * e.standard_error;
  return {e.value - half, e.value + half, level, e.df};
}

/// Student t interval of the mean. It needs values that are independent: means of forks, never their iterations.
/// Requires: two values, 0 < level < 1.
[[nodiscard]] inline interval mean_interval(std::span<const double> values, double level) noexcept {
  return interval_of(mean_estimate(values), level);
}

}  // namespace weir::inline WEIR_ABI::stats
