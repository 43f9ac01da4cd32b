#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A rate that rises or falls evenly in time: shows at which load a system first falls behind. Temperature: hot.
//
//   weir::arrival::ramp due({.from = 1'000, .to = 600'000, .rows = 1'000'000});  // takes 3.3 s

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <weir/arrival/schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/units.hpp>

namespace weir::inline WEIR_ABI::arrival {

struct ramp_rates {
  std::uint64_t from = 0;  // rows a second
  std::uint64_t to = 0;
  std::uint64_t rows = 0;  // over which it gets there
};

/// Row n is due when the integrated rate reaches n, for the first `rows` rows; from then on the rate stays.
///
/// The square of the rate is linear in n, v^2 = from^2 + (to^2 - from^2) n / rows, and t = 2 n / (from + v):
/// no difference of large numbers, so no digit is lost where the rate begins at 0 or hardly changes. The square
/// is carried in integers; what is left are two divisions, a root and a sum, each rounded as IEEE 754 says and
/// none that a compiler may fuse: the same on every machine.
/// Cost: 5 ns a row.  Error: 1 ns up to 26 days.
class ramp {
 public:
  /// Requires: one of the rates above 0, none above 10^9, 0 < rows < 2^53.
  explicit constexpr ramp(ramp_rates r) noexcept
      : from_(static_cast<double>(r.from)),
        to_(static_cast<double>(r.to)),
        rows_(r.rows),
        square_(static_cast<uint128>(r.from) * r.from * r.rows),
        step_(static_cast<std::int64_t>(r.to * r.to) - static_cast<std::int64_t>(r.from * r.from)) {
    WEIR_EXPECTS(std::max(r.from, r.to) > 0 && std::max(r.from, r.to) <= 1'000'000'000);
    WEIR_EXPECTS(r.rows > 0 && r.rows < std::uint64_t{1} << 53);
  }

  nanoseconds next() noexcept {
    const double due = row_ <= rows_ ? on_the_way() : afterwards();
    ++row_;
    // Rounding can put a row 1 ns before the one ahead of it.
    if (due < 0x1p63) return due_ = std::max(due_, nanoseconds(static_cast<std::int64_t>(due)));
    return nanoseconds::max();
  }

 private:
  double on_the_way() noexcept {
    const double speed = __builtin_sqrt(static_cast<double>(square_) / static_cast<double>(rows_));
    square_ += static_cast<uint128>(step_);  // modulo 2^128, so that a fall subtracts
    return row_ == 0 ? 0 : 2e9 * static_cast<double>(row_) / (from_ + speed);
  }

  [[nodiscard]] double afterwards() const noexcept {
    return 2e9 * static_cast<double>(rows_) / (from_ + to_) + 1e9 * static_cast<double>(row_ - rows_) / to_;
  }

  double from_;
  double to_;
  std::uint64_t rows_;
  uint128 square_;  // of the rate at the next row, times rows_
  std::int64_t step_;
  std::uint64_t row_ = 0;
  nanoseconds due_{};
};

static_assert(schedule<ramp>);

}  // namespace weir::inline WEIR_ABI::arrival
