#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One fork from inside: takes on its layout, runs the one benchmark that it was started for, and says on its wire what
// came of it. Temperature: cold around the benchmark.
//
//   if (s.chosen().child) return detail::run_child(s, arguments);

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/gbench/library.hpp>
#include <weir/gbench/reporters.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/json.hpp>
#include <weir/record/run_record.hpp>
#include <weir/run/fork.hpp>

// Absent before 1.8.4, and then null: the one way to tell the library's versions apart that needs no macro.
namespace benchmark {
std::string GetBenchmarkVersion() __attribute__((weak));
}

namespace weir::inline WEIR_ABI::gbench::detail {

/// Real time of a run as wall time of an operation on one thread. Until 1.9.0 the library divided the summed time of
/// several threads by their number, and then by the operations of all of them.
[[nodiscard]] inline double real_ns_of(const benchmark::BenchmarkReporter::Run& run) {
  const bool divided =
      benchmark::GetBenchmarkVersion == nullptr || benchmark::GetBenchmarkVersion().starts_with("v1.8.");
  const double ns = run.real_accumulated_time / static_cast<double>(run.iterations) * 1e9;
  return divided ? ns * static_cast<double>(run.threads) : ns;
}

/// Says what the library measures: so many runs together are an iteration.
class speaking_reporter final : public benchmark::BenchmarkReporter {
 public:
  speaking_reporter(record::fork_voice& voice, std::uint32_t together) : voice_(&voice), together_(together) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<const Run*> whole;
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (const std::string error = error_of(run); !error.empty()) return fail(error);
      if (run.iterations > 0) whole.push_back(&run);
    }
    for (std::size_t first = 0; first + together_ <= whole.size(); first += together_)
      voice_->iteration(joined(std::span(whole).subspan(first, together_)));
  }

  [[nodiscard]] bool failed() const noexcept { return failed_; }

 private:
  void fail(const std::string& error) {
    if (!failed_) voice_->failure(error);
    failed_ = true;
  }

  static record::iteration joined(std::span<const Run* const> runs) {
    record::iteration all;
    std::map<std::string, double> counters;
    for (const Run* run : runs) {
      const auto operations = static_cast<double>(run->iterations);
      all.operations += static_cast<std::uint64_t>(run->iterations);
      all.real_ns += real_ns_of(*run) * operations;
      all.cpu_ns += run->cpu_accumulated_time * 1e9;
      for (const auto& [name, one] : run->counters) counters[name] += one.value / static_cast<double>(runs.size());
    }
    all.real_ns /= static_cast<double>(all.operations);
    all.cpu_ns /= static_cast<double>(all.operations);
    for (const auto& [name, value] : counters)
      if (std::isfinite(value)) all.counters.push_back({name, value});
    return all;
  }

  record::fork_voice* voice_;
  std::uint32_t together_;
  bool failed_ = false;
};

/// Runs f with the stack that much deeper.
template <class F>
[[gnu::noinline]] void with_stack_offset(std::size_t bytes, F&& f) {
  auto* const pad = static_cast<volatile char*>(__builtin_alloca(bytes + 1));
  *pad = 0;
  f();
}

/// --benchmark_min_time: a bare number until 1.7, seconds with their unit from 1.8.0 on.
template <class State = benchmark::State>
[[nodiscard]] std::string with_unit(std::string seconds) {
  if constexpr (requires(State& s) { s.SkipWithMessage(""); }) seconds += 's';
  return seconds;
}

/// The library's flags for the budget: each run is an iteration, or, of a pipeline, one job.
[[nodiscard]] inline std::vector<std::string> budget_flags(const session& s, const std::string& benchmark) {
  const record::budget& b = s.chosen().budget;
  // The library calls a body again and again until its time is above the minimum: a job is a job at once.
  const std::string time = in_seconds(s.is_pipeline(benchmark) ? 1e-9 : b.iteration_seconds);
  return {"--benchmark_repetitions=" + std::to_string((b.warmup + b.iterations) * s.per_iteration(benchmark)),
          "--benchmark_min_time=" + with_unit(time),
          "--benchmark_min_warmup_time=0",
          "--benchmark_enable_random_interleaving=false",
          "--benchmark_report_aggregates_only=false",
          "--benchmark_display_aggregates_only=false",
          "--benchmark_out="};
}

/// Says how this binary was built and which benchmarks it has, for the harness of another.
inline void introduce(record::fork_voice& voice, const std::vector<std::string>& selected, std::uint64_t layout_seed) {
  voice.facts(record::probe_environment());
  for (const std::string& name : selected) voice.hello(name, layout_seed);
}

/// Errors: flags.not_one_benchmark, and as the plain program's.
[[nodiscard]] inline exit_code run_child(session& s, std::vector<std::string> arguments) {
  const child_order order = *s.chosen().child;
  const bool listing = listing_wanted(arguments);
  record::fork_voice voice(order.wire);
  argument_vector flags(arguments);
  benchmark::Initialize(&flags.count(), flags.data(), refuse_value);
  const std::vector<std::string> selected = selected_benchmarks(flags.data()[0]);
  if (listing) {
    introduce(voice, selected, order.layout_seed);
    return exit_code::fine;
  }
  if (selected.size() != 1)
    weir::detail::raise("flags.not_one_benchmark", "--weir_child",
                        std::to_string(selected.size()) + " are selected: it is for the harness's own use");
  const std::string& name = selected.front();
  s.select(selected);
  for (std::string& flag : budget_flags(s, name)) arguments.push_back(std::move(flag));
  argument_vector all(arguments);
  benchmark::Initialize(&all.count(), all.data(), refuse_value);

  voice.hello(name, order.layout_seed);
  const std::uint32_t together = s.per_iteration(name);
  std::uint32_t jobs = 0;
  s.on_sample([&](const std::string&, const judge::judged_sample& one) {
    voice.invocation({.iteration = jobs++ / together, .sample = one.sample});
  });
  speaking_reporter reporter(voice, together);
  with_stack_offset(run::layout_of(order.layout_seed).stack_offset,
                    [&] { benchmark::RunSpecifiedBenchmarks(&reporter); });
  voice.done();
  return reporter.failed() ? exit_code::failed : exit_code::fine;
}

}  // namespace weir::inline WEIR_ABI::gbench::detail
