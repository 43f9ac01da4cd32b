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
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/units.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/job/arrivals.hpp>
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
  std::int64_t seed = 1;  // of an arrival that draws by chance and names none of its own
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

namespace detail {

/// Adds a problem for each number outside its range.
class range_checker {
 public:
  explicit range_checker(problems& found) : found_(found) {}

  void at_least(std::int64_t least, std::int64_t value, std::string_view id, std::string_view where) {
    if (value < least) found_.add(id, where, std::to_string(value) + ": give at least " + std::to_string(least));
  }
  void at_most(std::int64_t most, std::int64_t value, std::string_view id, std::string_view where) {
    if (value > most) found_.add(id, where, std::to_string(value) + ": give at most " + std::to_string(most));
  }

 private:
  problems& found_;
};

}  // namespace detail

/// A run id becomes the name of a file. Empty: none given yet.
[[nodiscard]] inline bool names_a_file(std::string_view run_id) noexcept {
  return !run_id.starts_with('.') && std::all_of(run_id.begin(), run_id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

/// Adds every broken rule of the load alone, which a system of the user's is given as well.
inline void check_load(const spec& job, const std::vector<std::string>& arrivals, problems& found) {
  detail::range_checker range(found);
  range.at_least(1, job.parallelism, "job.parallelism_not_positive", "/job/parallelism");
  range.at_least(1, job.rows, "job.rows_not_positive", "/source/rows");
  // At 1 row a second the last of them is due at 9e18 ns, as late as 64 bits can say.
  range.at_most(9'000'000'000, job.rows, "job.rows_too_many", "/source/rows");
  range.at_least(0, job.rate_per_second, "job.rate_negative", "/source/rate_per_second");
  range.at_most(1'000'000'000, job.rate_per_second, "job.rate_too_high", "/source/rate_per_second");
  range.at_least(0, job.payload_size, "job.payload_size_negative", "/source/payload_size");
  range.at_most(64 << 20, job.payload_size, "job.payload_size_too_large", "/source/payload_size");
  range.at_least(0, job.seed, "job.seed_negative", "/source/seed");
  check_arrival(job.arrival, job.rows, arrivals, found);
  if (job.rate_per_second == 0 && job.arrival != "constant")
    found.add("job.arrival_without_rate", "/source/arrival",
              "\"" + job.arrival + "\": a rate of 0 is unpaced, and rows have no due time: give a rate or no arrival");
}

/// Adds every broken rule of a whole job to `found`.
inline void check(const spec& job, const offer& engine, problems& found) {
  check_load(job, engine.arrivals, found);
  if (!names_a_file(job.run_id))
    found.add("job.run_id_unusable", "/job/run_id", "\"" + job.run_id + "\": give letters, digits, dashes and dots");
  const scenario* named = find_scenario(job.scenario);
  if (named == nullptr) {
    std::vector<std::string> known;
    for (const scenario& s : scenarios) known.emplace_back(s.name);
    found.add("job.unknown_scenario", "/job/scenario",
              "\"" + job.scenario + "\": give one of " + comma_separated(known));
  }
  // The other features of a scenario are seen to fire or not; a transform that is left out would pass as 0.
  if (named != nullptr && named->transform != job.transform.has_value())
    found.add("job.transform_mismatch", "/transform",
              named->transform ? "missing: the scenario has one" : "the scenario has none: remove it");
  if (job.parallelism > engine.slots || (job.parallelism >= 1 && slots_needed(job) > engine.slots))
    found.add("job.parallelism_beyond_slots", "/job/parallelism",
              std::to_string(job.parallelism) + ": needs " + (job.async_boundary ? "2 slots" : "1 slot") +
                  " a lane, the engine has " + std::to_string(engine.slots));
  detail::range_checker range(found);
  if (job.transform) {
    range.at_least(0, job.transform->operations, "job.operations_negative", "/transform/operations");
    range.at_most(1'000'000'000, job.transform->operations, "job.operations_too_many", "/transform/operations");
  }
  if (job.async_boundary) {
    range.at_least(1, job.async_boundary->capacity, "job.capacity_not_positive", "/async_boundary/capacity");
    range.at_most(100'000, job.async_boundary->capacity, "job.capacity_too_large", "/async_boundary/capacity");
  }
  if (job.observability) {
    const std::string_view where = "/observability/sample_interval_ms";
    range.at_least(1, job.observability->sample_interval_ms, "job.interval_not_positive", where);
    range.at_most(3'600'000, job.observability->sample_interval_ms, "job.interval_too_long", where);
  }
  if (job.trace) {
    range.at_least(1, job.trace->one_in, "job.trace_interval_not_positive", "/trace/one_in");
    range.at_least(1, job.trace->per_second, "job.trace_budget_not_positive", "/trace/per_second");
    range.at_most(1'000'000, job.trace->per_second, "job.trace_budget_too_large", "/trace/per_second");
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
  if (const scenario* s = find_scenario(job.scenario)) p.features = s->features();
  if (job.async_boundary) p.boundary_capacity = static_cast<std::size_t>(job.async_boundary->capacity);
  if (job.observability) p.observe_every = std::chrono::milliseconds(job.observability->sample_interval_ms);
  if (job.trace)
    p.trace = {.one_in = static_cast<std::uint64_t>(job.trace->one_in),
               .per_second = static_cast<std::uint64_t>(job.trace->per_second)};
  return p;
}

}  // namespace weir::inline WEIR_ABI::job
