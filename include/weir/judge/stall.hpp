#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Did the system stand still once? Rows were with it, and for a while none came out. Temperature: cold.
//
//   if (s.longest_stall > judge::stall_limit(s, limits.stall)) ...
//
// A stall is not overload, though both raise latency: an overloaded system hands rows out all the time, 1/mu
// apart. And it is one event: a tail that it decides says nothing about the next run, and the run alone
// cannot tell whether the system stopped or the host took its core.

#include <algorithm>
#include <chrono>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::judge {

using std::chrono::nanoseconds;

/// The note of a job that stood in for a stalled one and stalled as well. Two in a row are hardly the host's: its
/// pauses are judged and counted as the system's.
inline constexpr std::string_view stalled_before_note =
    "stalled again: the shorter job before it stalled too, so pauses count as the system's";

[[nodiscard]] inline bool stalled_before(const record::sample& s) {
  return std::ranges::find(s.notes, stalled_before_note) != s.notes.end();
}

/// The longest pause that may be the system's usual pace: 30 times the median latency, at least `floor`. A system
/// that hands rows out in bursts pauses for twice its median latency; one with exponential service meets a
/// service of 30 medians once in 2^30 rows.
[[nodiscard]] inline nanoseconds stall_limit(const record::sample& s, nanoseconds floor) {
  return std::max(floor, 30 * s.latency().at(measure::p50).value);
}

}  // namespace weir::inline WEIR_ABI::judge
