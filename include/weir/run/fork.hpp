#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One process from start to end: its words over a wire of its own, the tail of what it prints, a watchdog over its
// whole group, and a layout of memory that differs from fork to fork. Temperature: cold.
//
//   const run::interrupt_guard guard;
//   const run::exit_report end = run::run_fork({.command = {"/proc/self/exe", ...}, .layout_seed = seed}, &guard);
//   record::fork fork = record::assemble(end.messages, end.wire_fault, benchmark, seed);
//   run::conclude(end, fork);

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/os.hpp>
#include <weir/base/random.hpp>
#include <weir/record/run_record.hpp>
#include <weir/record/wire.hpp>

namespace weir::inline WEIR_ABI::run {

using std::chrono::nanoseconds;

/// The descriptor on which a fork speaks (record::fork_voice); 0 is /dev/null, 1 and 2 go to the tail, others are
/// closed.
inline constexpr int wire_fd = 3;

/// What shifts a fork's memory besides ASLR, which moves whole pages only.
/// Source: Mytkowicz, Diwan, Hauswirth, Sweeney, "Producing wrong data without doing anything obviously wrong!",
/// ASPLOS 2009: the size of the environment alone turned comparisons round.
struct layout {
  std::size_t environment_padding = 0;  // bytes, 0 to 4095: run_fork() adds them as a variable
  std::size_t stack_offset = 0;         // bytes, 0 to 4080 in steps of 16: for the fork's main to apply

  friend bool operator==(const layout&, const layout&) = default;
};

[[nodiscard]] inline layout layout_of(std::uint64_t seed) noexcept {
  random_bits bits(seed);
  const std::uint64_t padding = bits() % 4096;
  const std::uint64_t offset = bits() % 256 * 16;
  return {.environment_padding = padding, .stack_offset = offset};
}

/// Turns ASLR on for whatever this process starts from now on, even if it was itself started without (by a debugger,
/// by setarch -R).
inline void randomize_layouts() noexcept {
  ::personality(static_cast<unsigned long>(::personality(0xFFFFFFFF)) & ~static_cast<unsigned long>(ADDR_NO_RANDOMIZE));
}

/// What to start.
struct launch {
  std::vector<std::string> command;  // the first is a path; nothing is searched
  nanoseconds timeout = std::chrono::minutes(10);
  nanoseconds grace = std::chrono::seconds(2);  // between TERM and KILL
  std::uint64_t layout_seed = 0;
};

/// How a fork ended: with one of exit_code and signal.
struct exit_report {
  std::optional<int> exit_code;  // 127 when it could not be started; last_lines say why
  std::optional<int> signal;
  bool timed_out = false;
  bool interrupted = false;
  std::vector<std::string> last_lines;  // of stdout and stderr, at most 20, made safe to print
  nanoseconds took{};
  std::vector<record::wire_message> messages;
  std::optional<record::wire_fault> wire_fault;
};

namespace detail {

using os::descriptor;

/// Text that any terminal, JSON file or table may hold: bytes that are no UTF-8 and control characters become '?'.
/// Source: Unicode 15, table 3-7, "Well-formed UTF-8 byte sequences", without the controls.
[[nodiscard]] inline std::string printable(std::string_view bytes) {
  struct form {
    unsigned first_low, first_high, length, second_low = 0x80, second_high = 0xBF;
  };
  constexpr std::array<form, 11> forms{{{0x09, 0x09, 1},
                                        {0x20, 0x7E, 1},
                                        {0xC2, 0xC2, 2, 0xA0},
                                        {0xC3, 0xDF, 2},
                                        {0xE0, 0xE0, 3, 0xA0},
                                        {0xE1, 0xEC, 3},
                                        {0xED, 0xED, 3, 0x80, 0x9F},
                                        {0xEE, 0xEF, 3},
                                        {0xF0, 0xF0, 4, 0x90},
                                        {0xF1, 0xF3, 4},
                                        {0xF4, 0xF4, 4, 0x80, 0x8F}}};
  const auto lies_in = [](char c, unsigned low, unsigned high) {
    return static_cast<unsigned char>(c) >= low && static_cast<unsigned char>(c) <= high;
  };
  const auto fits = [&](std::string_view rest, const form& f) {
    if (rest.size() < f.length || !lies_in(rest[0], f.first_low, f.first_high)) return false;
    if (f.length > 1 && !lies_in(rest[1], f.second_low, f.second_high)) return false;
    for (std::size_t i = 2; i < f.length; ++i)
      if (!lies_in(rest[i], 0x80, 0xBF)) return false;
    return true;
  };
  std::string out;
  while (!bytes.empty()) {
    const auto* const found = std::find_if(forms.begin(), forms.end(), [&](const form& f) { return fits(bytes, f); });
    const std::size_t length = found == forms.end() ? 1 : found->length;
    found == forms.end() ? out += '?' : out += bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  return out;
}

/// The last lines of a stream of any length, in bounded memory.
class output_tail {
 public:
  void feed(std::string_view bytes) {
    text_.append(bytes);
    if (text_.size() > 2 * kept) text_.erase(0, text_.size() - kept);
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    constexpr std::size_t most_lines = 20;
    constexpr std::size_t most_bytes = 400;
    std::vector<std::string> last;  // in reverse
    std::string_view rest = text_;
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    while (!rest.empty() && last.size() < most_lines) {
      const std::size_t start = rest.find_last_of('\n') + 1;  // 0 when there is none
      std::string_view line = rest.substr(start);
      if (line.ends_with('\r')) line.remove_suffix(1);
      last.push_back(printable(line.substr(0, most_bytes)) + (line.size() > most_bytes ? "..." : ""));
      rest = rest.substr(0, start == 0 ? 0 : start - 1);
    }
    std::reverse(last.begin(), last.end());
    return last;
  }

 private:
  static constexpr std::size_t kept = std::size_t{64} << 10;
  std::string text_;
};

// What the signal handler touches: there is one set of signals a process.
inline std::atomic<pid_t> guarded{0};        // the process that installed the handler
inline std::atomic<int> alarm_fd{-1};        // written to once
inline std::atomic<int> signals_seen{0};
inline std::atomic<pid_t> running_group{0};  // of the fork that runs
static_assert(std::atomic<pid_t>::is_always_lock_free);

inline constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

inline void on_signal(int) noexcept {
  const int saved = errno;
  if (::getpid() == guarded) {  // not in a child between fork and exec
    if (signals_seen.fetch_add(1) == 0) {
      [[maybe_unused]] const auto written = ::write(alarm_fd, "", 1);
    } else {
      if (running_group != 0) ::kill(-running_group, SIGKILL);
      for (const int s : ending_signals) std::signal(s, SIG_DFL);
    }
  }
  errno = saved;
}

}  // namespace detail

/// While it lives, the first SIGINT, SIGTERM or SIGHUP ends the running fork, so that its caller can keep what there
/// is; the second kills it at once, and the third this process. A signal that is ignored stays so (nohup).
/// Requires: one at a time.
class interrupt_guard {
 public:
  interrupt_guard() noexcept {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
      readable_ = detail::descriptor(ends[0]);
      writable_ = detail::descriptor(ends[1]);
    }
    detail::alarm_fd = writable_.get();
    detail::signals_seen = 0;
    detail::guarded = ::getpid();
    struct sigaction ours{};
    ours.sa_handler = detail::on_signal;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      ::sigaction(detail::ending_signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) ::sigaction(detail::ending_signals[i], &ours, nullptr);
    }
  }
  interrupt_guard(const interrupt_guard&) = delete;
  interrupt_guard& operator=(const interrupt_guard&) = delete;
  ~interrupt_guard() {
    for (std::size_t i = 0; i < before_.size(); ++i) ::sigaction(detail::ending_signals[i], &before_[i], nullptr);
    detail::guarded = 0;
  }

  [[nodiscard]] bool interrupted() const noexcept { return detail::signals_seen != 0; }

  /// Readable from the first signal on; -1 when the process has no descriptor left.
  [[nodiscard]] int fd() const noexcept { return readable_.get(); }

 private:
  detail::descriptor readable_;
  detail::descriptor writable_;
  std::array<struct sigaction, detail::ending_signals.size()> before_{};
};

namespace detail {

/// argv or envp of texts that outlive it.
[[nodiscard]] inline std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// This process's own, padded. A padding that it inherited gives way.
[[nodiscard]] inline std::vector<std::string> environment_of(const launch& what) {
  const std::string padding = "WEIR_LAYOUT_PADDING=";
  std::vector<std::string> all;
  for (char** inherited = ::environ; *inherited != nullptr; ++inherited)
    if (!std::string_view(*inherited).starts_with(padding)) all.emplace_back(*inherited);
  all.push_back(padding + std::string(layout_of(what.layout_seed).environment_padding, 'x'));
  return all;
}

// By number, for older headers do not name them; the same on all architectures but alpha.
inline constexpr long pidfd_open = 434;   // Linux 5.3
inline constexpr long close_range = 436;  // Linux 5.9

/// The child between vfork and exec, in memory that is its parent's: hardly more than system calls.
[[noreturn]] inline void become(char* const* argv, char* const* envp, int input, int output, int wire,
                                pid_t parent) noexcept {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before it could be watched
  randomize_layouts();
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  wire == wire_fd ? ::fcntl(wire, F_SETFD, 0) : ::dup2(wire, wire_fd);
  ::syscall(close_range, wire_fd + 1, ~0U, 0);
  ::execve(argv[0], argv, envp);
  for (const char* const part :
       {static_cast<const char*>(argv[0]), ": ", static_cast<const char*>(::strerror(errno)), "\n"}) [[maybe_unused]]
    const auto written = ::write(STDERR_FILENO, part, std::strlen(part));
  ::_exit(127);
}

/// vfork and exec. A fork would copy the page tables of a parent that holds many results: 100 ms for 512 MiB.
/// Its own frame, lest the child change variables that the parent goes on with.
[[gnu::noinline]] inline pid_t start(char* const* argv, char* const* envp, int input, int output, int wire) noexcept {
  const pid_t self = ::getpid();
  const pid_t child = ::vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn cannot set ASLR or a death signal
  if (child == 0) become(argv, envp, input, output, wire, self);
  return child;
}

/// What comes from a fork: its words and the tail of its output.
class ear {
 public:
  ear(descriptor wire, descriptor output) noexcept : wire_(std::move(wire)), output_(std::move(output)) {}

  enum class state { more, nothing_now, ended };

  [[nodiscard]] int wire() const noexcept { return wire_.get(); }
  [[nodiscard]] int output() const noexcept { return output_.get(); }

  state hear_wire() {
    return take(wire_.get(), [this](std::string_view bytes) {
      auto heard = reader_.feed(bytes);
      std::move(heard.begin(), heard.end(), std::back_inserter(messages_));
    });
  }
  state hear_output() {
    return take(output_.get(), [this](std::string_view bytes) { tail_.feed(bytes); });
  }

  /// Nobody speaks any more: takes what is in the streams, which hold less than this. Whoever escaped and still
  /// writes would do so for ever.
  void hear_the_rest(exit_report& report) {
    constexpr int most_chunks = 64;
    for (int i = 0; i < most_chunks && hear_wire() == state::more; ++i) {
    }
    for (int i = 0; i < most_chunks && hear_output() == state::more; ++i) {
    }
    reader_.end();
    report.messages = std::move(messages_);
    report.wire_fault = reader_.fault();
    report.last_lines = tail_.lines();
  }

 private:
  template <class Use>
  state take(int fd, Use use) {
    const ssize_t n = ::read(fd, chunk_.data(), chunk_.size());
    if (n > 0) use(std::string_view(chunk_.data(), static_cast<std::size_t>(n)));
    if (n > 0) return state::more;
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? state::nothing_now : state::ended;
  }

  descriptor wire_;
  descriptor output_;
  record::wire_reader reader_;
  std::vector<record::wire_message> messages_;
  output_tail tail_;
  std::vector<char> chunk_ = std::vector<char>(std::size_t{64} << 10);
};

/// Stays with a child until it has ended, but does not collect it. Sees to its timeout and to interrupts.
inline void watch(pid_t child, const launch& what, const interrupt_guard* guard, ear& from, exit_report& report) {
  const descriptor exit_watch(static_cast<int>(::syscall(pidfd_open, child, 0)));
  // Without it nothing wakes us at the child's end but the ends of its streams, which others may hold open.
  const nanoseconds longest_sleep = exit_watch.get() >= 0 ? std::chrono::hours(1) : std::chrono::milliseconds(10);
  enum { on_wire, on_output, on_exit, on_alarm };
  std::array<pollfd, 4> watched{};
  for (pollfd& one : watched) one.events = POLLIN;
  watched[on_wire].fd = from.wire();
  watched[on_output].fd = from.output();
  watched[on_exit].fd = exit_watch.get();
  watched[on_alarm].fd = guard != nullptr ? guard->fd() : -1;

  const auto later = [](nanoseconds span) {
    constexpr nanoseconds a_year = std::chrono::hours(24 * 365);
    return os::monotonic_now() + std::min(span, a_year);
  };
  nanoseconds deadline = later(what.timeout);
  bool ending = false;
  siginfo_t ended{};
  while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
    const nanoseconds now = os::monotonic_now();
    const bool alarmed = watched[on_alarm].revents != 0;
    if (!ending && (alarmed || now >= deadline)) {
      ::kill(-child, SIGTERM);
      (alarmed ? report.interrupted : report.timed_out) = true;
      ending = true;
      deadline = later(what.grace);
      watched[on_alarm] = {.fd = -1, .events = 0, .revents = 0};
    } else if (now >= deadline) {
      ::kill(-child, SIGKILL);
      deadline = later(nanoseconds::max());
    }
    const nanoseconds sleep = std::clamp(deadline - now, nanoseconds(0), longest_sleep);
    ::poll(watched.data(), watched.size(),
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(sleep).count()));
    if (watched[on_wire].revents != 0 && from.hear_wire() == ear::state::ended) watched[on_wire].fd = -1;
    if (watched[on_output].revents != 0 && from.hear_output() == ear::state::ended) watched[on_output].fd = -1;
  }
}

}  // namespace detail

/// Starts a process in a group of its own and stays with it to its end. It gets TERM at its timeout or when the guard
/// is interrupted, KILL after the grace. Whatever of its group outlives it is killed, and nobody who holds its output
/// open is waited for. Only what has left the group by setsid() escapes.
/// Cost: that of posix_spawn and waitpid, whatever memory this process holds.  Errors: none; a process that cannot be
/// started ends with 127. Threads: one that lives on: its end would kill the fork.  Requires: descriptors 0 to 2 are
/// open (os::hold_standard_streams).
[[nodiscard]] inline exit_report run_fork(const launch& what, const interrupt_guard* guard = nullptr) {
  WEIR_EXPECTS(!what.command.empty() && what.timeout > nanoseconds(0));
  const nanoseconds began = os::monotonic_now();
  exit_report report;
  const auto not_started = [&](const char* call) {
    report.exit_code = 127;
    report.last_lines = {std::string(call) + ": " + std::error_code(errno, std::generic_category()).message()};
    return report;
  };

  auto arguments = what.command;
  auto variables = detail::environment_of(what);
  const auto argv = detail::pointers(arguments);
  const auto envp = detail::pointers(variables);
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return not_started("pipe2");
  detail::descriptor output(ends[0]);
  detail::descriptor childs_output(ends[1]);
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return not_started("socketpair");
  detail::descriptor wire(ends[0]);
  detail::descriptor childs_wire(ends[1]);
  const detail::descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (nothing.get() < 0) return not_started("/dev/null");
  ::shutdown(wire.get(), SHUT_WR);
  ::fcntl(wire.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  struct sigaction childs_end{};  // if it is ignored, the system keeps to itself how a child ended
  if (::sigaction(SIGCHLD, nullptr, &childs_end) == 0 && childs_end.sa_handler == SIG_IGN)
    std::signal(SIGCHLD, SIG_DFL);

  const pid_t child = detail::start(argv.data(), envp.data(), nothing.get(), childs_output.get(), childs_wire.get());
  if (child < 0) return not_started("vfork");
  ::setpgid(child, child);  // the child has done so, unless a sanitizer made a fork of the vfork
  detail::running_group = child;
  childs_output.close();
  childs_wire.close();

  detail::ear from(std::move(wire), std::move(output));
  detail::watch(child, what, guard, from, report);
  ::kill(-child, SIGKILL);  // before it is collected: until then nobody else can have the group's number
  detail::running_group = 0;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  report.took = os::monotonic_now() - began;
  from.hear_the_rest(report);
  if (WIFSIGNALED(status))
    report.signal = WTERMSIG(status);
  else
    report.exit_code = WEXITSTATUS(status);
  return report;
}

/// Completes the record of a fork by how it ended. The first that holds is its failure: interrupted, timeout, signal,
/// what the benchmark itself reported, exit code, protocol.
inline void conclude(const exit_report& end, record::fork& fork) {
  fork.took = end.took;
  const auto failed = [&](std::string kind, int code, std::string text) {
    fork.failure = {.kind = std::move(kind), .code = code, .text = std::move(text), .last_lines = {}};
  };
  if (end.interrupted)
    failed("interrupted", end.signal.value_or(0), "ended by an interrupt");
  else if (end.timed_out)
    failed("timeout", end.signal.value_or(0), "was still running at its timeout");
  else if (end.signal == SIGKILL)
    failed("signal", SIGKILL, "Killed: by someone, or by the system for want of memory");
  else if (end.signal)
    failed("signal", *end.signal, ::strsignal(*end.signal));
  else if (end.exit_code != 0 && !(fork.failure && fork.failure->kind == "benchmark"))
    failed("exit", end.exit_code.value_or(0), "exit code " + std::to_string(end.exit_code.value_or(0)));
  if (fork.failure) fork.failure->last_lines = end.last_lines;
}

}  // namespace weir::inline WEIR_ABI::run
