#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The highest rate that a pipeline sustains, how it was found, and its latency at shares of it. Temperature: cold.
//
//   for (const record::load_point& p : result.curve) plot(p.offered_per_s, p.p99);

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::record {

using std::chrono::nanoseconds;

/// One rate tried.
struct capacity_trial {
  std::uint64_t offered_per_s = 0;
  std::uint64_t rows = 0;
  std::string outcome;               // "passed", "failed", "inconclusive", "generator_limited"
  std::vector<std::string> reasons;  // ids of the verdict

  friend bool operator==(const capacity_trial&, const capacity_trial&) = default;
};

/// A latency percentile with its 95 % interval.
struct percentile_figure {
  nanoseconds value{};
  nanoseconds low{};
  nanoseconds high{};
  bool open = false;  // high is the maximum, and only a lower bound

  friend bool operator==(const percentile_figure&, const percentile_figure&) = default;
};

/// A job at a share of the capacity.
struct load_point {
  std::uint32_t percent = 0;  // of the capacity
  std::uint64_t offered_per_s = 0;
  double achieved_per_s = 0;
  std::uint64_t rows = 0;
  std::string verdict;               // "valid", "invalid", "inconclusive"
  std::vector<std::string> reasons;  // ids
  std::optional<percentile_figure> p50;  // each none with too few rows for it
  std::optional<percentile_figure> p99;
  std::optional<percentile_figure> p999;

  friend bool operator==(const load_point&, const load_point&) = default;
};

struct capacity_result {
  std::string benchmark;            // "pipelines/sourceSink"
  std::uint64_t sustained_per_s = 0;        // the capacity: passed by majority; 0 when nothing did
  std::optional<std::uint64_t> failed_per_s;  // the lowest rate above it that was shown to fail
  std::string ended_by;             // "found", "lowest_fails", "highest_passes", "generator_limited", "stopped"
  std::string limiting_stage;       // "generator"; "" when it is not known
  double predicted_per_s = 0;       // from how busy the stages were at the first rate; 0 when it is not known
  nanoseconds took{};
  std::vector<capacity_trial> trials;  // in the order in which they ran
  std::vector<load_point> curve;

  friend bool operator==(const capacity_result&, const capacity_result&) = default;
};

}  // namespace weir::inline WEIR_ABI::record
