// SPDX-License-Identifier: Apache-2.0
// A consumer of weir::gbench that writes a plain Google Benchmark over a part of weir.
#include <benchmark/benchmark.h>
#include <weir/arrival/constant.hpp>
#include <weir/base/units.hpp>

namespace {

void due_times(benchmark::State& state) {
  weir::arrival::constant due(weir::rate::per_second(600'000));
  for (auto _ : state) benchmark::DoNotOptimize(due.next());
}
BENCHMARK(due_times)->Iterations(1000);

}  // namespace

BENCHMARK_MAIN();
