#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Latencies of one thread in fixed memory: log-linear buckets, with exact min, max and sum. Temperature: hot.
//
//   weir::measure::histogram latency;
//   latency.record(received - intended);
//   latency.snapshot().at(weir::measure::p99).value;

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/measure/hdr_layout.hpp>
#include <weir/measure/snapshot.hpp>

namespace weir::inline WEIR_ABI::measure {

/// Counts latencies of 0 to 2^40 ns to Digits decimal digits. Those above saturate: they are counted in
/// overflow(), and a percentile that lands there says so.
/// Memory: 250 KiB with 3 digits, 35 KiB with 2, touched in the constructor, so that no record() meets a
/// page fault.  Threads: one writer; every other member after it stopped.
template <int Digits = 3>
class basic_histogram {
  static constexpr hdr_layout layout{Digits};

 public:
  basic_histogram() : counts_(std::make_unique<std::uint64_t[]>(layout.size())) {}

  /// Adds one latency, or as many equal ones as times says.  Returns: its bucket.
  /// Cost: 1.3 ns, 2 when it is above all before; no allocation.  Requires: latency >= 0, times > 0.
  std::uint32_t record(nanoseconds latency, std::uint64_t times = 1) noexcept {
    WEIR_EXPECTS(latency.count() >= 0 && times > 0);
    auto value = static_cast<std::uint64_t>(latency.count());
    sum_ += value * times;
    if (value - floor_ > span_) [[unlikely]]
      value = widen(value);
    const std::uint32_t bucket = layout.index_of(value);
    counts_[bucket] += times;
    return bucket;
  }

  /// Adds the rows of other.  Cost: 0.25 ns a bucket between its min and max, 8 us for all of them.
  void merge(const basic_histogram& other) noexcept {
    if (other.min_ > other.max_) return;
    const auto [first, last] = other.used();
    for (std::size_t i = first; i < last; ++i) counts_[i] += other.counts_[i];
    sum_ += other.sum_;
    widen(other.min_);
    widen(other.max_);
  }

  /// Cost: only the buckets between min and max are cleared.
  void reset() noexcept {
    const auto [first, last] = used();
    std::fill(counts_.get() + first, counts_.get() + last, 0);
    sum_ = 0;
    min_ = nothing;
    max_ = 0;
    floor_ = nothing;
    span_ = 0;
  }

  /// Cost: adds the buckets between min and max, at most 4 us; record() has no counter to keep.
  [[nodiscard]] std::uint64_t count() const noexcept {
    const auto [first, last] = used();
    return std::accumulate(counts_.get() + first, counts_.get() + last, std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t overflow() const noexcept { return counts_[layout.saturated()]; }

  /// Exact, above the limit too; 0 when empty. The sum is exact below 2^63 ns, 292 years.
  [[nodiscard]] nanoseconds min() const noexcept { return to_time(min_ == nothing ? 0 : min_); }
  [[nodiscard]] nanoseconds max() const noexcept { return to_time(max_); }
  [[nodiscard]] nanoseconds sum() const noexcept { return to_time(sum_); }

  /// Copies the non-empty buckets.  Cost: allocates; 20 us for 5,000 of them.
  [[nodiscard]] measure::snapshot snapshot() const {
    const auto [first, last] = used();
    const auto empty = std::count(counts_.get() + first, counts_.get() + last, 0U);
    std::vector<bucket> buckets;
    buckets.reserve(last - first - static_cast<std::size_t>(empty));
    for (std::uint32_t i = first; i < last; ++i) {
      if (counts_[i] != 0) buckets.push_back({i, counts_[i]});
    }
    return {Digits, std::move(buckets), min(), max(), sum()};
  }

 private:
  static constexpr std::uint64_t nothing = std::uint64_t{1} << 63;  // above every latency

  [[nodiscard]] static nanoseconds to_time(std::uint64_t value) noexcept {
    return nanoseconds(static_cast<std::int64_t>(value));
  }

  /// The buckets from min to max: no other holds a row. As [first, last).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> used() const noexcept {
    if (min_ > max_) return {0, 0};
    return {static_cast<std::uint32_t>(layout.index_of(std::min(min_, hdr_layout::limit))),
            static_cast<std::uint32_t>(layout.index_of(std::min(max_, hdr_layout::limit)) + 1)};
  }

  /// Takes a value outside the seen range into it; returns it cut to the saturated bucket.
  std::uint64_t widen(std::uint64_t value) noexcept {
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    if (min_ <= hdr_layout::limit) {
      floor_ = min_;
      span_ = std::min(max_, hdr_layout::limit) - min_;
    }
    return std::min(value, hdr_layout::limit);
  }

  std::unique_ptr<std::uint64_t[]> counts_;
  std::uint64_t sum_ = 0;
  // The seen part of the range, [floor_, floor_ + span_]. A value inside it changes neither min nor
  // max and is not above the limit, so one comparison, nearly always false, stands for all three.
  std::uint64_t floor_ = nothing;
  std::uint64_t span_ = 0;
  std::uint64_t min_ = nothing;
  std::uint64_t max_ = 0;
};

using histogram = basic_histogram<3>;

}  // namespace weir::inline WEIR_ABI::measure
