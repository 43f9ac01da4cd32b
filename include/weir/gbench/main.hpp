#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The main of a bench binary: all of Google Benchmark's flags unchanged, weir's besides, and at the end the
// verdicts. Temperature: cold.
//
//   #include <weir/gbench/main.hpp>
//   WEIR_MAIN()

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/gbench/reporters.hpp>
#include <weir/gbench/session.hpp>
#include <weir/gbench/settings.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/json.hpp>
#include <weir/report/atomic_file.hpp>
#include <weir/report/console.hpp>

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

/// True when Google Benchmark's own stdout is for people, so that weir may add to it.
[[nodiscard]] inline bool console_wanted(const std::vector<std::string>& arguments) {
  std::string format = "console";
  if (const char* preset = std::getenv("BENCHMARK_FORMAT")) format = preset;
  constexpr std::string_view flag = "--benchmark_format=";
  for (const std::string& a : arguments)
    if (a.starts_with(flag)) format = a.substr(flag.size());
  return format == "console";
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
[[nodiscard]] inline std::set<std::string> selected_benchmarks() {
  const auto listing = [](const char* value) {
    argument_vector flags({"weir", std::string("--benchmark_list_tests=") + value});
    benchmark::Initialize(&flags.count(), flags.data());
  };
  std::ostringstream names;
  name_collector collector(names);
  listing("true");
  benchmark::RunSpecifiedBenchmarks(&collector);
  listing("false");
  std::set<std::string> all;
  std::istringstream lines(names.str());
  for (std::string line; std::getline(lines, line);) all.insert(line);
  return all;
}

inline void write_environment(const std::filesystem::path& folder) {
  report::write_file(folder / "environment.json",
                     record::json_text(nlohmann::ordered_json(record::probe_environment())), "--weir_out");
}

inline int run(std::vector<std::string> arguments) {
  session s(read_flags(arguments));
  const bool console = console_wanted(arguments);
  const bool listing = mentions(arguments, "--benchmark_list_tests");
  for (const registrar& add_suite : registrars()) add_suite(s);
  add_budget(s, arguments);

  argument_vector flags(std::move(arguments));
  benchmark::Initialize(&flags.count(), flags.data());
  if (benchmark::ReportUnrecognizedArguments(flags.count(), flags.data())) return int(exit_code::bad_usage);
  if (listing) {
    benchmark::RunSpecifiedBenchmarks();
    return int(exit_code::fine);
  }

  const std::set<std::string> selected = selected_benchmarks();
  if (selected.empty()) {
    std::fprintf(stderr, "[weir.flags.nothing_selected] --benchmark_filter: no benchmark of that name; "
                         "--benchmark_list_tests shows them all\n");
    return int(exit_code::bad_usage);
  }
  s.select(selected);
  if (!s.chosen().out.empty()) write_environment(s.chosen().out);

  row_collector rows;
  if (s.chosen().any && console)
    benchmark::RunSpecifiedBenchmarks(&rows);
  else
    benchmark::RunSpecifiedBenchmarks();

  for (const std::string& failure : s.failures()) std::fprintf(stderr, "failed: %s\n", failure.c_str());
  std::FILE* const to = console ? stdout : stderr;
  if (!rows.figures().empty()) std::fputs(report::rows_table(rows.figures()).c_str(), to);
  if (!s.samples().empty()) std::fputs(report::pipelines_table(s.samples()).c_str(), to);
  if (rows.failed()) s.note_failure("see above");
  return int(s.result());
}

}  // namespace detail

/// Runs every registered suite and benchmark as the flags ask.
/// Returns: 0 fine, 2 bad usage or input, 3 a benchmark failed or fewer than half of its samples are valid,
/// 4 inconclusive.
inline int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end())
    std::fputs(detail::flag_help.data(), stdout);
  try {
    return detail::run(std::move(arguments));
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return int(exit_code::bad_usage);
  }
}

}  // namespace weir::inline WEIR_ABI::gbench

/// The main function of a bench binary.
#define WEIR_MAIN() \
  int main(int argc, char** argv) { return ::weir::gbench::main(argc, argv); }
