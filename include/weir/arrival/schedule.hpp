#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// When rows are due. Temperature: hot (no code at all).
//
//   constant  every 1/rate, exactly
//   unpaced   at once: as fast as the system takes them
//
//   template <arrival::schedule S> void run(S due) { nanoseconds first = due.next(); }

#include <chrono>
#include <concepts>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::arrival {

using std::chrono::nanoseconds;

/// Intended times of rows 0, 1, 2, ... since the start of the run. Meaning: never decreases, and never
/// ends: the caller counts the rows; the same parameters and seed give the same sequence on every machine;
/// reads no clock and learns nothing from the run.
template <class S>
concept schedule = std::movable<S> && requires(S& s) {
  { s.next() } noexcept -> std::same_as<nanoseconds>;
};

}  // namespace weir::inline WEIR_ABI::arrival
