#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How far apart the host has put two of this process's cores just now. Temperature: cold, about 1 ms.
//
//   const auto before = run::core_round_trip();  ...  const auto after = run::core_round_trip();
//   if (auto note = run::moved(before, after)) sample.notes.push_back(*note);

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include <weir/base/config.hpp>
#include <weir/base/cpu.hpp>
#include <weir/base/os.hpp>

namespace weir::inline WEIR_ABI::run {

using std::chrono::nanoseconds;

namespace detail {

inline constexpr std::uint32_t no_more = 0xFFFF'FFFF;

/// Waits while the line holds `old`, and gives the core away when the other side cannot be running.
/// Returns: what it holds then; `old` when the deadline passed first.
inline std::uint32_t await_change(const std::atomic<std::uint32_t>& line, std::uint32_t old,
                                  nanoseconds deadline) noexcept {
  for (unsigned spins = 0;; ++spins) {
    if (const std::uint32_t now = line.load(std::memory_order_acquire); now != old) return now;
    if (spins < 1000) {
      cpu_pause();
    } else {
      if (os::monotonic_now() > deadline) return old;
      os::yield();
    }
  }
}

}  // namespace detail

/// Time for a cache line to go to another core and back: the shortest of several batches, so that a
/// preempted batch does not count. None on one core, or when others left no two cores to this process.
/// A virtual machine's cores may be moved in mid-run (54 ns near, 330 ns far on one host), and what hands
/// rows over one by one is then up to 4 times slower, while no counter of stolen time shows it.
/// Cost: 0.1 ms, at most 3 ms on a busy host.
[[nodiscard]] inline std::optional<nanoseconds> core_round_trip() {
  constexpr std::uint32_t batches = 16;
  constexpr std::uint32_t trips = 64;
  constexpr nanoseconds patience = std::chrono::milliseconds(3);
  constexpr nanoseconds believable = std::chrono::microseconds(2);  // above: through the scheduler
  if (os::usable_cores() < 2) return std::nullopt;
  alignas(cache_line) std::atomic<std::uint32_t> line{0};
  std::thread peer([&line] {
    std::uint32_t seen = 0;
    while ((seen = detail::await_change(line, seen, nanoseconds::max())) != detail::no_more) {
      // No plain store: it would wipe out a no_more that came since, and nobody would ever say it again.
      std::uint32_t asked = seen;
      if (line.compare_exchange_strong(asked, seen + 1, std::memory_order_acq_rel)) ++seen;
    }
  });
  nanoseconds shortest = nanoseconds::max();
  std::uint32_t value = 0;
  const nanoseconds began = os::monotonic_now();
  nanoseconds now = began;
  for (std::uint32_t batch = 0; batch < batches && now - began < patience; ++batch) {
    std::uint32_t trip = 0;
    for (; trip < trips; ++trip) {
      line.store(++value, std::memory_order_release);
      const std::uint32_t answer = detail::await_change(line, value, began + patience);
      if (answer == value) break;  // no answer in time
      value = answer;
    }
    if (trip < trips) break;
    const nanoseconds ended = os::monotonic_now();
    shortest = std::min(shortest, ended - now);
    now = ended;
  }
  line.store(detail::no_more, std::memory_order_release);
  peer.join();
  const nanoseconds round_trip = shortest / trips;
  return round_trip <= believable ? std::optional(round_trip) : std::nullopt;
}

/// A note when the cores moved between two probes: by more than a factor of 2, which no neighbour's load
/// does to the shortest batch.
[[nodiscard]] inline std::optional<std::string> moved(std::optional<nanoseconds> before,
                                                      std::optional<nanoseconds> after) {
  if (!before || !after || std::max(*before, *after) <= 2 * std::min(*before, *after)) return std::nullopt;
  return "placement: a cache line's round trip between cores took " + std::to_string(before->count()) +
         " ns before the sample and " + std::to_string(after->count()) + " ns after it";
}

}  // namespace weir::inline WEIR_ABI::run
