// SPDX-License-Identifier: Apache-2.0
//
// What a pipeline costs beyond its work: the empty job, and capacity against the same work in a fused loop.

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/sink.hpp>
#include <weir/flow/stage.hpp>
#include <weir/flow/task.hpp>
#include <weir/job/local_engine.hpp>
#include <weir/job/scenario.hpp>
#include <weir/job/spec.hpp>

namespace {

namespace flow = weir::flow;
namespace job = weir::job;

constexpr std::uint64_t rows = 1'000'000;

/// From job file to joined threads, four rows: what every job pays.
void empty_job(benchmark::State& state) {
  job::local_engine engine;
  job::spec spec = job::standard_spec(*job::find_scenario("sourceTransformSink"), "empty-1-1");
  spec.rows = spec.parallelism;
  spec.rate_per_second = 0;
  engine.prepare(spec);
  for (auto _ : state) benchmark::DoNotOptimize(engine.run(spec).processed_rows);
}

void unpaced(benchmark::State& state, const char* scenario) {
  job::local_engine engine;
  job::spec spec = job::standard_spec(*job::find_scenario(scenario), "unpaced-1-1");
  spec.rows = rows;
  spec.rate_per_second = 0;
  engine.prepare(spec);
  double achieved = 0;
  for (auto _ : state) {
    const weir::record::sample s = engine.run(spec);
    achieved += weir::record::achieved_per_s(s);
    if (s.seen != s.expected || s.checksum != s.expected_checksum || s.corrupt_payloads > 0)
      state.SkipWithError("the rows are not what was sent");
  }
  state.counters["achieved_rows_per_s"] = achieved / static_cast<double>(state.iterations());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}

/// Generate, transform, check and measure in one loop, no hand-over: on every core at once.
template <class Work>
void fused(benchmark::State& state, Work work) {
  const std::string payload = flow::payload_text(256);
  const std::string expected = payload;
  const unsigned threads = weir::os::usable_cores();
  const auto loop = [&](std::uint64_t first) {
    const weir::clock::steady clock;
    flow::sink sink({.rows = rows, .payload = expected});
    std::vector<flow::event> batch(flow::receipt_batch);
    const auto origin = clock.now();
    for (std::uint64_t row = first; row < rows;) {
      const auto now = clock.now() - origin;
      std::size_t n = 0;
      for (; n < batch.size() && row < rows; ++n, row += threads) {
        batch[n] = {.sequence = row, .intended = now, .released = now, .payload = payload};
        work(batch[n]);
      }
      sink.receive(std::span(batch).first(n), clock.now() - origin);
    }
    benchmark::DoNotOptimize(sink.received());
  };
  for (auto _ : state) {
    std::vector<std::thread> workers;
    for (unsigned i = 1; i < threads; ++i) workers.emplace_back(loop, i);
    loop(0);
    for (auto& worker : workers) worker.join();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}

BENCHMARK(empty_job)->Name("self/job/empty")->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(unpaced, sourceSink, "sourceSink")
    ->Name("self/unpaced/sourceSink")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fused, sourceSink, flow::no_work{})
    ->Name("self/fused_floor/sourceSink")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(unpaced, sourceTransformSink, "sourceTransformSink")
    ->Name("self/unpaced/sourceTransformSink")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(fused, sourceTransformSink, flow::hash_work{64})
    ->Name("self/fused_floor/sourceTransformSink")
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
