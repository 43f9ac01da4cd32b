#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One constant rate after another: a load profile by hand. Temperature: hot, the constructor cold.
//
//   weir::arrival::steps due({{1'000, 2s}, {0, 1s}, {5'000, 2s}});

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <weir/arrival/schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/units.hpp>

namespace weir::inline WEIR_ABI::arrival {

struct step {
  std::uint64_t per_second = 0;  // 0: a pause
  nanoseconds time{};

  friend bool operator==(const step&, const step&) = default;
};

/// Rows that are due before the last step ends.
[[nodiscard]] inline std::uint64_t rows_within(std::span<const step> all) noexcept {
  uint128 billionths = 0;
  for (const step& s : all)
    billionths += static_cast<uint128>(s.per_second) * static_cast<std::uint64_t>(s.time.count());
  return static_cast<std::uint64_t>((billionths + 999'999'999) / 1'000'000'000);
}

/// Row n is due when the integrated rate reaches n, counted in whole billionths of a row: exact, floor of it,
/// with no row lost or gained where one step ends within a row. The last step goes on for ever.
/// Cost: 3 ns a row.
class steps {
 public:
  /// Requires: at least one step, none longer than 292 years altogether, rates of at most 10^9.
  explicit steps(std::vector<step> all) : steps_(std::move(all)) { WEIR_EXPECTS(!steps_.empty()); }

  nanoseconds next() noexcept {
    while (ahead_ > current_holds() && at_ + 1 < steps_.size()) {
      ahead_ -= current_holds();
      begin_ += steps_[at_].time;
      ++at_;
    }
    const std::uint64_t rate = steps_[at_].per_second;
    const uint128 wait = rate > 0 ? ahead_ / rate : ahead_ > 0 ? end_of_time : 0;
    ahead_ += 1'000'000'000;
    if (wait >= end_of_time - static_cast<std::uint64_t>(begin_.count())) return nanoseconds::max();
    return begin_ + nanoseconds(static_cast<std::int64_t>(wait));
  }

 private:
  static constexpr auto end_of_time = static_cast<uint128>(std::numeric_limits<std::int64_t>::max());

  [[nodiscard]] uint128 current_holds() const noexcept {
    return static_cast<uint128>(steps_[at_].per_second) * static_cast<std::uint64_t>(steps_[at_].time.count());
  }

  std::vector<step> steps_;
  std::size_t at_ = 0;
  nanoseconds begin_{};  // of the current step
  uint128 ahead_ = 0;    // billionths of a row from there to the next row
};

static_assert(schedule<steps>);

}  // namespace weir::inline WEIR_ABI::arrival
