#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The open-loop source: releases every row that is due, never waits for the pipeline to set the pace, and
// measures its own lateness. Temperature: hot.
//
//   flow::generator source(arrival::make(rate::per_second(600'000)), rows, lanes, payload);
//   source.run(clock, waiting, inlet);

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/arrival/any_schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/expects.hpp>
#include <weir/clock/time_source.hpp>
#include <weir/flow/event.hpp>
#include <weir/measure/histogram.hpp>
#include <weir/measure/trace.hpp>

namespace weir::inline WEIR_ABI::flow {

/// Where the generator hands rows over, by lane. Meaning: claim() gives at most n slots to fill, none when the
/// lane is full; publish() hands the first n over; wait_for_space() is false when the lane takes no more, ever.
template <class I>
concept inlet = requires(I& in, std::size_t lane, std::size_t n) {
  { in.claim(lane, n) } -> std::same_as<std::span<event>>;
  in.publish(lane, n);
  { in.wait_for_space(lane) } -> std::same_as<bool>;
};

/// Releases rows 0 .. rows-1 on schedule; row n goes to lane n mod lanes.
/// Threads: one.
class generator {
 public:
  /// Rows of one lane whose due times are computed ahead. Small, so that computing them never holds a row
  /// up: 64 rows cost less than 2 us, whatever the law.
  static constexpr std::size_t lookahead = 64;

  /// `rows_a_turn`: at most so many are released on one reading of the clock; 1 where handing a row over may block.
  generator(arrival::any_schedule schedule, bool paced, std::uint64_t rows, std::size_t lanes, std::string_view payload,
            measure::stain_sampler* stain = nullptr,
            std::uint64_t rows_a_turn = std::numeric_limits<std::uint64_t>::max())
      : schedule_(std::move(schedule)),
        paced_(paced),
        rows_(rows),
        payload_(payload),
        stain_(stain),
        rows_a_turn_(rows_a_turn),
        due_(lookahead * lanes),
        cursor_(lanes) {
    WEIR_EXPECTS(lanes > 0);
    for (std::size_t lane = 0; lane < lanes; ++lane) cursor_[lane] = lane;
    look_ahead();
  }

  /// Releases what is due at `now`, as far as lanes have room.
  /// Units: ns since the start of the schedule.  Returns: rows released.
  /// Errors: flow.schedule_goes_back; none of the rows looked ahead with the wrong one is released.
  template <inlet Inlet>
  std::uint64_t release_due(nanoseconds now, Inlet& in) {
    if (wrong_row_) [[unlikely]]
      refuse_schedule();
    const std::uint64_t end = block_end_ - released_ > rows_a_turn_ ? released_ + rows_a_turn_ : block_end_;
    while (due_end_ < end && due_[due_end_ - block_begin_] <= now) ++due_end_;
    std::uint64_t released = 0;
    for (std::size_t lane = 0; lane < cursor_.size(); ++lane) released += release_lane(lane, now, in);
    released_ += released;
    note_blocking(now);
    if (released_ == block_end_ && !done()) look_ahead();
    return released;
  }

  /// Runs the whole schedule; calls tick(clock time) each turn. Returns early when a lane takes no more rows.
  template <clock::time_source Clock, class Waiting, inlet Inlet, class Tick>
  void run(const Clock& clock, nanoseconds origin, const Waiting& wait, Inlet& in, Tick tick) {
    while (!done()) {
      const nanoseconds now = clock.now();
      const std::uint64_t released = release_due(now - origin, in);
      tick(now);
      if (released > 0) continue;
      if (held()) {
        if (!in.wait_for_space(full_lane())) return;
      } else {
        wait(clock, origin + next_due());
      }
    }
  }

  [[nodiscard]] bool done() const noexcept { return released_ == rows_; }

  /// When the next row that is not due yet will be.  Requires: !done().
  [[nodiscard]] nanoseconds next_due() const noexcept {
    return due_end_ < block_end_ ? due_[due_end_ - block_begin_] : nanoseconds::max();
  }

  /// True while a row that is due has no room.
  [[nodiscard]] bool held() const noexcept { return released_ < due_end_; }

  [[nodiscard]] std::uint64_t released() const noexcept { return released_; }
  [[nodiscard]] nanoseconds blocked() const noexcept { return blocked_; }
  /// Intended time of the last row looked ahead: after the run, of the last row.
  [[nodiscard]] nanoseconds schedule_time() const noexcept { return last_due_; }
  /// Release - intended of every row. Empty when unpaced: such rows are due when they are released.
  [[nodiscard]] const measure::histogram& lag() const noexcept { return lag_; }

 private:
  void look_ahead() noexcept {
    block_begin_ = block_end_;
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(due_.size(), rows_ - block_begin_));
    schedule_.fill(std::span(due_).first(n));
    block_end_ = block_begin_ + n;
    if (n == 0 || !paced_) return;
    const auto wrong = std::is_sorted_until(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(n));
    const auto in_order = static_cast<std::size_t>(wrong - due_.begin());
    if (due_[0] < last_due_)
      wrong_row_ = block_begin_;
    else if (in_order < n)
      wrong_row_ = block_begin_ + in_order;
    else
      last_due_ = due_[n - 1];
  }

  [[noreturn]] void refuse_schedule() const {
    const std::uint64_t in_block = *wrong_row_ - block_begin_;
    const nanoseconds before = in_block == 0 ? last_due_ : due_[in_block - 1];
    weir::detail::raise("flow.schedule_goes_back", "schedule",
                        "row " + std::to_string(*wrong_row_) + " is due at " + std::to_string(due_[in_block].count()) +
                            " ns, after one at " + std::to_string(before.count()) +
                            " ns: give due times that never decrease; a trace must not change while it is read");
  }

  template <inlet Inlet>
  std::uint64_t release_lane(std::size_t lane, nanoseconds now, Inlet& in) {
    const std::uint64_t lanes = cursor_.size();
    std::uint64_t row = cursor_[lane];
    std::uint64_t released = 0;
    while (row < due_end_) {
      const auto wanted = static_cast<std::size_t>((due_end_ - row + lanes - 1) / lanes);
      const std::span<event> slots = in.claim(lane, wanted);
      if (slots.empty()) break;
      for (event& slot : slots) {
        const nanoseconds intended = paced_ ? due_[row - block_begin_] : now;
        if (paced_) lag_.record(now - intended);
        slot = {.sequence = row, .intended = intended, .released = now, .payload = payload_};
        if (stain_ != nullptr) [[unlikely]]
          stain(slot, lane, now);
        row += lanes;
      }
      in.publish(lane, slots.size());
      released += slots.size();
    }
    cursor_[lane] = row;
    return released;
  }

  void stain(event& e, std::size_t lane, nanoseconds now) noexcept {
    e.trace = stain_->sample(e.sequence, now);
    if (e.trace == nullptr) return;
    const auto task = static_cast<std::uint16_t>(lane);
    e.trace->append(measure::trace_stage::source_emit, task, e.intended);
    e.trace->append(measure::trace_stage::queue_in, task, now);
  }

  void note_blocking(nanoseconds now) noexcept {
    if (was_held_) blocked_ += now - held_since_;
    was_held_ = held();
    held_since_ = now;
  }

  [[nodiscard]] std::size_t full_lane() const noexcept {
    return static_cast<std::size_t>(
        std::find_if(cursor_.begin(), cursor_.end(), [this](std::uint64_t row) { return row < due_end_; }) -
        cursor_.begin());
  }

  arrival::any_schedule schedule_;
  bool paced_;
  std::uint64_t rows_;
  std::string_view payload_;
  measure::stain_sampler* stain_;
  std::uint64_t rows_a_turn_;
  std::vector<nanoseconds> due_;        // due times of rows block_begin_ .. block_end_
  std::vector<std::uint64_t> cursor_;   // next row of each lane
  std::uint64_t block_begin_ = 0;
  std::uint64_t block_end_ = 0;
  std::uint64_t due_end_ = 0;  // rows below are due
  std::uint64_t released_ = 0;
  measure::histogram lag_;
  nanoseconds last_due_{};
  nanoseconds blocked_{};
  nanoseconds held_since_{};
  bool was_held_ = false;
  std::optional<std::uint64_t> wrong_row_{};  // looked ahead, and due before the one ahead of it
};

}  // namespace weir::inline WEIR_ABI::flow
