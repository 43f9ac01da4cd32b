// SPDX-License-Identifier: Apache-2.0
//
// The bench binary that CTest runs with good and bad flags: weir's pipelines beside a system of the user's that
// works, three that do not, and plain benchmarks of Google Benchmark.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>

#include <benchmark/benchmark.h>

#include <weir/flow/system.hpp>
#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

namespace {

void plain(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
  }
  state.counters["answer"] = 42;
}
BENCHMARK(plain)->Arg(1)->Arg(2);

void plain_error(benchmark::State& state) { state.SkipWithError("as asked"); }
BENCHMARK(plain_error);

void crash(benchmark::State&) {
  std::fputs("before the crash\n", stderr);
  std::abort();
}
BENCHMARK(crash);

void hang(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) std::this_thread::sleep_for(std::chrono::hours(1));
}
BENCHMARK(hang);

BENCHMARK(plain)->Name("one_repetition")->Repetitions(1);

/// Hands every event out `times` times, at once.
struct direct {
  direct(weir::flow::outlet out, int times) : out_(out), times_(times) {}
  void push(const weir::flow::event& e) {
    for (int i = 0; i < times_; ++i) out_(e);
  }
  weir::flow::outlet out_;
  int times_;
};

struct thrower {
  explicit thrower(weir::flow::outlet) {}
  static void push(const weir::flow::event&) { throw std::runtime_error("as thrown"); }
};

struct no_engine {
  static void check(const weir::job::spec&) {}
  static void prepare(const weir::job::spec&) { throw std::runtime_error("no engine here"); }
  static weir::record::sample run(const weir::job::spec&) { return {}; }
};

const bool registered = weir::gbench::register_pipelines() &&  //
                        weir::gbench::register_system<direct>("direct", 1) &&
                        weir::gbench::register_system<direct>("twice", 2) &&
                        weir::gbench::register_system<thrower>("thrower") &&
                        weir::gbench::register_pipelines(std::make_shared<no_engine>(), "engineless/");

}  // namespace

WEIR_MAIN()
