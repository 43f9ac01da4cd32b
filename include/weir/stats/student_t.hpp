#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Student's t distribution, for every interval over a handful of runs. Temperature: cold.
//
//   const double half_width = stats::student_t_quantile(0.975, n - 1) * standard_error;

#include <cmath>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::stats {

namespace detail {

/// Regularised incomplete beta I_x(a, b).
/// Source: Abramowitz, Stegun, "Handbook of Mathematical Functions", 26.5.8, evaluated from the front
/// (Lentz 1976). Left of the mean it converges within O(sqrt(max(a, b))) terms; right of it I_x(a, b) = 1 - I_1-x(b,
/// a).
[[nodiscard]] inline double incomplete_beta(double a, double b, double x) noexcept {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const bool mirrored = x > (a + 1) / (a + b + 2);
  if (mirrored) {
    std::swap(a, b);
    x = 1 - x;
  }
  // lgamma keeps the sign of its result in a global, which is benign for positive arguments.
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  constexpr double tiny = 1e-300;
  const auto nonzero = [](double v) { return std::fabs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int i = 1; i < 10'000; ++i) {
    const double m = i;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    const double step = c * d;
    fraction *= step;
    if (std::fabs(step - 1) < 1e-15) break;
  }
  return mirrored ? 1 - front * fraction : front * fraction;
}

}  // namespace detail

/// P[T <= t].  Requires: degrees > 0, not necessarily whole (Welch).
/// Source: Abramowitz, Stegun, 26.7.1: the two tails hold I_x(degrees/2, 1/2), x = degrees / (degrees + t^2).
[[nodiscard]] inline double student_t_cdf(double t, double degrees) noexcept {
  WEIR_EXPECTS(degrees > 0);
  const double tail = 0.5 * detail::incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  return t < 0 ? tail : 1 - tail;
}

/// The t that P[T <= t] = probability.  Requires: 0 < probability < 1, degrees > 0.
/// Cost: a bisection to the last bit, about 20 us.  Error: below 1e-9 relative.
[[nodiscard]] inline double student_t_quantile(double probability, double degrees) noexcept {
  WEIR_EXPECTS(probability > 0 && probability < 1);
  if (probability < 0.5) return -student_t_quantile(1 - probability, degrees);
  double low = 0;
  double high = 1;
  while (student_t_cdf(high, degrees) < probability && high < 1e100) high *= 2;
  for (double middle = high / 2; low < middle && middle < high; middle = low + (high - low) / 2) {
    (student_t_cdf(middle, degrees) < probability ? low : high) = middle;
  }
  return high;
}

}  // namespace weir::inline WEIR_ABI::stats
