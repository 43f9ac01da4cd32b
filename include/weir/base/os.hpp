#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The few Linux calls that a hot room needs: sleep, futex, thread CPU time, placement. No other header
// of the hot rooms names the system. Temperature: hot, except where a comment says cold.
//
//   os::sharpen_timers();
//   os::sleep_until(os::monotonic_now() + 100us);

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::os {

using std::chrono::nanoseconds;

namespace detail {

[[nodiscard]] inline nanoseconds read_clock(clockid_t id) noexcept {
  timespec t{};
  ::clock_gettime(id, &t);
  return std::chrono::seconds(t.tv_sec) + nanoseconds(t.tv_nsec);
}

[[nodiscard]] inline timespec to_timespec(nanoseconds t) noexcept {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(t);
  return {.tv_sec = static_cast<time_t>(whole.count()), .tv_nsec = static_cast<long>((t - whole).count())};
}

}  // namespace detail

/// CLOCK_MONOTONIC, the clock on which sleep_until() sleeps. Cost: about 24 ns.
[[nodiscard]] inline nanoseconds monotonic_now() noexcept { return detail::read_clock(CLOCK_MONOTONIC); }

/// CPU time that the calling thread has used. Cost: a system call, about 200 ns.
[[nodiscard]] inline nanoseconds thread_cpu_time() noexcept { return detail::read_clock(CLOCK_THREAD_CPUTIME_ID); }

/// CPU time that the whole process has used.
[[nodiscard]] inline nanoseconds process_cpu_time() noexcept { return detail::read_clock(CLOCK_PROCESS_CPUTIME_ID); }

/// CPU time that this process has used, with that of the children it has waited for.
[[nodiscard]] inline nanoseconds family_cpu_time() noexcept {
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  const auto of = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return process_cpu_time() + of(children.ru_utime) + of(children.ru_stime);
}

/// Sleeps to an absolute deadline on monotonic_now()'s clock; returns at once when it has passed.
/// Cost: a sleep overshoots by 25 us at the median, and a call with a past deadline still costs 14 us:
/// look at the clock first.
inline void sleep_until(nanoseconds deadline) noexcept {
  const timespec t = detail::to_timespec(deadline);
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

/// Asks for 1 ns timer slack on the calling thread. Linux defaults to 50 us, which is then the median
/// overshoot of every sleep (74 us against 24).
inline void sharpen_timers() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

/// Gives the core to another runnable thread. Cost: about 0.5 us.
inline void yield() noexcept { ::sched_yield(); }

/// Sleeps while word == expected, until woken; may return early.  Cost: 3 to 31 us to be woken.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

/// Wakes every sleeper on word.  Cost: 5 us when there is one.
inline void futex_wake(std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(),
            nullptr, nullptr, 0);
}

/// Keeps the calling thread on one core while it lives, then lets it move as before. Cold.
class core_pin {
 public:
  explicit core_pin(std::optional<unsigned> core) noexcept {
    if (!core || *core >= CPU_SETSIZE || ::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(*core, &one);
    pinned_ = ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  core_pin(const core_pin&) = delete;
  core_pin& operator=(const core_pin&) = delete;
  ~core_pin() {
    if (pinned_) ::sched_setaffinity(0, sizeof before_, &before_);
  }

 private:
  cpu_set_t before_{};
  bool pinned_ = false;
};

/// True when the process may run on that core. Cold.
[[nodiscard]] inline bool core_usable(unsigned core) noexcept {
  cpu_set_t set;
  return core < CPU_SETSIZE && ::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_ISSET(core, &set);
}

/// Owns a file descriptor. Cold.
class descriptor {
 public:
  explicit descriptor(int fd = -1) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { close(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

/// True when the process may write there: a file, or new files in a folder. Cold.
[[nodiscard]] inline bool can_write(const char* path) noexcept { return ::access(path, W_OK) == 0; }

/// True when the process may run that file. Cold.
[[nodiscard]] inline bool can_run(const char* path) noexcept { return ::access(path, X_OK) == 0; }

/// Opens /dev/null in place of a standard stream that was closed, lest a file of ours get its number and what is
/// said on stderr end up in that file. Cold.
inline void hold_standard_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) == -1 && ::open("/dev/null", O_RDWR) != stream) return;
}

/// True when a person reads stderr. Cold.
[[nodiscard]] inline bool stderr_is_terminal() noexcept { return ::isatty(STDERR_FILENO) != 0; }

/// Threads of this process. Cold.
[[nodiscard]] inline unsigned thread_count() noexcept {
  struct stat tasks{};  // the folder has a link for each thread, and two of its own
  return ::stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 2 ? static_cast<unsigned>(tasks.st_nlink - 2) : 1U;
}

/// The most memory that the process has had resident. Units: bytes. Cold.
[[nodiscard]] inline std::uint64_t peak_resident() noexcept {
  rusage used{};
  return ::getrusage(RUSAGE_SELF, &used) == 0 ? static_cast<std::uint64_t>(used.ru_maxrss) * 1024 : 0;
}

/// Cores this process may run on: the affinity mask, not the machine. Cold.
[[nodiscard]] inline unsigned usable_cores() noexcept {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count > 0 ? static_cast<unsigned>(count) : 1U;
}

}  // namespace weir::inline WEIR_ABI::os
