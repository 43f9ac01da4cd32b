#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How well a percentile of one job is known. Rows that share a queue are no independent witnesses: at 80 % load
// the P99 of 100,000 rows is nine times less certain than that of as many independent ones. Temperature: cold.
//
//   if (const auto p = judge::percentile_interval(sample, measure::p99)) use(p->value, p->low, p->high);
//   else print("n/a (", sample.latency().count(), " samples)");

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/measure/hdr_layout.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/sample.hpp>
#include <weir/stats/autocorrelation.hpp>
#include <weir/stats/student_t.hpp>

namespace weir::inline WEIR_ABI::judge {

using std::chrono::nanoseconds;

/// A percentile and where the long-run one lies with 95 % confidence.
struct percentile_estimate {
  nanoseconds value{};
  nanoseconds low{};
  nanoseconds high{};
  bool open = false;             // the tail is too thin to bound: high is the maximum, and only a lower bound
  double effective_samples = 0;  // independent rows that would tell as much

  friend bool operator==(const percentile_estimate&, const percentile_estimate&) = default;
};

/// Rows below which a percentile is an accident of a few: 100 / (1 - p), so that 100 of them lie above it.
[[nodiscard]] constexpr std::uint64_t rows_needed(measure::percentile p) noexcept {
  const std::uint64_t above = p.denominator - p.numerator;
  return above == 0 ? ~std::uint64_t{0} : (100 * std::uint64_t{p.denominator} + above - 1) / above;
}

namespace detail {

/// Variance of the share of a job's rows up to a percentile, from slice to slice. A value that many rows have has two
/// shares, those below it and those up to it; the less certain one counts.
struct share_variance {
  double variance = 0;
  double degrees = 0;
};

[[nodiscard]] inline std::optional<share_variance> variance_of_share(const record::percentile_slices& slices) {
  constexpr std::size_t fewest_slices = 8;
  if (slices.below.size() != slices.rows.size() || slices.within.size() != slices.rows.size()) return {};
  std::vector<double> below;
  std::vector<double> up_to;
  for (std::size_t i = 0; i < slices.rows.size(); ++i) {
    const auto rows = static_cast<double>(slices.rows[i]);
    if (rows == 0) continue;
    below.push_back(static_cast<double>(slices.below[i]) / rows);
    up_to.push_back(static_cast<double>(slices.below[i] + slices.within[i]) / rows);
  }
  if (up_to.size() < fewest_slices) return {};
  return share_variance{std::max(stats::variance_of_mean(below), stats::variance_of_mean(up_to)),
                        static_cast<double>(up_to.size()) - 1};
}

/// The estimate from a histogram, however few its rows; half as in record::percentile_slices.
[[nodiscard]] inline std::optional<percentile_estimate> estimate(const record::sample& s,
                                                                 const measure::snapshot& latency, std::uint32_t half,
                                                                 measure::percentile p) {
  const auto slices = std::find_if(s.slices.begin(), s.slices.end(), [&](const record::percentile_slices& one) {
    return one.p == p && one.half == half;
  });
  if (slices == s.slices.end() || latency.empty()) return {};
  const auto found = variance_of_share(*slices);
  if (!found) return {};
  const double share = static_cast<double>(p.numerator) / static_cast<double>(p.denominator);
  const auto rows = static_cast<double>(latency.count());
  const double independent = share * (1 - share);
  const double effective = found->variance * rows > independent ? independent / found->variance : rows;
  const double half_width = stats::student_t_quantile(0.975, found->degrees) * std::sqrt(independent / effective);
  const auto at = [&](double rank) {
    constexpr std::uint32_t parts = 1'000'000'000;
    return latency.at({static_cast<std::uint32_t>(std::llround(std::clamp(rank, 0.0, 1.0) * parts)), parts}).value;
  };
  return percentile_estimate{.value = latency.at(p).value,
                             .low = at(share - half_width),
                             .high = at(share + half_width),
                             .open = share + half_width >= 1,
                             .effective_samples = effective};
}

}  // namespace detail

/// A latency percentile with its 95 % interval; none with fewer than rows_needed(p), or when the sample has no slices
/// of it (P50, P95, P99 and P99.9 have). The interval is one of ranks, p +- t sqrt(p (1 - p) / effective rows), read
/// from the histogram: it needs no shape of the distribution, and is never narrower than that of independent rows.
/// Source: batch means of the indicator, Law, "Simulation Modeling and Analysis", 9.5.3; Student t over the slices.
[[nodiscard]] inline std::optional<percentile_estimate> percentile_interval(const record::sample& s,
                                                                            measure::percentile p) {
  const measure::snapshot latency = s.latency();
  if (latency.count() < rows_needed(p)) return {};
  return detail::estimate(s, latency, 0, p);
}

/// Independent rows whose mean latency would be as certain as that of this job's; none when the trend is too short
/// to tell.
[[nodiscard]] inline std::optional<double> effective_samples(const record::sample& s) {
  constexpr std::size_t fewest_points = 8;
  if (s.trend.size() < fewest_points) return {};
  const measure::snapshot latency = s.latency();
  const auto rows = static_cast<double>(latency.count());
  const auto mean = static_cast<double>(latency.sum().count()) / rows;
  const measure::hdr_layout layout(latency.digits());
  double squares = 0;
  for (const measure::bucket& b : latency.buckets()) {
    const double off =
        (static_cast<double>(layout.lowest(b.index)) + static_cast<double>(layout.highest(b.index))) / 2 - mean;
    squares += static_cast<double>(b.count) * off * off;
  }
  std::vector<double> means;
  for (const record::trend_point& point : s.trend) means.push_back(static_cast<double>(point.latency.count()));
  const double variance = stats::variance_of_mean(means);
  return variance > 0 ? std::min(rows, squares / rows / variance) : rows;
}

}  // namespace weir::inline WEIR_ABI::judge
