#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The units that have no std type. Temperature: hot.
//
//   constexpr weir::rate offered = weir::rate::per_second(600'000);
//   static_assert(offered.time_of(600'000) == std::chrono::seconds(1));

#include <chrono>
#include <cstdint>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI {

__extension__ using uint128 = unsigned __int128;

/// Events per stretch of time, kept as two integers so that due times are exact. Zero events: unpaced.
struct rate {
  std::uint64_t events = 0;
  std::chrono::nanoseconds per = std::chrono::seconds(1);

  [[nodiscard]] static constexpr rate per_second(std::uint64_t events) noexcept { return {events}; }

  [[nodiscard]] constexpr bool paced() const noexcept { return events != 0; }

  /// Due time of event n: floor(n * per / events).
  /// Computed from n each time, never as n * period: an integer period is off by up to 0.6 % at MHz
  /// rates (7 M/s: 142.857 ns cut to 142).
  /// Units: ns from the start.  Requires: paced().
  [[nodiscard]] constexpr std::chrono::nanoseconds time_of(std::uint64_t n) const noexcept {
    WEIR_EXPECTS(paced());
    return std::chrono::nanoseconds(
        static_cast<std::int64_t>(static_cast<uint128>(n) * static_cast<std::uint64_t>(per.count()) / events));
  }

  /// Events a second, for tables and JSON only.
  [[nodiscard]] constexpr double per_s() const noexcept {
    return static_cast<double>(events) * 1e9 / static_cast<double>(per.count());
  }

  friend constexpr bool operator==(const rate&, const rate&) = default;
};

}  // namespace weir::inline WEIR_ABI
