#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Stain trace: a few rows are followed through every stage with a time stamp at each. Temperature: hot.
//
//   stain_sampler sampler(10'000, 50, 1'024);
//   event.trace = sampler.sample(event.sequence, now);
//   if (event.trace) event.trace->append(trace_stage::source_emit, task, now);
//   for (const trace& t : sampler.traces()) ...  // after the pipeline has drained

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/random.hpp>

namespace weir::inline WEIR_ABI::measure {

using std::chrono::nanoseconds;

enum class trace_stage : std::uint8_t {
  source_emit = 1,
  queue_in,
  queue_out,
  transform_in,
  transform_out,
  sink_write_done,
};

struct trace_entry {
  trace_stage stage = trace_stage::source_emit;
  std::uint16_t task = 0;
  nanoseconds at{};

  friend constexpr bool operator==(const trace_entry&, const trace_entry&) = default;
};

/// The stamps of one row.
/// Threads: one at a time, whoever has the event; a queue that hands events over orders them.
class trace {
 public:
  static constexpr std::size_t max_entries = 32;

  constexpr trace() = default;
  constexpr trace(std::uint64_t id, std::uint64_t sequence) noexcept : id_(id), sequence_(sequence) {}

  /// Never negative as a signed number, for readers that have no unsigned ones.
  [[nodiscard]] constexpr std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] constexpr std::uint64_t sequence() const noexcept { return sequence_; }
  [[nodiscard]] constexpr std::span<const trace_entry> entries() const noexcept { return {entries_.data(), size_}; }
  /// The task of the first stamp: the lane, which a row does not leave.
  [[nodiscard]] constexpr std::uint16_t task() const noexcept { return entries_.front().task; }
  /// Stamps that came after the last free entry.
  [[nodiscard]] constexpr std::uint32_t truncated() const noexcept { return truncated_; }

  constexpr void append(trace_stage stage, std::uint16_t task, nanoseconds at) noexcept {
    if (size_ < max_entries) {
      entries_[size_++] = {stage, task, at};
    } else {
      ++truncated_;
    }
  }

 private:
  std::uint64_t id_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t truncated_ = 0;
  std::array<trace_entry, max_entries> entries_{};
};

/// Room for a fixed number of traces, taken one after the other; all memory is touched in the constructor.
class trace_book {
 public:
  explicit trace_book(std::size_t capacity) : pages_(std::make_unique<trace[]>(capacity)), capacity_(capacity) {}

  /// A fresh trace, or nullptr when the book is full. It stays where it is as long as the book lives.
  [[nodiscard]] trace* open(std::uint64_t id, std::uint64_t sequence) noexcept {
    if (used_ == capacity_) return nullptr;
    trace& page = pages_[used_++];
    page = trace(id, sequence);
    return &page;
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::span<const trace> traces() const noexcept { return {pages_.get(), used_}; }

 private:
  std::unique_ptr<trace[]> pages_;
  std::size_t capacity_;
  std::size_t used_ = 0;
};

/// Picks one row in interval, at most budget_per_second of them in a second of the clock.
/// Counts the rows it is shown rather than dividing their numbers: with 4 lanes and an interval of 10,000
/// every number divisible by it would belong to the same lane.
/// Threads: one, the source's; traces() after the pipeline has drained.
class stain_sampler {
 public:
  /// Requires: interval > 0.
  stain_sampler(std::uint64_t interval, std::uint32_t budget_per_second, std::size_t capacity)
      : interval_(interval), budget_(budget_per_second), book_(capacity), left_(interval) {
    WEIR_EXPECTS(interval > 0);
  }

  /// The trace to send along with this row, or nullptr for nearly all.
  /// Cost: 0.3 ns for a row that is not picked.
  [[nodiscard]] trace* sample(std::uint64_t sequence, nanoseconds now) noexcept {
    if (--left_ != 0) [[likely]]
      return nullptr;
    return pick(sequence, now);
  }

  [[nodiscard]] std::span<const trace> traces() const noexcept { return book_.traces(); }
  [[nodiscard]] std::uint64_t generated() const noexcept { return book_.traces().size(); }
  /// Rows that were due for a trace but not given one: over the budget, or no room left.
  [[nodiscard]] std::uint64_t throttled() const noexcept { return throttled_; }
  [[nodiscard]] std::uint64_t exhausted() const noexcept { return exhausted_; }

 private:
  trace* pick(std::uint64_t sequence, nanoseconds now) noexcept {
    left_ = interval_;
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    if (second != second_) {
      second_ = second;
      spent_ = 0;
    }
    if (spent_ == budget_) {
      ++throttled_;
      return nullptr;
    }
    trace* fresh = book_.open(mix64(sequence ^ mix64(static_cast<std::uint64_t>(now.count()))) >> 1, sequence);
    if (fresh == nullptr) {
      ++exhausted_;
    } else {
      ++spent_;
    }
    return fresh;
  }

  std::uint64_t interval_;
  std::uint32_t budget_;
  trace_book book_;
  std::uint64_t left_;
  std::chrono::seconds second_ = std::chrono::seconds::min();
  std::uint32_t spent_ = 0;
  std::uint64_t throttled_ = 0;
  std::uint64_t exhausted_ = 0;
};

}  // namespace weir::inline WEIR_ABI::measure
