#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The clock to use unless there is a reason not to: CLOCK_MONOTONIC. Temperature: hot.
//
//   weir::clock::steady clock;
//   clock.sleep_until(clock.now() + 100us);

#include <string_view>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/time_source.hpp>

namespace weir::inline WEIR_ABI::clock {

/// Threads: any.
struct steady {
  static constexpr std::string_view name = "steady";

  /// Cost: 24 to 29 ns.
  [[nodiscard]] static nanoseconds now() noexcept { return os::monotonic_now(); }

  /// Cost: wakes 25 us late at the median with sharp timers, 75 without (os::sharpen_timers).
  static void sleep_until(nanoseconds deadline) noexcept {
    if (now() < deadline) os::sleep_until(deadline);
  }
};

static_assert(time_source<steady> && !virtual_time_source<steady>);

}  // namespace weir::inline WEIR_ABI::clock
