#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What weir asks of a clock. Temperature: hot (no code at all).
//
//   template <clock::time_source Clock>
//   nanoseconds age(const Clock& clock, nanoseconds born) { return clock.now() - born; }

#include <chrono>
#include <concepts>
#include <string_view>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::clock {

using std::chrono::nanoseconds;

/// A clock. Meaning: now() never decreases, on any thread, also from one thread to another that
/// learnt of the first; copies are cheap and tell the same time; sleep_until() blocks the calling
/// thread until now() >= deadline, and returns without a system call when that is so already.
/// Satisfied by steady, tsc, manual.
template <class C>
concept time_source = std::copyable<C> && requires(const C& clock, nanoseconds deadline) {
  { clock.now() } noexcept -> std::same_as<nanoseconds>;
  { clock.sleep_until(deadline) } noexcept;
  { C::name } -> std::convertible_to<std::string_view>;
};

/// A clock whose time passes only when someone advances it: whoever spins on it spins for ever, so
/// every waiting policy sleeps on it instead. Satisfied by manual.
template <class C>
concept virtual_time_source = time_source<C> && requires(const C& clock, nanoseconds time) { clock.advance_to(time); };

}  // namespace weir::inline WEIR_ABI::clock
