#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Where one thread sleeps until another has news for it, and how long it looks again before it does.
// Temperature: hot; only a thread that sleeps, or wakes a sleeper, enters the kernel.
//
//   spot.park([&] { return published.load() != seen; });      // the one who waits
//   published.store(n); if (spot.occupied()) spot.wake();     // the one who has news

#include <atomic>
#include <cstdint>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>

namespace weir::inline WEIR_ABI::channel {

/// How often a waiting end looks again before it parks: first pausing on its core, then giving the core away.
struct patience {
  unsigned pauses = 0;
  unsigned yields = 0;

  friend bool operator==(const patience&, const patience&) = default;
};

/// What suits a process that may run on so many cores.
/// Two cores, measured with 600,000 rows/s from a yielding generator into four rings, each with a sink thread: without
/// yields sinks park 53,000 times in 240,000 rows, with 2 yields 3,100, with 8 yields 210 and a P99 from 178 us to 115;
/// beyond 8 nothing is gained, and with a generator that sleeps they only burn CPU (8: 2.3 us a row, 32: 2.9). Pausing
/// is harmful there even with two threads: 200 pauses made a hand-over in batches of 16 cost 14 ns a row instead
/// of 5.5. More cores: about 2 us of pauses first, the order of what waking would cost (folly spins as long); not
/// measured.
[[nodiscard]] constexpr patience patience_for(unsigned cores) noexcept {
  return cores <= 2 ? patience{.pauses = 0, .yields = 8} : patience{.pauses = 64, .yields = 8};
}

/// A bed for one thread. No wake-up is lost: the sleeper says "parked" and then looks for news, the waker
/// says the news and then looks for "parked", all four sequentially consistent, so at least one of the two
/// sees the other (Dekker). That needs no atomic_thread_fence, which ThreadSanitizer cannot follow.
/// Threads: one sleeper; any number of wakers.
class parking_spot {
 public:
  /// Sleeps unless ready() holds; may return early, so call it in a loop that looks again.
  /// Requires: ready() reads with seq_cst what wakers write with seq_cst before they call occupied().
  /// Cost: 3 to 31 us to be woken.
  template <class Ready>
  void park(Ready ready) noexcept {
    word_.store(1, std::memory_order_seq_cst);
    if (!ready()) {
      parks_.store(parks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      os::futex_wait(word_, 1);
    }
    word_.store(0, std::memory_order_relaxed);
  }

  /// Whether somebody sleeps here or is about to.  Cost: one load, of a line that only parking writes.
  [[nodiscard]] bool occupied() const noexcept { return word_.load(std::memory_order_seq_cst) != 0; }

  /// Wakes the sleeper, once, whoever calls.  Cost: 5 us.
  void wake() noexcept {
    if (word_.exchange(0, std::memory_order_seq_cst) != 0) os::futex_wake(word_);
  }

  /// How often somebody really went to sleep here.
  [[nodiscard]] std::uint64_t parks() const noexcept { return parks_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint64_t> parks_{0};
};

}  // namespace weir::inline WEIR_ABI::channel
