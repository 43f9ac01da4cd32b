#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One run of a bench binary: its settings, the pipelines it knows, and who receives their samples. Temperature: cold.
//
//   session.on_sample(receiver);  session.add("pipelines/sourceSink", judged);

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/job/local_engine.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/capacity.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/command.hpp>

namespace weir::inline WEIR_ABI::gbench {

using report::exit_code;

/// The verdicts of a run, benchmark by benchmark, and what they come to.
class tally {
 public:
  void add(const std::string& benchmark, const judge::judged_sample& one) {
    counts& c = benchmarks_[benchmark];
    ++c.all;
    c.valid += one.verdict.state == judge::outcome::valid;
    c.inconclusive += one.verdict.state == judge::outcome::inconclusive;
    c.failed |= one.sample.failure.has_value();
  }

  /// 3 when a job failed or fewer than half of a benchmark's samples are valid, 4 when only because some are
  /// inconclusive.
  [[nodiscard]] exit_code result() const {
    exit_code worst = exit_code::fine;
    for (const auto& [name, c] : benchmarks_) {
      if (c.failed || 2 * (c.valid + c.inconclusive) < c.all) return exit_code::failed;
      if (2 * c.valid < c.all) worst = exit_code::inconclusive;
    }
    return worst;
  }

 private:
  struct counts {
    std::size_t all = 0, valid = 0, inconclusive = 0;
    bool failed = false;
  };
  std::map<std::string, counts> benchmarks_;
};

/// Finds the capacity of one pipeline: says a line after each job, and asks before each whether to stop.
using capacity_search = std::function<record::capacity_result(const std::function<void(const std::string&)>& say,
                                                              const std::function<bool()>& cancelled)>;

class session {
 public:
  explicit session(settings chosen) : settings_(std::move(chosen)) {}

  [[nodiscard]] const settings& chosen() const noexcept { return settings_; }

  /// For a suite whose benchmarks are experiments of a given length.
  void set_budget(record::budget budget) { settings_.budget = std::move(budget); }

  /// Announces a pipeline benchmark; check throws when its parameters cannot be run, search finds its capacity.
  void expect_pipeline(const std::string& benchmark, const job::spec& job, std::function<void()> check,
                       capacity_search search = {}) {
    const double schedule =
        job.rate_per_second > 0 ? static_cast<double>(job.rows) / static_cast<double>(job.rate_per_second) : 0.0;
    pipelines_.emplace(benchmark, pipeline{schedule, std::move(check), std::move(search)});
  }

  /// Checks the pipelines among the selected benchmarks.
  /// Errors: job.refused.
  void select(const std::vector<std::string>& benchmarks) const {
    for (const std::string& name : benchmarks)
      if (const auto at = pipelines_.find(name); at != pipelines_.end()) at->second.check();
  }

  /// Invocations of a benchmark that make up an iteration: of a pipeline as many as fit its time, at least one; of
  /// any other the library sees to that.
  [[nodiscard]] std::uint32_t per_iteration(const std::string& benchmark) const noexcept {
    const auto at = pipelines_.find(benchmark);
    if (at == pipelines_.end()) return 1;
    const double schedule = std::max(at->second.seconds, 0.05);
    return std::max(1U, static_cast<std::uint32_t>(settings_.budget.iteration_seconds / schedule));
  }

  [[nodiscard]] bool is_pipeline(const std::string& benchmark) const noexcept { return pipelines_.contains(benchmark); }

  /// Seconds that a fork of the benchmark takes, about.
  [[nodiscard]] double fork_seconds(const std::string& benchmark) const noexcept {
    const record::budget& b = settings_.budget;
    const auto at = pipelines_.find(benchmark);
    const double iteration =
        at == pipelines_.end() ? b.iteration_seconds : std::max(at->second.seconds, 0.05) * per_iteration(benchmark);
    return (b.warmup + b.iterations) * iteration;
  }

  /// Requires: is_pipeline(benchmark), and it was announced with a search.
  [[nodiscard]] record::capacity_result find_capacity(const std::string& benchmark,
                                                      const std::function<void(const std::string&)>& say,
                                                      const std::function<bool()>& cancelled) const {
    return pipelines_.at(benchmark).search(say, cancelled);
  }

  /// Whoever wants the samples; none by default.
  void on_sample(std::function<void(const std::string& benchmark, const judge::judged_sample&)> receiver) {
    receiver_ = std::move(receiver);
  }
  void add(const std::string& benchmark, const judge::judged_sample& one) const {
    if (receiver_) receiver_(benchmark, one);
  }

 private:
  struct pipeline {
    double seconds = 0;  // of its schedule
    std::function<void()> check;
    capacity_search search;
  };

  settings settings_;
  std::map<std::string, pipeline> pipelines_;
  std::function<void(const std::string&, const judge::judged_sample&)> receiver_;
};

/// What a suite does once the flags are known: registers its benchmarks.
/// Errors: weir::error on parameters that it cannot run with.
using registrar = std::function<void(session&)>;

/// Suites in the order in which they were named.
[[nodiscard]] inline std::vector<registrar>& registrars() {
  static std::vector<registrar> all;
  return all;
}

/// What else this binary can be, if its arguments say so: a process that a suite starts as the other end of something.
/// Each returns its exit code, or nothing when it is not meant.
[[nodiscard]] inline std::vector<std::function<std::optional<int>(std::span<const std::string>)>>& other_mains() {
  static std::vector<std::function<std::optional<int>(std::span<const std::string>)>> all;
  return all;
}

/// What suites show below the library's table; "" is nothing.
[[nodiscard]] inline std::vector<std::function<std::string()>>& last_words() {
  static std::vector<std::function<std::string()>> all;
  return all;
}

/// Schedules of the user's, for --weir_param=arrival=NAME.
[[nodiscard]] inline job::schedule_makers& schedules() {
  static job::schedule_makers all;
  return all;
}

}  // namespace weir::inline WEIR_ABI::gbench
