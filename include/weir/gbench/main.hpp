#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The main of a bench binary: all of Google Benchmark's flags unchanged, weir's besides, and at the end the
// verdicts. Temperature: cold.
//
//   #include <weir/gbench/main.hpp>
//   WEIR_MAIN()

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/os.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/gbench/reporters.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/record/environment.hpp>
#include <weir/report/console.hpp>
#include <weir/report/pipeline_result.hpp>

namespace weir::inline WEIR_ABI::gbench {

namespace detail {

/// argv for Google Benchmark, which takes what it knows out of it.
class argument_vector {
 public:
  explicit argument_vector(std::vector<std::string> arguments) : texts_(std::move(arguments)) {
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    count_ = static_cast<int>(texts_.size());
  }
  int& count() noexcept { return count_; }
  char** data() noexcept { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
  int count_ = 0;
};

[[nodiscard]] inline bool mentions(const std::vector<std::string>& arguments, std::string_view flag) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& a) { return a.starts_with(flag); });
}

/// What --benchmark_<name> will be: its last mention, or its environment variable. "true" for a bare mention.
[[nodiscard]] inline std::string library_flag(const std::vector<std::string>& arguments, std::string_view name,
                                              std::string value) {
  std::string variable = "BENCHMARK_";
  for (const char c : name) variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (const char* preset = std::getenv(variable.c_str())) value = preset;
  const std::string flag = "--benchmark_" + std::string(name);
  for (const std::string& a : arguments) {
    if (a == flag) value = "true";
    if (a.starts_with(flag + "=")) value = a.substr(flag.size() + 1);
  }
  return value;
}

/// --benchmark_list_tests, by the library's own reading of a truth value.
[[nodiscard]] inline bool listing_wanted(const std::vector<std::string>& arguments) {
  const std::string value = library_flag(arguments, "list_tests", "false");
  const std::array<std::string_view, 6> no{"false", "0", "no", "off", "f", "n"};
  return std::find(no.begin(), no.end(), value) == no.end();
}

/// The library calls this for a flag whose value it does not know, and would end with 0 afterwards.
[[noreturn]] inline void refuse_value() {
  weir::detail::raise("flags.bad_value",
                      "--benchmark_format, --benchmark_out_format, --benchmark_color or --benchmark_time_unit",
                      "a value that Google Benchmark does not know; --help lists them");
}

/// The library would end with 1, which here means a regression.
inline void check_out_file(const std::string& file) {
  if (file.empty()) return;
  std::error_code ignored;
  const bool there = std::filesystem::exists(file, ignored);
  const std::filesystem::path folder = std::filesystem::absolute(file, ignored).parent_path();
  if (std::filesystem::is_directory(file, ignored) || !std::filesystem::is_directory(folder, ignored) ||
      !os::can_write(there ? file.c_str() : folder.c_str()))
    weir::detail::raise("flags.cannot_write", "--benchmark_out", file + ": give a file that can be written");
}

/// The --benchmark_* flags that a budget stands for, unless the user gave their own.
inline void add_budget(const session& s, std::vector<std::string>& arguments) {
  if (!s.chosen().time) return;
  const budget& time = *s.chosen().time;
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!mentions(arguments, flag)) arguments.push_back(std::string(flag) + "=" + value);
  };
  if (s.has_pipelines()) {
    // One invocation a repetition: the library stops once real time exceeds five times the minimum.
    add("--benchmark_repetitions", std::to_string(time.iterations * s.per_iteration()));
    add("--benchmark_min_time", seconds_flag(0.001));
  } else {
    add("--benchmark_repetitions", std::to_string(time.iterations));
    add("--benchmark_min_time", seconds_flag(time.iteration_seconds));
    add("--benchmark_min_warmup_time", std::to_string(time.warmup * time.iteration_seconds));
  }
}

/// The names that the filter selects.
/// Errors: flags.nothing_selected.  Requires: `program` outlives every report, in which the library names it.
[[nodiscard]] inline std::set<std::string> selected_benchmarks(char* program) {
  const auto listing = [&](std::string flag) {
    std::array<char*, 3> argv{program, flag.data(), nullptr};
    int argc = 2;
    benchmark::Initialize(&argc, argv.data());
  };
  std::stringstream names;
  std::stringstream errors;
  name_collector collector(names, errors);
  listing("--benchmark_list_tests=true");
  benchmark::RunSpecifiedBenchmarks(&collector);
  listing("--benchmark_list_tests=false");
  std::set<std::string> all;
  for (std::string line; std::getline(names, line);) all.insert(line);
  if (all.empty()) {
    std::string why = "no benchmark is registered";
    std::getline(errors, why);
    weir::detail::raise("flags.nothing_selected", "--benchmark_filter",
                        why + "; --benchmark_list_tests names them all");
  }
  return all;
}

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

/// What the library was asked to write.
struct output {
  std::string format;
  std::string file;  // empty: none
  std::string file_format;
};

[[nodiscard]] inline output output_of(const std::vector<std::string>& arguments) {
  return {.format = library_flag(arguments, "format", "console"),
          .file = library_flag(arguments, "out", ""),
          .file_format = library_flag(arguments, "out_format", "json")};
}

/// Runs what is selected and shows it.
[[nodiscard]] inline exit_code measure(session& s, const output& to) {
  const auto passed_on = [](std::string_view format) {
    return format == "csv" ? relay::when::at_the_end : relay::when::at_once;
  };
  const auto librarys = benchmark::CreateDefaultDisplayReporter();  // a unique_ptr after 1.9.5
  relay plain(*librarys, passed_on(to.format));
  row_collector rows;
  benchmark::JSONReporter json;
  csv_reporter csv;
  relay file(to.file_format == "csv" ? static_cast<benchmark::BenchmarkReporter&>(csv) : json,
             passed_on(to.file_format));

  const bool console = to.format == "console";
  benchmark::BenchmarkReporter* display = &plain;
  if (console && s.chosen().any) display = &rows;
  benchmark::RunSpecifiedBenchmarks(display, to.file.empty() || to.file_format == "console" ? nullptr : &file);

  for (const std::string& failure : s.failures()) std::fprintf(stderr, "failed: %s\n", failure.c_str());
  std::FILE* const people = console ? stdout : stderr;
  if (!rows.figures().empty()) std::fputs(report::rows_table(rows.figures()).c_str(), people);
  if (!s.samples().empty()) std::fputs(report::pipelines_table(s.samples()).c_str(), people);
  if (file.lost()) std::fprintf(stderr, "failed: --benchmark_out: %s is incomplete: no space left?\n", to.file.c_str());
  const bool shown = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !plain.lost();
  if (!shown) std::fputs("failed: stdout: the output is incomplete: no space left?\n", stderr);
  return rows.failed() || plain.failed() || file.lost() || !shown ? exit_code::failed : s.result();
}

[[nodiscard]] inline exit_code run(std::vector<std::string> arguments) {
  session s(read_flags(arguments));
  flow::check(s.chosen().cores);
  check_out_folder(s.chosen().out);
  const output to = output_of(arguments);
  const bool listing = listing_wanted(arguments);
  if (const auto repetitions = number<std::int64_t>(library_flag(arguments, "repetitions", "1"));
      repetitions && *repetitions < 1)
    weir::detail::raise("flags.bad_count", "--benchmark_repetitions",
                        std::to_string(*repetitions) + ": give a whole number from 1");
  for (const registrar& add_suite : registrars()) add_suite(s);
  add_budget(s, arguments);

  argument_vector flags(std::move(arguments));
  benchmark::Initialize(&flags.count(), flags.data(), refuse_value);
  if (benchmark::ReportUnrecognizedArguments(flags.count(), flags.data())) return exit_code::bad_usage;
  if (listing) return benchmark::RunSpecifiedBenchmarks() == 0 ? exit_code::bad_usage : exit_code::fine;
  check_out_file(to.file);
  s.select(selected_benchmarks(flags.data()[0]));
  if (!s.chosen().out.empty()) report::write_environment(s.chosen().out, record::probe_environment());
  return measure(s, to);
}

}  // namespace detail

/// Runs every registered suite and benchmark as the flags ask.
/// Returns: 0 fine, 2 bad usage or input, 3 a benchmark failed or fewer than half of its samples are valid,
/// 4 inconclusive.
inline int main(int argc, char** argv) {
  os::hold_standard_streams();
  std::vector<std::string> arguments(argv, argv + argc);
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
