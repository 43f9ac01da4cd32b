#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The highest rate that a pipeline sustains, for real: the search of run/capacity.hpp over whole jobs, then latency
// at shares of what it found. Temperature: cold around the jobs.
//
//   const record::capacity_result found = gbench::find_capacity(how, names, job, {.trial_time = 2s}, show_line);

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/gbench/runner.hpp>
#include <weir/job/spec.hpp>
#include <weir/judge/capacity.hpp>
#include <weir/judge/percentile.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/capacity.hpp>
#include <weir/record/sample.hpp>
#include <weir/run/capacity.hpp>

namespace weir::inline WEIR_ABI::gbench {

struct capacity_options {
  std::chrono::nanoseconds trial_time = std::chrono::seconds(2);  // schedule of a job; a longer one takes twice that
  std::chrono::nanoseconds max_time = std::chrono::minutes(5);    // no job starts after it
  std::function<bool()> cancelled{};                              // asked before each job; empty: never
};

namespace detail {

/// What a judged job says about its rate. It is the generator's doing when its lag is all that is wrong, or makes more
/// than half of P99.
[[nodiscard]] inline run::trial_outcome capacity_outcome(const judge::judged_sample& j) {
  switch (j.verdict.state) {
    case judge::outcome::valid:
      return run::trial_outcome::passed;
    case judge::outcome::inconclusive:
      return run::trial_outcome::inconclusive;
    case judge::outcome::invalid:
      break;
  }
  const bool alone = std::all_of(j.verdict.reasons.begin(), j.verdict.reasons.end(), [](const judge::reason& r) {
    return r.id == "release_lag" || r.weight != judge::outcome::invalid;
  });
  const bool most = 2 * j.sample.release_lag.at(measure::p99).value > j.sample.latency().at(measure::p99).value;
  return j.verdict.has("release_lag") && (alone || most) ? run::trial_outcome::generator_limited
                                                         : run::trial_outcome::failed;
}

[[nodiscard]] constexpr std::string_view to_string(run::trial_outcome outcome) noexcept {
  constexpr std::array<std::string_view, 4> names{"passed", "failed", "inconclusive", "generator_limited"};
  return names[static_cast<std::size_t>(outcome)];
}

[[nodiscard]] inline std::vector<std::string> reason_ids(const judge::verdict& v) {
  std::vector<std::string> ids;
  for (const judge::reason& r : v.reasons)
    if (r.weight != judge::outcome::valid) ids.push_back(r.id);
  return ids;
}

[[nodiscard]] inline std::optional<record::percentile_figure> figure(const record::sample& s, measure::percentile p) {
  const auto found = judge::percentile_interval(s, p);
  if (!found) return {};
  return record::percentile_figure{.value = found->value, .low = found->low, .high = found->high, .open = found->open};
}

/// One search.
class capacity_finder {
 public:
  capacity_finder(const runner& how, const sample_names& names, const job::spec& job, const capacity_options& options,
                  const std::function<void(const std::string&)>& progress)
      : how_(how), names_(names), job_(job), options_(options), progress_(progress) {}

  [[nodiscard]] record::capacity_result made() && {
    out_.benchmark = "pipelines/" + names_.scenario;
    const std::uint64_t first = first_rate();
    // A pipeline that fails at a hundredth of what its stages promise does not fail for the load.
    const run::search_result found = run::find_capacity(
        [this](std::uint64_t rate, bool longer) { return tried(rate, longer); },
        {.lowest = std::max<std::uint64_t>(1, first / 100), .first = first}, [this] { return out_of_time(); });
    out_.ended_by = run::to_string(found.end);
    out_.sustained_per_s = found.low;
    out_.failed_per_s = found.high;
    out_.limiting_stage = found.end == run::search_end::generator_limited ? "generator" : limiting_stage(found.low);
    if (found.low > 0) curve(found.low);
    out_.took = clock_.now() - began_;
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool out_of_time() const {
    return clock_.now() - began_ >= options_.max_time || (options_.cancelled && options_.cancelled());
  }

  [[nodiscard]] job::spec job_at(std::uint64_t rate, std::chrono::nanoseconds time) const {
    job::spec job = job_;
    job.rate_per_second = static_cast<std::int64_t>(rate);
    job.seed += static_cast<std::int64_t>(limits_.size());  // a rate tried again meets other arrivals
    const double seconds = std::chrono::duration<double>(time).count();
    job.rows =
        std::max(std::llround(static_cast<double>(rate) * seconds), static_cast<long long>(judge::limits{}.rows));
    return job;
  }

  void say(const std::string& line) const {
    if (progress_) progress_(out_.benchmark + ": " + line);
  }

  /// From how busy the stages were at the rate that the job asks for, and how much of the cores a row takes; from
  /// how many rows came out where stages do not tell.
  /// Errors: capacity.job_failed.
  [[nodiscard]] std::uint64_t first_rate() {
    job::spec job = job_;
    if (job.rate_per_second > 0) job = job_at(static_cast<std::uint64_t>(job.rate_per_second), options_.trial_time);
    how_.prepare(job);
    job.run_id = next_run_id(names_.id);
    const record::sample s = how_.run(job);
    if (s.failure) weir::detail::raise("capacity.job_failed", out_.benchmark, *s.failure);
    out_.predicted_per_s = judge::predicted_capacity_per_s(s).value_or(0);
    double guess = out_.predicted_per_s > 0 ? out_.predicted_per_s : record::achieved_per_s(s);
    if (const double cpu = record::cpu_ns_per_row(s); cpu > 0) guess = std::min(guess, os::usable_cores() * 1e9 / cpu);
    say("about " + std::to_string(std::llround(guess)) + " rows/s to begin with");
    return static_cast<std::uint64_t>(std::clamp(guess, 1.0, 1e9));
  }

  [[nodiscard]] run::trial_outcome tried(std::uint64_t rate, bool longer) {
    const judge::judged_sample j = run_settled(how_, names_, job_at(rate, options_.trial_time * (longer ? 2 : 1)));
    const run::trial_outcome outcome = capacity_outcome(j);
    out_.trials.push_back({.offered_per_s = rate,
                           .rows = j.sample.asked.rows,
                           .outcome = std::string(to_string(outcome)),
                           .reasons = reason_ids(j.verdict)});
    const record::stage_usage* const stage = judge::limiting_stage(j.sample);
    limits_.push_back({rate, outcome, stage != nullptr ? stage->name : ""});
    say(std::to_string(rate) + " rows/s " + out_.trials.back().outcome);
    return outcome;
  }

  /// The stage with the least capacity in the last trial of the lowest rate above `capacity` that failed; where none
  /// did, of the highest rate: what is far from its limit says little about it.
  [[nodiscard]] std::string limiting_stage(std::uint64_t capacity) const {
    const limit* nearest = nullptr;
    for (const limit& l : limits_)
      if (l.rate > capacity && l.outcome == run::trial_outcome::failed &&
          (nearest == nullptr || l.rate <= nearest->rate))
        nearest = &l;
    if (nearest == nullptr)
      for (const limit& l : limits_)
        if (nearest == nullptr || l.rate >= nearest->rate) nearest = &l;
    return nearest != nullptr ? nearest->stage : "";
  }

  /// Jobs as they come, without a second chance: above the capacity they are meant to fail.
  void curve(std::uint64_t capacity) {
    for (const std::uint32_t percent : {10U, 25U, 50U, 75U, 90U, 95U, 100U, 105U}) {
      if (out_of_time()) return;
      const auto rate = std::max<std::uint64_t>(1, capacity * percent / 100);
      job::spec job = job_at(rate, options_.trial_time);
      how_.prepare(job);
      job.run_id = next_run_id(names_.id);
      const host_probe before;
      const judge::judged_sample j = judged(how_.run(job), names_, before);
      out_.curve.push_back({.percent = percent,
                            .offered_per_s = rate,
                            .achieved_per_s = record::achieved_per_s(j.sample),
                            .rows = j.sample.asked.rows,
                            .verdict = std::string(judge::to_string(j.verdict.state)),
                            .reasons = reason_ids(j.verdict),
                            .p50 = figure(j.sample, measure::p50),
                            .p99 = figure(j.sample, measure::p99),
                            .p999 = figure(j.sample, measure::p999)});
      say(std::to_string(percent) + " % of it " + out_.curve.back().verdict);
    }
  }

  const runner& how_;
  const sample_names& names_;
  const job::spec& job_;
  const capacity_options& options_;
  const std::function<void(const std::string&)>& progress_;
  clock::steady clock_;
  std::chrono::nanoseconds began_ = clock_.now();
  record::capacity_result out_;

  struct limit {
    std::uint64_t rate = 0;
    run::trial_outcome outcome = run::trial_outcome::passed;
    std::string stage;
  };
  std::vector<limit> limits_;  // of the trials
};

}  // namespace detail

/// Refuses a search that could not change the rate.
/// Errors: capacity.no_rate.
inline void check_capacity(const job::spec& job) {
  for (const std::string_view law : {"ramp", "steps", "trace"})
    if (job.arrival.substr(0, job.arrival.find(':')) == law)
      weir::detail::raise("capacity.no_rate", "--weir_param=arrival",
                          job.arrival + " has rates of its own: search with constant, poisson or burst");
}

/// The highest rate at which jobs of `job`'s kind are valid, to 1 %, and the curve of latency against load. Each rate
/// is offered for options.trial_time; an undecided job is extended. progress gets a line after each job.
/// Cost: about 12 jobs for the search, 8 for the curve.
/// Errors: capacity.job_failed, job.refused.
[[nodiscard]] inline record::capacity_result find_capacity(
    const detail::runner& how, const detail::sample_names& names, const job::spec& job,
    const capacity_options& options = {}, const std::function<void(const std::string&)>& progress = {}) {
  return detail::capacity_finder(how, names, job, options, progress).made();
}

}  // namespace weir::inline WEIR_ABI::gbench
