#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Where an end of a message channel waits: as parking_spot, but the bed may lie in memory that two processes share,
// and nobody sleeps in it for ever. Temperature: hot.
//
//   waiter w(options, any_process);
//   w.await(spot, [&] { return ready(); }, [&] { return peer_is_gone(); });

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <weir/base/config.hpp>
#include <weir/base/cpu.hpp>
#include <weir/base/os.hpp>
#include <weir/channel/message.hpp>

namespace weir::inline WEIR_ABI::channel {

/// A word to sleep on. No wake-up is lost: the sleeper says "asleep" and then looks for news, the waker says the news
/// and then looks for "asleep", all four sequentially consistent (Dekker; parking_spot does the same).
struct alignas(cache_line) bed {
  std::atomic<std::uint32_t> word{0};

  [[nodiscard]] bool occupied() const noexcept { return word.load(std::memory_order_seq_cst) != 0; }

  /// Cost: 5 us when somebody sleeps.
  void wake(bool any_process) noexcept {
    if (word.exchange(0, std::memory_order_seq_cst) == 0) return;
    ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), any_process ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE,
              std::numeric_limits<int>::max(), nullptr, nullptr, 0);
  }

  /// Sleeps unless ready(), between processes for `most` at most: there the waker may have died. The timer adds 0.5 us,
  /// which threads of one process are spared.
  /// Requires: ready() reads with seq_cst what wakers write with seq_cst.
  template <class Ready>
  void sleep(bool any_process, std::chrono::milliseconds most, Ready ready) noexcept {
    word.store(1, std::memory_order_seq_cst);
    if (!ready()) {
      const timespec relative{.tv_sec = most.count() / 1000, .tv_nsec = most.count() % 1000 * 1'000'000};
      ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), any_process ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, 1U,
                any_process ? &relative : nullptr, nullptr, 0);
    }
    word.store(0, std::memory_order_relaxed);
  }
};

/// How one end waits.
class waiter {
 public:
  /// A sleeper looks after its peer that often, in case that it died.
  static constexpr std::chrono::milliseconds between_looks{100};

  waiter(const options& o, bool any_process) noexcept
      : how_(o.wait), any_process_(any_process), one_core_(o.one_core || os::usable_cores() == 1) {}

  /// True when ready(), false when gone().
  template <class Ready, class Gone>
  [[nodiscard]] bool await(bed& spot, Ready ready, Gone gone) noexcept {
    for (std::uint32_t turn = 1;; ++turn) {
      if (ready()) return true;
      if (turn % turns_between_looks == 0 && gone()) return ready();  // what it had said before is not lost
      if (how_ == wait_strategy::spin || (how_ == wait_strategy::spin_then_park && turn < spins())) {
        pause(turn);
      } else {
        ++parks_;
        spot.sleep(any_process_, between_looks, ready);
        if (!ready() && gone()) return ready();
      }
    }
  }

  [[nodiscard]] std::uint64_t parks() const noexcept { return parks_; }
  [[nodiscard]] bool may_park() const noexcept { return how_ != wait_strategy::spin; }
  [[nodiscard]] bool any_process() const noexcept { return any_process_; }

 private:
  static constexpr std::uint32_t turns_between_looks = 1 << 16;

  /// About what a wake-up costs: 2000 pauses are 40 us. On one core giving it away 8 times does better.
  [[nodiscard]] std::uint32_t spins() const noexcept { return one_core_ ? 8 : 2000; }

  void pause(std::uint32_t turn) const noexcept {
    if (!one_core_ && turn % 4096 != 0)
      cpu_pause();
    else
      os::yield();
  }

  wait_strategy how_;
  bool any_process_;
  bool one_core_;
  std::uint64_t parks_ = 0;
};

}  // namespace weir::inline WEIR_ABI::channel
