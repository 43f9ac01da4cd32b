#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Where events arrive: takes the receipt time and everything that is proven about a row. Temperature: hot.
//
//   flow::sink sink({.rows = rows, .payload = payload});
//   sink.receive(batch, clock.now() - origin);

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/random.hpp>
#include <weir/base/units.hpp>
#include <weir/flow/event.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/hdr_layout.hpp>
#include <weir/measure/histogram.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/measure/trace.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::flow {

/// What a sink compares arrivals with. The payload is the sink's own copy, not the generator's.
struct expectation {
  std::uint64_t rows = 0;
  std::string_view payload;
};

/// Measures the events of one thread; merge() joins the sinks of a job after they stopped.
/// Threads: one writer; received() may be read by any.
class sink {
 public:
  /// Contiguous stretches of rows over which the trend of latency is taken.
  /// 40 leave 36 after the first tenth is skipped, and 40 ms each in a job of 1.7 s: longer than the
  /// few ms for which a host takes a core away.
  static constexpr std::size_t stretches = 40;
  /// Two stretches each: enough for an interval of a percentile, which wants 10 to 20 of them.
  static constexpr std::size_t slices = stretches / 2;

  explicit sink(const expectation& expected) : trend_(stretches), slices_(slices * cells) { reset(expected); }

  /// Begins anew. A sink that is used again has its memory, and no page fault falls into the next job. Cold.
  void reset(const expectation& expected) {
    expected_ = expected;
    half_ = expected.rows / 2;
    stretch_ = expected.rows / stretches + (expected.rows % stretches != 0);
    rows_ = negative_ = corrupt_ = reordered_ = previous_ = checksum_ = checksum_by_row_ = 0;
    first_ = last_ = longest_stall_ = {};
    seen_ = {};
    const auto [first_cell, last_cell] = used_cells();
    for (std::size_t i = 0; i < slices; ++i)
      std::fill(slices_.begin() + cell(i, first_cell), slices_.begin() + cell(i, last_cell), 0U);
    first_half_.reset();
    second_half_.reset();
    residence_.reset();
    std::fill(trend_.begin(), trend_.end(), stretch_sum{});
    current_ = current_begin_ = 0;
    received_.store(0, std::memory_order_release);
  }

  /// Takes a batch that arrived at `now`.
  /// Units: ns since the start of the schedule.  Cost: 10 ns a row, half of it comparing 256 B of payload.
  void receive(std::span<const event> batch, nanoseconds now) noexcept {
    if (batch.empty()) return;
    if (rows_ == 0) first_ = now;
    longest_stall_ = std::max(longest_stall_, now - std::max(last_, batch.front().released));
    last_ = now;
    for (const event& e : batch) receive(e, now);
    rows_ += batch.size();
    received_.store(rows_, std::memory_order_release);
  }

  /// Rows received so far.
  [[nodiscard]] std::uint64_t received() const noexcept { return received_.load(std::memory_order_acquire); }

  /// Adds another sink of the same job. Cold.
  void merge(const sink& other) {
    if (other.rows_ == 0) return;
    first_ = rows_ == 0 ? other.first_ : std::min(first_, other.first_);
    last_ = rows_ == 0 ? other.last_ : std::max(last_, other.last_);
    first_half_.merge(other.first_half_);
    second_half_.merge(other.second_half_);
    residence_.merge(other.residence_);
    seen_.merge(other.seen_);
    for (std::size_t i = 0; i < stretches; ++i) trend_[i] += other.trend_[i];
    const auto [first_cell, last_cell] = other.used_cells();
    for (std::size_t i = 0; i < slices; ++i)
      for (std::ptrdiff_t c = cell(i, first_cell); c < cell(i, last_cell); ++c)
        slices_[static_cast<std::size_t>(c)] += other.slices_[static_cast<std::size_t>(c)];
    rows_ += other.rows_;
    negative_ += other.negative_;
    corrupt_ += other.corrupt_;
    reordered_ += other.reordered_;
    checksum_ += other.checksum_;
    checksum_by_row_ += other.checksum_by_row_;
    longest_stall_ = std::max(longest_stall_, other.longest_stall_);
  }

  /// Writes what arrived into a sample. Cold.
  void report(record::sample& s) const {
    s.processed_rows = rows_;
    s.first_receipt = first_;
    s.last_receipt = last_;
    s.latency_first_half = first_half_.snapshot();
    s.latency_second_half = second_half_.snapshot();
    s.residence = residence_.snapshot();
    s.negative_latencies = negative_;
    s.seen = seen_.value();
    s.checksum = checksum_;
    s.checksum_by_row = checksum_by_row_;
    s.corrupt_payloads = corrupt_;
    s.reordered_rows = reordered_;
    s.longest_stall = longest_stall_;
    s.trend.clear();
    for (const stretch_sum& sum : trend_)
      if (sum.rows > 0) s.trend.push_back(sum.mean());
    const measure::snapshot latency = s.latency();
    s.slices.clear();
    for (const measure::percentile p : {measure::p50, measure::p95, measure::p99, measure::p999})
      s.slices.push_back(spread(p, 0, latency.at(p).value, 0, slices));
    s.slices.push_back(spread(measure::p99, 1, s.latency_first_half.at(measure::p99).value, 0, slices / 2));
    s.slices.push_back(spread(measure::p99, 2, s.latency_second_half.at(measure::p99).value, slices / 2, slices));
  }

 private:
  // A slice counts eight of the halves' buckets in one cell, as wide as a bucket of two digits: that costs a shift
  // and an increment a row, and 16 KiB.
  static constexpr measure::hdr_layout layout{3};
  static constexpr std::uint32_t buckets_in_cell = 8;
  static constexpr std::uint32_t cells = layout.size() / buckets_in_cell + 1;

  [[nodiscard]] static std::uint32_t cell_of(nanoseconds latency) noexcept {
    return layout.index_of(std::min(static_cast<std::uint64_t>(latency.count()), measure::hdr_layout::limit)) /
           buckets_in_cell;
  }
  [[nodiscard]] static std::ptrdiff_t cell(std::size_t slice, std::uint32_t c) noexcept {
    return static_cast<std::ptrdiff_t>(slice * cells + c);
  }

  /// No other holds a row. As [first, last).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> used_cells() const noexcept {
    return {cell_of(std::min(first_half_.min(), second_half_.min())),
            cell_of(std::max(first_half_.max(), second_half_.max())) + 1};
  }

  [[nodiscard]] record::percentile_slices spread(measure::percentile p, std::uint32_t half, nanoseconds value,
                                                 std::size_t first, std::size_t last) const {
    record::percentile_slices out{.p = p, .half = half, .rows = {}, .below = {}, .within = {}};
    const auto [first_cell, last_cell] = used_cells();
    const auto sum = [this](std::size_t slice, std::uint32_t from, std::uint32_t to) {
      return std::accumulate(slices_.begin() + cell(slice, from), slices_.begin() + cell(slice, to), std::uint64_t{0});
    };
    const std::uint32_t at = cell_of(value);
    for (std::size_t i = first; i < last; ++i) {
      out.below.push_back(sum(i, first_cell, at));
      out.within.push_back(sum(i, at, at + 1));
      out.rows.push_back(out.below.back() + out.within.back() + sum(i, at + 1, std::max(last_cell, at + 1)));
    }
    return out;
  }

  struct stretch_sum {
    std::uint64_t rows = 0;
    uint128 intended = 0;  // 10^6 rows x 10^12 ns leave 64 bits at an hour's overload
    uint128 latency = 0;

    stretch_sum& operator+=(const stretch_sum& other) noexcept {
      rows += other.rows;
      intended += other.intended;
      latency += other.latency;
      return *this;
    }

    [[nodiscard]] record::trend_point mean() const noexcept {
      return {nanoseconds(static_cast<std::int64_t>(intended / rows)),
              nanoseconds(static_cast<std::int64_t>(latency / rows)), rows};
    }
  };

  void receive(const event& e, nanoseconds now) noexcept {
    seen_.add(e.sequence);
    checksum_ += e.checksum;
    checksum_by_row_ += mix64(e.sequence) * e.checksum;  // exactly_once has mixed it already
    reordered_ += e.sequence < previous_;
    previous_ = e.sequence;
    corrupt_ += e.payload != expected_.payload;
    const nanoseconds latency = now - e.intended;
    if (latency.count() < 0) [[unlikely]] {
      ++negative_;
    } else {
      const std::uint32_t bucket = (e.sequence < half_ ? first_half_ : second_half_).record(latency);
      note_trend(e, latency, bucket);
    }
    if (const nanoseconds residence = now - e.released; residence.count() >= 0) [[likely]]
      residence_.record(residence);
    if (e.trace != nullptr) [[unlikely]]
      e.trace->append(measure::trace_stage::sink_write_done, e.trace->task(), now);
  }

  void note_trend(const event& e, nanoseconds latency, std::uint32_t bucket) noexcept {
    if (e.sequence - current_begin_ >= stretch_) [[unlikely]] {
      // A sequence that was never sent lands in the last stretch; exactly_once reports it.
      current_ = std::min<std::size_t>(e.sequence / std::max<std::uint64_t>(stretch_, 1), stretches - 1);
      current_begin_ = current_ * stretch_;
    }
    stretch_sum& sum = trend_[current_];
    ++sum.rows;
    sum.intended += static_cast<std::uint64_t>(e.intended.count());
    sum.latency += static_cast<std::uint64_t>(latency.count());
    ++slices_[current_ / 2 * cells + bucket / buckets_in_cell];
  }

  expectation expected_;
  std::uint64_t half_ = 0;
  std::uint64_t stretch_ = 0;  // rows in a stretch
  std::uint64_t rows_ = 0;
  std::uint64_t negative_ = 0;
  std::uint64_t corrupt_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t previous_ = 0;  // sequence
  std::uint64_t checksum_ = 0;
  std::uint64_t checksum_by_row_ = 0;
  nanoseconds first_{};
  nanoseconds last_{};
  nanoseconds longest_stall_{};
  measure::exactly_once seen_;
  measure::histogram first_half_;
  measure::histogram second_half_;
  measure::histogram residence_;
  std::vector<stretch_sum> trend_;
  std::vector<std::uint32_t> slices_;  // one after the other
  std::size_t current_ = 0;
  std::uint64_t current_begin_ = 0;
  std::atomic<std::uint64_t> received_{0};
};

/// The sinks of one job, kept from one job to the next.
/// Threads: one job at a time.
class sink_store {
 public:
  /// n fresh sinks. They stay where they are until the next call.
  [[nodiscard]] std::vector<sink*> take(std::size_t n, const expectation& expected) {
    std::vector<sink*> taken;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == sinks_.size())
        sinks_.push_back(std::make_unique<sink>(expected));
      else
        sinks_[i]->reset(expected);
      taken.push_back(sinks_[i].get());
    }
    return taken;
  }

 private:
  std::vector<std::unique_ptr<sink>> sinks_;
};

}  // namespace weir::inline WEIR_ABI::flow
