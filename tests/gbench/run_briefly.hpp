#pragma once
// What the tests of suites share: registered benchmarks run for a moment, and their JSON looked at.

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

#include <benchmark/benchmark.h>

/// Runs what matches, briefly.  Returns: Google Benchmark's JSON.
inline std::string run_briefly(const std::string& filter) {
  std::string program = "suite_test";
  std::string brief = "--benchmark_min_time=0.0001";
  char* arguments[] = {program.data(), brief.data(), nullptr};
  int n = 2;
  benchmark::Initialize(&n, arguments);
  std::ostringstream out;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&out);
  reporter.SetErrorStream(&out);
  benchmark::RunSpecifiedBenchmarks(&reporter, filter);
  return out.str();
}

/// How often `what` stands in a text.
inline std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}
