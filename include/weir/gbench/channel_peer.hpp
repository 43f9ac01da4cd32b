#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The other end of a channel, as a thread or as a process: the same binary, started again, with the channel's
// descriptors. It ends with this process, however that ends. Temperature: cold.
//
//   channel_result r = detail::between_threads<C>(job);
//   channel_result r = detail::between_processes<C>("shm", job);
//   if (const auto code = run_peer(arguments)) return *code;      // in main: we are that other process

#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/channel/memory.hpp>
#include <weir/channel/message.hpp>
#include <weir/gbench/channel_job.hpp>
#include <weir/measure/snapshot.hpp>

namespace weir::inline WEIR_ABI::gbench {

namespace detail {

/// The two channels of a job: the second leads back, or in mode dora the same way.
[[nodiscard]] inline channel::options options_of(const channel_job& job, bool second) {
  channel::options o = job.options;
  o.largest = (job.mode == channel_mode::dora ? dora_sizes.back() : job.size) + sizeof(channel_header);
  if (second && o.port != 0) ++o.port;
  if (job.mode == channel_mode::dora && !second) o.depth = 10;  // as dora's inputs when none is given
  if (job.mode == channel_mode::pingpong) o.full = channel::full_policy::block;
  return o;
}

template <class C>
[[nodiscard]] channel_result between_threads(const channel_job& job, const channel_watch& watch = {}) {
  C first(options_of(job, false));
  C second(options_of(job, true));
  channel_report far;
  std::optional<std::string> failed;
  std::thread peer([&] {
    failed = weir::detail::failure_of([&] { far = channel_peer<C>(job, first, second).run(); });
    if (!failed) return;
    first.close();
    second.close();
  });
  channel_result r;
  const auto leads = weir::detail::failure_of([&] { r = channel_lead<C>(job, first, second, watch).run(); });
  first.close();
  second.close();
  peer.join();
  if (leads || failed) {
    r.failure = leads.value_or("") + failed.value_or("");
    return r;
  }
  conclude(job, r, std::move(far));
  return r;
}

// --- a report on its way from one process to the other ---

class report_writer {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    text_.append(bytes, sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) put(value);
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

/// Errors: channels.bad_report when it ends early.
class report_reader {
 public:
  explicit report_reader(std::string_view text) : text_(text) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    if (text_.size() < sizeof value) fail();
    std::memcpy(&value, text_.data(), sizeof value);
    text_.remove_prefix(sizeof value);
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t n = 0;
    get(n);
    if (n > text_.size() / sizeof(T)) fail();
    values.resize(n);
    for (T& value : values) get(value);
  }

 private:
  [[noreturn]] static void fail() {
    weir::detail::raise("channels.bad_report", "peer process", "its report ends early: did it die?");
  }
  std::string_view text_;
};

struct report_counts {
  std::uint64_t received, duplicated, reordered, damaged, early, parks;
  std::int64_t cpu;
  std::uint64_t ended;
  std::int64_t latency_min, latency_max, latency_sum;
};

[[nodiscard]] inline std::string to_text(const channel_report& r) {
  report_writer out;
  out.put(report_counts{r.received, r.duplicated, r.reordered, r.damaged, r.early, r.parks, r.cpu.count(),
                        static_cast<std::uint64_t>(r.ended), r.latency.min().count(), r.latency.max().count(),
                        r.latency.sum().count()});
  out.put(r.latency.buckets());
  out.put(r.visible);
  out.put(r.consume);
  out.put(r.dora);
  return out.text();
}

/// Errors: channels.bad_report, measure.snapshot_malformed.
[[nodiscard]] inline channel_report report_of(std::string_view text) {
  report_reader in(text);
  report_counts c{};
  std::vector<measure::bucket> buckets;
  channel_report r;
  in.get(c);
  in.get(buckets);
  in.get(r.visible);
  in.get(r.consume);
  in.get(r.dora);
  r.received = c.received;
  r.duplicated = c.duplicated;
  r.reordered = c.reordered;
  r.damaged = c.damaged;
  r.early = c.early;
  r.parks = c.parks;
  r.cpu = nanoseconds(c.cpu);
  if (c.ended > static_cast<std::uint64_t>(channel::outcome::corrupt))
    weir::detail::raise("channels.bad_report", "peer process", "an outcome that does not exist");
  r.ended = static_cast<channel::outcome>(c.ended);
  r.latency = measure::snapshot(3, std::move(buckets), nanoseconds(c.latency_min), nanoseconds(c.latency_max),
                                nanoseconds(c.latency_sum));
  return r;
}

inline bool write_fully(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

/// Until the other side has no more to say.
[[nodiscard]] inline std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 65536> chunk{};
  for (;;) {
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

// --- the process ---

inline constexpr std::string_view peer_flag = "--weir_peer=";
inline constexpr int control_fd = 3;  // the job comes there and the report goes there; the channels' follow

/// What a peer process can be, by name.
using peer_runner = std::function<channel_report(const channel_job&, std::span<const int> fds)>;
[[nodiscard]] inline std::map<std::string, peer_runner, std::less<>>& peer_runners() {
  static std::map<std::string, peer_runner, std::less<>> all;
  return all;
}

/// Which end of each channel the peer is.
[[nodiscard]] inline channel::side peer_side(const channel_job& job, bool second) {
  return second && job.mode != channel_mode::dora ? channel::side::sender : channel::side::receiver;
}
[[nodiscard]] inline channel::side opposite(channel::side s) {
  return s == channel::side::sender ? channel::side::receiver : channel::side::sender;
}

template <channel::shareable_channel C>
[[nodiscard]] channel_report run_as_peer(const channel_job& job, std::span<const int> fds) {
  const std::size_t each = fds.size() / 2;
  C first = C::attach(peer_side(job, false), fds.first(each), options_of(job, false));
  C second = C::attach(peer_side(job, true), fds.subspan(each), options_of(job, true));
  for (const int fd : fds) ::close(fd);
  return channel_peer<C>(job, first, second).run();
}

/// The peer process, from its start to its end.
class peer_process {
 public:
  /// Errors: channels.no_process.
  peer_process(const std::string& name, const channel_job& job, std::vector<int> fds) {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail(errno);
    control_ = channel::descriptor(ends[0]);
    const channel::descriptor theirs(ends[1]);
    fds.insert(fds.begin(), theirs.get());
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    // Copies above every target first: a target may be the number of another source.
    std::vector<channel::descriptor> copies;
    for (const int fd : fds)
      copies.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, control_fd + static_cast<int>(fds.size())));
    for (std::size_t i = 0; i < copies.size(); ++i)
      ::posix_spawn_file_actions_adddup2(&actions, copies[i].get(), control_fd + static_cast<int>(i));
    std::string program = "/proc/self/exe";
    std::string flag =
        std::string(peer_flag) + std::to_string(::getpid()) + ":" + std::to_string(fds.size() - 1) + ":" + name;
    std::array<char*, 3> argv{program.data(), flag.data(), nullptr};
    const int refused = ::posix_spawn(&pid_, program.c_str(), &actions, &attributes, argv.data(), ::environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (refused != 0) fail(refused);
    write_fully(control_.get(), std::string_view(reinterpret_cast<const char*>(&job), sizeof job));
  }
  peer_process(const peer_process&) = delete;
  peer_process& operator=(const peer_process&) = delete;
  ~peer_process() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    static_cast<void>(wait());
  }

  [[nodiscard]] int pid() const noexcept { return pid_; }

  /// Cost: a system call.
  [[nodiscard]] bool lives() const noexcept {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0;
  }

  /// Its report, or how it ended instead.
  /// Errors: channels.peer_died, channels.bad_report.
  [[nodiscard]] channel_report report() {
    const std::string text = read_to_end(control_.get());
    const int status = wait();
    if (WIFSIGNALED(status))
      weir::detail::raise("channels.peer_died", "peer process",
                          std::string("killed: ") + ::strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
      weir::detail::raise("channels.peer_died", "peer process",
                          "exit code " + std::to_string(WEXITSTATUS(status)) + ": what it said is above");
    return report_of(text);
  }

 private:
  [[noreturn]] static void fail(int why) {
    weir::detail::raise("channels.no_process", "ends", std::string("processes: ") + ::strerror(why));
  }

  int wait() noexcept {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  channel::descriptor control_;
  pid_t pid_ = -1;
};

/// started is told the peer's process id.
template <channel::shareable_channel C>
[[nodiscard]] channel_result between_processes(const std::string& name, const channel_job& job,
                                               channel_watch watch = {}, const std::function<void(int)>& started = {}) {
  C first(options_of(job, false));
  C second(options_of(job, true));
  std::vector<int> fds = first.handles(peer_side(job, false));
  const std::vector<int> more = second.handles(peer_side(job, true));
  fds.insert(fds.end(), more.begin(), more.end());
  peer_process peer(name, job, fds);
  first.keep(opposite(peer_side(job, false)));
  second.keep(opposite(peer_side(job, true)));
  if (started) started(peer.pid());
  watch.peer_lives = [&peer] { return peer.lives(); };
  channel_result r = channel_lead<C>(job, first, second, watch).run();
  const auto died = weir::detail::failure_of([&] { conclude(job, r, peer.report()); });
  if (died) r.failure = (r.failure.empty() ? "" : r.failure + "; ") + *died;
  return r;
}

}  // namespace detail

/// What the peer process does, if this is one.  Returns: its exit code; none when this is no peer process. Call it
/// first in main: channels are known by then, if they are registered by constants of namespace scope.
[[nodiscard]] inline std::optional<int> run_peer(std::span<const std::string> arguments) {
  if (arguments.size() != 2 || !arguments[1].starts_with(detail::peer_flag)) return {};
  const auto refuse = [](const char* why) {
    std::fprintf(stderr, "[weir.channels.bad_peer] --weir_peer: %s: it is for the suite's own use\n", why);
    return 2;
  };
  int parent = 0;
  int count = 0;
  int used = 0;
  const char* const text = arguments[1].c_str() + detail::peer_flag.size();
  if (std::sscanf(text, "%d:%d:%n", &parent, &count, &used) < 2 || used == 0 || count < 0 || count > 64)
    return refuse("a value that nobody gave it");
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) return refuse("the process that started it is gone");
#ifdef SYS_close_range
  ::syscall(SYS_close_range, static_cast<unsigned>(detail::control_fd + count + 1), ~0U, 0);
#endif
  channel_job job;
  std::size_t have = 0;
  while (have < sizeof job) {
    const ssize_t n = ::read(detail::control_fd, reinterpret_cast<char*>(&job) + have, sizeof job - have);
    if (n <= 0) return refuse("no job came");
    have += static_cast<std::size_t>(n);
  }
  const auto runner = detail::peer_runners().find(std::string_view(text + used));
  if (runner == detail::peer_runners().end()) return refuse("a channel that this binary does not have");
  std::vector<int> fds;
  for (int i = 0; i < count; ++i) fds.push_back(detail::control_fd + 1 + i);
  const auto failed = weir::detail::failure_of([&] {
    const channel_report r = runner->second(job, fds);
    detail::write_fully(detail::control_fd, detail::to_text(r));
  });
  if (failed) std::fprintf(stderr, "%s\n", failed->c_str());
  return failed ? 3 : 0;
}

}  // namespace weir::inline WEIR_ABI::gbench
