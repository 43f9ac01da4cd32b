// SPDX-License-Identifier: Apache-2.0
#include <weir/base/os.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

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

TEST(OsSleep, IsNeverEarlyAndReturnsAtOnceForThePast) {
  const auto deadline = os::monotonic_now() + 2ms;
  os::sleep_until(deadline);
  EXPECT_GE(os::monotonic_now(), deadline);
  os::sleep_until(0ns);
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

TEST(OsPlacement, PinsToACoreThatThisThreadMayUse) {
  std::thread([] {
    const unsigned cores = os::usable_cores();
    ASSERT_GE(cores, 1U);
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
    unsigned core = 0;
    while (!CPU_ISSET(core, &allowed)) ++core;
    ASSERT_TRUE(os::pin_this_thread(core));
    EXPECT_EQ(os::usable_cores(), 1U);
    EXPECT_EQ(static_cast<unsigned>(::sched_getcpu()), core);
  }).join();
}

TEST(OsPlacement, RefusesACoreThatNoMachineHas) { EXPECT_FALSE(os::pin_this_thread(CPU_SETSIZE)); }

}  // namespace
