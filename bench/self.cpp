// SPDX-License-Identifier: Apache-2.0
//
// Price of weir's own instruments: what measuring a row costs. bench/self_ring.cpp adds the hand-over
// between threads.
//
//   self --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/random.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/tsc.hpp>
#include <weir/measure.hpp>
#include <weir/record/hlog.hpp>

namespace {

using namespace weir::measure;
using std::chrono::nanoseconds;

/// 65,536 lognormal latencies, median 30 us, 99 % below 310 us; the same in every run.
const std::vector<nanoseconds>& latencies() {
  static const std::vector<nanoseconds> all = [] {
    weir::random_bits bits(1);
    std::vector<nanoseconds> made(std::size_t{1} << 16);
    for (auto& latency : made) {
      const double radius = std::sqrt(-2 * std::log(1 - bits.uniform()));  // Box, Muller 1958
      const double normal = radius * std::cos(6.283185307179586 * bits.uniform());
      latency = nanoseconds(static_cast<std::int64_t>(std::exp(10.3 + normal)));
    }
    return made;
  }();
  return all;
}

/// The next of them, at the cost of a load: the floor under every record benchmark.
class latency_source {
 public:
  nanoseconds next() noexcept { return first_[i_++ % (std::size_t{1} << 16)]; }

 private:
  const nanoseconds* first_ = latencies().data();
  std::size_t i_ = 0;
};

/// What one writes without weir: the same buckets, and four numbers kept at every record.
class plain_histogram {
 public:
  void record(nanoseconds latency) noexcept {
    const auto value = static_cast<std::uint64_t>(latency.count());
    ++counts_[layout.index_of(value)];
    ++count_;
    sum_ += value;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

 private:
  static constexpr hdr_layout layout{3};
  std::unique_ptr<std::uint64_t[]> counts_ = std::make_unique<std::uint64_t[]>(layout.size());
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
};

template <class Clock>
void read(benchmark::State& state, const Clock& clock) {
  for (auto _ : state) benchmark::DoNotOptimize(clock.now());
}

void clock_steady(benchmark::State& state) { read(state, weir::clock::steady()); }
BENCHMARK(clock_steady);

void clock_tsc(benchmark::State& state) {
  if (const auto probe = weir::clock::tsc::probe(); !probe.usable) {
    state.SkipWithError(probe.reason.c_str());
    return;
  }
  read(state, weir::clock::tsc());
}
BENCHMARK(clock_tsc);

void record_floor(benchmark::State& state) {
  latency_source source;
  for (auto _ : state) {
    benchmark::DoNotOptimize(source.next());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(record_floor);

template <class Histogram>
void record(benchmark::State& state) {
  Histogram histogram;
  latency_source source;
  for (auto _ : state) {
    histogram.record(source.next());
    benchmark::ClobberMemory();  // every count reaches memory, as among other work
  }
  benchmark::DoNotOptimize(&histogram);
}
BENCHMARK(record<plain_histogram>)->Name("record_plain");
BENCHMARK(record<basic_histogram<2>>)->Name("record_2_digits");
BENCHMARK(record<histogram>)->Name("record_3_digits");

/// The dear case: every latency above all before it, as in a growing overload.
void record_rising(benchmark::State& state) {
  histogram histogram;
  std::int64_t latency = 0;
  for (auto _ : state) {
    histogram.record(nanoseconds(latency));
    latency += 7;
    benchmark::ClobberMemory();
  }
  benchmark::DoNotOptimize(&histogram);
}
BENCHMARK(record_rising);

void fill(histogram& histogram) {
  for (const nanoseconds latency : latencies()) histogram.record(latency);
}

void histogram_merge(benchmark::State& state) {
  histogram from;
  histogram into;
  fill(from);
  for (auto _ : state) {
    into.merge(from);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(histogram_merge);

void histogram_snapshot(benchmark::State& state) {
  histogram histogram;
  fill(histogram);
  for (auto _ : state) benchmark::DoNotOptimize(histogram.snapshot());
}
BENCHMARK(histogram_snapshot);

void snapshot_percentile(benchmark::State& state) {
  histogram histogram;
  fill(histogram);
  const snapshot seen = histogram.snapshot();
  for (auto _ : state) benchmark::DoNotOptimize(seen.at(p99));
}
BENCHMARK(snapshot_percentile);

void snapshot_encode(benchmark::State& state) {
  histogram histogram;
  fill(histogram);
  const snapshot seen = histogram.snapshot();
  for (auto _ : state) benchmark::DoNotOptimize(weir::record::encode(seen));
}
BENCHMARK(snapshot_encode);

void exactly_once_add(benchmark::State& state) {
  exactly_once seen;
  std::uint64_t sequence = 0;
  for (auto _ : state) {
    seen.add(sequence++);
    benchmark::DoNotOptimize(seen);
  }
}
BENCHMARK(exactly_once_add);

void busy_enter(benchmark::State& state) {
  busy_meter meter;
  nanoseconds now{};
  meter.start(now);
  for (auto _ : state) {
    now += nanoseconds(10);
    meter.enter(now.count() % 20 == 0 ? activity::busy : activity::idle, now);
  }
  benchmark::DoNotOptimize(meter.reading(now));
}
BENCHMARK(busy_enter);

void trace_sample(benchmark::State& state) {
  stain_sampler sampler(10'000, 50, 1'024);
  std::uint64_t sequence = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(sampler.sample(sequence, nanoseconds(static_cast<std::int64_t>(sequence))));
    ++sequence;
  }
}
BENCHMARK(trace_sample);

void trace_append(benchmark::State& state) {
  constexpr std::size_t stages = 6;
  trace stamps;
  nanoseconds now{};
  for (auto _ : state) {
    if (stamps.entries().size() + stages > trace::max_entries) stamps = trace();
    for (std::size_t i = 1; i <= stages; ++i) stamps.append(static_cast<trace_stage>(i), 0, ++now);
    benchmark::DoNotOptimize(stamps);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stages));
}
BENCHMARK(trace_append);

}  // namespace
