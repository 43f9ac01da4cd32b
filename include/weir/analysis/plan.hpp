#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How many repetitions of each layer buy a wanted precision in the least time. Temperature: cold.
//
//   const analysis::repetition_plan p = analysis::plan(summary, 0.01);  // +-1 %
//   if (p.why_not.empty()) use(p.layers[0].repetitions, p.relative_half_width, p.seconds);

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/stats/student_t.hpp>

namespace weir::inline WEIR_ABI::analysis {

struct repetition_plan {
  std::string benchmark;
  std::string variant;
  metric what;  // the primary one
  double wanted_relative_half_width = 0;
  double level = 0;
  std::vector<layer> layers;             // top first; repetitions are the planned ones
  double relative_half_width = unknown;  // predicted
  double seconds = unknown;              // predicted, one repetition after the other
  std::string why_not;                   // why there is no plan; "" when there is one
};

namespace detail {

/// Below 5 units at the top the interval rests on next to nothing.
inline constexpr double fewest_at_top = 5;

/// Half width of the interval over the mean of n units.
[[nodiscard]] inline double half_width(double spread, double n, double level) {
  constexpr double normal_by_then =
      1e6;  // degrees of freedom beyond which student_t_quantile loses digits, not changes
  return stats::student_t_quantile((1 + level) / 2, std::min(n - 1, normal_by_then)) * std::sqrt(spread / n);
}

/// The smallest n that makes it at most `half`; infinity when no number does.
/// Requires: spread and half are finite.
[[nodiscard]] inline double repetitions_at_top(double spread, double half, double level) {
  const auto enough = [&](double n) { return half_width(spread, n, level) <= half; };
  double low = fewest_at_top - 1;  // not enough, or not allowed
  double high = fewest_at_top;
  while (!enough(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const double middle = std::floor(low + (high - low) / 2);
    if (middle <= low || middle >= high) break;  // beyond 2^53 a double has no number between
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace detail

/// From the bottom up each layer gets r[i] = ceil(sqrt(c[i+1] / c[i] * T[i]^2 / T[i+1]^2)), which makes cost times
/// variance least, and the top as many as the interval then needs, 5 at least. A layer that is not detectable gets 1
/// and hands its cost to the one above; when the top is not, the layers below do all the work for 5 units of it. A
/// layer keeps the repetitions that it had when the cost of the one above is not known.
/// The variances of a few forks are rough: after a run that is twice as long, plan again.
/// Cost: about 1 ms.  Requires: wanted_relative_half_width > 0.
/// Source: Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, section 6.
[[nodiscard]] inline repetition_plan plan(const benchmark_summary& measured, double wanted_relative_half_width) {
  WEIR_EXPECTS(wanted_relative_half_width > 0);
  repetition_plan p;
  p.benchmark = measured.name;
  p.variant = measured.variant;
  p.wanted_relative_half_width = wanted_relative_half_width;
  if (measured.estimates.empty()) {
    p.why_not = "no fork has a value";
    return p;
  }
  const estimate& primary = measured.estimates.front();
  p.what = primary.what;
  p.level = primary.level;
  if (!primary.has_interval()) {
    p.why_not = "one " + primary.over + " tells nothing about the variance among them: run two or more";
    return p;
  }
  if (primary.mean == 0) {
    p.why_not = "the mean is 0: no half width can be relative to it";
    return p;
  }

  p.layers = measured.layers;
  const double half = wanted_relative_half_width * std::fabs(primary.mean);
  // The spread of the units at the top with which the fewest of them are enough.
  const double t = stats::student_t_quantile((1 + p.level) / 2, detail::fewest_at_top - 1);
  const double allowed = detail::fewest_at_top * (half / t) * (half / t);

  double inherited = 0;  // variance of a unit's mean that stems from the layers below
  double seconds = 0;    // that those below take
  double own_cost = 0;   // of the layers below that were not detectable
  for (std::size_t i = p.layers.size(); i-- > 0;) {
    layer& here = p.layers[i];
    const double variance = here.detectable ? here.variance : 0;
    const double spread = variance + inherited;
    const double cost = here.cost_seconds + own_cost;
    seconds += here.cost_seconds;
    if (i == 0) {
      if (!std::isfinite(spread) || !std::isfinite(half)) {
        p.why_not = "the mean or a variance is not finite: nothing can be planned from it";
        return p;
      }
      here.repetitions = detail::repetitions_at_top(spread, half, p.level);
      p.relative_half_width = detail::half_width(spread, here.repetitions, p.level) / std::fabs(primary.mean);
      p.seconds = seconds * here.repetitions;
      break;
    }
    // The next layer up that is detectable; those between have one unit each, at their cost.
    std::size_t above = i - 1;
    double above_cost = p.layers[above].cost_seconds;
    while (above > 0 && !p.layers[above].detectable) above_cost += p.layers[--above].cost_seconds;
    own_cost = 0;
    if (!here.detectable) {
      here.repetitions = 1;
      own_cost = cost;
    } else if (!p.layers[above].detectable) {
      here.repetitions = spread / allowed;
    } else if (above_cost > 0 && cost > 0) {
      here.repetitions = std::sqrt(above_cost / cost * variance / p.layers[above].variance);
    }
    here.repetitions = std::max(1.0, std::ceil(here.repetitions));
    seconds *= here.repetitions;
    inherited = spread / here.repetitions;
  }
  return p;
}

}  // namespace weir::inline WEIR_ABI::analysis
