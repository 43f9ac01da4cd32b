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

/// Where everything lies: a function of what was asked for alone.
struct ring_shape {
  static constexpr std::size_t slot_budget = std::size_t{64} << 20;  // bytes, unless 4 slots need more

  std::uint64_t depth = 0;
  std::uint64_t largest = 0;
  std::uint64_t entries = 0;  // a power of two
  std::uint64_t slots = 0;

  [[nodiscard]] static ring_shape of(const options& o) noexcept;

  /// Slots start on different lines of a page: loads from one must not seem to depend on stores to another.
  [[nodiscard]] std::size_t stride() const noexcept {
    return (largest + cache_line - 1) / cache_line * cache_line + cache_line;
  }
  [[nodiscard]] static std::size_t first_entry() noexcept;
  [[nodiscard]] std::size_t first_slot() const noexcept { return first_entry() + entries * sizeof(ring_entry); }
  [[nodiscard]] std::size_t bytes() const noexcept { return first_slot() + slots * stride(); }

  friend bool operator==(const ring_shape&, const ring_shape&) = default;
};

/// What the memory begins with.
struct ring_head {
  static constexpr std::uint64_t ours = 0x32'67'6E'69'72'72'69'65;  // and the version of all this

  std::uint64_t magic = 0;
  ring_shape made_for;
  wait_strategy wait{};
  full_policy full{};
  alignas(cache_line) std::atomic<std::uint32_t> closed{0};
  alignas(cache_line) std::atomic<std::uint64_t> released{0};   // the receiver writes it
  alignas(cache_line) std::atomic<std::uint64_t> wake_from{0};  // the sender writes it before it sleeps
  bed data;                                                     // where the receiver sleeps
  bed space;                                                    // where the sender does
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "two processes share them");

inline ring_shape ring_shape::of(const options& o) noexcept {
  // Under drop_oldest a message that the receiver holds has left the queue, and has its place for itself.
  const std::size_t most = o.depth + (o.full == full_policy::drop_oldest ? 1 : 0);
  ring_shape s{.depth = o.depth, .largest = o.largest, .entries = std::bit_ceil(most), .slots = 0};
  if (o.largest > inline_bytes) s.slots = std::min(most, std::max<std::size_t>(4, slot_budget / s.stride()));
  return s;
}
inline std::size_t ring_shape::first_entry() noexcept { return sizeof(ring_head); }

}  // namespace detail

/// Under drop_oldest what the receiver has taken is never thrown out; a new message is given up only when the receiver
/// holds so many that no place or slot is left. Places are a power of two above depth, and a queue is at most one lap
/// of them long: while the receiver holds many, and until the queue has moved past those, it may hold fewer than depth.
/// Depth counts messages; of those above 48 bytes fewer fit when 64 MiB do not hold so many (slots() tells).
/// Threads: one sender, one receiver, each in any process; close() from both.
template <bool BetweenProcesses>
class message_ring {
 public:
  static constexpr std::size_t inline_bytes = detail::inline_bytes;

  /// Both ends, in this process.
  /// Errors: channel.depth_out_of_range, channel.size_out_of_range, channel.no_memory, channel.no_shared_memory.
  explicit message_ring(const options& o) : message_ring(o, made(o)) {
    new (head_) detail::ring_head();
    for (std::size_t i = 0; i < shape_.entries; ++i) new (entries_ + i) detail::ring_entry();
    head_->made_for = shape_;
    head_->wait = o.wait;
    head_->full = o.full;
    head_->magic = detail::ring_head::ours;
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

  /// The same two for either side.
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
  [[nodiscard]] loaned loan(std::size_t size) noexcept { return loan(size, options_.full); }

  /// Hands over what was loaned. The newest first: the receiver, which looks for the oldest, does not fight for the
  /// lines of a batch while they are written.
  void publish() noexcept {
    if (sender_.published == sender_.loaned) return;
    for (std::uint64_t p = sender_.loaned - 1; p != sender_.published; --p)
      entry(p).turn.store(turn(p, ready), std::memory_order_release);
    std::atomic<std::uint64_t>& first = entry(sender_.published).turn;
    const std::uint64_t value = turn(sender_.published, ready);
    sender_.published = sender_.loaned;
    if (!sender_wait_.may_park()) return first.store(value, std::memory_order_release);
    first.store(value, std::memory_order_seq_cst);
    if (head_->data.occupied()) head_->data.wake(BetweenProcesses);
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
    const auto there = [&] { return next.what != outcome::empty || (next = try_take()).what != outcome::empty; };
    if (!receiver_wait_.await(head_->data, there, [this] { return gone(); })) next.what = outcome::peer_lost;
    return next;
  }

  [[nodiscard]] taken try_take() noexcept {
    bool closed = false;
    while (!receiver_.corrupt) {
      const std::uint64_t p = receiver_.taken;
      detail::ring_entry& e = entry(p);
      std::uint64_t t = e.turn.load(std::memory_order_seq_cst);
      if (t == turn(p, ready)) {
        if (drops_oldest() && !e.turn.compare_exchange_strong(t, turn(p, in_use), std::memory_order_acq_rel)) continue;
        return checked(e);
      }
      if (drops_oldest() && p < receiver_.claimed) return checked(e);  // whatever its turn has become
      if (t >> 2 <= p) {  // still that of an earlier lap
        if (closed) return {outcome::closed, {}};
        if (head_->closed.load(std::memory_order_seq_cst) == 0) return {outcome::empty, {}};
        closed = true;  // what was published before is seen by now
      } else if (drops_oldest() && position_of(t) == p) {  // thrown out or passed over
        receiver_.taken = p + 1;
      } else if (const std::uint64_t ahead = position_of(t) - p; drops_oldest() && ahead % shape_.entries == 0) {
        receiver_.taken = position_of(t) - shape_.entries + 1;  // all before were thrown out
      } else {
        receiver_.corrupt = true;
      }
    }
    return {outcome::corrupt, {}};
  }

  /// Gives back what was taken, and wakes a sender that waits for as much.
  void release() noexcept {
    if (receiver_.released == receiver_.taken) return;
    receiver_.released = receiver_.taken;
    if (!receiver_wait_.may_park()) return head_->released.store(receiver_.released, std::memory_order_release);
    head_->released.store(receiver_.released, std::memory_order_seq_cst);
    if (head_->space.occupied() && receiver_.released >= head_->wake_from.load(std::memory_order_relaxed))
      head_->space.wake(BetweenProcesses);
  }

  /// A message that does not fit stays where it is.
  [[nodiscard]] received receive(std::span<std::byte> room) noexcept {
    const taken next = take();
    if (next.what != outcome::done) return {next.what, 0};
    if (next.bytes.size() > room.size()) {
      receiver_.claimed = receiver_.taken--;
      --receiver_.count;
      return {outcome::too_big, next.bytes.size()};
    }
    if (!next.bytes.empty()) std::memcpy(room.data(), next.bytes.data(), next.bytes.size());
    release();
    return {outcome::done, next.bytes.size()};
  }

  // --- both ---

  void close() noexcept {
    head_->closed.store(1, std::memory_order_seq_cst);
    head_->data.wake(BetweenProcesses);
    head_->space.wake(BetweenProcesses);
  }

  /// Of the calling end; of both when they have stopped.
  [[nodiscard]] counters counts() const noexcept {
    return {.sent = sender_.published - sender_.passed_over + sender_.dropped,
            .received = receiver_.count,
            .dropped = sender_.dropped + sender_.thrown_out,
            .parks = sender_wait_.parks() + receiver_wait_.parks()};
  }
  [[nodiscard]] std::size_t slots() const noexcept { return shape_.slots; }

 private:
  enum state : std::uint64_t { passed_over, ready, in_use, thrown_out };
  static constexpr std::uint64_t drops_between_looks = 64;
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  struct lying {
    std::uint64_t after = 0;  // the position of what lies in an entry, and 1; 0: nothing
    std::uint32_t slot = no_slot;
  };

  [[nodiscard]] static constexpr std::uint64_t turn(std::uint64_t position, state s) noexcept {
    return (position + 1) << 2 | s;
  }
  [[nodiscard]] static constexpr std::uint64_t position_of(std::uint64_t turn) noexcept { return (turn >> 2) - 1; }

  [[nodiscard]] static memory made(const options& o) {
    check(o);
    const std::size_t bytes = detail::ring_shape::of(o).bytes();
    if constexpr (BetweenProcesses) return memory::shared(bytes);
    return memory::own(bytes);
  }

  message_ring(const options& o, memory m)
      : options_(o),
        shape_(detail::ring_shape::of(o)),
        memory_(std::move(m)),
        head_(reinterpret_cast<detail::ring_head*>(memory_.data())),
        entries_(reinterpret_cast<detail::ring_entry*>(memory_.data() + shape_.first_entry())),
        slots_(memory_.data() + shape_.first_slot()) {
    sender_.lies.assign(shape_.entries, {});
    sender_.free.reserve(shape_.slots);
    for (std::size_t i = shape_.slots; i-- > 0;) sender_.free.push_back(static_cast<std::uint32_t>(i));
  }

  message_ring(const options& o, memory m, lifeline l) : message_ring((check(o), o), fitting(o, std::move(m))) {
    lifeline_.emplace(std::move(l));
  }

  /// Where things lie follows from the options; the memory has only to agree.
  [[nodiscard]] static memory fitting(const options& o, memory m) {
    const auto shape = detail::ring_shape::of(o);
    const auto* head = reinterpret_cast<const detail::ring_head*>(m.data());
    if (m.size() != shape.bytes() || head->magic != detail::ring_head::ours || head->made_for != shape ||
        head->wait != o.wait || head->full != o.full)
      weir::detail::raise("channel.corrupt", "shared memory",
                          "not that of a ring with these options: give both ends the same options and version");
    return m;
  }

  [[nodiscard]] detail::ring_entry& entry(std::uint64_t position) const noexcept {
    return entries_[position & (shape_.entries - 1)];
  }
  [[nodiscard]] lying& lies(std::uint64_t position) noexcept { return sender_.lies[position & (shape_.entries - 1)]; }
  [[nodiscard]] bool drops_oldest() const noexcept { return options_.full == full_policy::drop_oldest; }
  [[nodiscard]] bool gone() const noexcept {
    if constexpr (BetweenProcesses) return lifeline_->broken();
    return false;
  }

  [[nodiscard]] outcome send(std::span<const std::byte> message, full_policy full) noexcept {
    const loaned slot = loan(message.size(), full);
    if (slot.what != outcome::done) return slot.what;
    if (!message.empty()) std::memcpy(slot.bytes.data(), message.data(), message.size());
    publish();
    return outcome::done;
  }

  [[nodiscard]] loaned loan(std::size_t size, full_policy full) noexcept {
    if (size > shape_.largest) return {outcome::too_big, {}};
    const bool small = size <= inline_bytes;
    if (!small) look();  // for the slot that was given back last
    if (!has_room(small)) {
      look();
      if (!has_room(small) && !sender_.corrupt) {
        if (const outcome o = make_room(small, full); o != outcome::done) return {o, {}};
      }
    }
    if (head_->closed.load(std::memory_order_relaxed) != 0) return {outcome::closed, {}};
    if (sender_.corrupt) return {outcome::corrupt, {}};
    const std::uint64_t p = sender_.loaned++;
    detail::ring_entry& e = entry(p);
    if (small) {
      if (drops_oldest()) lay(p, no_slot);
      e.place.store(std::uint64_t{no_slot} << 32 | size, std::memory_order_relaxed);
      return {outcome::done, {e.small.data(), size}};
    }
    const std::uint32_t slot = sender_.free.back();
    sender_.free.pop_back();
    lay(p, slot);
    e.place.store(std::uint64_t{slot} << 32 | size, std::memory_order_relaxed);
    return {outcome::done, {slots_ + slot * shape_.stride(), size}};
  }

  [[nodiscard]] outcome make_room(bool small, full_policy full) noexcept {
    publish();
    if (full == full_policy::block) {
      const std::uint64_t half = std::max<std::uint64_t>(1, (sender_.published - sender_.released) / 2);
      head_->wake_from.store(sender_.released + half, std::memory_order_relaxed);
      const auto can_go_on = [&] {
        look();
        return has_room(small) || sender_.corrupt || head_->closed.load(std::memory_order_seq_cst) != 0;
      };
      return sender_wait_.await(head_->space, can_go_on, [this] { return gone(); }) ? outcome::done
                                                                                    : outcome::peer_lost;
    }
    // Nobody waits here, so nobody would see that the receiver is gone.
    if (++sender_.drops % drops_between_looks == 0 && gone()) return outcome::peer_lost;
    if (full == full_policy::drop_oldest && throw_out(small)) return outcome::done;
    ++sender_.dropped;
    return outcome::dropped;
  }

  /// Room for one more: in the queue, in a slot, in the ring.
  [[nodiscard]] bool has_room(bool small) noexcept {
    return queue_has_room(small) && (!drops_oldest() || lies(sender_.loaned).after == 0);
  }
  [[nodiscard]] bool queue_has_room(bool small) const noexcept {
    return (drops_oldest() ? sender_.queued : sender_.loaned - sender_.released) < shape_.depth &&
           (small || !sender_.free.empty());
  }

  /// Throws out the oldest until there is room, and passes over places that the receiver holds.
  /// Requires: all that was loaned is published.  Returns: false when there is no room even so; nothing is then lost,
  /// unless the receiver took what was to make it meanwhile.
  [[nodiscard]] bool throw_out(bool small) noexcept {
    // Looking each time: a receiver that took the oldest first may have released what it held before.
    while (look(), !has_room(small) && !sender_.corrupt) {
      if (sender_.queued == 0 && sender_.lying_there == shape_.entries) return false;
      if (!small && sender_.free.empty() && sender_.queued_in_slots == 0) return false;
      if (!queue_has_room(small) || is_queued(lies(sender_.loaned))) {
        throw_out_oldest();
      } else {
        const std::uint64_t p = sender_.loaned++;
        sender_.published = sender_.loaned;
        ++sender_.passed_over;
        entry(p).turn.store(turn(p, passed_over), std::memory_order_seq_cst);
      }
    }
    return true;
  }

  /// What has just been taken only leaves the queue.
  /// Requires: something is queued.
  void throw_out_oldest() noexcept {
    std::uint64_t p = std::max(sender_.first, sender_.released);
    while (lies(p).after != p + 1) ++p;  // passed over
    leave_queue(lies(p));
    sender_.first = p + 1;
    std::uint64_t expected = turn(p, ready);
    if (entry(p).turn.compare_exchange_strong(expected, turn(p, thrown_out), std::memory_order_acq_rel)) {
      ++sender_.thrown_out;
      clear(lies(p));
    }
  }

  /// Sees what the receiver has released by now.
  void look() noexcept {
    const std::uint64_t released = head_->released.load(std::memory_order_seq_cst);
    if (released < sender_.released || released > sender_.published) {
      sender_.corrupt = true;
      return;
    }
    if (sender_.lying_there != 0) {
      const std::uint64_t news = released - sender_.released;
      // What is released after it was held for long may be any number of positions on.
      for (std::uint64_t p = released - std::min(news, shape_.entries); p != released; ++p)
        if (lying& there = lies(p); there.after != 0 && there.after <= released) clear(there);
    }
    sender_.released = released;
  }

  // What lies in the entries, in this end's own view.
  void lay(std::uint64_t position, std::uint32_t slot) noexcept {
    lies(position) = {.after = position + 1, .slot = slot};
    ++sender_.lying_there;
    ++sender_.queued;
    sender_.queued_in_slots += slot != no_slot;
  }
  [[nodiscard]] bool is_queued(const lying& there) const noexcept { return there.after > sender_.first; }
  void leave_queue(const lying& there) noexcept {
    --sender_.queued;
    sender_.queued_in_slots -= there.slot != no_slot;
  }
  void clear(lying& there) noexcept {
    if (is_queued(there)) leave_queue(there);
    if (there.slot != no_slot) sender_.free.push_back(there.slot);
    --sender_.lying_there;
    there = {};
  }

  /// The entry's message, if what the entry says can be true.
  [[nodiscard]] taken checked(const detail::ring_entry& e) noexcept {
    const std::uint64_t place = e.place.load(std::memory_order_relaxed);
    const std::size_t size = place & std::numeric_limits<std::uint32_t>::max();
    const std::uint64_t slot = place >> 32;
    const bool small = slot == no_slot;
    if (small ? size > inline_bytes : slot >= shape_.slots || size > shape_.largest) {
      receiver_.corrupt = true;
      return {outcome::corrupt, {}};
    }
    ++receiver_.taken;
    ++receiver_.count;
    return {outcome::done, {small ? e.small.data() : slots_ + slot * shape_.stride(), size}};
  }

  // Positions count messages and never wrap. Nothing of this is in shared memory.
  struct alignas(cache_line) sending {
    std::uint64_t loaned = 0;  // up to here there are places
    std::uint64_t published = 0;  // up to here the receiver may look
    std::uint64_t released = 0;  // up to here it had given back when last looked
    std::uint64_t first = 0;  // before here nothing can be thrown out any more
    std::uint64_t dropped = 0;
    std::uint64_t drops = 0;  // of any message, those that try_send() gives back included
    std::uint64_t thrown_out = 0;
    std::uint64_t passed_over = 0;
    // Of what lies: all, what the receiver was not seen to have taken, and that in slots.
    std::uint64_t lying_there = 0;
    std::uint64_t queued = 0;
    std::uint64_t queued_in_slots = 0;
    bool corrupt = false;
    std::vector<lying> lies;  // by entry; of small messages under drop_oldest alone
    std::vector<std::uint32_t> free;  // the last is used next
  };
  struct alignas(cache_line) receiving {
    std::uint64_t taken = 0;
    std::uint64_t released = 0;
    std::uint64_t claimed = 0;  // before here all that is not released is this end's
    std::uint64_t count = 0;
    bool corrupt = false;
  };

  options options_;
  detail::ring_shape shape_;
  memory memory_;
  std::optional<lifeline> lifeline_;
  detail::ring_head* head_;
  detail::ring_entry* entries_;
  std::byte* slots_;
  sending sender_;
  waiter sender_wait_{options_, BetweenProcesses};
  receiving receiver_;
  waiter receiver_wait_{options_, BetweenProcesses};
};

using in_process_ring = message_ring<false>;
using shared_memory_ring = message_ring<true>;

static_assert(zero_copy_channel<in_process_ring> && zero_copy_channel<shared_memory_ring>);
static_assert(shareable_channel<shared_memory_ring> && !shareable_channel<in_process_ring>);

}  // namespace weir::inline WEIR_ABI::channel
