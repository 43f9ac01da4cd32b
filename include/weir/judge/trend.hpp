#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Does latency rise while the job runs, and by how much per unit of time? An overloaded system's does by
// lambda/mu - 1, whatever its latency is. Temperature: cold.
//
//   if (const auto slope = judge::latency_slope(sample)) use(slope->value, slope->low, slope->high);

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/record/sample.hpp>
#include <weir/stats/student_t.hpp>

namespace weir::inline WEIR_ABI::judge {

using std::chrono::nanoseconds;

/// Rise of latency per intended time: 0.01 means 10 ms later after each second. The interval holds 95 %.
struct slope_interval {
  double value = 0;
  double low = 0;
  double high = 0;
  nanoseconds span{};  // of intended time that it was fitted on

  friend bool operator==(const slope_interval&, const slope_interval&) = default;
};

namespace detail {

/// What is left of a fitted curve, when neighbours resemble each other.
struct residual_noise {
  double variance = 0;  // of one residual
  double together = 1;  // residuals that tell as much as one independent one
  double degrees = 2;   // of freedom, of the variance
};

/// Residuals of a parabola as a first-order autoregression. Their lag-1 correlation rho comes out too low by
/// (3 + 5 rho) / n, as around any fitted curve, and is put right by that; below zero it is noise and counts as none.
/// Above 0.95 nobody can tell it from a random walk, in so few. Source: Kendall, "Note on bias in the estimation of
/// autocorrelation", Biometrika 41 (1954); (1 + rho) / (1 - rho) for the variance of sums: Law, "Simulation Modeling
/// and Analysis", 9.5.3.
[[nodiscard]] inline residual_noise noise_of(std::span<const double> residuals) noexcept {
  constexpr double fitted = 3;  // coefficients
  const auto n = static_cast<double>(residuals.size());
  double squares = 0;
  double products = 0;
  double previous = 0;
  for (const double r : residuals) {
    squares += r * r;
    products += r * previous;
    previous = r;
  }
  const double seen = squares > 0 ? products / squares : 0;
  const double rho = std::clamp(seen + (fitted + (fitted + 2) * seen) / n, 0.0, 0.95);
  const double together = (1 + rho) / (1 - rho);
  return {.variance = squares / std::max(1.0, n - fitted * together),
          .together = together,
          .degrees = std::max(2.0, n / together - fitted)};
}

}  // namespace detail

/// Least squares over the means of at most 40 contiguous batches. Batches, because neighbouring rows share a queue and
/// are no independent witnesses; and because near capacity neighbouring batches are not either, the Student interval
/// counts as many as tell something of their own. What scatters is taken around a parabola: an overload that sets in
/// late bends the line, and is no noise. The first 10 % of the schedule is left out as warm-up. None with fewer than 8
/// batches: the interval would say nothing. Source: batch means, Law, "Simulation Modeling and Analysis", 9.5.3; D/D/1
/// with lambda > mu has latency 1/mu + t (lambda/mu - 1).
[[nodiscard]] inline std::optional<slope_interval> latency_slope(const record::sample& s) {
  constexpr std::size_t most_batches = 40;
  constexpr std::size_t fewest_batches = 8;
  const auto warm =
      std::ranges::find_if(s.trend, [&](const record::trend_point& p) { return p.intended * 10 >= s.schedule_time; });
  const std::span<const record::trend_point> points(warm, s.trend.end());
  const std::size_t batches = std::min(points.size(), most_batches);
  if (batches < fewest_batches) return {};

  struct batch {
    double intended = 0;
    double latency = 0;
  };
  std::vector<batch> means;
  batch centre;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t first = b * points.size() / batches;
    const std::size_t last = (b + 1) * points.size() / batches;
    batch mean;
    double rows = 0;
    for (const auto& p : points.subspan(first, last - first)) {
      const auto weight = static_cast<double>(p.rows);
      rows += weight;
      mean.intended += weight * static_cast<double>(p.intended.count());
      mean.latency += weight * static_cast<double>(p.latency.count());
    }
    if (rows == 0) return {};
    means.push_back({mean.intended / rows, mean.latency / rows});
    centre.intended += means.back().intended / static_cast<double>(batches);
    centre.latency += means.back().latency / static_cast<double>(batches);
  }

  double sxx = 0;
  double sxy = 0;
  for (const batch& m : means) {
    sxx += (m.intended - centre.intended) * (m.intended - centre.intended);
    sxy += (m.intended - centre.intended) * (m.latency - centre.latency);
  }
  if (sxx == 0) return {};
  const double value = sxy / sxx;
  double cubes = 0;
  for (const batch& m : means) cubes += std::pow(m.intended - centre.intended, 3);
  const auto bend = [&](const batch& m) {  // of the parabola: what is neither level nor slope
    const double x = m.intended - centre.intended;
    return x * x - sxx / static_cast<double>(batches) - cubes / sxx * x;
  };
  double szz = 0;
  double szy = 0;
  for (const batch& m : means) {
    szz += bend(m) * bend(m);
    szy += bend(m) * m.latency;
  }
  const double curvature = szz > 0 ? szy / szz : 0;
  std::vector<double> residuals;
  for (const batch& m : means)
    residuals.push_back(m.latency - centre.latency - value * (m.intended - centre.intended) - curvature * bend(m));
  const detail::residual_noise noise = detail::noise_of(residuals);
  const double half_width =
      stats::student_t_quantile(0.975, noise.degrees) * std::sqrt(noise.variance * noise.together / sxx);
  return slope_interval{.value = value,
                        .low = value - half_width,
                        .high = value + half_width,
                        .span = points.back().intended - points.front().intended};
}

enum class trend_state { steady, growing, inconclusive };

/// Growing if the lower end is above `growing`, steady if the upper end is below `steady`. A rise that
/// adds up to less than `floor` over the span counts as none: in a short job it is one scheduler hiccup.
[[nodiscard]] inline trend_state classify(const slope_interval& slope, double growing, double steady,
                                          nanoseconds floor) noexcept {
  const auto visible = [&](double rise) {
    return rise * static_cast<double>(slope.span.count()) >= static_cast<double>(floor.count());
  };
  if (slope.low > growing && visible(slope.low)) return trend_state::growing;
  if (slope.high < steady || !visible(slope.high)) return trend_state::steady;
  return trend_state::inconclusive;
}

}  // namespace weir::inline WEIR_ABI::judge
