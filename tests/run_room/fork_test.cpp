// SPDX-License-Identifier: Apache-2.0
#include <weir/run/fork.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/record/json.hpp>

namespace {

using namespace std::chrono_literals;
using weir::record::fork_failure;
using weir::run::conclude;
using weir::run::exit_report;
using weir::run::interrupt_guard;
using weir::run::launch;
using weir::run::run_fork;

constexpr std::uint64_t seed = 42;

launch child(const std::string& behaviour) {
  return {
      .command = {WEIR_FORK_CHILD, behaviour, "rows/copy", std::to_string(seed)}, .timeout = 60s, .layout_seed = seed};
}

weir::record::fork record_of(const exit_report& end) {
  auto fork = weir::record::assemble(end.messages, end.wire_fault, "rows/copy", seed);
  conclude(end, fork);
  return fork;
}

/// True once the process is gone, or dead and not yet collected by the system's first process.
bool vanishes(pid_t pid) {
  for (int tries = 0; tries < 10'000; ++tries, std::this_thread::sleep_for(1ms)) {
    if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
    char state = '?';
    std::FILE* const stat = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
    if (stat == nullptr) continue;
    const int found = std::fscanf(stat, "%*d (%*[^)]) %c", &state);
    std::fclose(stat);
    if (found == 1 && (state == 'Z' || state == 'X')) return true;
  }
  return false;
}

/// The number after a word of the child's output.
pid_t number_after(const exit_report& end, std::string_view word) {
  for (const std::string& line : end.last_lines)
    if (line.starts_with(word)) return std::stoi(line.substr(word.size()));
  return 0;
}

class Fork : public testing::Test {
 protected:
  /// Every test must have collected what it started.
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }
};

TEST_F(Fork, GivesWhatASoundChildMeasured) {
  const exit_report end = run_fork(child("measure"));
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_FALSE(end.signal);
  EXPECT_FALSE(end.timed_out || end.interrupted);
  const auto fork = record_of(end);
  ASSERT_FALSE(fork.failure) << fork.failure->text;
  ASSERT_EQ(fork.iterations.size(), 2U);
  EXPECT_EQ(fork.iterations[0].counters, (std::vector<weir::record::counter>{{"rows", 0.1}}));
  EXPECT_EQ(fork.iterations[1].real_ns, 2.75);
  ASSERT_EQ(fork.invocations.size(), 1U);
  EXPECT_EQ(fork.invocations[0].sample.scenario, "sourceSink");
  EXPECT_EQ(fork.layout_seed, seed);
  EXPECT_EQ(fork.took, end.took);
}

TEST_F(Fork, AnExitCodeComesWithTheLastLines) {
  const auto fork = record_of(run_fork(child("fail with 7")));
  EXPECT_EQ(fork.failure,
            (fork_failure{
                .kind = "exit", .code = 7, .text = "exit code 7", .last_lines = {"to stdout", "to stderr: ??[31m"}}));
}

TEST_F(Fork, ACrashIsNamedAndWhatCameBeforeItKept) {
  auto fork = record_of(run_fork(child("segfault")));
  ASSERT_TRUE(fork.failure);
  EXPECT_EQ(fork.failure->kind, "signal");
  EXPECT_EQ(fork.failure->code, SIGSEGV);
  EXPECT_EQ(fork.failure->text, "Segmentation fault");
  EXPECT_EQ(fork.iterations.size(), 2U);
  fork = record_of(run_fork(child("abort")));
  ASSERT_TRUE(fork.failure);
  EXPECT_EQ(fork.failure->code, SIGABRT);
}

TEST_F(Fork, AHangingChildIsToldToEnd) {
  launch what = child("hang");
  what.timeout = 200ms;
  what.grace = 24h;
  const exit_report end = run_fork(what);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGTERM);
  const auto fork = record_of(end);
  ASSERT_TRUE(fork.failure);
  EXPECT_EQ(fork.failure->kind, "timeout");
}

TEST_F(Fork, AChildThatWillNotEndIsKilled) {
  const auto before = std::signal(SIGTERM, SIG_IGN);  // a child inherits that, from its first instant
  launch what = child("hang");
  what.timeout = 100ms;
  what.grace = 50ms;
  const exit_report end = run_fork(what);
  std::signal(SIGTERM, before);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(Fork, GarbageOnTheWireIsAProtocolFailure) {
  const auto fork = record_of(run_fork(child("garbage")));
  ASSERT_TRUE(fork.failure);
  EXPECT_EQ(fork.failure->kind, "protocol");
  EXPECT_NE(fork.failure->text.find("something else wrote there"), std::string::npos) << fork.failure->text;
}

TEST_F(Fork, HalfAMessageIsAProtocolFailureAndTheRestIsKept) {
  const auto fork = record_of(run_fork(child("half a message")));
  ASSERT_TRUE(fork.failure);
  EXPECT_EQ(fork.failure->kind, "protocol");
  EXPECT_NE(fork.failure->text.find("not whole"), std::string::npos) << fork.failure->text;
  EXPECT_EQ(fork.iterations.size(), 2U);
}

TEST_F(Fork, AnotherBenchmarkIsAProtocolFailure) {
  const auto fork = record_of(run_fork(child("other benchmark")));
  ASSERT_TRUE(fork.failure);
  EXPECT_EQ(fork.failure->kind, "protocol");
  EXPECT_NE(fork.failure->text.find("another/one"), std::string::npos) << fork.failure->text;
  EXPECT_TRUE(fork.iterations.empty());
}

TEST_F(Fork, AWireClosedEarlyIsAProtocolFailure) {
  const auto fork = record_of(run_fork(child("close the wire")));
  ASSERT_TRUE(fork.failure);
  EXPECT_EQ(fork.failure->kind, "protocol");
  EXPECT_NE(fork.failure->text.find("ended before it was done"), std::string::npos) << fork.failure->text;
}

TEST_F(Fork, ABenchmarksOwnErrorSaysMoreThanItsExitCode) {
  const auto fork = record_of(run_fork(child("report an error")));
  EXPECT_EQ(fork.failure,
            (fork_failure{.kind = "benchmark", .code = 0, .text = "the row came out wrong", .last_lines = {}}));
  EXPECT_EQ(fork.iterations.size(), 2U);
}

TEST_F(Fork, AFloodOfOutputLeavesItsLastLinesAndTheResult) {
  const exit_report end = run_fork(child("flood"));
  EXPECT_FALSE(record_of(end).failure);
  ASSERT_EQ(end.last_lines.size(), 20U);
  EXPECT_EQ(end.last_lines.back(), "the end");
  EXPECT_EQ(end.last_lines.front(), std::string(99, 'x'));
}

TEST_F(Fork, AGrandchildIsKilledWithItsGroup) {
  const exit_report end = run_fork(child("leave a grandchild"));
  EXPECT_FALSE(record_of(end).failure);
  const pid_t left = number_after(end, "left ");
  ASSERT_GT(left, 0);
  EXPECT_TRUE(vanishes(left));
}

TEST_F(Fork, AnEscapedGrandchildIsNotWaitedFor) {
  const exit_report end = run_fork(child("let one escape"));  // it holds output and wire open
  EXPECT_FALSE(record_of(end).failure);
  const pid_t left = number_after(end, "left ");
  ASSERT_GT(left, 0);
  ::kill(left, SIGKILL);
  EXPECT_TRUE(vanishes(left));
}

TEST_F(Fork, DiesWithItsParent) {
  const std::string note = testing::TempDir() + "weir_fork_" + std::to_string(::getpid());
  launch what = child("start one that kills you");
  what.command[2] = note;
  EXPECT_EQ(run_fork(what).signal, SIGKILL);
  pid_t orphan = 0;
  std::FILE* const file = std::fopen(note.c_str(), "r");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fscanf(file, "%d", &orphan), 1);
  std::fclose(file);
  std::remove(note.c_str());
  EXPECT_TRUE(vanishes(orphan));
}

TEST_F(Fork, WhatCannotBeStartedSaysWhy) {
  for (const auto& [path, line] : {std::pair{"/no/such/binary", "/no/such/binary: No such file or directory"},
                                   std::pair{"/", "/: Permission denied"}}) {
    const auto fork = record_of(run_fork({.command = {path}}));
    ASSERT_TRUE(fork.failure);
    EXPECT_EQ(fork.failure->kind, "exit");
    EXPECT_EQ(fork.failure->code, 127);
    EXPECT_EQ(fork.failure->last_lines.at(0), line);
  }
}

TEST_F(Fork, InheritsNothingButItsOwnFourDescriptors) {
  const int stray = ::fcntl(0, F_DUPFD, 10);  // without O_CLOEXEC, as users' code opens files
  launch what = child("show surroundings");
  const exit_report end = run_fork(what);
  ::close(stray);
  const auto fork = record_of(end);
  EXPECT_FALSE(fork.failure) << fork.failure->text;
  ASSERT_EQ(end.last_lines.size(), 4U);
  EXPECT_EQ(end.last_lines[2], "leads its group 1");
  EXPECT_EQ(end.last_lines[3], "descriptors 0 1 2 3");
}

TEST_F(Fork, LayoutIsPaddedAndRandomAlthoughTheParentsIsNot) {
  const int before = ::personality(0xFFFFFFFF);
  ASSERT_NE(before, -1);
  ::personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
  ::setenv("WEIR_LAYOUT_PADDING", "inherited", 1);
  const exit_report end = run_fork(child("show surroundings"));
  ::unsetenv("WEIR_LAYOUT_PADDING");
  ::personality(static_cast<unsigned long>(before));
  ASSERT_EQ(end.last_lines.size(), 4U);
  EXPECT_EQ(end.last_lines[0], "padding " + std::to_string(weir::run::layout_of(seed).environment_padding));
  EXPECT_EQ(std::stoul(end.last_lines[1].substr(12), nullptr, 16) & ADDR_NO_RANDOMIZE, 0U);
}

TEST(Layouts, ArePermittedForWhateverIsStartedLater) {
  const int before = ::personality(0xFFFFFFFF);
  ASSERT_NE(before, -1);
  ::personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
  weir::run::randomize_layouts();
  EXPECT_EQ(::personality(0xFFFFFFFF) & ADDR_NO_RANDOMIZE, 0);
  ::personality(static_cast<unsigned long>(before));
}

TEST_F(Fork, StartsManyInARowWithoutLosingDescriptors) {
  const int free_before = ::dup(0);
  ::close(free_before);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(run_fork(child("measure")).exit_code, 0);
  const int free_after = ::dup(0);
  ::close(free_after);
  EXPECT_EQ(free_after, free_before);
}

TEST_F(Fork, AnInterruptEndsItAndNothingElse) {
  struct sigaction before{};
  ::sigaction(SIGINT, nullptr, &before);
  {
    const interrupt_guard guard;
    EXPECT_FALSE(guard.interrupted());
    launch what = child("interrupt the parent");
    what.grace = 24h;
    const exit_report end = run_fork(what, &guard);
    EXPECT_TRUE(guard.interrupted());
    EXPECT_TRUE(end.interrupted);
    EXPECT_FALSE(end.timed_out);
    EXPECT_EQ(end.signal, SIGTERM);
    const auto fork = record_of(end);
    ASSERT_TRUE(fork.failure);
    EXPECT_EQ(fork.failure->kind, "interrupted");
    EXPECT_EQ(fork.iterations.size(), 2U);
  }
  struct sigaction after{};
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  EXPECT_FALSE(interrupt_guard().interrupted());
}

TEST_F(Fork, ASecondInterruptKillsItAtOnce) {
  const interrupt_guard guard;
  launch what = child("interrupt the parent twice");
  what.grace = 24h;
  const exit_report end = run_fork(what, &guard);
  EXPECT_TRUE(end.interrupted);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(Fork, NohupStaysNohup) {
  const auto before = std::signal(SIGHUP, SIG_IGN);
  {
    const interrupt_guard guard;
    std::raise(SIGHUP);
    EXPECT_FALSE(guard.interrupted());
  }
  std::signal(SIGHUP, before);
}

TEST_F(Fork, ChildrensEndsAreSeenAlthoughThisProcessIgnoredThem) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run_fork(child("fail with 7")).exit_code, 7);
  std::signal(SIGCHLD, before);
}

TEST(Layout, IsAlignedBoundedAndTheSameForASeed) {
  std::size_t most_padding = 0;
  std::size_t most_offset = 0;
  for (std::uint64_t s = 0; s < 10'000; ++s) {
    const auto l = weir::run::layout_of(s);
    ASSERT_EQ(l, weir::run::layout_of(s));
    ASSERT_LT(l.environment_padding, 4096U);
    ASSERT_LT(l.stack_offset, 4096U);
    ASSERT_EQ(l.stack_offset % 16, 0U);
    most_padding = std::max(most_padding, l.environment_padding);
    most_offset = std::max(most_offset, l.stack_offset);
  }
  EXPECT_GT(most_padding, 4080U);
  EXPECT_EQ(most_offset, 4080U);
}

TEST(OutputTail, KeepsTwentyLinesCutAndWithoutEndings) {
  weir::run::detail::output_tail tail;
  for (int i = 0; i < 30; ++i) tail.feed("line " + std::to_string(i) + "\r\n");
  tail.feed(std::string(1000, 'y'));
  const auto lines = tail.lines();
  ASSERT_EQ(lines.size(), 20U);
  EXPECT_EQ(lines.front(), "line 11");
  EXPECT_EQ(lines.back(), std::string(400, 'y') + "...");
  EXPECT_TRUE(weir::run::detail::output_tail().lines().empty());
}

TEST(OutputTail, HoldsNoMoreThanItShows) {
  weir::run::detail::output_tail tail;
  for (int i = 0; i < 100; ++i) tail.feed(std::string(100'000, 'z'));
  ASSERT_EQ(tail.lines().size(), 1U);
}

TEST(Printable, KeepsUtf8AndNothingElse) {
  using weir::run::detail::printable;
  EXPECT_EQ(printable("tab\t \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "tab\t \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(printable(std::string_view("\0\x1B\x7F\xFF", 4)), "????");
  EXPECT_EQ(printable("\xC2\x9B"), "??");            // a control character
  EXPECT_EQ(printable("\xC0\xAF"), "??");              // too long
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");         // half of a surrogate pair
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");    // beyond the last code point
  EXPECT_EQ(printable("\xE2\x82"), "??");              // cut off
  EXPECT_EQ(printable("\xE2\x82"
                      "A"),
            "??A");
}

TEST(Conclude, TakesTheFirstCauseOnly) {
  const auto kind = [](exit_report end, std::string_view reported) {
    weir::record::fork fork;
    if (!reported.empty()) fork.failure = {.kind = std::string(reported), .code = 0, .text = "", .last_lines = {}};
    end.last_lines = {"last"};
    conclude(end, fork);
    if (fork.failure) {
      EXPECT_EQ(fork.failure->last_lines, (std::vector<std::string>{"last"}));
    }
    return fork.failure ? fork.failure->kind : "";
  };
  exit_report fine;
  fine.exit_code = 0;
  exit_report three;
  three.exit_code = 3;
  exit_report killed;
  killed.signal = SIGKILL;
  exit_report late = killed;
  late.timed_out = true;
  exit_report stopped = killed;
  stopped.interrupted = true;
  EXPECT_EQ(kind(fine, ""), "");
  EXPECT_EQ(kind(fine, "protocol"), "protocol");
  EXPECT_EQ(kind(fine, "benchmark"), "benchmark");
  EXPECT_EQ(kind(three, ""), "exit");
  EXPECT_EQ(kind(three, "protocol"), "exit");
  EXPECT_EQ(kind(three, "benchmark"), "benchmark");
  EXPECT_EQ(kind(killed, "benchmark"), "signal");
  EXPECT_EQ(kind(late, "protocol"), "timeout");
  EXPECT_EQ(kind(stopped, "protocol"), "interrupted");
}

}  // namespace
