// SPDX-License-Identifier: Apache-2.0
//
// A fork that behaves as its first argument says: well, or in one of the ways in which real ones do not.
//   fork_child <behaviour> <benchmark> <layout seed>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir/record/json.hpp>
#include <weir/run/fork.hpp>

namespace {

using weir::run::wire_fd;

[[noreturn]] void wait_for_ever() {
  for (;;) ::pause();
}

void measure(weir::record::fork_voice& voice) {
  voice.iteration({.operations = 1000, .real_ns = 2.5, .cpu_ns = 2.25, .counters = {{"rows", 0.1}}});
  voice.iteration({.operations = 1000, .real_ns = 2.75, .cpu_ns = 2.5, .counters = {}});
  weir::record::invocation job{.iteration = 1, .sample = {}};
  job.sample.scenario = "sourceSink";
  voice.invocation(job);
}

/// Forks a process that keeps every descriptor open, and says its number.
void leave_behind(bool in_our_group) {
  const pid_t left = ::fork();
  if (left == 0) {
    if (!in_our_group) ::setsid();
    wait_for_ever();
  }
  std::printf("left %d\n", left);
  std::fflush(stdout);
}

void show_surroundings() {
  const char* padding = std::getenv("WEIR_LAYOUT_PADDING");
  std::printf("padding %zu\n", padding != nullptr ? std::strlen(padding) : 0);
  std::printf("personality %x\n", static_cast<unsigned>(::personality(0xFFFFFFFF)));
  std::printf("leads its group %d\n", ::getpgrp() == ::getpid());
  DIR* const folder = ::opendir("/proc/self/fd");
  std::string open;
  while (const dirent* const entry = ::readdir(folder))
    if (entry->d_name[0] != '.' && std::stoi(entry->d_name) != ::dirfd(folder))
      open += std::string(" ") + entry->d_name;
  ::closedir(folder);
  std::printf("descriptors%s\n", open.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const std::string_view behaviour = argc > 1 ? argv[1] : "";
  const std::string benchmark = argc > 2 ? argv[2] : "";
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;

  if (behaviour == "garbage") {
    const std::string log = "a log that took descriptor 3 for its own\n";
    return ::send(wire_fd, log.data(), log.size(), 0) < 0;
  }
  if (behaviour == "show surroundings") show_surroundings();
  if (behaviour == "fail with 7") {
    std::fprintf(stdout, "to stdout\n");
    std::fflush(stdout);
    std::fprintf(stderr, "to stderr: \xFF\x1B[31m\n");
    return 7;
  }

  weir::record::fork_voice voice(wire_fd);
  voice.hello(behaviour == "other benchmark" ? "another/one" : benchmark, seed);
  measure(voice);
  if (behaviour == "segfault") std::raise(SIGSEGV);
  if (behaviour == "abort") std::abort();
  if (behaviour == "hang") wait_for_ever();
  if (behaviour == "report an error") {
    voice.failure("the row came out wrong");
    return 3;
  }
  if (behaviour == "half a message") {
    weir::record::detail::wire_header h;
    h.kind = 5;
    h.length = 1'000'000;
    return ::send(wire_fd, &h, sizeof h, 0) < 0;
  }
  if (behaviour == "flood") {
    const std::string line(99, 'x');
    for (int i = 0; i < 100'000; ++i) std::printf("%s\n", line.c_str());
    std::printf("the end\n");
  }
  if (behaviour == "close the wire") {
    ::close(wire_fd);
    return voice.done();
  }
  if (behaviour == "leave a grandchild") leave_behind(true);
  if (behaviour == "let one escape") leave_behind(false);
  if (behaviour == "interrupt the parent") {
    ::kill(::getppid(), SIGINT);
    wait_for_ever();
  }
  if (behaviour == "interrupt the parent twice") {
    sigset_t term;  // blocked, so that only KILL ends this
    ::sigemptyset(&term);
    ::sigaddset(&term, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &term, nullptr);
    ::kill(::getppid(), SIGINT);
    int came = 0;
    ::sigwait(&term, &came);  // the first interrupt's
    ::kill(::getppid(), SIGINT);
    wait_for_ever();
  }
  if (behaviour == "start one that kills you") {
    // The other one is in a group of its own: only the death of its parent can end it.
    const auto end = weir::run::run_fork({.command = {argv[0], "kill the parent", argv[2]}});
    return end.exit_code.value_or(1);
  }
  if (behaviour == "kill the parent") {
    std::FILE* const file = std::fopen(argv[2], "w");
    std::fprintf(file, "%d", ::getpid());
    std::fclose(file);
    ::kill(::getppid(), SIGKILL);
    wait_for_ever();
  }
  return !voice.done();
}
