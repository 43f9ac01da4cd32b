#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How a fork's words reach its parent: framed messages on a descriptor of their own, so that nothing a benchmark
// prints can be taken for a result, and a torn or foreign stream is noticed. Temperature: cold.
//
//   record::wire_writer out(fd);
//   out.send(record::wire_kind::done, payload);           // false: nobody listens
//   for (const record::wire_message& m : in.feed(bytes))  // wire_reader in; then in.fault()

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::record {

enum class wire_kind : std::uint16_t { hello = 1, iteration, invocation, failure, done, facts };

struct wire_message {
  wire_kind kind{};
  std::string payload;

  friend bool operator==(const wire_message&, const wire_message&) = default;
};

/// Why the rest of a stream cannot be read.
enum class wire_fault { foreign_bytes, other_version, unknown_kind, too_long, bad_checksum, cut_off };

[[nodiscard]] inline std::string text(wire_fault fault) {
  switch (fault) {
    case wire_fault::foreign_bytes:
      return "bytes on its wire are no message: something else wrote there";
    case wire_fault::other_version:
      return "its messages are of another version: it was built with another weir";
    case wire_fault::unknown_kind:
      return "a message of unknown kind came";
    case wire_fault::too_long:
      return "a message of more than 256 MiB was announced";
    case wire_fault::bad_checksum:
      return "a message was damaged: its checksum differs";
    case wire_fault::cut_off:
      return "its last message is not whole";
  }
  return "";
}

namespace detail {

/// Before each payload. Both sides are on one host, so its byte order does.
struct wire_header {
  std::array<char, 4> magic{'W', 'E', 'I', 'R'};
  std::uint16_t version = 1;
  std::uint16_t kind = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;  // of kind, length and payload
};
static_assert(sizeof(wire_header) == 24);

inline constexpr std::uint64_t longest_payload = std::uint64_t{256} << 20;

/// FNV-1a, 64 bits.  Cost: 1 ns a byte.
/// Source: Fowler, Noll, Vo, Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
[[nodiscard]] inline std::uint64_t wire_checksum(const wire_header& h, std::string_view payload) noexcept {
  std::uint64_t hash = 0xCBF29CE484222325 ^ h.kind ^ (h.length << 16);
  for (const char c : payload) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

}  // namespace detail

/// The speaking end of a socket.  Threads: one at a time.
class wire_writer {
 public:
  /// Keeps what the benchmark may start from inheriting fd, which stays the caller's to close.
  explicit wire_writer(int fd) noexcept : fd_(fd) { ::fcntl(fd, F_SETFD, FD_CLOEXEC); }

  /// Returns: false when the other end is closed, or fd is no socket. No signal comes of it.
  bool send(wire_kind kind, std::string_view payload) noexcept {
    detail::wire_header h;
    h.kind = static_cast<std::uint16_t>(kind);
    h.length = payload.size();
    h.checksum = detail::wire_checksum(h, payload);
    const auto head = std::bit_cast<std::array<char, sizeof h>>(h);
    return write({head.data(), head.size()}) && write(payload);
  }

 private:
  bool write(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n >= 0)
        bytes.remove_prefix(static_cast<std::size_t>(n));
      else if (errno != EINTR)
        return false;
    }
    return true;
  }

  int fd_;
};

/// The listening end, fed with bytes in pieces of any size. After the first fault it ignores what comes.
/// Holds no more than what has come of one message, whatever length that announces.
class wire_reader {
 public:
  /// Returns: the messages that these bytes complete.
  [[nodiscard]] std::vector<wire_message> feed(std::string_view bytes) {
    std::vector<wire_message> whole;
    if (fault_) return whole;
    pending_.append(bytes);
    std::string_view rest = pending_;
    for (detail::wire_header h; complete(rest, h); rest.remove_prefix(sizeof h + h.length))
      whole.push_back({static_cast<wire_kind>(h.kind), std::string(rest.substr(sizeof h, h.length))});
    pending_.erase(0, fault_ ? pending_.size() : pending_.size() - rest.size());
    return whole;
  }

  /// No more bytes will come.
  void end() noexcept {
    if (!fault_ && !pending_.empty()) fault_ = wire_fault::cut_off;
  }

  [[nodiscard]] std::optional<wire_fault> fault() const noexcept { return fault_; }

 private:
  /// True when a sound message stands at the front of `rest`; h is then its header.
  [[nodiscard]] bool complete(std::string_view rest, detail::wire_header& h) {
    constexpr detail::wire_header ours;
    constexpr auto last_kind = static_cast<std::uint16_t>(wire_kind::facts);
    if (std::memcmp(rest.data(), ours.magic.data(), std::min(rest.size(), ours.magic.size())) != 0) {
      fault_ = wire_fault::foreign_bytes;
      return false;
    }
    if (rest.size() < sizeof h) return false;
    std::memcpy(&h, rest.data(), sizeof h);
    rest.remove_prefix(sizeof h);
    if (h.version != ours.version)
      fault_ = wire_fault::other_version;
    else if (h.kind == 0 || h.kind > last_kind)
      fault_ = wire_fault::unknown_kind;
    else if (h.length > detail::longest_payload)
      fault_ = wire_fault::too_long;
    else if (rest.size() >= h.length && detail::wire_checksum(h, rest.substr(0, h.length)) != h.checksum)
      fault_ = wire_fault::bad_checksum;
    return !fault_ && rest.size() >= h.length;
  }

  std::string pending_;
  std::optional<wire_fault> fault_;
};

}  // namespace weir::inline WEIR_ABI::record
