#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// When rows are due. Temperature: hot (no code at all).
//
//   constant  every 1/rate, exactly
//   poisson   independently of each other: many clients
//   groups    several at once              (burst.hpp)
//   on_off    for a while, then none       (burst.hpp)
//   ramp      at a rate that changes evenly
//   steps     at one constant rate after another
//   trace     as a file says
//   unpaced   at once: as fast as the system takes them
//
//   template <arrival::schedule S> void run(S due) { nanoseconds first = due.next(); }

#include <chrono>
#include <concepts>
#include <span>

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

/// A schedule that writes the times of the next rows into a block: for what must not happen row by row, such as
/// reading a file. Satisfied by trace.
template <class S>
concept block_schedule = std::movable<S> && requires(S& s, std::span<nanoseconds> block) {
  { s.fill(block) } noexcept -> std::same_as<void>;
};

}  // namespace weir::inline WEIR_ABI::arrival
