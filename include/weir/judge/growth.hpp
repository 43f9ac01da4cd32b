#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Does latency differ between the halves of a job? Scale-free, but coarse: trend.hpp is the sharper
// witness. Temperature: cold.
//
//   const double growth = judge::latency_growth_ratio(sample);  // 1.0: as late at the end as at the start

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <weir/base/config.hpp>
#include <weir/judge/percentile.hpp>
#include <weir/measure/hdr_layout.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::judge {

using std::chrono::nanoseconds;

/// (P99 of the second half + 1 ms) / (P99 of the first half + 1 ms), halves by row number.
/// The 1 ms keeps a doubling of microseconds near 1.  Source: SeaTunnel's benchmark (STIP-32).
[[nodiscard]] inline double latency_growth_ratio(const record::sample& s) noexcept {
  constexpr nanoseconds offset = std::chrono::milliseconds(1);
  const nanoseconds first = s.latency_first_half.at(measure::p99).value + offset;
  const nanoseconds second = s.latency_second_half.at(measure::p99).value + offset;
  return static_cast<double>(second.count()) / static_cast<double>(first.count());
}

/// Whether P99 of the second half is above that of the first by more than chance: their 95 % intervals lie apart.
/// A core that the host takes away for 4 ms makes the P99 of its half, and of no other slice of it.
/// None without slices.
[[nodiscard]] inline std::optional<bool> second_half_later(const record::sample& s) {
  const auto first = detail::estimate(s, s.latency_first_half, 1, measure::p99);
  const auto second = detail::estimate(s, s.latency_second_half, 2, measure::p99);
  if (!first || !second) return {};
  const auto bucket = [](nanoseconds t) {  // less is no difference to the slices either
    return measure::hdr_layout(2).index_of(std::min(static_cast<std::uint64_t>(t.count()), measure::hdr_layout::limit));
  };
  return bucket(second->low) > bucket(first->high);
}

}  // namespace weir::inline WEIR_ABI::judge
