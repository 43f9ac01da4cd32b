#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a histogram holds, compact and copyable: the form that travels in samples and files, and the one
// that answers questions. Temperature: cold.
//
//   measure::snapshot all = lane0.snapshot();
//   all.merge(lane1.snapshot());
//   const measure::quantile p99 = all.at(measure::p99);  // p99.clamped: print it as >=

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/units.hpp>
#include <weir/measure/hdr_layout.hpp>

namespace weir::inline WEIR_ABI::measure {

using std::chrono::nanoseconds;

/// A share of the rows as an exact ratio: 99.9 % has no exact double, and a rank must not depend on that.
struct percentile {
  std::uint32_t numerator = 0;
  std::uint32_t denominator = 1;

  friend constexpr bool operator==(const percentile&, const percentile&) = default;
};

inline constexpr percentile p50{50, 100};
inline constexpr percentile p95{95, 100};
inline constexpr percentile p99{99, 100};
inline constexpr percentile p999{999, 1'000};
inline constexpr percentile p9999{9'999, 10'000};

/// A percentile's value. Clamped: the rank fell into the saturated bucket, so the value is a lower bound.
struct quantile {
  nanoseconds value{};
  bool clamped = false;

  friend constexpr bool operator==(const quantile&, const quantile&) = default;
};

/// Rows in one bucket of hdr_layout.
struct bucket {
  std::uint32_t index = 0;
  std::uint64_t count = 0;

  friend constexpr bool operator==(const bucket&, const bucket&) = default;
};

/// The non-empty buckets of a histogram in rising order, with exact min, max and sum.
class snapshot {
 public:
  /// Nothing recorded, 3 digits.
  snapshot() = default;

  /// From its parts, as a file holds them.
  /// Errors: weir::error unless the buckets rise, hold rows each, and min and max lie in the first and last.
  snapshot(int digits, std::vector<bucket> buckets, nanoseconds min, nanoseconds max, nanoseconds sum)
      : digits_(digits), buckets_(std::move(buckets)), min_(min), max_(max), sum_(sum) {
    check();
    for (const bucket& b : buckets_) {
      count_ += b.count;
      // Below 2^63 after every step, so that a sum of wild counts cannot wrap unseen.
      if (b.count >> 63 != 0 || count_ >> 63 != 0) malformed("buckets", "2^63 rows or more");
    }
  }

  [[nodiscard]] int digits() const noexcept { return digits_; }
  [[nodiscard]] const std::vector<bucket>& buckets() const noexcept { return buckets_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

  /// Rows at or above hdr_layout::limit: counted, their exact value only in max() and sum().
  [[nodiscard]] std::uint64_t overflow() const noexcept {
    return !empty() && buckets_.back().index == layout().saturated() ? buckets_.back().count : 0;
  }

  /// Exact; 0 when empty.
  [[nodiscard]] nanoseconds min() const noexcept { return min_; }
  [[nodiscard]] nanoseconds max() const noexcept { return max_; }
  [[nodiscard]] nanoseconds sum() const noexcept { return sum_; }

  /// Exact sum / count, cut to whole ns; 0 when empty.
  [[nodiscard]] nanoseconds mean() const noexcept {
    return empty() ? nanoseconds{} : nanoseconds(sum_.count() / static_cast<std::int64_t>(count_));
  }

  /// The value at rank ceil(p * count), at least 1: the highest of its bucket, never above max().
  /// Computed in integers: HdrHistogram's ports round in double and differ (1..1000 at 99.04 % is 991 in
  /// Java, 990 in C). Empty: 0, not clamped.
  /// Cost: one pass over the buckets.  Requires: 0 <= p <= 1.
  [[nodiscard]] quantile at(percentile p) const noexcept {
    WEIR_EXPECTS(p.denominator != 0 && p.numerator <= p.denominator);
    if (empty()) return {};
    const uint128 scaled = static_cast<uint128>(count_) * p.numerator;
    const auto rank = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(scaled / p.denominator) + (scaled % p.denominator != 0 ? 1 : 0));
    auto at_rank = buckets_.begin();
    for (std::uint64_t below = at_rank->count; below < rank; below += at_rank->count) ++at_rank;
    const nanoseconds highest(static_cast<std::int64_t>(layout().highest(at_rank->index)));
    return {std::min(highest, max_), at_rank->index == layout().saturated()};
  }

  /// Adds the rows of other.  Errors: weir::error when both hold rows and their digits differ.
  void merge(const snapshot& other) {
    if (other.empty()) return;
    if (empty()) {
      *this = other;
      return;
    }
    if (digits_ != other.digits_) {
      weir::detail::raise("measure.digits_differ", "digits",
                          std::to_string(digits_) + " and " + std::to_string(other.digits_) +
                              ": histograms of one resolution can be merged");
    }
    std::vector<bucket> merged;
    merged.reserve(buckets_.size() + other.buckets_.size());
    for (auto a = buckets_.cbegin(), b = other.buckets_.cbegin(); a != buckets_.cend() || b != other.buckets_.cend();) {
      if (b == other.buckets_.end() || (a != buckets_.end() && a->index < b->index)) {
        merged.push_back(*a++);
      } else if (a == buckets_.end() || b->index < a->index) {
        merged.push_back(*b++);
      } else {
        merged.push_back({a->index, a->count + b->count});
        ++a, ++b;
      }
    }
    buckets_ = std::move(merged);
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    sum_ += other.sum_;
  }

  friend bool operator==(const snapshot&, const snapshot&) = default;

 private:
  [[nodiscard]] hdr_layout layout() const noexcept { return hdr_layout(digits_); }

  [[noreturn]] static void malformed(std::string_view where, std::string_view text) {
    weir::detail::raise("measure.snapshot_malformed", where, text);
  }

  void check() const {
    if (digits_ < 1 || digits_ > 5) malformed("digits", std::to_string(digits_) + ": must be 1 to 5");
    const hdr_layout layout(digits_);
    if (buckets_.empty()) {
      if (min_.count() != 0 || max_.count() != 0 || sum_.count() != 0)
        malformed("buckets", "none, but min, max or sum is not 0");
      return;
    }
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const auto fail = [i](std::string_view text) { malformed("buckets/" + std::to_string(i), text); };
      if (buckets_[i].count == 0) fail("holds no rows");
      if (buckets_[i].index >= layout.size()) fail("beyond the last bucket");
      if (i > 0 && buckets_[i].index <= buckets_[i - 1].index) fail("not above the bucket before");
    }
    const auto lies_in = [&layout](nanoseconds t, const bucket& b) {
      const auto value = static_cast<std::uint64_t>(t.count());
      return t.count() >= 0 && layout.index_of(std::min(value, hdr_layout::limit)) == b.index;
    };
    if (!lies_in(min_, buckets_.front())) malformed("min", std::to_string(min_.count()) + ": not in the first bucket");
    if (!lies_in(max_, buckets_.back())) malformed("max", std::to_string(max_.count()) + ": not in the last bucket");
  }

  int digits_ = 3;
  std::vector<bucket> buckets_;
  std::uint64_t count_ = 0;
  nanoseconds min_{};
  nanoseconds max_{};
  nanoseconds sum_{};
};

}  // namespace weir::inline WEIR_ABI::measure
