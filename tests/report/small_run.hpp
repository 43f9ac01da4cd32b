#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A small experiment by hand: a row benchmark and a pipeline, three forks each, one fork of each failed.

#include <chrono>
#include <cstdint>
#include <string>

#include <weir/record/run_record.hpp>

#include "../judge/clean_sample.hpp"

namespace weir_test {

inline weir::record::iteration row_iteration(double ns) {
  return {.operations = 1'000'000, .real_ns = ns, .cpu_ns = ns - 0.5, .counters = {{"allocs", 2}}};
}

/// 1 warm-up and 2 measured iterations: the fork's mean is `ns`.
inline weir::record::fork row_fork(std::uint32_t place, double ns) {
  weir::record::fork f;
  f.place = place;
  f.block = place / 2;
  f.layout_seed = 100 + place;
  f.started = std::chrono::seconds(place);
  f.took = 900ms;
  f.warmup = 1;
  f.iterations = {row_iteration(1000), row_iteration(ns - 1), row_iteration(ns + 1)};
  return f;
}

/// The same with two jobs in each iteration; the jobs' time is scaled by `slower`.
inline weir::record::fork pipeline_fork(std::uint32_t place, double slower) {
  static const weir::record::sample clean = clean_sample();  // its histograms take a while
  weir::record::fork f = row_fork(place, 0);
  for (std::uint32_t i = 0; i < 3; ++i) {
    f.iterations[i] = {.operations = 2, .real_ns = 1.67e9, .cpu_ns = 1e6, .counters = {}};
    for (int job = 0; job < 2; ++job) {
      weir::record::sample s = clean;
      s.run_id = "sourceTransformSinkWithTrace-1700000000-" + std::to_string(place * 10 + i * 2) + std::to_string(job);
      s.job_time = nanoseconds(static_cast<std::int64_t>(2e9 * slower));
      f.invocations.push_back({i, s});
    }
  }
  return f;
}

/// rows/row/copyPlainRow: 10 and 12 ns. pipelines/sourceTransformSinkWithTrace: 2000 and 2500 ns a row, one of
/// eight measured jobs lost a row. Second forks failed.
inline weir::record::run_record small_run() {
  weir::record::run_record run;
  run.program = "demo";
  run.started = "2024-05-06T07:08:09Z";
  run.seed = 7;
  run.budget = {.profile = "custom", .forks = 3, .warmup = 1, .iterations = 2, .iteration_seconds = 0.05};
  run.parameters = {{"payload_size", {"256"}}};
  run.ended_by = "budget";
  run.took = 6s;
  run.environments = {{{{"commit", "abc123", ""},
                        {"compiler", "g++ 12.2.0", ""},
                        {"cxx_flags", "-O3 -DNDEBUG", ""},
                        {"optimized", "yes", ""},
                        {"assertions", "off (NDEBUG)", ""},
                        {"cores_usable", "2", ""},
                        {"cpu_mhz", "2400", ""},
                        {"governor", {}, "no such file"},
                        {"aslr", "on", ""},
                        {"load_average", "0.50 0.40 0.30", ""}}}};

  weir::record::fork crashed = row_fork(2, 500);
  crashed.failure = {.kind = "signal", .code = 11, .text = "", .last_lines = {"a | b <script>", "the end"}};
  run.benchmarks.push_back({"rows/row/copyPlainRow", "", {row_fork(0, 10), crashed, row_fork(4, 12)}});

  weir::record::fork hung = row_fork(3, 0);
  hung.iterations.clear();
  hung.failure = {.kind = "timeout", .code = 0, .text = "ran for 60 s", .last_lines = {}};
  weir::record::fork lossy = pipeline_fork(5, 1.25);
  lossy.invocations[4].sample.processed_rows -= 1;
  run.benchmarks.push_back(
      {"pipelines/sourceTransformSinkWithTrace/rows:1000000", "", {pipeline_fork(1, 1), hung, lossy}});
  return run;
}

}  // namespace weir_test
