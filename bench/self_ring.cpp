// SPDX-License-Identifier: Apache-2.0
//
// Price of handing a row from one thread to another: weir's ring, and a mutex with condition variables as
// the plain baseline. Part of the bench binary `self`.
//
//   self --benchmark_filter=ring --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include <weir/base/os.hpp>
#include <weir/channel/parking.hpp>
#include <weir/channel/spsc_ring.hpp>

namespace {

using weir::channel::patience;
using weir::channel::spsc_ring;
using row = std::uint64_t;

constexpr std::size_t capacity = 1024;

/// What one writes without weir: the same calls, under one lock.
class locked_queue {
 public:
  void push(std::span<const row> rows) {
    std::unique_lock lock(mutex_);
    for (const row value : rows) {
      space_.wait(lock, [this] { return last_ - first_ < capacity; });
      slots_[last_++ % capacity] = value;
    }
    lock.unlock();
    data_.notify_one();
  }

  std::size_t pop(std::span<row> rows) {
    std::unique_lock lock(mutex_);
    data_.wait(lock, [this] { return last_ != first_ || closed_; });
    const std::size_t count = std::min(rows.size(), last_ - first_);
    for (row& value : rows.first(count)) value = slots_[first_++ % capacity];
    lock.unlock();
    space_.notify_one();
    return count;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    data_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable data_;
  std::condition_variable space_;
  std::vector<row> slots_ = std::vector<row>(capacity);
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  bool closed_ = false;
};

/// Streams rows through a queue for as long as the benchmark runs: one iteration is one batch in, and the
/// time includes draining, as real time is taken around the whole job.
template <class Queue>
void hand_over(benchmark::State& state, Queue& queue) {
  const auto batch = static_cast<std::size_t>(state.range(0));
  std::uint64_t received = 0;
  std::thread consumer([&] {
    std::vector<row> rows(batch);
    while (const std::size_t count = queue.pop(rows)) {
      benchmark::DoNotOptimize(rows.data());
      received += count;
    }
  });
  const std::vector<row> rows(batch, 1);
  for (auto _ : state) queue.push(rows);
  queue.close();
  consumer.join();
  const auto sent = static_cast<std::uint64_t>(state.iterations()) * batch;
  if (received != sent) state.SkipWithError("rows were lost or duplicated");
  state.SetItemsProcessed(static_cast<std::int64_t>(sent));
}

void ring_hand_over(benchmark::State& state) {
  spsc_ring<row> ring(capacity);
  hand_over(state, ring);
  state.counters["parks"] = static_cast<double>(ring.producer_parks() + ring.consumer_parks());
}

void locked_queue_hand_over(benchmark::State& state) {
  locked_queue queue;
  hand_over(state, queue);
}

/// There and back, one row at a time; half of it is one way. Pausing first, as a reader of latency would choose, but
/// not for ever: on a busy host the other end may have lost its core.
void ring_round_trip(benchmark::State& state) {
  const patience spinning{.pauses = 1000, .yields = 8};
  spsc_ring<row> there(64, spinning);
  spsc_ring<row> back(64, spinning);
  std::thread echo([&] {
    row one[1];
    while (there.pop(one) == 1) back.push(one);
  });
  row one[1] = {1};
  for (auto _ : state) {
    there.push(one);
    back.pop(one);
  }
  there.close();
  echo.join();
}

/// One row in and out on one thread: the instructions alone, no line of another core.
void ring_alone(benchmark::State& state) {
  spsc_ring<row> ring(capacity);
  std::vector<row> rows(static_cast<std::size_t>(state.range(0)), 1);
  for (auto _ : state) {
    ring.try_push(rows);
    ring.try_pop(rows);
    benchmark::DoNotOptimize(rows.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(ring_alone)->Arg(1)->Arg(16)->Arg(256);
BENCHMARK(ring_hand_over)->Arg(1)->Arg(16)->Arg(256)->UseRealTime();
BENCHMARK(locked_queue_hand_over)->Arg(1)->Arg(16)->Arg(256)->UseRealTime();
BENCHMARK(ring_round_trip)->UseRealTime();

}  // namespace
