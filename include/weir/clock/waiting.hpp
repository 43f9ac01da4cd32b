#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How a thread waits for a deadline. Temperature: hot.
//
//   policy           late by, p50        costs                  use when
//   spin             12 ns               the whole core         the core is this thread's own
//   yield            0.5 us or a turn    what others leave      threads outnumber cores
//   sleep            25 us               20 us of CPU a wait    a late row does not matter
//   sleep_then_spin  12 ns               a spun margin a wait   there is a core to spare
//
//   clock::yield{}(clock::steady{}, deadline);
//
// With more threads than cores, whoever never gives up its core costs the others a scheduler slice: on 2
// cores a generator that spins gives an event-time P99 of 4 to 15 ms, one that yields each turn 26 to 38 us.
// No policy waits for a deadline that has passed. On virtual time all of them sleep on the clock.

#include <chrono>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <weir/base/config.hpp>
#include <weir/base/cpu.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/time_source.hpp>

namespace weir::inline WEIR_ABI::clock {

namespace detail {

/// Cost: 1 ns after a thread's first call.
inline void sharpen_timers_once() noexcept {
  thread_local const bool sharp = (os::sharpen_timers(), true);
  (void)sharp;
}

template <time_source C, std::invocable Pause>
void turn_until(const C& clock, nanoseconds deadline, Pause pause) noexcept {
  if constexpr (virtual_time_source<C>) {
    clock.sleep_until(deadline);
  } else {
    while (clock.now() < deadline) pause();
  }
}

}  // namespace detail

struct spin {
  static constexpr std::string_view name = "spin";

  template <time_source C>
  void operator()(const C& clock, nanoseconds deadline) const noexcept {
    detail::turn_until(clock, deadline, cpu_pause);
  }
};

struct yield {
  static constexpr std::string_view name = "yield";

  template <time_source C>
  void operator()(const C& clock, nanoseconds deadline) const noexcept {
    detail::turn_until(clock, deadline, os::yield);
  }
};

struct sleep {
  static constexpr std::string_view name = "sleep";

  template <time_source C>
  void operator()(const C& clock, nanoseconds deadline) const noexcept {
    detail::sharpen_timers_once();
    clock.sleep_until(deadline);
  }
};

struct sleep_then_spin {
  static constexpr std::string_view name = "sleep_then_spin";

  /// How long before the deadline to start spinning: above the P99 of a sleep's overshoot (57 to 89 us with
  /// sharp timers on an idle host, up to 250 us on a busy one).
  nanoseconds margin = std::chrono::microseconds(200);

  template <time_source C>
  void operator()(const C& clock, nanoseconds deadline) const noexcept {
    if constexpr (!virtual_time_source<C>) {
      const nanoseconds now = clock.now();
      if (now < deadline && deadline - now > margin) sleep{}(clock, deadline - margin);
    }
    spin{}(clock, deadline);
  }
};

/// A way to wait. Meaning: returns once clock.now() >= deadline, at once when that is so already.
template <class W, class C = steady>
concept waiting =
    std::copy_constructible<W> && time_source<C> && requires(const W& wait, const C& clock, nanoseconds deadline) {
      { wait(clock, deadline) } noexcept;
    };

/// One of the policies above, chosen at run time.  Cost: one switch a wait.
class any_waiting {
  using policies = std::variant<spin, yield, sleep, sleep_then_spin>;

 public:
  template <class Policy>
    requires(!std::same_as<Policy, any_waiting>) && std::constructible_from<policies, Policy>
  constexpr any_waiting(Policy policy) noexcept : policy_(policy) {}

  template <time_source C>
  void operator()(const C& clock, nanoseconds deadline) const noexcept {
    std::visit([&](const auto& wait) { wait(clock, deadline); }, policy_);
  }

  [[nodiscard]] constexpr std::string_view name() const noexcept {
    return std::visit([](const auto& wait) { return std::remove_cvref_t<decltype(wait)>::name; }, policy_);
  }

 private:
  policies policy_;
};

/// The policy of that name with its default parameters; none when there is no such policy.
[[nodiscard]] constexpr std::optional<any_waiting> parse_waiting(std::string_view name) noexcept {
  std::optional<any_waiting> found;
  const auto offer = [&](auto policy) {
    if (policy.name == name) found = policy;
  };
  offer(spin{});
  offer(yield{});
  offer(sleep{});
  offer(sleep_then_spin{});
  return found;
}

struct waiting_choice {
  any_waiting policy;
  std::string reason;  // "2 cores for 5 threads"
};

/// The policy for `threads` that are awake at once, the waiting one included, on `cores`: spinning needs a
/// core to spare, everything else gets its turn from a thread that yields. Cold.
[[nodiscard]] inline waiting_choice choose_waiting(unsigned cores, unsigned threads) {
  const auto counted = [](unsigned n, std::string_view what) {
    return std::to_string(n).append(" ").append(what).append(n == 1 ? "" : "s");
  };
  std::string reason = counted(cores, "core") + " for " + counted(threads, "thread");
  if (cores > threads) return {sleep_then_spin{}, std::move(reason)};
  return {yield{}, std::move(reason)};
}

}  // namespace weir::inline WEIR_ABI::clock
