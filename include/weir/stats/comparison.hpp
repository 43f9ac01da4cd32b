#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Is one mean above another, by how much, and what difference would have been seen at all? For a ratio, give it
// logarithms: their difference is symmetric and its interval keeps its level down to 3 values. Temperature: cold.
//
//   const stats::estimate d = stats::welch_difference(log_base, log_candidate);
//   const double p = stats::p_value(d);
//   const stats::interval ratio_on_logs = stats::interval_of(d, 0.95);

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/stats/interval.hpp>
#include <weir/stats/moments.hpp>
#include <weir/stats/student_t.hpp>

namespace weir::inline WEIR_ABI::stats {

/// mean(candidate) - mean(base) of two independent sets whose variances may differ.
/// Requires: two values on each side.
/// Source: Welch, "The generalization of Student's problem when several different population variances are involved",
/// Biometrika 34, 1947; degrees of freedom by Satterthwaite.
[[nodiscard]] inline estimate welch_difference(std::span<const double> base, std::span<const double> candidate) {
  const auto n = static_cast<double>(base.size());
  const auto m = static_cast<double>(candidate.size());
  const double a = variance(base) / n;
  const double b = variance(candidate) / m;
  const double spread = a * a / (n - 1) + b * b / (m - 1);
  return {mean(candidate) - mean(base), std::sqrt(a + b), spread > 0 ? (a + b) * (a + b) / spread : n + m - 2};
}

/// Mean of candidate[i] - base[i]: what both sides of a pair have in common cancels.
/// Requires: as many values on both sides, at least two.
[[nodiscard]] inline estimate paired_difference(std::span<const double> base, std::span<const double> candidate) {
  WEIR_EXPECTS(base.size() == candidate.size());
  std::vector<double> differences(base.size());
  std::transform(candidate.begin(), candidate.end(), base.begin(), differences.begin(), std::minus<>());
  return mean_estimate(differences);
}

/// Of a difference at least as far from 0, on either side, if there were none. Without any spread it is 0 or 1.
[[nodiscard]] inline double p_value(const estimate& difference) noexcept {
  if (difference.value == 0) return 1;
  if (difference.standard_error == 0) return 0;
  return 2 * student_t_cdf(-std::fabs(difference.value) / difference.standard_error, difference.df);
}

/// P values made larger so that calling each one below alpha keeps the chance of any false call at alpha, whatever the
/// dependence among them.  Cost: O(n log n).
/// Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statistics 6, 1979.
[[nodiscard]] inline std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

/// The true difference that is found with probability `power` by a rule that wants p < alpha and an estimate beyond
/// `threshold`: max(t[1 - alpha/2] se, threshold) + t[power] se. The central t stands for the noncentral one, which
/// costs at most some points of power at 3 degrees of freedom.
/// Requires: 0 < alpha < 1, 0.5 <= power < 1.
[[nodiscard]] inline double detectable_difference(const estimate& difference, double alpha, double power,
                                                  double threshold = 0) noexcept {
  const double needed = student_t_quantile(1 - alpha / 2, difference.df) * difference.standard_error;
  return std::max(needed, threshold) + student_t_quantile(power, difference.df) * difference.standard_error;
}

}  // namespace weir::inline WEIR_ABI::stats
