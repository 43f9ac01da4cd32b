#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The main of a bench binary: a plain Google Benchmark program, or, with any --weir_* flag, the whole experiment.
// Temperature: cold.
//
//   #include <weir/gbench/main.hpp>
//   WEIR_MAIN()

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/gbench/child.hpp>
#include <weir/gbench/harness.hpp>
#include <weir/gbench/library.hpp>
#include <weir/gbench/reporters.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/report/console.hpp>

namespace weir::inline WEIR_ABI::gbench {

namespace detail {

/// Refuses a folder that cannot be made or written, before anything is made.
inline void check_out_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  std::error_code ignored;
  std::filesystem::path at = std::filesystem::absolute(folder, ignored);
  while (!std::filesystem::exists(at, ignored) && at.has_relative_path()) at = at.parent_path();
  if (!std::filesystem::is_directory(at, ignored) || !os::can_write(at.c_str()))
    weir::detail::raise("flags.cannot_write", "--weir_out", at.string() + ": give a folder that can be written");
  for (const char* inside : {"pipeline-results", "traces", "jobs"})
    if (std::filesystem::exists(folder / inside, ignored) && !std::filesystem::is_directory(folder / inside, ignored))
      weir::detail::raise("flags.cannot_write", "--weir_out",
                          (folder / inside).string() + " is no folder: give another place");
}

/// Runs what is selected in this process, as Google Benchmark does, and shows the verdicts below its table.
[[nodiscard]] inline exit_code run_plainly(session& s, const output& to) {
  std::vector<judge::judged_sample> samples;
  tally verdicts;
  s.on_sample([&](const std::string& benchmark, const judge::judged_sample& one) {
    verdicts.add(benchmark, one);
    samples.push_back(one);
  });
  const auto passed_on = [](const std::string& format) {
    return format == "csv" ? relay::when::at_the_end : relay::when::at_once;
  };
  const auto librarys = benchmark::CreateDefaultDisplayReporter();  // a unique_ptr after 1.9.5
  relay display(*librarys, passed_on(to.format));
  benchmark::JSONReporter json;
  csv_reporter csv;
  relay file(to.file_format == "csv" ? static_cast<benchmark::BenchmarkReporter&>(csv) : json,
             passed_on(to.file_format));
  benchmark::RunSpecifiedBenchmarks(&display, to.file.empty() || to.file_format == "console" ? nullptr : &file);

  if (!samples.empty()) std::fputs(report::pipelines_table(samples).c_str(), to.format == "console" ? stdout : stderr);
  for (const auto& words : last_words()) std::fputs(words().c_str(), to.format == "console" ? stdout : stderr);
  if (file.lost()) std::fprintf(stderr, "failed: --benchmark_out: %s is incomplete: no space left?\n", to.file.c_str());
  const bool shown = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !display.lost();
  if (!shown) std::fputs("failed: stdout: the output is incomplete: no space left?\n", stderr);
  return display.failed() || file.lost() || !shown ? exit_code::failed : verdicts.result();
}

/// Refuses what neither a child nor the harness could do.
inline void check(const session& s, const std::vector<std::string>& arguments) {
  flow::check(s.chosen().cores);
  check_out_folder(s.chosen().out);
  if (const auto repetitions = number<std::int64_t>(library_flag(arguments, "repetitions", "1"));
      repetitions && *repetitions < 1)
    weir::detail::raise("flags.bad_count", "--benchmark_repetitions",
                        std::to_string(*repetitions) + ": give a whole number from 1");
}

/// With a --weir_* flag the library's own budget flags mean the harness's, and give way to weir's.
/// Errors: flags.bad_time, flags.no_csv.
inline void adopt_library_flags(settings& s, const std::vector<std::string>& arguments,
                                const std::vector<std::string>& as_given) {
  if (!s.any || s.child) return;
  if (const auto iterations = number<std::uint32_t>(library_flag(arguments, "repetitions", ""));
      iterations && !mentions(as_given, "--weir_iterations="))
    s.budget.iterations = *iterations;
  if (const std::string time = library_flag(arguments, "min_time", "");
      !time.empty() && !mentions(as_given, "--weir_iteration_time=")) {
    if (!seconds(time))
      weir::detail::raise("flags.bad_time", "--benchmark_min_time",
                          time + ": beside --weir_* flags give seconds, as --weir_iteration_time=0.1");
    s.budget.iteration_seconds = *seconds(time);
  }
  const output to = output_of(arguments);
  if (to.format == "csv" || (!to.file.empty() && to.file_format == "csv"))
    weir::detail::raise("flags.no_csv", "--benchmark_format, --benchmark_out_format",
                        "csv: beside --weir_* flags give json, or --weir_out=DIR, which writes raw.csv");
}

[[nodiscard]] inline exit_code run(std::vector<std::string> arguments) {
  const std::vector<std::string> as_given = arguments;
  settings chosen = read_flags(arguments);
  adopt_library_flags(chosen, arguments, as_given);
  session s(std::move(chosen));
  check(s, arguments);
  const output to = output_of(arguments);
  const bool listing = listing_wanted(arguments);
  for (const registrar& add_suite : registrars()) add_suite(s);
  if (s.chosen().child) return run_child(s, std::move(arguments));

  argument_vector flags(arguments);
  benchmark::Initialize(&flags.count(), flags.data(), refuse_value);
  if (benchmark::ReportUnrecognizedArguments(flags.count(), flags.data())) return exit_code::bad_usage;
  if (listing) return benchmark::RunSpecifiedBenchmarks() == 0 ? exit_code::bad_usage : exit_code::fine;
  check_out_file(to.file);
  const std::vector<std::string> selected = selected_benchmarks(flags.data()[0]);
  s.select(selected);
  return s.chosen().any ? harness(s, as_given, selected, to).run() : run_plainly(s, to);
}

}  // namespace detail

/// Runs every registered suite and benchmark as the flags ask.
/// Returns: 0 fine, 1 a change for the worse, 2 bad usage or input, 3 a benchmark failed or fewer than half of its
/// samples are valid, 4 inconclusive.
inline int main(int argc, char** argv) {
  os::hold_standard_streams();
  std::vector<std::string> arguments(argv, argv + argc);
  for (const auto& other : other_mains())
    if (const auto code = other(arguments)) return *code;
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    benchmark::PrintDefaultHelp();
    std::fputs(detail::flag_help.data(), stdout);
    return int(exit_code::fine);
  }
  try {
    return int(detail::run(std::move(arguments)));
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return int(exit_code::bad_usage);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "failed: %s\n", e.what());
    return int(exit_code::failed);
  }
}

}  // namespace weir::inline WEIR_ABI::gbench

/// The main function of a bench binary.
#define WEIR_MAIN() \
  int main(int argc, char** argv) { return ::weir::gbench::main(argc, argv); }
