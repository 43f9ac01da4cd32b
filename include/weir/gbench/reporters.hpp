#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The little that weir needs of Google Benchmark's reporter interface, on what 1.7.1 and every later version
// share. Temperature: cold.
//
//   relay users(*benchmark::CreateDefaultDisplayReporter(), relay::when::at_once);
//   benchmark::RunSpecifiedBenchmarks(&users);
//   if (users.failed()) ...

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::gbench::detail {

/// The error of a run, "" when it has none: the fields were renamed in 1.8.0.
template <class Run>
[[nodiscard]] std::string error_of(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred ? run.error_message + (run.error_message.empty() ? "no reason given" : "")
                              : std::string();
  } else {
    return static_cast<int>(run.skipped) == 2 ? run.skip_message + (run.skip_message.empty() ? "no reason given" : "")
                                              : std::string();
  }
}

[[nodiscard]] inline bool any_failed(const std::vector<benchmark::BenchmarkReporter::Run>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !error_of(run).empty(); });
}

// Deprecated since 1.6 and still there in 1.9.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
class csv_reporter final : public benchmark::CSVReporter {};
#pragma GCC diagnostic pop

/// Receives the names of --benchmark_list_tests.
class name_collector final : public benchmark::BenchmarkReporter {
 public:
  name_collector(std::ostream& names, std::ostream& errors) {
    SetOutputStream(&names);
    SetErrorStream(&errors);
  }
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Passes everything on to one of the library's reporters, and remembers whether a benchmark failed: the library
/// itself ends with 0 then. Counters that are no number are left out: the library makes them, as the coefficient of
/// variation of zeroes, and would write NaN, which is no JSON.
class relay final : public benchmark::BenchmarkReporter {
 public:
  /// CSV must have all runs at once: its header is made of the first ones' counters, and in 1.7.1 a later run with
  /// a counter that is not in it aborts the program.
  enum class when { at_once, at_the_end };

  relay(BenchmarkReporter& to, when passed_on) : to_(&to), passed_on_(passed_on) {}

  bool ReportContext(const Context& context) override {
    to_->SetOutputStream(&GetOutputStream());
    to_->SetErrorStream(&GetErrorStream());
    return to_->ReportContext(context);
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    failed_ |= any_failed(runs);
    for (const Run& run : runs)
      std::erase_if(kept_.emplace_back(run).counters, [](const auto& c) { return !std::isfinite(c.second.value); });
    if (passed_on_ == when::at_once) pass_on();
  }

  void Finalize() override {
    pass_on();
    to_->Finalize();
    lost_ = !GetOutputStream().flush().good();
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// Whether some of the output could not be written: a full disk, say. The library does not look.
  [[nodiscard]] bool lost() const noexcept { return lost_; }

 private:
  void pass_on() {
    if (!kept_.empty()) to_->ReportRuns(std::exchange(kept_, {}));
  }

  BenchmarkReporter* to_;
  when passed_on_;
  std::vector<Run> kept_;
  bool failed_ = false;
  bool lost_ = false;
};

}  // namespace weir::inline WEIR_ABI::gbench::detail
