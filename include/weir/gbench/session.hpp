#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One run of a bench binary: its settings, every judged sample, and what the run comes to. Temperature: cold.
//
//   session.add(judged);  return session.exit_code();

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/job/local_engine.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/report/pipeline_result.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// Exit codes of every bench binary.
enum class exit_code : int { fine = 0, bad_usage = 2, failed = 3, inconclusive = 4 };

class session {
 public:
  explicit session(settings chosen) : settings_(std::move(chosen)) {}

  [[nodiscard]] const settings& chosen() const noexcept { return settings_; }
  [[nodiscard]] const std::vector<judge::judged_sample>& samples() const noexcept { return samples_; }

  /// Announces a pipeline benchmark; check throws when its parameters cannot be run.
  void expect_pipeline(const std::string& benchmark, const job::spec& job, std::function<void()> check) {
    longest_ = std::max(longest_, job.rate_per_second > 0
                                      ? static_cast<double>(job.rows) / static_cast<double>(job.rate_per_second)
                                      : 0.0);
    checks_.emplace_back(benchmark, std::move(check));
  }

  /// Checks the pipelines among the selected benchmarks and counts them.
  /// Errors: job.refused.
  void select(const std::set<std::string>& benchmarks) {
    for (const auto& [name, check] : checks_) {
      if (!benchmarks.contains(name)) continue;
      check();
      ++selected_pipelines_;
    }
  }

  /// Invocations of a pipeline that fit an iteration, at least one; judged by the longest schedule of the run.
  [[nodiscard]] int per_iteration() const noexcept {
    const double schedule = std::max(longest_, 0.05);
    return settings_.time ? std::max(1, static_cast<int>(settings_.time->iteration_seconds / schedule)) : 1;
  }
  [[nodiscard]] int warmup_invocations() const noexcept {
    return settings_.time ? settings_.time->warmup * per_iteration() : 0;
  }
  [[nodiscard]] bool has_pipelines() const noexcept { return !checks_.empty(); }

  /// Says on stderr which job starts, and about how long the rest takes.
  void progress(const std::string& benchmark) {
    if (!settings_.any || settings_.time == std::nullopt) return;
    const int jobs = selected_pipelines_ * (settings_.time->iterations * per_iteration() + warmup_invocations());
    const auto left = static_cast<int>(std::ceil((jobs - started_) * longest_));
    ++started_;
    if (os::stderr_is_terminal()) {
      std::fprintf(stderr, "\r\033[K[%d/%d] %s, about %d s left ", started_, jobs, benchmark.c_str(), left);
      if (started_ == jobs) std::fprintf(stderr, "\r\033[K");
    } else if (benchmark != last_shown_) {
      std::fprintf(stderr, "[%d/%d] %s, about %d s left\n", started_, jobs, benchmark.c_str(), left);
    }
    last_shown_ = benchmark;
  }

  /// Keeps a sample and writes its file, if files were asked for.
  /// Errors: report.* when the file cannot be written.
  void add(judge::judged_sample judged) {
    if (!settings_.out.empty()) report::write_pipeline_result(settings_.out, judged);
    samples_.push_back(std::move(judged));
  }

  /// A benchmark that gave no number.
  void note_failure(std::string what) { failures_.push_back(std::move(what)); }
  [[nodiscard]] const std::vector<std::string>& failures() const noexcept { return failures_; }

  /// 3 when a benchmark failed or fewer than half of its samples are valid, 4 when only because some are
  /// inconclusive.
  [[nodiscard]] exit_code result() const {
    struct tally {
      std::size_t all = 0, valid = 0, inconclusive = 0;
      bool failed = false;
    };
    std::map<std::string, tally> scenarios;
    for (const judge::judged_sample& j : samples_) {
      tally& t = scenarios[j.sample.scenario];
      ++t.all;
      t.valid += j.verdict.state == judge::outcome::valid;
      t.inconclusive += j.verdict.state == judge::outcome::inconclusive;
      t.failed |= j.sample.failure.has_value();
    }
    exit_code worst = failures_.empty() ? exit_code::fine : exit_code::failed;
    for (const auto& [name, t] : scenarios) {
      if (t.failed || 2 * (t.valid + t.inconclusive) < t.all) return exit_code::failed;
      if (2 * t.valid < t.all && worst == exit_code::fine) worst = exit_code::inconclusive;
    }
    return worst;
  }

 private:
  settings settings_;
  std::vector<judge::judged_sample> samples_;
  std::vector<std::string> failures_;
  std::vector<std::pair<std::string, std::function<void()>>> checks_;
  double longest_ = 0;  // seconds of the longest schedule
  int selected_pipelines_ = 0;
  int started_ = 0;
  std::string last_shown_;
};

/// What a suite does once the flags are known: registers its benchmarks.
/// Errors: weir::error on parameters that it cannot run with.
using registrar = std::function<void(session&)>;

/// Suites in the order in which they were named.
[[nodiscard]] inline std::vector<registrar>& registrars() {
  static std::vector<registrar> all;
  return all;
}

/// Schedules of the user's, for --weir_param=arrival=NAME.
[[nodiscard]] inline job::schedule_makers& schedules() {
  static job::schedule_makers all;
  return all;
}

}  // namespace weir::inline WEIR_ABI::gbench
