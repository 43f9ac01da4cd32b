#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a message channel is: bytes go in at one end and come out at the other, between two threads or two processes.
// Temperature: hot, except where a comment says cold.
//
//   channel::in_process_ring c({.depth = 1000, .largest = 4096});
//   c.send(message);                                   // one thread
//   const auto got = c.receive(room);                  // another one: got.size bytes of room
//
//   wait strategy    an end that has nothing to do    use when
//   spin             looks again and again            it has a core of its own, and latency is all
//   spin_then_park   looks for about as long as a     messages come in bunches
//                    wake-up costs, then sleeps
//   block            sleeps at once                   cores are shared, or messages are rare
//
//   full policy      a send into a full channel
//   block            waits for room
//   drop_newest      gives up its own message and counts it
//   drop_oldest      throws out the oldest message that nobody has taken yet

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>

namespace weir::inline WEIR_ABI::channel {

enum class wait_strategy : std::uint32_t { spin, spin_then_park, block };
enum class full_policy : std::uint32_t { block, drop_newest, drop_oldest };
enum class side { sender, receiver };

inline constexpr std::array<std::string_view, 3> wait_names{"spin", "spin_then_park", "block"};
inline constexpr std::array<std::string_view, 3> full_names{"block", "drop_newest", "drop_oldest"};

[[nodiscard]] constexpr std::string_view name_of(wait_strategy w) noexcept {
  return wait_names[static_cast<std::size_t>(w)];
}
[[nodiscard]] constexpr std::string_view name_of(full_policy f) noexcept {
  return full_names[static_cast<std::size_t>(f)];
}

/// How a channel is made.
struct options {
  std::size_t depth = 1000;    // messages inside before it is full
  std::size_t largest = 4096;  // bytes of a message
  wait_strategy wait = wait_strategy::spin_then_park;
  full_policy full = full_policy::block;
  bool one_core = false;   // both ends run on the same core: while one looks, the other cannot run
  std::uint16_t port = 0;  // of a channel that listens on one; 0: any that is free

  friend bool operator==(const options&, const options&) = default;
};

inline constexpr std::size_t deepest = std::size_t{1} << 20;
inline constexpr std::size_t largest_message = std::size_t{1} << 30;

/// Errors: channel.depth_out_of_range, channel.size_out_of_range. Cold.
inline void check(const options& o) {
  if (o.depth < 1 || o.depth > deepest)
    weir::detail::raise("channel.depth_out_of_range", "depth",
                        std::to_string(o.depth) + ": give 1 to " + std::to_string(deepest) + " messages");
  if (o.largest > largest_message)
    weir::detail::raise("channel.size_out_of_range", "largest",
                        std::to_string(o.largest) + ": give at most " + std::to_string(largest_message) + " bytes");
}

/// What came of a call. Only `done` moved a message.
enum class outcome : std::uint8_t {
  done,
  full,       // try_send: no room now
  empty,      // try_take: nothing there now
  dropped,    // send: given up under drop_newest
  closed,     // the other end said so; what it had sent before has been received
  peer_lost,  // the other process is gone without a word
  too_big,    // send: above options::largest; receive: above the room given, and left where it was
  corrupt,    // what the other process wrote cannot be right; nothing more is read from it
};

[[nodiscard]] constexpr std::string_view name_of(outcome o) noexcept {
  constexpr std::array<std::string_view, 8> names{"done",   "full",      "empty",   "dropped",
                                                  "closed", "peer lost", "too big", "corrupt"};
  return names[static_cast<std::size_t>(o)];
}

struct received {
  outcome what = outcome::empty;
  std::size_t size = 0;  // bytes of the message
};

struct loaned {
  outcome what = outcome::full;
  std::span<std::byte> bytes;
};

struct taken {
  outcome what = outcome::empty;
  std::span<const std::byte> bytes;
};

/// What happened at the ends of this process.
struct counters {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t dropped = 0;  // at the sending end
  std::uint64_t parks = 0;    // how often an end went to sleep

  friend bool operator==(const counters&, const counters&) = default;
};

/// A channel in one direction. Meaning: send() waits as the full policy says; try_send() never waits for the other
/// end to take something; receive() waits for a message and copies it to the front of room; close() by the sender
/// loses nothing, and a receiver that has drained the channel then gets `closed`.
/// Threads: one sends, one receives, close() is called by either.
template <class C>
concept message_channel = std::constructible_from<C, const options&> &&
                          requires(C& c, std::span<const std::byte> message, std::span<std::byte> room) {
                            { c.send(message) } -> std::same_as<outcome>;
                            { c.try_send(message) } -> std::same_as<outcome>;
                            { c.receive(room) } -> std::same_as<received>;
                            c.close();
                          };

/// Messages are written and read where they lie. Meaning: loan(n) is room for the next message, to be filled before
/// the next call; publish() hands over all that were loaned; take() and try_take() give the next message, and
/// release() all that were taken back to the sender.
template <class C>
concept zero_copy_channel = message_channel<C> && requires(C& c, std::size_t bytes) {
  { c.loan(bytes) } -> std::same_as<loaned>;
  c.publish();
  { c.take() } -> std::same_as<taken>;
  { c.try_take() } -> std::same_as<taken>;
  c.release();
};

/// Its two ends can be in two processes. Meaning: made whole in one process; handles(s) are the descriptors that
/// another process needs to attach(s, ...) as that end, and keep(s) gives the other end up in this one, from when on
/// the death of the other process is seen.
template <class C>
concept shareable_channel = message_channel<C> && requires(C& c, side s, std::span<const int> fds, const options& o) {
  { c.handles(s) } -> std::same_as<std::vector<int>>;
  c.keep(s);
  { C::attach(s, fds, o) } -> std::same_as<C>;
};

}  // namespace weir::inline WEIR_ABI::channel
