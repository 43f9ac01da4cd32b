#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A ring of messages of any size, between two threads or two processes, written and read where they lie.
// Temperature: hot; making and attaching one is cold.
//
//   channel::shared_memory_ring c({.depth = 1000, .largest = 4'096'000});
//   const auto slot = c.loan(size);  fill(slot.bytes);  c.publish();      // sender
//   const auto got = c.take();       use(got.bytes);    c.release();      // receiver
//
// How it is built, and why:
// - An entry is one cache line: a turn, which tells whether the message is there, and the message itself when it is
//   small. A small message so crosses between cores as one line, notification and all.
// - A larger one lies in a slot. The sender keeps the free slots on a stack of its own and takes the one given back
//   last: it is still in the cache. Cycling through all of them makes a 4 MB message cost 2 to 3 times its memcpy.
// - The receiver says how far it has released; the sender looks only when it needs room or a slot. No line is written
//   by both ends, but for the turn under drop_oldest.
// - Nothing that the other process can write is trusted: what describes the memory is copied once and checked, each
//   index and length is checked when it is read, and the sender's bookkeeping is not in shared memory at all.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/expects.hpp>
#include <weir/channel/bed.hpp>
#include <weir/channel/memory.hpp>
#include <weir/channel/message.hpp>

namespace weir::inline WEIR_ABI::channel {

namespace detail {

/// Messages up to this lie in their entry: 8 bytes of payload and a header of 24, say.
inline constexpr std::size_t inline_bytes = 48;

/// One message on its way.
struct alignas(cache_line) ring_entry {
  std::atomic<std::uint64_t> turn{0};   // (position + 1) << 2 | state
  std::atomic<std::uint64_t> place{0};  // slot << 32 | size
  std::array<std::byte, inline_bytes> small{};
};
static_assert(sizeof(ring_entry) == 64 || cache_line != 64);

/// What the memory begins with.
struct ring_head {
  std::uint64_t magic = 0;
  std::uint64_t depth = 0;
  std::uint64_t largest = 0;
  std::uint64_t slots = 0;
  std::uint32_t wait = 0;
  std::uint32_t full = 0;
  alignas(cache_line) std::atomic<std::uint32_t> closed_by_sender{0};
  std::atomic<std::uint32_t> closed_by_receiver{0};
  alignas(cache_line) std::atomic<std::uint64_t> released{0};   // the receiver writes it
  alignas(cache_line) std::atomic<std::uint64_t> wake_above{0};  // the sender, before it sleeps
  bed data;   // where the receiver sleeps
  bed space;  // where the sender does
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "two processes share them");

/// Where everything lies; a function of what was asked for alone.
struct ring_shape {
  static constexpr std::uint64_t magic = 0x31'67'6E'69'72'72'69'65;  // "eirring1"
  static constexpr std::size_t slot_budget = std::size_t{64} << 20;  // bytes, unless 4 slots need more

  std::size_t depth = 0;
  std::size_t largest = 0;
  std::size_t slots = 0;

  [[nodiscard]] static ring_shape of(const options& o) noexcept {
    ring_shape s{.depth = o.depth, .largest = o.largest, .slots = 0};
    if (o.largest > inline_bytes)
      s.slots = std::min(o.depth, std::max<std::size_t>(4, slot_budget / s.stride()));
    return s;
  }

  [[nodiscard]] std::size_t entries() const noexcept { return std::bit_ceil(depth); }
  /// Slots start on different lines of a page: else every store of a copy would seem to the core to depend on a load
  /// of it.
  [[nodiscard]] std::size_t stride() const noexcept {
    return (largest + cache_line - 1) / cache_line * cache_line + cache_line;
  }
  [[nodiscard]] std::size_t first_entry() const noexcept { return sizeof(ring_head); }
  [[nodiscard]] std::size_t first_slot() const noexcept { return first_entry() + entries() * sizeof(ring_entry); }
  [[nodiscard]] std::size_t bytes() const noexcept { return first_slot() + slots * stride(); }
};

}  // namespace detail

/// Depth counts messages; of those above 48 bytes fewer fit when 64 MiB do not hold so many (slots() tells).
/// Threads: one sender, one receiver, each in any process; close() from both.
template <bool BetweenProcesses>
class message_ring {
 public:
  static constexpr std::size_t inline_bytes = detail::inline_bytes;

  /// Both ends, in this process.
  /// Errors: channel.depth_out_of_range, channel.size_out_of_range, channel.no_memory, channel.no_shared_memory.
  explicit message_ring(const options& o) : message_ring(o, made(o)) {
    head_ = new (memory_.data()) detail::ring_head();
    entries_ = reinterpret_cast<detail::ring_entry*>(memory_.data() + shape_.first_entry());
    for (std::size_t i = 0; i < shape_.entries(); ++i) new (entries_ + i) detail::ring_entry();
    head_->depth = shape_.depth;
    head_->largest = shape_.largest;
    head_->slots = shape_.slots;
    head_->wait = static_cast<std::uint32_t>(o.wait);
    head_->full = static_cast<std::uint32_t>(o.full);
    head_->magic = detail::ring_shape::magic;
    if constexpr (BetweenProcesses) lifeline_.emplace();
  }

  /// One end of a ring that another process made.
  /// Errors: channel.bad_handle, channel.corrupt when the memory is not that of a ring with these options.
  [[nodiscard]] static message_ring attach(side, std::span<const int> fds, const options& o)
    requires BetweenProcesses
  {
    if (fds.size() != 2) weir::detail::raise("channel.bad_handle", "handles", "a ring has two");
    return message_ring(o, memory::attach(fds[0]), lifeline(fds[1]));
  }

  message_ring(const message_ring&) = delete;
  message_ring& operator=(const message_ring&) = delete;

  [[nodiscard]] std::vector<int> handles(side) const
    requires BetweenProcesses
  {
    return {memory_.fd(), lifeline_->handle()};
  }
  void keep(side)
    requires BetweenProcesses
  {
    lifeline_->hand_over();
  }

  // --- sender ---

  /// Room for the next message. A loan that has to wait hands over the earlier ones first.
  /// Cost: a small message 2 ns; a larger one a look at a line of the receiver's, 50 to 100 ns.
  [[nodiscard]] loaned loan(std::size_t size) noexcept {
    const outcome o = reserve(size, options_.full);
    return o == outcome::done ? loaned{o, granted(size)} : loaned{o, {}};
  }

  /// Hands over what was loaned. The newest first: the receiver, which looks for the oldest, does not fight for the
  /// lines of a batch while they are written.
  void publish() noexcept {
    const bool parks = wait_.may_park();
    while (sender_.published + 1 < sender_.loaned--) {
      entry(sender_.loaned).turn.store(turn(sender_.loaned, ready), std::memory_order_release);
      ++batch_;
    }
    sender_.loaned += batch_ + 1;
    entry(sender_.published)
        .turn.store(turn(sender_.published, ready), parks ? std::memory_order_seq_cst : std::memory_order_release);
    sender_.published = sender_.loaned;
    batch_ = 0;
    if (parks && head_->data.occupied()) head_->data.wake(BetweenProcesses);
  }

  [[nodiscard]] outcome send(std::span<const std::byte> message) noexcept { return send(message, options_.full); }

  [[nodiscard]] outcome try_send(std::span<const std::byte> message) noexcept {
    const outcome o = send(message, full_policy::drop_newest);
    if (o != outcome::dropped) return o;
    --sender_.dropped;
    return outcome::full;
  }

  // --- receiver ---

  /// Waits for the next message.
  [[nodiscard]] taken take() noexcept {
    taken next = try_take();
    if (next.what != outcome::empty) return next;
    if (!receiver_wait_.await(
            head_->data, [&] { return (next = try_take(std::memory_order_seq_cst)).what != outcome::empty; },
            [&] { return gone(); }))
      next.what = outcome::peer_lost;
    return next;
  }

  [[nodiscard]] taken try_take() noexcept { return try_take(std::memory_order_acquire); }

  /// Gives back what was taken, and wakes a sender that waits for as much.
  void release() noexcept {
    if (receiver_.released == receiver_.taken) return;
    receiver_.released = receiver_.taken;
    if (!wait_.may_park()) return head_->released.store(receiver_.released, std::memory_order_release);
    head_->released.store(receiver_.released, std::memory_order_seq_cst);
    if (head_->space.occupied() && receiver_.released >= head_->wake_above.load(std::memory_order_relaxed))
      head_->space.wake(BetweenProcesses);
  }

  /// A message that does not fit stays where it is.
  [[nodiscard]] received receive(std::span<std::byte> room) noexcept {
    const taken next = take();
    if (next.what != outcome::done) return {next.what, 0};
    if (next.bytes.size() > room.size()) {
      --receiver_.taken;
      --receiver_.count;
      if (options_.full == full_policy::drop_oldest)
        entry(receiver_.taken).turn.store(turn(receiver_.taken, ready), std::memory_order_release);
      return {outcome::too_big, next.bytes.size()};
    }
    if (!next.bytes.empty()) std::memcpy(room.data(), next.bytes.data(), next.bytes.size());
    release();
    return {outcome::done, next.bytes.size()};
  }

  // --- both ---

  void close(side by) noexcept {
    (by == side::sender ? head_->closed_by_sender : head_->closed_by_receiver).store(1, std::memory_order_seq_cst);
    head_->data.wake(BetweenProcesses);
    head_->space.wake(BetweenProcesses);
  }
  void close() noexcept {
    close(side::sender);
    close(side::receiver);
  }

  [[nodiscard]] counters counts() const noexcept {
    return {.sent = sender_.published - sender_.thrown_out,
            .received = receiver_.count,
            .dropped = sender_.dropped + sender_.thrown_out,
            .parks = wait_.parks() + receiver_wait_.parks()};
  }
  [[nodiscard]] std::size_t slots() const noexcept { return shape_.slots; }

 private:
  enum state : std::uint64_t { ready = 1, in_use = 2, thrown_out = 3 };
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] static constexpr std::uint64_t turn(std::uint64_t position, state s) noexcept {
    return (position + 1) << 2 | s;
  }
  [[nodiscard]] static constexpr std::uint64_t position_of(std::uint64_t turn) noexcept { return (turn >> 2) - 1; }
