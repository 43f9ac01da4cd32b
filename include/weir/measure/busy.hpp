#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Where a task's time goes: working, waiting for input, or waiting for room downstream. Temperature: hot.
//
//   busy_meter meter;
//   meter.start(clock.now());
//   meter.enter(activity::busy, clock.now());  // ... work ...
//   meter.stop(clock.now());
//   meter.reading(clock.now()).busy;  // from any thread, also while it runs

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::measure {

using std::chrono::nanoseconds;

enum class activity : std::uint8_t {
  busy,            // working on rows
  idle,            // no input
  back_pressured,  // no room downstream
  stopped,         // not running: not counted
};

struct busy_split {
  nanoseconds busy{};
  nanoseconds idle{};
  nanoseconds back_pressured{};

  [[nodiscard]] constexpr nanoseconds wall() const noexcept { return busy + idle + back_pressured; }

  friend constexpr bool operator==(const busy_split&, const busy_split&) = default;
};

/// A task is in one activity at a time, so the parts add up to the wall time exactly.
/// Threads: start(), enter() and stop() from the task; reading() from any thread at any time. The writer
/// fills the page that nobody reads and then turns to it: it never waits, and a reader is not held up by a
/// writer that lost its core halfway, as with a seqlock.
class busy_meter {
 public:
  /// Begins anew, idle.
  void start(nanoseconds now) noexcept {
    spent_ = {};
    turn_to(activity::idle, now);
  }

  /// Ends the current activity and begins another. Call it when the activity changes, not for every row.
  /// Cost: 2 ns besides the clock read.
  void enter(activity next, nanoseconds now) noexcept {
    close(now);
    turn_to(next, now);
  }

  void stop(nanoseconds now) noexcept { enter(activity::stopped, now); }

  /// All up to now, the open interval included.
  [[nodiscard]] busy_split reading(nanoseconds now) const noexcept {
    for (;;) {
      const std::uint64_t turn = turn_.load(std::memory_order_acquire);
      const page& p = pages_[turn & 1];
      // Acquire: whoever sees a word of a later turn also sees turn_ changed, below.
      std::array<std::int64_t, 4> spent{};
      for (std::size_t i = 0; i < 3; ++i) spent[i] = p.spent[i].load(std::memory_order_acquire);
      const activity current = p.current.load(std::memory_order_acquire);
      const std::int64_t since = p.since.load(std::memory_order_acquire);
      if (turn_.load(std::memory_order_relaxed) != turn) continue;
      // The task may have moved on since the reader looked at its clock.
      spent[static_cast<std::size_t>(current)] += std::max<std::int64_t>(0, now.count() - since);
      return {nanoseconds(spent[0]), nanoseconds(spent[1]), nanoseconds(spent[2])};
    }
  }

 private:
  struct page {
    std::array<std::atomic<std::int64_t>, 3> spent{};
    std::atomic<std::int64_t> since{0};
    std::atomic<activity> current{activity::stopped};
  };

  void close(nanoseconds now) noexcept { spent_[static_cast<std::size_t>(current_)] += now.count() - since_; }

  void turn_to(activity next, nanoseconds now) noexcept {
    current_ = next;
    since_ = now.count();
    const std::uint64_t turn = turn_.load(std::memory_order_relaxed) + 1;
    page& p = pages_[turn & 1];
    for (std::size_t i = 0; i < 3; ++i) p.spent[i].store(spent_[i], std::memory_order_release);
    p.since.store(since_, std::memory_order_release);
    p.current.store(current_, std::memory_order_release);
    turn_.store(turn, std::memory_order_release);
  }

  std::array<std::int64_t, 4> spent_{};  // the last one, of activity::stopped, is never shown
  std::int64_t since_ = 0;
  activity current_ = activity::stopped;
  std::array<page, 2> pages_{};
  std::atomic<std::uint64_t> turn_{0};
};

}  // namespace weir::inline WEIR_ABI::measure
