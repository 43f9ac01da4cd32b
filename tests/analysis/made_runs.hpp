#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Experiments by hand, from the values that their forks are to have.

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <weir/base/random.hpp>
#include <weir/record/run_record.hpp>

#include "../judge/clean_sample.hpp"

namespace weir_test {

/// A fork with one warm-up iteration of 10 times the first value, then one iteration a value. 1 s of its own.
inline weir::record::fork fork_of(std::uint32_t place, const std::vector<double>& ns) {
  weir::record::fork f;
  f.place = place;
  f.block = place;
  f.warmup = 1;
  const auto add = [&](double value) {
    f.iterations.push_back({.operations = 1'000'000, .real_ns = value, .cpu_ns = value / 2, .counters = {}});
  };
  add(10 * ns.front());
  double seconds = 1;
  for (const double value : ns) {
    add(value);
    seconds += value * 1e-3;
  }
  f.took = std::chrono::nanoseconds(std::llround(seconds * 1e9));
  return f;
}

inline weir::record::benchmark benchmark_of(std::string name, const std::vector<std::vector<double>>& forks,
                                            std::string variant = "") {
  weir::record::benchmark b;
  b.name = std::move(name);
  b.variant = std::move(variant);
  for (const auto& ns : forks) b.forks.push_back(fork_of(static_cast<std::uint32_t>(b.forks.size()), ns));
  return b;
}

inline weir::record::run_record run_of(std::vector<weir::record::benchmark> benchmarks) {
  weir::record::run_record run;
  run.program = "rows";
  run.ended_by = "budget";
  run.benchmarks = std::move(benchmarks);
  return run;
}

inline weir::record::fork failed(weir::record::fork f, std::string kind, int code) {
  f.failure = weir::record::fork_failure{.kind = std::move(kind), .code = code, .text = "", .last_lines = {}};
  return f;
}

/// A valid sample of a paced pipeline, but for what the tests change.
inline weir::record::sample job_of(std::chrono::nanoseconds job_time, std::chrono::nanoseconds usual,
                                   std::chrono::nanoseconds late) {
  weir::record::sample s = clean_sample();
  s.job_time = job_time;
  s.latency_first_half = latencies(s.asked.rows / 2, usual, late);
  s.latency_second_half = s.latency_first_half;
  return s;
}

/// Standard normal.
inline double normal(weir::random_bits& bits) {
  return std::sqrt(-2 * std::log(1 - bits.uniform())) * std::cos(2 * std::numbers::pi * bits.uniform());
}

inline const auto has_finding = [](const auto& findings, const std::string& id) {
  for (const auto& f : findings)
    if (f.id == id) return true;
  return false;
};

inline const auto text_of = [](const auto& findings, const std::string& id) {
  for (const auto& f : findings)
    if (f.id == id) return f.text;
  return std::string();
};

}  // namespace weir_test
