#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The little that weir needs of Google Benchmark's reporter interface, on what 1.7.1 and every later version
// share. Temperature: cold.
//
//   row_collector rows;  benchmark::RunSpecifiedBenchmarks(&rows);

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/report/console.hpp>

namespace weir::inline WEIR_ABI::gbench::detail {

/// The error of a run, "" when it has none: the fields were renamed in 1.8.0.
template <class Run>
[[nodiscard]] std::string error_of(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred ? run.error_message : std::string();
  } else {
    return static_cast<int>(run.skipped) == 2 ? run.skip_message : std::string();
  }
}

/// --benchmark_min_time: a bare number until 1.7, seconds with their unit from 1.8.0 on.
template <class State = benchmark::State>
[[nodiscard]] std::string seconds_flag(double seconds) {
  constexpr bool unit = requires(State& s) { s.SkipWithMessage(""); };
  return std::to_string(seconds) + (unit ? "s" : "");
}

/// Receives the names of --benchmark_list_tests.
class name_collector final : public benchmark::BenchmarkReporter {
 public:
  explicit name_collector(std::ostream& names) { SetOutputStream(&names); }
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Shows one line a benchmark and keeps the median of its repetitions.
class row_collector final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<double> ns;
    std::string name;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      name = run.benchmark_name();
      if (const std::string error = error_of(run); !error.empty()) {
        std::fprintf(stderr, "failed: %s: %s\n", name.c_str(), error.c_str());
        failed_ = true;
        continue;
      }
      if (run.iterations > 0) ns.push_back(run.real_accumulated_time / static_cast<double>(run.iterations) * 1e9);
    }
    if (ns.empty() || name.starts_with("pipelines/")) return;
    std::sort(ns.begin(), ns.end());
    const double median = (ns[(ns.size() - 1) / 2] + ns[ns.size() / 2]) / 2;
    std::fprintf(stderr, "%s  %.2f ns, median of %zu\n", name.c_str(), median, ns.size());
    if (const auto figure = row_figure(name, median)) figures_.push_back(*figure);
  }

  [[nodiscard]] const std::vector<report::row_figure>& figures() const noexcept { return figures_; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  /// rows/<row type>/<op>; none for another benchmark.
  static std::optional<report::row_figure> row_figure(const std::string& name, double ns) {
    const std::size_t type = name.find('/');
    const std::size_t op = name.find('/', type + 1);
    if (!name.starts_with("rows/") || op == std::string::npos) return std::nullopt;
    return report::row_figure{.op = name.substr(op + 1), .row_type = name.substr(type + 1, op - type - 1), .ns_per_op = ns};
  }

  std::vector<report::row_figure> figures_;
  bool failed_ = false;
};

}  // namespace weir::inline WEIR_ABI::gbench::detail
