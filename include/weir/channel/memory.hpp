#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Memory for a channel, of this process or shared with another one, and the line that tells whether that one still
// lives. Nothing has a name in a file system, so nothing is left behind, whoever dies how. Temperature: cold.
//
//   channel::memory m = channel::memory::shared(bytes);      // m.fd() goes to the other process
//   channel::memory same = channel::memory::attach(fd);      // there

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>

namespace weir::inline WEIR_ABI::channel {

using os::descriptor;

/// Ready to be written: every page is there before the first message.
class memory {
 public:
  /// Of this process alone, in huge pages where the system grants them.
  /// Errors: channel.no_memory.
  [[nodiscard]] static memory own(std::size_t bytes) {
    check("channel.no_memory", bytes);
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) fail("channel.no_memory", bytes, "give a smaller depth or size");
    memory m(descriptor(), at, bytes);
    ::madvise(at, bytes, MADV_HUGEPAGE);
    m.touch();
    return m;
  }

  /// To be shared by descriptor. Nobody can shrink it later: no access to it ends in SIGBUS.
  /// Errors: channel.no_shared_memory.
  [[nodiscard]] static memory shared(std::size_t bytes) {
    constexpr const char* advice = "allow memfd_create and leave room for it (memory limit of the container?)";
    check("channel.no_shared_memory", bytes);
    descriptor fd(::memfd_create("weir-channel", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) fail("channel.no_shared_memory", bytes, advice);
    if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) fail("channel.no_shared_memory", bytes, advice);
    if (const int refused = ::posix_fallocate(fd.get(), 0, static_cast<off_t>(bytes)); refused != 0) {
      errno = refused;
      fail("channel.no_shared_memory", bytes, advice);
    }
    if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
      fail("channel.no_shared_memory", bytes, advice);
    return map(std::move(fd), bytes);
  }

  /// What another process made with shared().
  /// Errors: channel.bad_handle unless it is such memory.
  [[nodiscard]] static memory attach(int fd) {
    struct stat about{};
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(fd, &about) != 0 || about.st_size <= 0)
      weir::detail::raise("channel.bad_handle", "descriptor " + std::to_string(fd),
                          "no memory of a channel: give the handles of the channel, in their order");
    return map(descriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3)), static_cast<std::size_t>(about.st_size));
  }

  memory(memory&& other) noexcept
      : fd_(std::move(other.fd_)), at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}
  memory& operator=(memory&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~memory() {
    if (at_ != nullptr) ::munmap(at_, bytes_);
  }

  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(at_); }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  memory(descriptor fd, void* at, std::size_t bytes) noexcept : fd_(std::move(fd)), at_(at), bytes_(bytes) {}

  [[nodiscard]] static memory map(descriptor fd, std::size_t bytes) {
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (at == MAP_FAILED) fail("channel.no_shared_memory", bytes, "give a smaller depth or size");
    memory m(std::move(fd), at, bytes);
    m.touch();
    return m;
  }

  /// Maps every page; before Linux 5.14 the first messages do that.
  void touch() const noexcept {
#ifdef MADV_POPULATE_WRITE
    ::madvise(at_, bytes_, MADV_POPULATE_WRITE);
#endif
  }

  /// Nothing else limits what is taken here: the system would kill other processes rather than refuse.
  static void check(std::string_view id, std::size_t bytes) {
    const auto pages = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    const std::size_t half = pages / 2 * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (bytes <= half) return;
    errno = ENOMEM;
    fail(id, bytes, "more than half of this machine's memory: give a smaller depth or size");
  }

  [[noreturn]] static void fail(std::string_view id, std::size_t bytes, std::string_view advice) {
    const std::string why = ::strerror(errno);
    weir::detail::raise(id, "largest, depth", std::to_string(bytes) + " bytes: " + why + ": " + std::string(advice));
  }

  descriptor fd_;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A pair of sockets that carry nothing: when one process is gone, the other's end of it hangs up.
class lifeline {
 public:
  /// Both ends, in one process.
  /// Errors: channel.no_descriptor.
  lifeline() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      weir::detail::raise("channel.no_descriptor", "lifeline", std::string(::strerror(errno)) + ": raise ulimit -n");
    mine_ = descriptor(ends[0]);
    theirs_ = descriptor(ends[1]);
  }

  /// This process's end, as inherited.
  explicit lifeline(int fd) noexcept : mine_(::fcntl(fd, F_DUPFD_CLOEXEC, 3)) {}

  [[nodiscard]] int handle() const noexcept { return theirs_.get(); }

  /// The other process has its end by now.
  void hand_over() noexcept { theirs_.close(); }

  /// Cost: 0.4 us.
  [[nodiscard]] bool broken() const noexcept {
    if (theirs_) return false;
    pollfd p{.fd = mine_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&p, 1, 0) == 1;
  }

 private:
  descriptor mine_;
  descriptor theirs_;
};

}  // namespace weir::inline WEIR_ABI::channel
