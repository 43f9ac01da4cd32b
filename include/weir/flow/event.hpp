#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What flows: one row on its way from the generator to the sink. Temperature: hot.
//
//   e.checksum = my_work(e.sequence, e.payload);

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <weir/base/config.hpp>
#include <weir/measure/trace.hpp>

namespace weir::inline WEIR_ABI::flow {

using std::chrono::nanoseconds;

/// One row in flight. Times are since the start of the schedule.
/// One cache line, so that a batch of n costs n lines on either side of a channel.
struct alignas(cache_line) event {
  std::uint64_t sequence = 0;       // 0 .. rows-1
  nanoseconds intended{};           // when the schedule says it is due; never moved
  nanoseconds released{};           // when the generator handed it over
  std::string_view payload;         // shared by all rows of a run; the sink compares it with what was sent
  std::uint64_t checksum = 0;       // written by the transform, summed by the sink
  measure::trace* trace = nullptr;  // of the few stained rows
};
static_assert(sizeof(event) == cache_line);

/// The payload of every row: character i is 'a' + i mod 26.
[[nodiscard]] inline std::string payload_text(std::size_t size) {
  std::string text(size, 'a');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

}  // namespace weir::inline WEIR_ABI::flow
