#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A row every 1/rate, exactly. Temperature: hot.
//
//   weir::arrival::constant due(weir::rate::per_second(3));
//   due.next(), due.next(), due.next();  // 0, 333'333'333, 666'666'666 ns

#include <chrono>
#include <cstdint>
#include <limits>

#include <weir/arrival/schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/units.hpp>

namespace weir::inline WEIR_ABI::arrival {

/// Row n is due at rate.time_of(n) = floor(n * per / events). The period is kept as whole ns and a
/// remainder in 1/events of a ns, whose carries are exact: no drift however long the run, and no 128-bit
/// division per row. After 292 years, where int64 ns end, rows stay due at the end.
/// Cost: 1 ns a row.
class constant {
 public:
  /// Requires: every.paced(), every.per > 0.
  explicit constexpr constant(rate every) noexcept : events_(every.events) {
    WEIR_EXPECTS(every.paced() && every.per > nanoseconds(0));
    const auto per = static_cast<std::uint64_t>(every.per.count());
    whole_ = per / events_;
    part_ = per % events_;
  }

  constexpr nanoseconds next() noexcept {
    const nanoseconds due(static_cast<std::int64_t>(due_));
    std::uint64_t step = whole_;
    if (carry_ >= events_ - part_) {  // not carry_ + part_ >= events_: that may overflow
      carry_ -= events_ - part_;
      ++step;
    } else {
      carry_ += part_;
    }
    due_ += step;  // below 2^64: both were at most end_of_time
    if (due_ > end_of_time) due_ = end_of_time;
    return due;
  }

 private:
  static constexpr auto end_of_time = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  std::uint64_t events_;
  std::uint64_t whole_ = 0;  // ns a row
  std::uint64_t part_ = 0;   // and this many 1/events_ of a ns
  std::uint64_t due_ = 0;
  std::uint64_t carry_ = 0;  // below events_
};

static_assert(schedule<constant>);

}  // namespace weir::inline WEIR_ABI::arrival
