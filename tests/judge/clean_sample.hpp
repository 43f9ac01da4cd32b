#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A sample with nothing wrong with it, by hand: 1,000,000 rows at 600,000 a second, 20 to 38 us late.
// Tests break one thing at a time.

#include <chrono>
#include <cstdint>

#include <weir/measure/exactly_once.hpp>
#include <weir/measure/histogram.hpp>
#include <weir/record/sample.hpp>

namespace weir_test {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// `rows` latencies: 98 % `usual`, 2 % `late`, so that P99 is `late`; fewer than 50 rows are all `usual`.
inline weir::measure::snapshot latencies(std::uint64_t rows, nanoseconds usual, nanoseconds late) {
  weir::measure::histogram h;
  h.record(usual, rows - rows / 50);
  if (rows >= 50) h.record(late, rows / 50);
  return h.snapshot();
}

/// `points` equal stretches of a schedule, with latency `base` + intended * slope.
inline std::vector<weir::record::trend_point> line(std::uint64_t points, nanoseconds schedule, nanoseconds base,
                                                   double slope, std::uint64_t rows = 1'000) {
  std::vector<weir::record::trend_point> trend;
  for (std::uint64_t i = 0; i < points; ++i) {
    const auto t = static_cast<double>(schedule.count()) * (static_cast<double>(i) + 0.5) / static_cast<double>(points);
    trend.push_back({.intended = nanoseconds(static_cast<std::int64_t>(t)),
                     .latency = base + nanoseconds(static_cast<std::int64_t>(t * slope)),
                     .rows = rows});
  }
  return trend;
}

inline weir::record::sample clean_sample() {
  constexpr std::uint64_t rows = 1'000'000;
  static const auto digest = weir::measure::exactly_once::expected(rows);
  weir::record::sample s;
  s.run_id = "sourceTransformSinkWithTrace-1700000000-1";
  s.scenario = "sourceTransformSinkWithTrace";
  s.asked = {.offered = weir::rate::per_second(600'000),
             .rows = rows,
             .parallelism = 4,
             .payload_size = 256,
             .transform_operations = 64,
             .arrival = "constant"};
  s.processed_rows = rows;
  s.schedule_time = s.asked.offered.time_of(rows - 1);
  s.job_time = s.schedule_time + 2ms;
  s.first_receipt = 20us;
  s.last_receipt = s.schedule_time + 20us;
  s.latency_first_half = latencies(rows / 2, 20us, 38us);
  s.latency_second_half = latencies(rows / 2, 20us, 38us);
  s.residence = latencies(rows, 12us, 30us);
  s.release_lag = latencies(rows, 5us, 16us);
  s.trend = line(64, s.schedule_time, 20us, 0, rows / 64);
  s.seen = digest;
  s.expected = digest;
  s.checksum = 0xFEDCBA9876543210;
  s.expected_checksum = s.checksum;
  s.checksum_by_row = 0x0123456789ABCDEF;
  s.expected_checksum_by_row = s.checksum_by_row;
  s.reordered_rows = 0;
  s.longest_stall = 300us;
  s.stages = {{.name = "transform",
               .tasks = 4,
               .rows = rows,
               .busy = 400ms,
               .idle = 6200ms,
               .back_pressured = 0ms,
               .wall = 6600ms,
               .cpu = 410ms},
              {.name = "sink",
               .tasks = 4,
               .rows = rows,
               .busy = 100ms,
               .idle = 6500ms,
               .back_pressured = 0ms,
               .wall = 6600ms,
               .cpu = 130ms}};
  s.sut_cpu = 540ms;
  s.features = {{.name = "trace", .fired = 80}};
  s.clock = "steady";
  s.waiting = "yield: 2 cores for 5 threads";
  return s;
}

}  // namespace weir_test
