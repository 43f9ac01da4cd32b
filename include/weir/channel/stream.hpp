#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Messages through the kernel: a unix stream socket, TCP over loopback, a pipe. Temperature: hot, one system call a
// message at each end; making and attaching one is cold.
//
//   channel::unix_socket c({.largest = 4096});
//   c.send(message);  c.receive(room);

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <weir/base/config.hpp>
#include <weir/base/cpu.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/channel/memory.hpp>
#include <weir/channel/message.hpp>

namespace weir::inline WEIR_ABI::channel {

namespace detail {

struct stream_ends {
  descriptor out;
  descriptor in;
};

[[noreturn]] inline void no_stream(std::string_view what) {
  weir::detail::raise("channel.no_descriptor", what, std::string(::strerror(errno)) + ": raise ulimit -n");
}

/// Room in the kernel for a large message at once: with default buffers 4 MB take 2.6 times as long, and have two
/// speeds. The system grants what net.core.wmem_max allows.
inline void widen_socket(int fd, std::size_t largest) noexcept {
  if (largest <= std::size_t{64} << 10) return;
  const int wanted = static_cast<int>(std::min(largest, std::size_t{4} << 20));
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);
}

struct unix_kind {
  static constexpr bool is_socket = true;

  [[nodiscard]] static stream_ends open(const options& o) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) no_stream("unix socket");
    for (const int fd : ends) widen_socket(fd, o.largest);
    return {descriptor(ends[0]), descriptor(ends[1])};
  }
};

struct tcp_kind {
  static constexpr bool is_socket = true;

  /// Errors: channel.port_in_use, channel.no_descriptor.
  [[nodiscard]] static stream_ends open(const options& o) {
    descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    descriptor out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!listener || !out) no_stream("tcp");
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    here.sin_port = htons(o.port);
    auto* const address = reinterpret_cast<sockaddr*>(&here);
    socklen_t length = sizeof here;
    for (const int fd : {listener.get(), out.get()}) widen_socket(fd, o.largest);
    constexpr int on = 1;  // a connection that ended lately is no reason to refuse the port
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(listener.get(), address, length) != 0 || ::listen(listener.get(), 1) != 0)
      weir::detail::raise("channel.port_in_use", "port",
                          std::to_string(o.port) + ": " + ::strerror(errno) + ": give another one, or 0 for any");
    ::getsockname(listener.get(), address, &length);
    // The system completes the connection before anybody accepts it.
    if (::connect(out.get(), address, length) != 0) no_stream("tcp");
    sockaddr_in ours{};
    length = sizeof ours;
    ::getsockname(out.get(), reinterpret_cast<sockaddr*>(&ours), &length);
    while (true) {
      sockaddr_in theirs{};
      length = sizeof theirs;
      descriptor in(::accept4(listener.get(), reinterpret_cast<sockaddr*>(&theirs), &length, SOCK_CLOEXEC));
      if (!in) no_stream("tcp");
      if (theirs.sin_port != ours.sin_port) continue;  // a stranger came first
      for (const int fd : {in.get(), out.get()}) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return {std::move(out), std::move(in)};
    }
  }
};

struct pipe_kind {
  static constexpr bool is_socket = false;

  [[nodiscard]] static stream_ends open(const options& o) {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) no_stream("pipe");
    if (o.largest > std::size_t{64} << 10) ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);  // what anybody may have
    return {descriptor(ends[1]), descriptor(ends[0])};
  }
};

}  // namespace detail

/// A byte stream cut into messages. Depth is what the kernel's buffers hold, whatever is asked for; drop_oldest is
/// not possible. try_send() begins only when there is room, and waits for the rest of a message once begun.
/// When the other process dies the stream ends without the mark that close() leaves: `peer_lost`. A sender sees a
/// receiver that closed first as lost too.
/// Threads: one sender, one receiver, each in any process; close() from either.
template <class Kind>
class stream_channel {
 public:
  /// Errors: channel.size_out_of_range, channel.no_descriptor, channel.port_in_use, channel.policy_not_possible.
  explicit stream_channel(const options& o) : stream_channel(checked(o), Kind::open(o)) {}

  /// Errors: channel.bad_handle.
  [[nodiscard]] static stream_channel attach(side s, std::span<const int> fds, const options& o) {
    descriptor fd(fds.size() == 1 ? ::fcntl(fds[0], F_DUPFD_CLOEXEC, 3) : -1);
    if (!fd) weir::detail::raise("channel.bad_handle", "handles", "a stream has one, an open descriptor");
    detail::stream_ends ends;
    (s == side::sender ? ends.out : ends.in) = std::move(fd);
    return stream_channel(checked(o), std::move(ends));
  }

  stream_channel(const stream_channel&) = delete;
  stream_channel& operator=(const stream_channel&) = delete;

  [[nodiscard]] std::vector<int> handles(side s) const { return {(s == side::sender ? out_ : in_).get()}; }
  void keep(side s) noexcept { (s == side::sender ? in_ : out_).close(); }

  [[nodiscard]] outcome send(std::span<const std::byte> message) noexcept { return send(message, options_.full); }
  [[nodiscard]] outcome try_send(std::span<const std::byte> message) noexcept {
    const outcome o = send(message, full_policy::drop_newest);
    if (o != outcome::dropped) return o;
    --sent_;
    --dropped_;
    return outcome::full;
  }

  /// A message that does not fit stays where it is.
  [[nodiscard]] received receive(std::span<std::byte> room) noexcept {
    while (end_ - begin_ < sizeof(frame)) {
      if (const outcome o = fill(); o != outcome::done) return {o, 0};
    }
    frame f{};
    std::memcpy(&f, buffer_.data() + begin_, sizeof f);
    if (f.mark == frame::last) return {outcome::closed, 0};
    if (f.mark != frame::message || f.size > options_.largest) return {outcome::corrupt, 0};
    if (f.size > room.size()) return {outcome::too_big, f.size};
    begin_ += sizeof f;
    const std::size_t here = std::min<std::size_t>(f.size, end_ - begin_);
    if (here != 0) std::memcpy(room.data(), buffer_.data() + begin_, here);
    begin_ += here;
    for (std::size_t have = here; have < f.size;) {
      std::size_t got = 0;
      if (const outcome o = read_some(room.subspan(have, f.size - have), got); o != outcome::done)
        return {o == outcome::closed ? outcome::peer_lost : o, 0};
      have += got;
    }
    ++received_;
    return {outcome::done, f.size};
  }

  void close() noexcept {
    if (closed_.exchange(true)) return;
    if (!out_) return hang_up(in_);
    const busy writing(writing_);
    if (!in_) {
      const frame f{.size = 0, .mark = frame::last};
      iovec part{const_cast<frame*>(&f), sizeof f};
      static_cast<void>(write_all({&part, 1}));
    }
    if constexpr (Kind::is_socket)
      ::shutdown(out_.get(), SHUT_WR);
    else
      hang_up(out_);
  }

  /// Of the calling end; of both when they have stopped.
  [[nodiscard]] counters counts() const noexcept {
    return {.sent = sent_, .received = received_, .dropped = dropped_, .parks = parks_in_ + parks_out_};
  }

 private:
  struct frame {
    static constexpr std::uint32_t message = 0x7765'6972;
    static constexpr std::uint32_t last = 0x7765'6973;

    std::uint32_t size = 0;
    std::uint32_t mark = 0;
  };

  /// Held by the one who writes: only close() ever waits for it.
  class busy {
   public:
    explicit busy(std::atomic_flag& flag) noexcept : flag_(&flag) {
      while (flag.test_and_set(std::memory_order_acquire)) os::yield();
    }
    busy(const busy&) = delete;
    busy& operator=(const busy&) = delete;
    ~busy() { flag_->clear(std::memory_order_release); }

   private:
    std::atomic_flag* flag_;
  };

  static constexpr int between_looks_ms = 100;

  /// The number stays taken, lest another thread use whatever gets it next.
  static void hang_up(const descriptor& end) noexcept {
    const descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    ::dup3(nothing.get(), end.get(), O_CLOEXEC);
  }

  [[nodiscard]] static const options& checked(const options& o) {
    check(o);
    if (o.full == full_policy::drop_oldest)
      weir::detail::raise(
          "channel.policy_not_possible", "full",
          "drop_oldest: what is in the kernel's buffers cannot be taken back; give block or drop_newest");
    return o;
  }

  stream_channel(const options& o, detail::stream_ends ends)
      : options_(o),
        one_core_(o.one_core || os::usable_cores() == 1),
        out_(std::move(ends.out)),
        in_(std::move(ends.in)) {
    // A sender never sleeps in the call: close() must be able to stop it.
    if (out_) ::fcntl(out_.get(), F_SETFL, ::fcntl(out_.get(), F_GETFL) | O_NONBLOCK);
    if (in_ && o.wait != wait_strategy::block) ::fcntl(in_.get(), F_SETFL, ::fcntl(in_.get(), F_GETFL) | O_NONBLOCK);
  }

  [[nodiscard]] outcome send(std::span<const std::byte> message, full_policy full) noexcept {
    if (message.size() > options_.largest) return outcome::too_big;
    const busy writing(writing_);
    if (closed_) return outcome::closed;
    if (full == full_policy::drop_newest && !ready(out_.get(), POLLOUT, 0)) {
      ++sent_;
      ++dropped_;
      return outcome::dropped;
    }
    frame f{.size = static_cast<std::uint32_t>(message.size()), .mark = frame::message};
    std::array<std::byte, 512> whole;  // a small message in one piece: gathering it costs the kernel more than the copy
    outcome o{};
    if (sizeof f + message.size() <= whole.size()) {
      std::memcpy(whole.data(), &f, sizeof f);
      if (!message.empty()) std::memcpy(whole.data() + sizeof f, message.data(), message.size());
      iovec part{whole.data(), sizeof f + message.size()};
      o = write_all({&part, 1});
    } else {
      std::array<iovec, 2> parts{iovec{&f, sizeof f}, iovec{const_cast<std::byte*>(message.data()), message.size()}};
      o = write_all(parts);
    }
    sent_ += o == outcome::done;
    return o;
  }

  [[nodiscard]] outcome write_all(std::span<iovec> parts) noexcept {
    for (std::uint32_t turn = 1; !parts.empty();) {
      const ssize_t n = write_some(parts);
      if (n < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return closed_ ? outcome::closed : outcome::peer_lost;
        if (closed_ && in_) return outcome::closed;
        wait(out_.get(), POLLOUT, turn, parks_out_);
        continue;
      }
      auto left = static_cast<std::size_t>(n);
      while (!parts.empty() && left >= parts.front().iov_len) {
        left -= parts.front().iov_len;
        parts = parts.subspan(1);
      }
      if (!parts.empty()) {
        parts.front().iov_base = static_cast<std::byte*>(parts.front().iov_base) + left;
        parts.front().iov_len -= left;
      }
    }
    return outcome::done;
  }

  [[nodiscard]] ssize_t write_some(std::span<iovec> parts) noexcept {
    const bool one = parts.size() == 1;
    if constexpr (Kind::is_socket) {
      if (one) return ::send(out_.get(), parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL);
      msghdr m{};
      m.msg_iov = parts.data();
      m.msg_iovlen = parts.size();
      return ::sendmsg(out_.get(), &m, MSG_NOSIGNAL);
    } else {
      // A pipe without a reader kills its writer, unless the thread holds the signal off.
      thread_local const bool held = hold_off_sigpipe();
      static_cast<void>(held);
      if (one) return ::write(out_.get(), parts[0].iov_base, parts[0].iov_len);
      return ::writev(out_.get(), parts.data(), static_cast<int>(parts.size()));
    }
  }

  [[nodiscard]] static bool hold_off_sigpipe() noexcept {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return ::pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0;
  }

  [[nodiscard]] outcome fill() noexcept {
    if (begin_ == end_) {
      begin_ = end_ = 0;
    } else if (buffer_.size() - end_ < sizeof(frame)) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    std::size_t got = 0;
    const outcome o = read_some(std::span(buffer_).subspan(end_), got);
    end_ += got;
    return o;
  }

  [[nodiscard]] outcome read_some(std::span<std::byte> room, std::size_t& got) noexcept {
    for (std::uint32_t turn = 1;;) {
      const ssize_t n = ::read(in_.get(), room.data(), room.size());
      if (n > 0) {
        got = static_cast<std::size_t>(n);
        return outcome::done;
      }
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && errno == EAGAIN)
        wait(in_.get(), POLLIN, turn, parks_in_);
      else
        return closed_ ? outcome::closed : outcome::peer_lost;
    }
  }

  void wait(int fd, short what, std::uint32_t& turn, std::uint64_t& parks) const noexcept {
    constexpr std::uint32_t tries = 64;  // system calls of 0.3 us: about what a wake-up costs
    if (options_.wait == wait_strategy::spin || (options_.wait == wait_strategy::spin_then_park && turn < tries)) {
      one_core_ || turn % 4096 == 0 ? os::yield() : cpu_pause();
      ++turn;
    } else {
      ++parks;
      static_cast<void>(ready(fd, what, between_looks_ms));
    }
  }

  [[nodiscard]] static bool ready(int fd, short what, int timeout_ms) noexcept {
    pollfd p{.fd = fd, .events = what, .revents = 0};
    return ::poll(&p, 1, timeout_ms) == 1;
  }

  options options_;
  bool one_core_;
  descriptor out_;
  descriptor in_;
  std::atomic<bool> closed_{false};

  alignas(cache_line) std::atomic_flag writing_{};
  std::uint64_t sent_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t parks_out_ = 0;

  alignas(cache_line) std::vector<std::byte> buffer_ = std::vector<std::byte>(std::size_t{64} << 10);
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t parks_in_ = 0;
};

using unix_socket = stream_channel<detail::unix_kind>;
using tcp_socket = stream_channel<detail::tcp_kind>;
using pipe_channel = stream_channel<detail::pipe_kind>;

static_assert(shareable_channel<unix_socket> && shareable_channel<tcp_socket> && shareable_channel<pipe_channel>);

}  // namespace weir::inline WEIR_ABI::channel
