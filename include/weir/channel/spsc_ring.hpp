#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A bounded queue between two threads: rows are written and read in place, in batches, and an end that has
// nothing to do sleeps. Temperature: hot.
//
//   spsc_ring<event> ring(1024);
//   ring.push(batch); ring.close();                             // producer
//   while (const auto n = ring.pop(room)) use(room.first(n));   // consumer

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include <weir/base/config.hpp>
#include <weir/base/cpu.hpp>
#include <weir/base/error.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/os.hpp>
#include <weir/channel/parking.hpp>

namespace weir::inline WEIR_ABI::channel {

/// Bounded single-producer, single-consumer ring. Its slots are live objects from construction on: a claimed
/// slot still holds what was released there, a popped one what moving left behind.
/// close() by the producer loses nothing; after close() by the consumer, rows still on their way stay inside.
/// Threads: one producer (claim, publish, push), one consumer (peek, release, pop); close(), closed(), size()
/// from any. Destroy it when both have stopped.
template <class T>
  requires std::is_nothrow_default_constructible_v<T> && std::is_nothrow_move_assignable_v<T>
class spsc_ring {
 public:
  static constexpr std::size_t max_capacity = std::size_t{1} << 30;

  /// Rounds capacity up to a power of two, all of which can be filled. The memory is touched here, not later.
  /// Errors: channel.capacity_out_of_range unless 1 <= capacity <= max_capacity.
  explicit spsc_ring(std::size_t capacity, patience before_parking = patience_for(os::usable_cores()))
      : mask_(rounded(capacity) - 1), slots_(std::make_unique<T[]>(mask_ + 1)), patience_(before_parking) {}

  // --- producer ---

  /// At most n free slots, contiguous; empty when the ring is full or closed. Claiming again gives the same slots.
  [[nodiscard]] std::span<T> claim(std::size_t n) noexcept {
    if (closed()) return {};
    return run(producer_.mine, std::min(n, free_slots()));
  }

  /// Hands the first n claimed slots to the consumer, and wakes it if it sleeps.
  /// Cost: the seq_cst store that spares a lost wake-up makes a hand-over of single rows cost 21 ns a row instead of 12
  /// (two cores); from batches of 16 on it does not show. Waking costs 5 us.  Requires: n <= size of the last claim.
  void publish(std::size_t n) noexcept {
    WEIR_EXPECTS(n <= capacity() - (producer_.mine - producer_.peers));
    producer_.mine += n;
    producer_.shared.store(producer_.mine, std::memory_order_seq_cst);
    if (consumer_.spot.occupied()) consumer_.spot.wake();
  }

  /// Waits until there is a free slot; false when the ring is closed. A producer that had to park is woken
  /// when half of the ring is free, lest the two ends wake each other for every row.
  [[nodiscard]] bool wait_for_space() noexcept {
    return wait(producer_, [this] { return free_slots() != 0; }) && !closed();
  }

  /// Copies rows in, waiting for space.  Returns: how many; fewer than given only when closed.
  std::size_t push(std::span<const T> rows) noexcept
    requires std::is_nothrow_copy_assignable_v<T>
  {
    std::size_t done = try_push(rows);
    while (done < rows.size() && wait_for_space()) done += try_push(rows.subspan(done));
    return done;
  }

  /// Copies in as many rows as there is space for.
  std::size_t try_push(std::span<const T> rows) noexcept
    requires std::is_nothrow_copy_assignable_v<T>
  {
    std::size_t done = 0;
    while (done < rows.size()) {
      const std::span<T> slots = claim(rows.size() - done);
      if (slots.empty()) break;
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(done), slots.size(), slots.begin());
      publish(slots.size());
      done += slots.size();
    }
    return done;
  }

  // --- consumer ---

  /// At most n published rows, oldest first, contiguous; empty when there is none. Peeking again gives the same rows.
  [[nodiscard]] std::span<T> peek(std::size_t n) noexcept { return run(consumer_.mine, std::min(n, ready_rows())); }

  /// Gives the first n peeked slots back, and wakes the producer if it sleeps and half of the ring is free.
  /// Requires: n <= size of the last peek.
  void release(std::size_t n) noexcept {
    WEIR_EXPECTS(n <= consumer_.peers - consumer_.mine);
    consumer_.mine += n;
    consumer_.shared.store(consumer_.mine, std::memory_order_seq_cst);
    if (producer_.spot.occupied() && seen(producer_) - consumer_.mine <= capacity() / 2) producer_.spot.wake();
  }

  /// Waits until there is a row; false when the ring is closed and drained.
  [[nodiscard]] bool wait_for_data() noexcept {
    return wait(consumer_, [this] { return ready_rows() != 0; });
  }

  /// Moves out at least one row and at most rows.size(), waiting for the first.
  /// Returns: how many; 0 when closed and drained.  Requires: !rows.empty().
  std::size_t pop(std::span<T> rows) noexcept {
    WEIR_EXPECTS(!rows.empty());
    const std::size_t done = try_pop(rows);
    return done > 0 || !wait_for_data() ? done : try_pop(rows);
  }

  /// Moves out the rows that are there, at most rows.size().
  std::size_t try_pop(std::span<T> rows) noexcept {
    std::size_t done = 0;
    while (done < rows.size()) {
      const std::span<T> slots = peek(rows.size() - done);
      if (slots.empty()) break;
      std::move(slots.begin(), slots.end(), rows.begin() + static_cast<std::ptrdiff_t>(done));
      release(slots.size());
      done += slots.size();
    }
    return done;
  }

  // --- both ---

  /// No row enters any more; those published are still there to be taken. Wakes both ends. May be repeated.
  void close() noexcept {
    closed_.store(true, std::memory_order_seq_cst);
    producer_.spot.wake();
    consumer_.spot.wake();
  }

  [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_seq_cst); }
  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

  /// Rows inside: exact for an end while the other stands still, else a recent value.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::uint64_t released = consumer_.shared.load(std::memory_order_acquire);
    return std::min(producer_.shared.load(std::memory_order_acquire) - released, capacity());
  }

  /// How often each end went to sleep.
  [[nodiscard]] std::uint64_t producer_parks() const noexcept { return producer_.spot.parks(); }
  [[nodiscard]] std::uint64_t consumer_parks() const noexcept { return consumer_.spot.parks(); }

 private:
  // Row n lives in slot n & mask_; indices count rows and never wrap (584 years at 1 row a ns).
  // Three lines an end: what the peer reads, what only the owner touches, and what only parking writes. The
  // owner keeps the peer's index as last seen and looks again only when it would be stuck: most calls then
  // touch no line that the other core writes.
  struct end {
    alignas(cache_line) std::atomic<std::uint64_t> shared{0};
    alignas(cache_line) std::uint64_t mine = 0;
    std::uint64_t peers = 0;
    alignas(cache_line) parking_spot spot;
  };

  [[nodiscard]] static std::size_t rounded(std::size_t capacity) {
    if (capacity < 1 || capacity > max_capacity) {
      weir::detail::raise("channel.capacity_out_of_range", "capacity",
                          std::to_string(capacity) + ": give 1 to " + std::to_string(max_capacity));
    }
    return std::bit_ceil(capacity);
  }

  [[nodiscard]] static std::uint64_t seen(const end& peer) noexcept {
    return peer.shared.load(std::memory_order_seq_cst);
  }

  [[nodiscard]] std::size_t free_slots() noexcept {
    if (producer_.mine - producer_.peers > mask_) producer_.peers = seen(consumer_);
    return capacity() - (producer_.mine - producer_.peers);
  }

  [[nodiscard]] std::size_t ready_rows() noexcept {
    if (consumer_.mine == consumer_.peers) consumer_.peers = seen(producer_);
    return consumer_.peers - consumer_.mine;
  }

  [[nodiscard]] std::span<T> run(std::uint64_t first, std::size_t n) const noexcept {
    const std::size_t slot = first & mask_;
    return {slots_.get() + slot, std::min(n, capacity() - slot)};
  }

  /// Looks, pauses, yields, parks. True when ready(); false when closed and still not ready.
  template <class Ready>
  [[nodiscard]] bool wait(end& waiting, Ready ready) noexcept {
    for (unsigned turn = 0;; ++turn) {
      const bool last = closed();  // read first: the rows published before close() are then seen
      if (ready()) return true;
      if (last) return false;
      if (turn < patience_.pauses) {
        cpu_pause();
      } else if (turn - patience_.pauses < patience_.yields) {
        os::yield();
      } else {
        waiting.spot.park([&] { return ready() || closed(); });
      }
    }
  }

  const std::size_t mask_;
  const std::unique_ptr<T[]> slots_;
  const patience patience_;
  std::atomic<bool> closed_{false};
  end producer_;
  end consumer_;
};

}  // namespace weir::inline WEIR_ABI::channel
