#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Rows that come in bursts, as many a second on average as at a constant rate. Temperature: hot.
//
//   weir::arrival::groups in_pairs(weir::rate::per_second(1'000), 2);      // two at once, every 2 ms
//   weir::arrival::on_off(weir::rate::per_second(1'000), {10ms, 90ms});    // 10 ms at 10,000/s, 90 ms of nothing

#include <chrono>
#include <cstdint>
#include <limits>

#include <weir/arrival/constant.hpp>
#include <weir/arrival/schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/units.hpp>

namespace weir::inline WEIR_ABI::arrival {

/// `size` rows due at once: row n at mean.time_of(n / size * size).
/// Cost: 1 ns a row.
class groups {
 public:
  /// Requires: mean.paced(), size > 0, mean.per * size below 292 years.
  constexpr groups(rate mean, std::uint64_t size) noexcept
      : heads_({mean.events, mean.per * static_cast<std::int64_t>(size)}), size_(size) {
    WEIR_EXPECTS(size > 0 && size <= static_cast<std::uint64_t>(nanoseconds::max() / mean.per));
  }

  constexpr nanoseconds next() noexcept {
    if (left_ == 0) {
      due_ = heads_.next();
      left_ = size_;
    }
    --left_;
    return due_;
  }

 private:
  constant heads_;  // the first row of each group
  std::uint64_t size_;
  std::uint64_t left_ = 0;  // rows of this group to come
  nanoseconds due_{};
};

static_assert(schedule<groups>);

/// Rows at a constant rate while on, none while off; the rate while on is mean * (on + off) / on.
struct on_off_times {
  nanoseconds on{};
  nanoseconds off{};
};

/// The rows of each cycle of a constant rate, drawn together into its first part.
/// Cost: 3 ns a row.  Error: 1 ns of the time that is on.
class on_off {
 public:
  /// Requires: mean.paced(), on > 0, off >= 0, on + off below 2^62 ns.
  constexpr on_off(rate mean, on_off_times t) noexcept : even_(mean), on_(t.on), cycle_(t.on + t.off) {
    WEIR_EXPECTS(t.on > nanoseconds(0) && t.off >= nanoseconds(0));
  }

  constexpr nanoseconds next() noexcept {
    const nanoseconds even = even_.next();
    if (even - begin_ >= cycle_) begin_ += (even - begin_) / cycle_ * cycle_;
    const auto within = static_cast<uint128>((even - begin_).count()) * static_cast<std::uint64_t>(on_.count());
    return begin_ + nanoseconds(static_cast<std::int64_t>(within / static_cast<std::uint64_t>(cycle_.count())));
  }

 private:
  constant even_;
  nanoseconds on_;
  nanoseconds cycle_;
  nanoseconds begin_{};  // of the cycle that the last row was in
};

static_assert(schedule<on_off>);

}  // namespace weir::inline WEIR_ABI::arrival
