#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A whole experiment as plain data: every benchmark, every fork of it, every iteration, in the order in which
// they ran. All reports derive from it. Temperature: cold.
//
//   record::run_record run = ...;  for (const record::benchmark& b : run.benchmarks) analysis::summarize(b);

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/record/capacity.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::record {

/// Of the file that a run_record is kept in. It changes when a field comes, goes or changes its meaning: a reader
/// refuses fields that it does not know, because they are mistyped ones as a rule.
inline constexpr int schema_version = 1;

/// A figure that a benchmark reports besides its time.
struct counter {
  std::string name;
  double value = 0;

  friend bool operator==(const counter&, const counter&) = default;
};

/// One iteration: operations timed together.
struct iteration {
  std::uint64_t operations = 0;  // of all threads
  double real_ns = 0;            // an operation, on its thread
  double cpu_ns = 0;             // an operation
  std::vector<counter> counters;

  friend bool operator==(const iteration&, const iteration&) = default;
};

/// One job of a pipeline, in the iteration that it belongs to.
struct invocation {
  std::uint32_t iteration = 0;
  record::sample sample;
};

/// What went wrong with a fork. kind: "exit" (code), "signal" (code), "timeout", "protocol" (it sent garbage, half
/// a message or another benchmark's), "benchmark" (it reported an error), "interrupted".
struct fork_failure {
  std::string kind;
  int code = 0;
  std::string text;
  std::vector<std::string> last_lines;  // of its output, at most 20

  friend bool operator==(const fork_failure&, const fork_failure&) = default;
};

/// One process, the unit of inference.
struct fork {
  std::uint32_t block = 0;  // forks of one block ran side by side in shuffled order
  std::uint32_t place = 0;  // in the order of the whole run
  std::string host;         // "" until results of several hosts are merged
  std::string build;        // "" unless several builds of the source take part
  std::uint64_t layout_seed = 0;
  nanoseconds started{};  // since the start of the run
  nanoseconds took{};     // from exec to the end of the process
  std::vector<std::string> notes;  // disturbances of the host while it ran
  std::optional<fork_failure> failure;
  std::uint32_t warmup = 0;  // so many of the iterations come first and do not count
  std::vector<iteration> iterations;
  std::vector<invocation> invocations;  // pipelines only
};

/// One benchmark with one set of parameters, on one side of a comparison.
struct benchmark {
  std::string name;     // "pipelines/sourceSink/rows:1000"
  std::string variant;  // "", or "base" and "candidate"
  std::vector<fork> forks;
};

/// How many threads run its operations at once: Google Benchmark ends the name with `/threads:N` when they are several.
[[nodiscard]] inline std::uint64_t threads_of(const benchmark& b) noexcept {
  constexpr std::string_view key = "/threads:";
  const std::string_view name = b.name;
  const std::size_t at = name.rfind(key);
  if (at == name.npos) return 1;
  std::uint64_t threads = 1;
  const auto [end, error] = std::from_chars(name.data() + at + key.size(), name.data() + name.size(), threads);
  return error == std::errc{} && end == name.data() + name.size() && threads > 0 ? threads : 1;
}

/// A parameter and the value that it was run with, as given on the command line.
struct parameter {
  std::string name;
  std::vector<std::string> values;

  friend bool operator==(const parameter&, const parameter&) = default;
};

/// How much was asked for.
struct budget {
  std::string profile;  // "quick", "standard", "full"; "custom" when a flag changed it
  std::uint32_t forks = 0;
  std::uint32_t warmup = 0;
  std::uint32_t iterations = 0;
  double iteration_seconds = 0;

  friend bool operator==(const budget&, const budget&) = default;
};

struct run_record {
  std::string program;  // file name of the binary, without its folder
  std::string started;  // RFC 3339, UTC
  std::uint64_t seed = 0;
  record::budget budget;
  double threshold = 0.02;  // of a comparison of its sides: a smaller difference does not matter
  std::vector<parameter> parameters;
  std::string ended_by;  // "budget", "precision", "max_time", "max_forks", "interrupted"; "" while it runs
  nanoseconds took{};
  std::vector<environment> environments;  // one a host, in the order of its first fork
  std::optional<environment> base_environment;  // what the other binary says of itself; none without --weir_against
  std::vector<benchmark> benchmarks;
  std::vector<capacity_result> capacities;  // only when they were asked for

  [[nodiscard]] bool complete() const noexcept { return !ended_by.empty() && ended_by != "interrupted"; }
};

}  // namespace weir::inline WEIR_ABI::record
