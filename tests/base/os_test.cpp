// SPDX-License-Identifier: Apache-2.0
#include <weir/base/os.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
namespace os = weir::os;

TEST(OsClock, NeverDecreases) {
  auto last = os::monotonic_now();
  for (int i = 0; i < 10'000; ++i) {
    const auto now = os::monotonic_now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(OsClock, SplitsATimeIntoSecondsAndTheRest) {
  const timespec t = os::detail::to_timespec(3s + 7ns);
  EXPECT_EQ(t.tv_sec, 3);
  EXPECT_EQ(t.tv_nsec, 7);
}

TEST(OsClock, CountsCpuTimeOfThisThreadWithinThatOfTheProcess) {
  const auto before = os::thread_cpu_time();
  std::atomic<std::uint64_t> work = 0;
  for (int i = 0; i < 100'000; ++i) work.fetch_add(1, std::memory_order_relaxed);
  const auto thread = os::thread_cpu_time();
  EXPECT_GT(thread, before);
  EXPECT_GE(os::process_cpu_time(), thread);
}

TEST(OsClock, CountsCpuTimeOfChildrenOnceTheyHaveBeenWaitedFor) {
  using std::chrono::nanoseconds;
  const nanoseconds family = os::family_cpu_time() - os::process_cpu_time();
  const pid_t child = ::fork();
  if (child == 0) {
    while (os::process_cpu_time() < std::chrono::milliseconds(20)) {
    }
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(os::family_cpu_time() - os::process_cpu_time(), family + std::chrono::milliseconds(15));
}

TEST(OsSleep, IsNeverEarlyAndReturnsAtOnceForThePast) {
  const auto deadline = os::monotonic_now() + 2ms;
  os::sleep_until(deadline);
  EXPECT_GE(os::monotonic_now(), deadline);
  os::sleep_until(0ns);
  os::sleep_until(-1s);  // the system refuses it: no deadline to wait for
}

TEST(OsTimers, HaveOneNanosecondOfSlackOnceSharpened) {
  os::sharpen_timers();
  EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL), 1);
}

TEST(OsFutex, DoesNotSleepWhenTheWordHasChanged) {
  std::atomic<std::uint32_t> word = 1;
  os::futex_wait(word, 0);
}

TEST(OsFutex, WakesASleeper) {
  std::atomic<std::uint32_t> word = 0;
  std::thread sleeper([&word] {
    while (word.load(std::memory_order_acquire) == 0) os::futex_wait(word, 0);
  });
  word.store(1, std::memory_order_release);
  os::futex_wake(word);
  sleeper.join();
}

unsigned first_usable_core() {
  unsigned core = 0;
  while (!os::core_usable(core)) ++core;
  return core;
}

// In threads of their own: a failure would otherwise leave the rest of the tests on one core.
TEST(OsPlacement, PinsThisThreadWhileThePinLives) {
  std::thread([] {
    const unsigned before = os::usable_cores();
    const unsigned core = first_usable_core();
    {
      const os::core_pin pin(core);
      EXPECT_EQ(os::usable_cores(), 1U);
      EXPECT_EQ(static_cast<unsigned>(::sched_getcpu()), core);
    }
    EXPECT_EQ(os::usable_cores(), before);
  }).join();
}

TEST(OsPlacement, LeavesTheThreadAloneWithoutACoreOrWithOneThatNoMachineHas) {
  std::thread([] {
    const unsigned before = os::usable_cores();
    const os::core_pin none(std::nullopt);
    EXPECT_EQ(os::usable_cores(), before);
    const os::core_pin beyond(CPU_SETSIZE);
    EXPECT_EQ(os::usable_cores(), before);
  }).join();
}

TEST(OsPlacement, KnowsWhichCoresExist) {
  EXPECT_LT(first_usable_core(), static_cast<unsigned>(CPU_SETSIZE));
  EXPECT_FALSE(os::core_usable(CPU_SETSIZE));
}

// One more than our own may come: ThreadSanitizer starts a thread of its own beside the first.
TEST(OsProcess, CountsItsThreads) {
  constexpr unsigned more = 8;
  const unsigned before = os::thread_count();
  EXPECT_GE(before, 1U);
  std::atomic<bool> leave{false};
  std::vector<std::thread> others;
  for (unsigned i = 0; i < more; ++i)
    others.emplace_back([&] {
      while (!leave) os::yield();
    });
  const unsigned during = os::thread_count();
  leave = true;
  for (std::thread& other : others) other.join();
  EXPECT_GE(during, before + more);
  EXPECT_LE(during, before + more + 1);
}

TEST(OsProcess, KnowsItsPeakMemory) { EXPECT_GT(os::peak_resident(), 1U << 20); }

}  // namespace
