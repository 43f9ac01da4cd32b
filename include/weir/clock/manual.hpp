#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Virtual time, for tests: it stands still until told to move. Temperature: cold (locks, allocates).
//
//   clock::manual clock;
//   std::jthread ticker([clock, seat = clock.reserve_seat()] {
//     for (int tick = 1; tick <= 10; ++tick) clock.sleep_until(tick * 100ms);
//   });
//   clock.advance(1s);  // 10: the ticker has slept ten times, and time stood at its deadline at each wake

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/clock/time_source.hpp>

namespace weir::inline WEIR_ABI::clock {

/// A handle on virtual time, which starts at 0; copies share it.
///
/// Advancing wakes one sleeper at a time: earliest deadline first, equal deadlines in order of arrival,
/// and time stands at the deadline of whom it wakes. Without seats it then goes on at once: a woken thread
/// may see a later time, and if it sleeps again it is woken by the same advance or, when that is over and
/// the deadline past, does not sleep at all. Late or early, no thread is forgotten.
///
/// A seat makes that exact. Whoever starts a thread reserves a seat for it; while the seat is held, time
/// moves only when the thread sleeps on this clock. So each woken thread runs alone, at its own deadline,
/// until it sleeps again or gives up its seat, and advancing before the thread has come to its first
/// sleep waits for it. Either all threads that sleep on a clock hold seats or none.
///
/// Threads: any; but who holds a seat must not advance the clock or ask for the next deadline, which would
/// wait for itself.
class manual {
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    std::atomic<nanoseconds> now{nanoseconds(0)};  // written under the mutex
    std::multimap<nanoseconds, bool*> sleepers;    // deadline, "you are woken"
    std::size_t seats = 0;

    void wait_for_seats(std::unique_lock<std::mutex>& lock) {
      changed.wait(lock, [this] { return sleepers.size() >= seats; });
    }
  };

 public:
  static constexpr std::string_view name = "manual";

  /// A thread's place on the clock; given up when destroyed.
  class [[nodiscard]] seat {
   public:
    explicit seat(std::shared_ptr<state> of) noexcept : state_(std::move(of)) {
      const std::scoped_lock lock(state_->mutex);
      ++state_->seats;
    }
    seat(seat&&) noexcept = default;
    seat& operator=(seat&&) = delete;
    ~seat() {
      if (!state_) return;
      const std::scoped_lock lock(state_->mutex);
      --state_->seats;
      state_->changed.notify_all();
    }

   private:
    std::shared_ptr<state> state_;
  };

  [[nodiscard]] seat reserve_seat() const noexcept { return seat(state_); }

  [[nodiscard]] nanoseconds now() const noexcept { return state_->now.load(std::memory_order_acquire); }

  /// Blocks until time has reached the deadline: for ever when nobody advances it.
  void sleep_until(nanoseconds deadline) const noexcept {
    std::unique_lock lock(state_->mutex);
    if (now() >= deadline) return;
    bool woken = false;
    state_->sleepers.emplace(deadline, &woken);
    state_->changed.notify_all();
    state_->changed.wait(lock, [&] { return woken; });
  }

  /// Moves time on to `time` and returns how many sleeps ended on the way, those at `time` included. Time
  /// never goes back: an earlier `time` moves nothing.
  std::size_t advance_to(nanoseconds time) const noexcept {
    std::size_t woken = 0;
    std::unique_lock lock(state_->mutex);
    for (state_->wait_for_seats(lock); !state_->sleepers.empty(); state_->wait_for_seats(lock)) {
      const auto next = state_->sleepers.begin();
      if (next->first > time) break;
      move_to(next->first);
      *next->second = true;
      state_->sleepers.erase(next);
      state_->changed.notify_all();
      ++woken;
    }
    move_to(time);
    return woken;
  }

  /// Requires: span >= 0.
  std::size_t advance(nanoseconds span) const noexcept {
    WEIR_EXPECTS(span >= nanoseconds(0));
    return advance_to(now() + span);
  }

  /// The earliest deadline that a thread sleeps for; none when nobody sleeps. Like advancing, waits until
  /// every seat sleeps: `while (auto next = clock.next_deadline()) clock.advance_to(*next)` runs them all.
  [[nodiscard]] std::optional<nanoseconds> next_deadline() const noexcept {
    std::unique_lock lock(state_->mutex);
    state_->wait_for_seats(lock);
    if (state_->sleepers.empty()) return std::nullopt;
    return state_->sleepers.begin()->first;
  }

 private:
  void move_to(nanoseconds time) const noexcept {
    if (time > now()) state_->now.store(time, std::memory_order_release);
  }

  std::shared_ptr<state> state_ = std::make_shared<state>();
};

static_assert(virtual_time_source<manual>);

}  // namespace weir::inline WEIR_ABI::clock
