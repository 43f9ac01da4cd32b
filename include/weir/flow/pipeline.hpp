#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What to run: rows, rate, lanes and features of one bounded job. Temperature: cold.
//
//   flow::pipeline p{.scenario = "sourceSink", .asked = {.offered = rate::per_second(600'000), .rows = 1'000'000,
//                                                        .parallelism = 4, .payload_size = 256}};

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weir/arrival/any_schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/measure/exactly_once.hpp>
#include <weir/measure/trace.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::flow {

using std::chrono::nanoseconds;

/// Stain one row in `one_in`, at most `per_second` of them a second.
struct trace_plan {
  std::uint64_t one_in = 10'000;
  std::uint64_t per_second = 50;

  friend bool operator==(const trace_plan&, const trace_plan&) = default;
};

/// Cores to keep threads on; empty: free to move. Lane l's tasks go to lanes[l mod size].
struct placement {
  std::optional<unsigned> generator;
  std::vector<unsigned> lanes;

  friend bool operator==(const placement&, const placement&) = default;
};

/// "generator on core 0, lanes on 1 2"; empty when nothing is placed.
[[nodiscard]] inline std::string describe(const placement& cores) {
  std::string text;
  if (cores.generator) text = "generator on core " + std::to_string(*cores.generator);
  if (cores.lanes.empty()) return text;
  text += text.empty() ? "lanes on" : ", lanes on";
  for (const unsigned core : cores.lanes) text += " " + std::to_string(core);
  return text;
}

/// Errors: flow.core_not_usable.
inline void check(const placement& cores) {
  const auto check_core = [](unsigned core) {
    if (!os::core_usable(core))
      weir::detail::raise("flow.core_not_usable", "placement",
                          "core " + std::to_string(core) + ": this process may not run there");
  };
  if (cores.generator) check_core(*cores.generator);
  for (const unsigned core : cores.lanes) check_core(core);
}

/// What the sink must have seen at the end, computed apart from the run.
struct answers {
  measure::exactly_once::digest rows;
  std::optional<std::uint64_t> checksum{};         // sum over all rows
  std::optional<std::uint64_t> checksum_by_row{};  // sum of checksum * mix64(sequence)
};

/// One bounded job.
struct pipeline {
  std::string run_id;
  std::string scenario;
  record::request asked;
  answers expected{};
  std::vector<std::string> features{};             // those the scenario names; each must be seen to fire
  std::size_t channel_capacity = 2048;             // rows, per lane
  std::optional<std::size_t> boundary_capacity{};  // a second channel between transform and sink, this deep
  std::optional<nanoseconds> observe_every{};
  std::optional<trace_plan> trace{};
  placement cores{};
  nanoseconds drain_limit = std::chrono::seconds(10);  // for a system of the user's to hand the rest out
  /// Makes the schedule of a run; empty: constant at asked.offered.
  std::function<arrival::any_schedule()> schedule{};

  [[nodiscard]] bool paced() const noexcept { return schedule || asked.offered.paced(); }
  [[nodiscard]] arrival::any_schedule make_schedule() const {
    return schedule ? schedule() : arrival::make(asked.offered);
  }
};

/// What a run leaves: the sample, and the stained rows' traces.
struct outcome {
  record::sample sample;
  std::vector<measure::trace> traces;
};

}  // namespace weir::inline WEIR_ABI::flow
