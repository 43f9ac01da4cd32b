// expect: does not satisfy return-type-requirement|type constraint .std::same_as
// SPDX-License-Identifier: Apache-2.0
// The type carries the unit: a clock that counts seconds is no time source.
#include <weir/clock/time_source.hpp>

#include <chrono>
#include <string_view>

#ifdef WEIR_CONTROL
using unit = std::chrono::nanoseconds;
#else
using unit = std::chrono::seconds;
#endif

struct own_clock {
  static constexpr std::string_view name = "own";
  unit now() const noexcept { return {}; }
  void sleep_until(std::chrono::nanoseconds) const noexcept {}
};

auto read(const weir::clock::time_source auto& clock) { return clock.now(); }
const auto t = read(own_clock{});
