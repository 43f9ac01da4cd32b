#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Did a process settle? Its iterations are cut where their mean changes, and the pieces tell the course it took.
// Temperature: cold.
//
//   const stats::steady_state s = stats::find_steady_state(iteration_times);
//   if (s.course == stats::course::warm_up) suggest_warmup(s.from);

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/stats/moments.hpp>
#include <weir/stats/quantile.hpp>

namespace weir::inline WEIR_ABI::stats {

/// unknown: too few iterations to say. warm_up: it ends faster than it began. slowdown: it was faster once.
enum class course { unknown, flat, warm_up, slowdown, no_steady_state };

struct steady_state {
  stats::course course = course::unknown;
  std::size_t from = 0;  // the iteration that the steady state begins with; 0 unless warm_up or slowdown
};

namespace detail {

/// Consecutive iterations with one mean.
struct segment {
  std::size_t first = 0;
  std::size_t end = 0;
  double mean = 0;
};

/// Standard deviation of the noise around a mean that may jump: from the differences of neighbours, without the
/// largest fifth of them, where the jumps and the outliers are.
[[nodiscard]] inline double noise_of(std::span<const double> values) {
  std::vector<double> squares;
  for (std::size_t i = 1; i < values.size(); ++i) {
    squares.push_back((values[i] - values[i - 1]) * (values[i] - values[i - 1]) / 2);
  }
  std::sort(squares.begin(), squares.end());
  squares.resize(squares.size() - squares.size() / 5);
  // The lower 80 % of a chi-squared variable with one degree of freedom have the mean 0.438.
  return std::sqrt(mean(squares) / 0.438);
}

/// Spikes taken down to what is around them: a value more than 5 times the noise away from the median of the five in
/// the middle of which it stands. A change that lasts for three is none.
[[nodiscard]] inline std::vector<double> without_spikes(std::span<const double> values, double noise) {
  std::vector<double> calm(values.begin(), values.end());
  for (std::size_t i = 2; i + 2 < values.size(); ++i) {
    const double around = median(
        {values.begin() + static_cast<std::ptrdiff_t>(i) - 2, values.begin() + static_cast<std::ptrdiff_t>(i) + 3});
    if (std::fabs(values[i] - around) > 5 * noise) calm[i] = around;
  }
  return calm;
}

/// Cuts that minimise the squares around the means of the pieces, plus `penalty` for each.
/// Cost: O(n) to O(n^2) as changes get rarer.
/// Source: PELT, Killick, Fearnhead, Eckley, "Optimal detection of changepoints with a linear computational cost",
/// J. American Statistical Association 107, 2012.
[[nodiscard]] inline std::vector<segment> segments_of(std::span<const double> values, double penalty) {
  const std::size_t n = values.size();
  const double centre = mean(values);
  std::vector<double> sum(n + 1, 0.0);
  std::vector<double> squares(n + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    sum[i + 1] = sum[i] + (values[i] - centre);
    squares[i + 1] = squares[i] + (values[i] - centre) * (values[i] - centre);
  }
  const auto cost = [&](std::size_t first, std::size_t end) {
    const double total = sum[end] - sum[first];
    return squares[end] - squares[first] - total * total / static_cast<double>(end - first);
  };

  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> cut(n + 1, 0);
  std::vector<std::size_t> candidates;
  best[0] = -penalty;
  for (std::size_t end = 1; end <= n; ++end) {
    candidates.push_back(end - 1);
    for (const std::size_t first : candidates) {
      const double total = best[first] + cost(first, end) + penalty;
      if (total < best[end]) {
        best[end] = total;
        cut[end] = first;
      }
    }
    std::erase_if(candidates, [&](std::size_t first) { return best[first] + cost(first, end) > best[end]; });
  }
  std::vector<segment> pieces;
  for (std::size_t end = n; end > 0; end = cut[end]) {
    pieces.push_back({cut[end], end, mean(values.subspan(cut[end], end - cut[end]))});
  }
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

}  // namespace detail

/// The course of a process whose iterations cost `values`, lower being faster. Fewer than 8: unknown.
///
/// A change of the mean counts if it lowers the squares around it by 15 ln n variances of the noise, lasts (a spike is
/// none, but the first iteration may differ alone), and exceeds 1 % and the noise. A change within the last quarter
/// leaves no steady state. Otherwise the last mean is the steady one: warm_up if every earlier one was higher, else
/// slowdown. Cost: O(n) to O(n^2). Source: Barrett, Bolz-Tereick, Killick, Mount, Tratt, "Virtual machine warmup blows
/// hot and cold", OOPSLA 2017, whose tail of 500 of 2000 iterations and tolerance of 1 ms are made relative here.
[[nodiscard]] inline steady_state find_steady_state(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 8) return {};
  const double noise = detail::noise_of(values);
  std::vector<detail::segment> pieces =
      detail::segments_of(detail::without_spikes(values, noise), 15 * std::log(static_cast<double>(n)) * noise * noise);
  std::erase_if(pieces, [](const detail::segment& s) { return s.end - s.first == 1 && s.first != 0; });
  const double steady = pieces.back().mean;
  const double tolerance = std::max(0.01 * std::fabs(steady), noise);
  const auto differs = [&](const detail::segment& s) { return std::fabs(s.mean - steady) > tolerance; };
  const auto last = std::find_if(pieces.rbegin(), pieces.rend(), differs);
  if (last == pieces.rend()) return {course::flat, 0};
  if (last->end > n - n / 4) return {course::no_steady_state, 0};
  const bool was_faster = std::any_of(pieces.begin(), pieces.end(),
                                      [&](const detail::segment& s) { return differs(s) && s.mean < steady; });
  return {was_faster ? course::slowdown : course::warm_up, last->end};
}

}  // namespace weir::inline WEIR_ABI::stats
