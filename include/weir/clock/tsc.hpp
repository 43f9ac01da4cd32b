#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The processor's own counter as a clock: a third cheaper to read than steady, on x86-64, where it can
// be trusted. Temperature: hot; finding out whether it can be trusted is cold.
//
//   if (const auto tsc = clock::tsc::probe(); !tsc.usable) std::puts(tsc.reason.c_str());

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/time_source.hpp>

namespace weir::inline WEIR_ABI::clock {

/// May this machine's TSC serve as a clock, and if not, why.
struct tsc_probe {
  bool usable = false;
  std::string reason;  // empty when usable
};

namespace detail {

/// The counter, read after every earlier load of this thread. A bare rdtsc may run ahead of the load
/// that received a row, which would then seem to arrive before it was sent.
/// Cost: 20 ns, of which the fence is 8 (bare rdtsc 12, rdtscp 23, steady 28; in a VM).
[[nodiscard]] inline std::int64_t read_ticks() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  return static_cast<std::int64_t>(__builtin_ia32_rdtsc());
#else
  return 0;
#endif
}

/// Ticks to ns by one multiplication and a shift in 128 bits: exact to 2^-48 ns a tick, and no span of
/// ticks overflows it.
class tick_scale {
 public:
  constexpr tick_scale() = default;

  /// The scale on which `ticks` last `elapsed`.  Requires: both above 0.
  constexpr tick_scale(std::int64_t ticks, nanoseconds elapsed) noexcept
      : ns_per_tick_(static_cast<std::int64_t>((static_cast<int128>(elapsed.count()) << fraction_bits) / ticks)) {}

  [[nodiscard]] constexpr nanoseconds operator()(std::int64_t ticks) const noexcept {
    return nanoseconds(static_cast<std::int64_t>((static_cast<int128>(ticks) * ns_per_tick_) >> fraction_bits));
  }

 private:
  __extension__ using int128 = __int128;  // signed: a core may be a few ticks behind the one that calibrated
  static constexpr int fraction_bits = 48;

  std::int64_t ns_per_tick_ = 0;
};

/// The same instant on both clocks, give or take half of `gap`.
struct tick_pair {
  std::int64_t ticks = 0;
  nanoseconds time{};
  std::int64_t gap = std::numeric_limits<std::int64_t>::max();
};

/// Reads steady between two reads of the counter; the tightest of 64 tries, so that an interrupt in one
/// of them does not matter.
[[nodiscard]] inline tick_pair read_both() noexcept {
  tick_pair best;
  for (int i = 0; i < 64; ++i) {
    const std::int64_t before = read_ticks();
    const nanoseconds time = os::monotonic_now();
    const std::int64_t gap = read_ticks() - before;
    if (gap >= 0 && gap < best.gap) best = {.ticks = before + gap / 2, .time = time, .gap = gap};
  }
  return best;
}

struct tsc_calibration {
  std::string refusal{};  // empty: the rest is sound
  tick_scale scale{};
  std::int64_t first_tick = 0;
  nanoseconds first_time{};
};

/// Constant rate in every power state ("invariant TSC").
/// Source: CPUID leaf 0x80000007, EDX bit 8; Intel SDM vol. 3B 18.17.1, AMD APM vol. 3 E.4.8.
[[nodiscard]] inline bool has_invariant_tsc() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1U) != 0;
#else
  return false;
#endif
}

/// The kernel's own clock, empty when it does not say. It leaves the TSC for hpet or acpi_pm when its
/// watchdog has seen the cores' counters disagree.
[[nodiscard]] inline std::string kernel_clock_source() {
  std::array<char, 64> line{};
  if (std::FILE* file = std::fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r")) {
    if (std::fgets(line.data(), line.size(), file) == nullptr) line[0] = '\0';
    std::fclose(file);
  }
  const std::string_view text = line.data();
  return std::string(text.substr(0, text.find('\n')));
}

/// Why a counter that was read three times is no clock; empty when it may be one. Its two stretches must
/// agree on the rate to 0.01 %: a counter that is emulated, or was moved between hosts, does not.
[[nodiscard]] inline std::string refusal_of(const std::array<tick_pair, 3>& at) {
  if (at[1].ticks <= at[0].ticks || at[2].ticks <= at[1].ticks) return "the TSC ran backwards or stood still";
  const tick_scale first_half(at[1].ticks - at[0].ticks, at[1].time - at[0].time);
  const nanoseconds second_half = at[2].time - at[1].time;
  const nanoseconds error = std::chrono::abs(first_half(at[2].ticks - at[1].ticks) - second_half);
  if (error * 10'000 <= second_half) return {};
  return "the TSC's rate is not constant: off by " + std::to_string(error.count()) + " ns in " +
         std::to_string(second_half.count());
}

/// Largest difference between the cores' counters, by visiting each core this thread may run on and
/// comparing with steady; none when a core cannot be visited.
[[nodiscard]] inline std::optional<nanoseconds> disagreement_of_cores(const tsc_calibration& on) noexcept {
  constexpr unsigned most_cores = 1024;  // glibc's CPU_SETSIZE
  unsigned to_visit = os::usable_cores();
  nanoseconds lowest = nanoseconds::max();
  nanoseconds highest = nanoseconds::min();
  for (unsigned core = 0; core < most_cores; ++core) {
    if (!os::core_usable(core)) continue;
    const os::core_pin stay(core);
    if (os::usable_cores() != 1) return std::nullopt;  // the pin was refused
    const tick_pair here = read_both();
    const nanoseconds error = on.first_time + on.scale(here.ticks - on.first_tick) - here.time;
    lowest = std::min(lowest, error);
    highest = std::max(highest, error);
    --to_visit;
  }
  if (to_visit != 0) return std::nullopt;
  return highest - lowest;
}

/// Compares the counter with steady over 20 ms. 40 ns of reading error at each end leave the rate good to
/// 4 ppm.
[[nodiscard]] inline tsc_calibration calibrate_tsc() {
  if (!has_invariant_tsc()) {
    return {.refusal = "the processor promises no TSC of constant rate (CPUID 0x80000007, EDX bit 8)"};
  }
  if (const std::string kernel = kernel_clock_source(); kernel == "hpet" || kernel == "acpi_pm") {
    return {.refusal = "the kernel keeps time by " + kernel + ": it has given up the TSC, or never had it"};
  }

  std::array<tick_pair, 3> at{read_both()};
  for (std::size_t i = 1; i < at.size(); ++i) {
    os::sleep_until(at[i - 1].time + std::chrono::milliseconds(10));
    at[i] = read_both();
  }
  if (std::string refusal = refusal_of(at); !refusal.empty()) return {.refusal = std::move(refusal)};

  tsc_calibration found{.scale = tick_scale(at[2].ticks - at[0].ticks, at[2].time - at[0].time),
                        .first_tick = at[0].ticks,
                        .first_time = at[0].time};
  if (const auto apart = disagreement_of_cores(found); !apart) {
    found.refusal = "cannot visit every core to compare their counters";
  } else if (*apart > std::chrono::microseconds(1)) {
    found.refusal = "the cores' counters are " + std::to_string(apart->count()) + " ns apart";
  }
  return found;
}

/// One calibration a process, so that every tsc tells the same time.
[[nodiscard]] inline const tsc_calibration& calibrated_tsc() {
  static const tsc_calibration once = calibrate_tsc();
  return once;
}

}  // namespace detail

/// The time stamp counter, in ns, aligned with steady when it was calibrated; the two drift apart by a few
/// us a second, so never subtract one from the other.
/// Threads: any.
class tsc {
 public:
  static constexpr std::string_view name = "tsc";

  /// Cost: 20 ms the first time in a process.  Requires: this thread is not pinned yet, since only the
  /// cores it may run on are compared.
  [[nodiscard]] static tsc_probe probe() {
    const std::string& refusal = detail::calibrated_tsc().refusal;
    return {.usable = refusal.empty(), .reason = refusal};
  }

  /// Cost: as probe().  Errors: weir::error clock.tsc_unusable with probe()'s reason.
  tsc() {
    const detail::tsc_calibration& found = detail::calibrated_tsc();
    if (!found.refusal.empty()) weir::detail::raise("clock.tsc_unusable", "clock", found.refusal);
    scale_ = found.scale;
    first_tick_ = found.first_tick;
    first_time_ = found.first_time;
  }

  /// Cost: 20 ns.
  [[nodiscard]] nanoseconds now() const noexcept { return first_time_ + scale_(detail::read_ticks() - first_tick_); }

  /// Sleeps on steady for what is left, and again while it was woken early by the drift.
  void sleep_until(nanoseconds deadline) const noexcept {
    for (nanoseconds time = now(); time < deadline; time = now()) {
      // An hour at most: a deadline near the end of time must not overflow on the other clock.
      os::sleep_until(os::monotonic_now() + std::min<nanoseconds>(deadline - time, std::chrono::hours(1)));
    }
  }

 private:
  detail::tick_scale scale_;
  std::int64_t first_tick_ = 0;
  nanoseconds first_time_{};
};

static_assert(time_source<tsc> && !virtual_time_source<tsc>);

}  // namespace weir::inline WEIR_ABI::clock
