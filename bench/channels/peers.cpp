// SPDX-License-Identifier: Apache-2.0
//
// Other people's channels in the same suite: ZeroMQ and nng, each where its library is installed. PAIR sockets, one
// way.
//
//   channels --benchmark_filter='(zmq|nng).*/pingpong'

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include <weir/base/error.hpp>
#include <weir/channel/message.hpp>
#include <weir/gbench/channel_suite.hpp>

namespace {
/// The other end is a thread of this process and cannot be seen to die: one that waits so long is given up.
[[maybe_unused]] constexpr int longest_wait_ms = 60'000;
}  // namespace

#if __has_include(<zmq.h>) && defined(WEIR_WITH_ZMQ)
#include <zmq.h>

namespace {

using weir::channel::outcome;

/// %d becomes a number of its own: several channels live at once.
constexpr char zmq_inproc[] = "inproc://weir-%d";
constexpr char zmq_tcp[] = "tcp://127.0.0.1:*";
constexpr char zmq_ipc[] = "ipc://*";

template <const char* Address>
class zmq_channel {
 public:
  explicit zmq_channel(const weir::channel::options& o) {
    if (o.full == weir::channel::full_policy::drop_oldest)
      weir::detail::raise("channel.policy_not_possible", "full", "drop_oldest: give block or drop_newest");
    const int depth = static_cast<int>(std::min<std::size_t>(o.depth, 1 << 20));
    for (void* s : {in_, out_}) {
      zmq_setsockopt(s, ZMQ_SNDHWM, &depth, sizeof depth);
      zmq_setsockopt(s, ZMQ_RCVHWM, &depth, sizeof depth);
      zmq_setsockopt(s, ZMQ_SNDTIMEO, &longest_wait_ms, sizeof longest_wait_ms);
      zmq_setsockopt(s, ZMQ_RCVTIMEO, &longest_wait_ms, sizeof longest_wait_ms);
    }
    std::string address = Address;
    if (const auto at = address.find("%d"); at != std::string::npos) {
      static std::atomic<int> next{0};
      address.replace(at, 2, std::to_string(next++));
    }
    std::string bound(256, '\0');
    std::size_t length = bound.size();
    if (zmq_bind(in_, address.c_str()) != 0 || zmq_getsockopt(in_, ZMQ_LAST_ENDPOINT, bound.data(), &length) != 0 ||
        zmq_connect(out_, bound.c_str()) != 0)
      weir::detail::raise("channel.no_descriptor", "zmq", zmq_strerror(zmq_errno()));
    drops_ = o.full == weir::channel::full_policy::drop_newest;
  }
  zmq_channel(const zmq_channel&) = delete;
  zmq_channel& operator=(const zmq_channel&) = delete;
  ~zmq_channel() {
    const int at_once = 0;
    for (void* s : {in_, out_}) {
      zmq_setsockopt(s, ZMQ_LINGER, &at_once, sizeof at_once);
      zmq_close(s);
    }
    zmq_ctx_term(context_);
  }

  outcome send(std::span<const std::byte> m) { return drops_ ? try_send(m) : put(m, 0); }
  outcome try_send(std::span<const std::byte> m) { return put(m, ZMQ_DONTWAIT); }
  weir::channel::received receive(std::span<std::byte> room) {
    const int n = zmq_recv(in_, room.data(), room.size(), 0);
    if (n < 0) return {outcome::peer_lost, 0};
    const auto size = static_cast<std::size_t>(n);
    if (size == 1) return {outcome::closed, 0};  // no message of the suite is so short
    return {size <= room.size() ? outcome::done : outcome::too_big, size};
  }
  void close() {
    if (!closed_.exchange(true)) zmq_send(out_, "", 1, 0);
  }

 private:
  outcome put(std::span<const std::byte> m, int flags) {
    if (closed_) return outcome::closed;
    if (zmq_send(out_, m.data(), m.size(), flags) >= 0) return outcome::done;
    if (flags == 0 || zmq_errno() != EAGAIN) return outcome::peer_lost;
    return drops_ ? outcome::dropped : outcome::full;
  }

  void* context_ = zmq_ctx_new();
  void* in_ = zmq_socket(context_, ZMQ_PAIR);
  void* out_ = zmq_socket(context_, ZMQ_PAIR);
  bool drops_ = false;
  std::atomic<bool> closed_{false};
};

[[maybe_unused]] const bool zmq_registered = weir::gbench::register_channel<zmq_channel<zmq_inproc>>("zmq_inproc") &&
                                             weir::gbench::register_channel<zmq_channel<zmq_ipc>>("zmq_ipc") &&
                                             weir::gbench::register_channel<zmq_channel<zmq_tcp>>("zmq_tcp");

}  // namespace
#endif

#if __has_include(<nng/nng.h>) && defined(WEIR_WITH_NNG)
#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>

namespace {

/// In this process alone: nng does not survive a fork, and the peer is a thread here.
class nng_channel {
 public:
  explicit nng_channel(const weir::channel::options& o) {
    if (o.full == weir::channel::full_policy::drop_oldest)
      weir::detail::raise("channel.policy_not_possible", "full", "drop_oldest: give block or drop_newest");
    const int depth = static_cast<int>(std::min<std::size_t>(o.depth, 8192));  // what nng allows
    static std::atomic<int> next{0};
    const std::string address = "inproc://weir-" + std::to_string(next++);
    if (nng_pair0_open(&in_) != 0 || nng_pair0_open(&out_) != 0 ||
        nng_socket_set_int(in_, NNG_OPT_RECVBUF, depth) != 0 || nng_socket_set_int(out_, NNG_OPT_SENDBUF, depth) != 0 ||
        nng_socket_set_ms(in_, NNG_OPT_RECVTIMEO, longest_wait_ms) != 0 ||
        nng_socket_set_ms(out_, NNG_OPT_SENDTIMEO, longest_wait_ms) != 0 ||
        nng_listen(in_, address.c_str(), nullptr, 0) != 0 || nng_dial(out_, address.c_str(), nullptr, 0) != 0)
      weir::detail::raise("channel.no_descriptor", "nng", "cannot open a pair");
    drops_ = o.full == weir::channel::full_policy::drop_newest;
  }
  nng_channel(const nng_channel&) = delete;
  nng_channel& operator=(const nng_channel&) = delete;
  ~nng_channel() {
    nng_close(out_);
    nng_close(in_);
  }

  weir::channel::outcome send(std::span<const std::byte> m) { return drops_ ? try_send(m) : put(m, 0); }
  weir::channel::outcome try_send(std::span<const std::byte> m) { return put(m, NNG_FLAG_NONBLOCK); }
  weir::channel::received receive(std::span<std::byte> room) {
    std::size_t size = room.size();
    if (nng_recv(in_, room.data(), &size, 0) != 0) return {weir::channel::outcome::peer_lost, 0};
    if (size == 1) return {weir::channel::outcome::closed, 0};  // no message of the suite is so short
    return {weir::channel::outcome::done, size};
  }
  void close() {
    char last = 0;
    if (!closed_.exchange(true)) nng_send(out_, &last, 1, 0);
  }

 private:
  weir::channel::outcome put(std::span<const std::byte> m, int flags) {
    using weir::channel::outcome;
    if (closed_) return outcome::closed;
    const int failed = nng_send(out_, const_cast<std::byte*>(m.data()), m.size(), flags);
    if (failed == 0) return outcome::done;
    return failed == NNG_EAGAIN ? drops_ ? outcome::dropped : outcome::full : outcome::peer_lost;
  }

  nng_socket in_{};
  nng_socket out_{};
  bool drops_ = false;
  std::atomic<bool> closed_{false};
};

[[maybe_unused]] const bool nng_registered = weir::gbench::register_channel<nng_channel>("nng_inproc");

}  // namespace
#endif
