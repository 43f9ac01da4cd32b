#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Which bucket a latency falls into: the log-linear index arithmetic of HdrHistogram. Temperature: hot.
//
//   constexpr weir::measure::hdr_layout layout(3);
//   static_assert(layout.index_of(10'007) == 4'322 && layout.lowest(4'322) == 10'000 && layout.highest(4'322) ==
//   10'007);

#include <bit>
#include <cstdint>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::measure {

/// Values 0 .. 2^40 - 1 ns (18 minutes) in buckets that keep `digits` decimal digits, and one bucket
/// for all that is above.
/// Values below 2 * half() have a bucket each; from there every octave has half() equal buckets.
/// Source: HdrHistogram, with lowest value 1 and highest 2^40.
class hdr_layout {
 public:
  static constexpr std::uint64_t limit = std::uint64_t{1} << 40;

  /// Requires: digits in 1..5.
  explicit constexpr hdr_layout(int digits) noexcept {
    WEIR_EXPECTS(1 <= digits && digits <= 5);
    std::uint64_t resolution = 2;
    for (int i = 0; i < digits; ++i) resolution *= 10;
    half_bits_ = 63 - std::countl_zero(resolution - 1);
  }

  /// Buckets of one octave: 2^ceil(log2(2 * 10^digits)) / 2, so that one bucket's width is at most
  /// 1/half() of its values.
  [[nodiscard]] constexpr std::uint64_t half() const noexcept { return std::uint64_t{1} << half_bits_; }

  /// The bucket of all values from limit up; also the last one.
  [[nodiscard]] constexpr std::uint32_t saturated() const noexcept { return index_of(limit); }

  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return saturated() + 1; }

  /// Requires: value <= limit.
  [[nodiscard]] constexpr std::uint32_t index_of(std::uint64_t value) const noexcept {
    // n ^ 63 is 63 - n for a leading zero count; only this form does g++ 12 turn into one bsr (0.2 ns).
    const int octave = (std::countl_zero(value | half()) ^ 63) - half_bits_;
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(octave) << half_bits_) + (value >> octave));
  }

  /// The smallest value of a bucket.  Requires: index < size().
  [[nodiscard]] constexpr std::uint64_t lowest(std::uint32_t index) const noexcept {
    return sub_bucket(index) << octave(index);
  }

  /// The largest value of a bucket, as HdrHistogram's "highest equivalent"; of the saturated one its
  /// lowest, because nothing is known above.  Requires: index < size().
  [[nodiscard]] constexpr std::uint64_t highest(std::uint32_t index) const noexcept {
    return index == saturated() ? limit : ((sub_bucket(index) + 1) << octave(index)) - 1;
  }

 private:
  [[nodiscard]] constexpr int octave(std::uint32_t index) const noexcept {
    const auto row = static_cast<int>(index >> half_bits_);
    return row > 0 ? row - 1 : 0;
  }
  [[nodiscard]] constexpr std::uint64_t sub_bucket(std::uint32_t index) const noexcept {
    return index - (static_cast<std::uint64_t>(octave(index)) << half_bits_);
  }

  int half_bits_ = 0;
};

}  // namespace weir::inline WEIR_ABI::measure
