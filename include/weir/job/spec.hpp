#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A job as a user writes it: signed numbers, nothing trusted; check() says all that is wrong, build() makes
// the pipeline. Temperature: cold.
//
//   job::spec s = job::standard_spec(*job::find_scenario("sourceSink"), "source-sink-1-1");
//   job::problems found;  job::check(s, engine.offer(), found);

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/units.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/job/problem.hpp>
#include <weir/job/scenario.hpp>

namespace weir::inline WEIR_ABI::job {

struct transform_spec {
  std::int64_t operations = 64;
  friend bool operator==(const transform_spec&, const transform_spec&) = default;
};
struct boundary_spec {
  std::int64_t capacity = 1024;  // rows, per lane
  friend bool operator==(const boundary_spec&, const boundary_spec&) = default;
};
struct observability_spec {
  std::int64_t sample_interval_ms = 10;
  friend bool operator==(const observability_spec&, const observability_spec&) = default;
};
struct trace_spec {
  std::int64_t one_in = 10'000;
  std::int64_t per_second = 50;
  friend bool operator==(const trace_spec&, const trace_spec&) = default;
};

struct spec {
  std::string run_id;
  std::string scenario;
  std::int64_t parallelism = 4;
  std::int64_t rows = 1'000'000;
  std::int64_t rate_per_second = 600'000;  // 0: unpaced
  std::int64_t payload_size = 256;         // characters
  std::string arrival = "constant";
  std::optional<transform_spec> transform{};
  std::optional<boundary_spec> async_boundary{};
  std::optional<observability_spec> observability{};
  std::optional<trace_spec> trace{};

  friend bool operator==(const spec&, const spec&) = default;
};

/// The job of a scenario with every default.
[[nodiscard]] inline spec standard_spec(const scenario& s, std::string run_id) {
  spec job{.run_id = std::move(run_id), .scenario = std::string(s.name)};
  if (s.transform) job.transform.emplace();
  if (s.async_boundary) job.async_boundary.emplace();
  if (s.observability) job.observability.emplace();
  if (s.trace) job.trace.emplace();
  return job;
}

/// Slots that the job's tasks take.
[[nodiscard]] inline std::int64_t slots_needed(const spec& job) noexcept {
  return job.parallelism * (job.async_boundary ? 2 : 1);
}

/// What an engine can do for a job.
struct offer {
  std::int64_t slots = 0;
  std::vector<std::string> arrivals{"constant"};
};

[[nodiscard]] inline std::string comma_separated(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

/// Adds every broken rule to `found`.
inline void check(const spec& job, const offer& engine, problems& found) {
  const auto at_least = [&](std::int64_t least, std::int64_t value, std::string_view id, std::string_view where) {
    if (value < least) found.add(id, where, std::to_string(value) + ": give at least " + std::to_string(least));
  };
  const auto at_most = [&](std::int64_t most, std::int64_t value, std::string_view id, std::string_view where) {
    if (value > most) found.add(id, where, std::to_string(value) + ": give at most " + std::to_string(most));
  };
  if (find_scenario(job.scenario) == nullptr) {
    std::vector<std::string> known;
    for (const scenario& s : scenarios) known.emplace_back(s.name);
    found.add("job.unknown_scenario", "/job/scenario",
              "\"" + job.scenario + "\": give one of " + comma_separated(known));
  }
  at_least(1, job.parallelism, "job.parallelism_not_positive", "/job/parallelism");
  if (job.parallelism >= 1 && (job.parallelism > engine.slots || slots_needed(job) > engine.slots)) {
    found.add("job.parallelism_beyond_slots", "/job/parallelism",
              std::to_string(job.parallelism) + ": needs " + std::to_string(job.async_boundary ? 2 : 1) +
                  " slots a lane, the engine has " + std::to_string(engine.slots));
  }
  at_least(1, job.rows, "job.rows_not_positive", "/source/rows");
  at_least(0, job.rate_per_second, "job.rate_negative", "/source/rate_per_second");
  at_most(1'000'000'000, job.rate_per_second, "job.rate_too_high", "/source/rate_per_second");
  at_least(0, job.payload_size, "job.payload_size_negative", "/source/payload_size");
  at_most(64 << 20, job.payload_size, "job.payload_size_too_large", "/source/payload_size");
  if (std::find(engine.arrivals.begin(), engine.arrivals.end(), job.arrival) == engine.arrivals.end())
    found.add("job.unknown_arrival", "/source/arrival",
              "\"" + job.arrival + "\": give one of " + comma_separated(engine.arrivals));
  if (job.transform) {
    at_least(0, job.transform->operations, "job.operations_negative", "/transform/operations");
    at_most(1'000'000'000, job.transform->operations, "job.operations_too_many", "/transform/operations");
  }
  if (job.async_boundary) {
    at_least(1, job.async_boundary->capacity, "job.capacity_not_positive", "/async_boundary/capacity");
    at_most(100'000, job.async_boundary->capacity, "job.capacity_too_large", "/async_boundary/capacity");
  }
  if (job.observability) {
    at_least(1, job.observability->sample_interval_ms, "job.interval_not_positive",
             "/observability/sample_interval_ms");
    at_most(3'600'000, job.observability->sample_interval_ms, "job.interval_too_long",
            "/observability/sample_interval_ms");
  }
  if (job.trace) {
    at_least(1, job.trace->one_in, "job.trace_interval_not_positive", "/trace/one_in");
    at_least(1, job.trace->per_second, "job.trace_budget_not_positive", "/trace/per_second");
    at_most(1'000'000, job.trace->per_second, "job.trace_budget_too_large", "/trace/per_second");
  }
}

/// The pipeline of a job.  Requires: check() found nothing.
[[nodiscard]] inline flow::pipeline build(const spec& job) {
  flow::pipeline p;
  p.run_id = job.run_id;
  p.scenario = job.scenario;
  p.asked = {.offered = rate::per_second(static_cast<std::uint64_t>(job.rate_per_second)),
             .rows = static_cast<std::uint64_t>(job.rows),
             .parallelism = static_cast<std::uint64_t>(job.parallelism),
             .payload_size = static_cast<std::uint64_t>(job.payload_size),
             .transform_operations = job.transform ? static_cast<std::uint64_t>(job.transform->operations) : 0,
             .arrival = job.rate_per_second == 0 ? "unpaced" : job.arrival};
  p.features = find_scenario(job.scenario)->features();
  if (job.async_boundary) p.boundary_capacity = static_cast<std::size_t>(job.async_boundary->capacity);
  if (job.observability) p.observe_every = std::chrono::milliseconds(job.observability->sample_interval_ms);
  if (job.trace)
    p.trace = {.one_in = static_cast<std::uint64_t>(job.trace->one_in),
               .per_second = static_cast<std::uint64_t>(job.trace->per_second)};
  return p;
}

}  // namespace weir::inline WEIR_ABI::job
