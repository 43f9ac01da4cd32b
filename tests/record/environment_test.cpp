// SPDX-License-Identifier: Apache-2.0
#include <weir/record/environment.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using weir::record::disturbance;
using weir::record::disturbances;
using weir::record::environment;
using weir::record::probe_disturbance;
using weir::record::probe_environment;

/// Another machine's /proc and /sys, made of the files that a test names.
class Environment : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(root_); }

  void given(const std::string& path, std::string_view text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }

  [[nodiscard]] std::string value(std::string_view name) const {
    const auto* fact = found().find(name);
    return fact != nullptr && fact->value ? *fact->value : "(missing)";
  }

  [[nodiscard]] std::string reason(std::string_view name) const {
    const auto* fact = found().find(name);
    return fact != nullptr ? fact->reason : "(no such fact)";
  }

  [[nodiscard]] const environment& found() const {
    found_ = probe_environment(root_);
    return found_;
  }

  const std::string root_ = testing::TempDir() + "weir_environment_" + std::to_string(::getpid());
  mutable environment found_;
};

TEST_F(Environment, EveryFactIsAValueOrAReasonEvenOnAnEmptyMachine) {
  EXPECT_GE(found().facts.size(), 24U);
  for (const auto& fact : found().facts) {
    EXPECT_NE(fact.value.has_value(), !fact.reason.empty()) << fact.name;
  }
  EXPECT_EQ(reason("governor"), "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor: No such file or directory");
}

TEST_F(Environment, EveryFactOfThisMachineIsAValueOrAReason) {
  for (const auto& fact : probe_environment().facts) {
    EXPECT_NE(fact.value.has_value(), !fact.reason.empty()) << fact.name;
  }
}

TEST_F(Environment, ReadsWhatAnOrdinaryMachineShows) {
  given("/proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Some CPU @ 3.00GHz\nflags\t\t: fpu hypervisor sse\n\n"
        "processor\t: 1\nmodel name\t: Another\n");
  given("/proc/meminfo", "MemTotal:       16000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\n");
  given("/proc/loadavg", "0.22 0.40 0.19 1/90 5488\n");
  given("/proc/stat", "cpu  100 0 50 9000 5 0 7 12 0 0\ncpu0 1 2 3\n");
  given("/proc/sys/kernel/osrelease", "6.1.0\n");
  given("/proc/sys/kernel/randomize_va_space", "2\n");
  given("/proc/self/personality", "00000000\n");
  given("/proc/self/timerslack_ns", "50000\n");
  given("/sys/devices/system/cpu/online", "0-1\n");
  given("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  given("/sys/devices/system/node/online", "0\n");
  given("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  EXPECT_EQ(value("cpu_model"), "Some CPU @ 3.00GHz");
  EXPECT_EQ(value("hypervisor"), "yes");
  EXPECT_EQ(value("memory_total_bytes"), "16384000");
  EXPECT_EQ(value("memory_available_bytes"), "8192000");
  EXPECT_EQ(value("load_average"), "0.22 0.40 0.19");
  EXPECT_EQ(value("kernel"), "6.1.0");
  EXPECT_EQ(value("aslr"), "on");
  EXPECT_EQ(value("timer_slack_ns"), "50000");
  EXPECT_EQ(value("cores_online"), "0-1");
  EXPECT_EQ(value("governor"), "performance");
  EXPECT_EQ(value("numa_nodes"), "0");
  EXPECT_EQ(value("clock_source"), "tsc");
  EXPECT_EQ(value("steal_since_boot_ns"), std::to_string(12 * (1'000'000'000 / ::sysconf(_SC_CLK_TCK))));
}

TEST_F(Environment, HypervisorFlagMustBeAWholeWord) {
  given("/proc/cpuinfo", "flags\t\t: fpu hypervisor_like sse\n");
  EXPECT_EQ(value("hypervisor"), "no");
}

TEST_F(Environment, ClockRateIsTheHighestOrElseThatOfTheMoment) {
  EXPECT_EQ(reason("cpu_mhz"), "/proc/cpuinfo: No such file or directory");
  given("/proc/cpuinfo", "model name\t: Some CPU\ncpu MHz\t\t: 2096.070\n");
  EXPECT_EQ(value("cpu_mhz"), "2096");
  given("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3400000\n");
  EXPECT_EQ(value("cpu_mhz"), "3400");
  given("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "fast\n");
  EXPECT_EQ(reason("cpu_mhz"), "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq: not a number: fast");
}

TEST_F(Environment, TurboIsReadFromEitherDriver) {
  given("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_EQ(value("turbo"), "off");
  given("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(value("turbo"), "on");
}

TEST_F(Environment, AslrCanBeOffForThisProcessAlone) {
  given("/proc/sys/kernel/randomize_va_space", "2\n");
  given("/proc/self/personality", "00040000\n");
  EXPECT_EQ(value("aslr"), "off (personality of this process)");
}

TEST_F(Environment, CgroupV2TakesTheTightestLimitOnThePath) {
  given("/proc/self/cgroup", "0::/a/b\n");
  given("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  given("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  given("/sys/fs/cgroup/a/b/memory.max", "10000000000\n");
  given("/sys/fs/cgroup/a/memory.max", "max\n");
  EXPECT_EQ(value("cgroup_cpu_limit_cores"), "1.5");
  EXPECT_EQ(value("cgroup_memory_limit_bytes"), "10000000000");
}

TEST_F(Environment, CgroupV1WithoutALimitSaysNone) {
  given("/proc/self/cgroup", "4:memory:/job\n2:cpu,cpuacct:/job\n0::/\n");
  given("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  given("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  given("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(value("cgroup_cpu_limit_cores"), "none");
  EXPECT_EQ(value("cgroup_memory_limit_bytes"), "none");
}

TEST_F(Environment, CgroupWithoutReadableLimitIsMissing) {
  given("/proc/self/cgroup", "0::/a\n");
  EXPECT_EQ(reason("cgroup_cpu_limit_cores"), "no control group states a limit on cpu");
}

TEST_F(Environment, MalformedFilesAreReasonsNotGuesses) {
  given("/proc/meminfo", "MemTotal: lots\n");
  given("/proc/cpuinfo", "\n");
  given("/proc/stat", "cpu 1 2\n");
  EXPECT_EQ(reason("memory_total_bytes"), "/proc/meminfo: not a number: lots");
  EXPECT_EQ(reason("memory_available_bytes"), "/proc/meminfo: no line \"MemAvailable\"");
  EXPECT_EQ(reason("cpu_model"), "/proc/cpuinfo: empty");
  EXPECT_EQ(reason("steal_since_boot_ns"), "/proc/stat: no steal column");
}

TEST_F(Environment, NeverNamesTheHost) {
  char host[256] = "";
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  for (const auto& fact : probe_environment().facts) {
    EXPECT_NE(fact.name, "host_name");
    if (fact.value) {
      EXPECT_NE(*fact.value, host) << fact.name;
    }
  }
}

TEST_F(Environment, DisturbanceReadsStealAndTheHostsBusyTime) {
  const auto tick = std::chrono::nanoseconds(1'000'000'000 / ::sysconf(_SC_CLK_TCK));
  given("/proc/stat", "cpu  100 10 50 9000 5 0 7 12 0 0\n");
  const disturbance now = probe_disturbance(root_);
  EXPECT_EQ(now.stolen, 12 * tick);
  EXPECT_EQ(now.busy, 160 * tick);
  EXPECT_FALSE(probe_disturbance(root_ + "/nowhere").stolen);
}

TEST(Disturbances, AQuietHostHasNone) {
  const disturbance before{.stolen = 5ms, .busy = 1s, .own = 100ms, .at = 1s};
  const disturbance after{.stolen = 5ms, .busy = 2040ms, .own = 1100ms, .at = 2s};
  EXPECT_TRUE(disturbances(before, after).empty());
}

TEST(Disturbances, StealAndNeighboursAreNamedWithTheirSize) {
  const disturbance before{.stolen = 5ms, .busy = 1s, .own = 100ms, .at = 1s};
  const disturbance after{.stolen = 25ms, .busy = 2500ms, .own = 1100ms, .at = 2s};
  const auto notes = disturbances(before, after);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0], "steal: the hypervisor took 20 ms of 1000 ms");
  EXPECT_EQ(notes[1], "neighbours: other processes used 500 ms of CPU in 1000 ms");
}

TEST(Disturbances, WhatTheHostDoesNotTellIsNotGuessed) {
  EXPECT_TRUE(disturbances({.at = 1s}, {.own = 1s, .at = 2s}).empty());
}

}  // namespace
