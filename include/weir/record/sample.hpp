#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The waist: what one invocation measured, as plain data. Left of it nobody judges, right of it nobody
// runs. Temperature: cold.
//
//   record::sample s = flow::run(...);  judge::verdict v = judge::assess(s);

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/units.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/histogram.hpp>

namespace weir::inline WEIR_ABI::record {

using std::chrono::nanoseconds;

/// Where one stage's threads spent the job: busy + idle + back_pressured = wall, summed over its tasks.
struct stage_usage {
  std::string name;  // "transform", "sink", ...
  std::uint64_t tasks = 0;
  std::uint64_t rows = 0;
  nanoseconds busy{};
  nanoseconds idle{};            // no input
  nanoseconds back_pressured{};  // no room downstream
  nanoseconds wall{};
  nanoseconds cpu{};         // CPU time of the stage's threads
  nanoseconds timed_work{};  // work timed row by row; only with observability

  friend bool operator==(const stage_usage&, const stage_usage&) = default;
};

/// Mean latency of one contiguous stretch of rows, in order of intended time.
struct trend_point {
  nanoseconds intended{};  // mean intended time since the start of the schedule
  nanoseconds latency{};   // mean latency
  std::uint64_t rows = 0;

  friend bool operator==(const trend_point&, const trend_point&) = default;
};

/// Where the rows up to a percentile came: rows of contiguous stretches of the job, about equally long. Neighbouring
/// rows share a queue; how much the stretches differ tells how little each row says by itself.
struct percentile_slices {
  measure::percentile p;
  std::uint32_t half = 0;             // 0: of all rows; 1, 2: of those of one half
  std::vector<std::uint64_t> rows;    // of each slice
  std::vector<std::uint64_t> below;   // of those, below the percentile's value
  std::vector<std::uint64_t> within;  // of those, at it; values that differ by less than 0.8 % count as one

  friend bool operator==(const percentile_slices&, const percentile_slices&) = default;
};

/// What the observability sampler saw at one instant: per stage, in the order of sample::stages, the share of
/// the time since the last sample in which its tasks were busy; and the fullest channel.
struct usage_point {
  nanoseconds at{};
  std::vector<double> busy_ratio;
  double queue_fill = 0;

  friend bool operator==(const usage_point&, const usage_point&) = default;
};

/// A feature that the scenario names, and how often it was seen to work. Zero: it never fired.
struct feature {
  std::string name;  // "async_boundary", "observability", "trace"
  std::uint64_t fired = 0;

  friend bool operator==(const feature&, const feature&) = default;
};

/// What the job was asked to do.
struct request {
  rate offered;  // zero events: unpaced
  std::uint64_t rows = 0;
  std::uint64_t parallelism = 0;
  std::uint64_t payload_size = 0;
  std::uint64_t transform_operations = 0;
  std::string arrival = "constant";

  friend bool operator==(const request&, const request&) = default;
};

/// One invocation: a bounded job, measured. Immutable once made.
/// Times are since the start of the schedule unless a comment says otherwise.
struct sample {
  std::string run_id;    // `<scenario id>-<digits>-<digits>`
  std::string scenario;  // "sourceTransformSink"
  request asked;

  std::optional<std::string> failure;  // what ended the job early: a task's exception, a drain that did not end
  std::uint64_t processed_rows = 0;
  nanoseconds job_time{};       // configure, submit, schedule, run, drain, join
  nanoseconds schedule_time{};  // intended time of the last row
  nanoseconds first_receipt{};
  nanoseconds last_receipt{};

  measure::snapshot latency_first_half;   // event-time latency of rows < rows/2
  measure::snapshot latency_second_half;  // of the rest
  std::vector<percentile_slices> slices;  // of P50, P95, P99 and P99.9, and of P99 of either half
  measure::snapshot residence;            // receipt - release
  measure::snapshot release_lag;          // release - intended
  std::uint64_t negative_latencies = 0;   // faults, counted apart, in no histogram
  std::vector<trend_point> trend;
  nanoseconds longest_stall{};  // in which a row was with the system and none came out, of any one lane

  measure::exactly_once::digest seen;
  measure::exactly_once::digest expected;
  std::uint64_t checksum = 0;
  std::optional<std::uint64_t> expected_checksum;  // none: the system under test has no known checksum
  std::uint64_t checksum_by_row = 0;  // sum of checksum * mix64(sequence): which row had which
  std::optional<std::uint64_t> expected_checksum_by_row;
  std::uint64_t corrupt_payloads = 0;
  std::optional<std::uint64_t>
      reordered_rows;  // came right after a later one of their lane; none: order is not promised

  std::vector<stage_usage> stages;
  std::vector<usage_point> timeline;  // only with observability
  nanoseconds source_blocked{};  // the generator held by a full queue
  nanoseconds sut_cpu{};         // CPU time of the system under test, the generator's not counted
  bool sut_cpu_includes_generator = false;  // true when foreign threads could not be told apart
  std::vector<feature> features;

  std::string clock;      // "steady", "tsc", "manual"
  std::string waiting;    // how the generator waited and why, e.g. "yield: 2 cores for 5 threads"
  std::string placement;  // "" when threads were free to move
  std::vector<std::string> notes;  // named disturbances and doubts about the host

  /// The latency of every row.
  [[nodiscard]] measure::snapshot latency() const {
    measure::snapshot all = latency_first_half;
    all.merge(latency_second_half);
    return all;
  }
};

/// Rows a second over (last - first) receipt; 0 with fewer than two distinct instants.
[[nodiscard]] inline double achieved_per_s(const sample& s) noexcept {
  const auto span = s.last_receipt - s.first_receipt;
  return span.count() > 0 ? static_cast<double>(s.processed_rows) * 1e9 / static_cast<double>(span.count()) : 0.0;
}

/// Rows a second that the schedule asked for: its own mean rate, whatever schedule it was; 0 when unpaced.
[[nodiscard]] inline double offered_per_s(const sample& s) noexcept {
  if (!s.asked.offered.paced()) return 0.0;
  if (s.asked.rows < 2 || s.schedule_time.count() <= 0) return s.asked.offered.per_s();
  return static_cast<double>(s.asked.rows - 1) * 1e9 / static_cast<double>(s.schedule_time.count());
}

/// Rows / whole job time: what Google Benchmark times.
[[nodiscard]] inline double score_per_s(const sample& s) noexcept {
  return s.job_time.count() > 0 ? static_cast<double>(s.processed_rows) * 1e9 / static_cast<double>(s.job_time.count())
                                : 0.0;
}

/// CPU ns of the system under test per row.
[[nodiscard]] inline double cpu_ns_per_row(const sample& s) noexcept {
  return s.processed_rows > 0 ? static_cast<double>(s.sut_cpu.count()) / static_cast<double>(s.processed_rows) : 0.0;
}

}  // namespace weir::inline WEIR_ABI::record
