#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Your own queue, pool or chain as a pipeline: weir pushes events in on schedule, you call the outlet with
// each one that comes out. Threads are yours. Temperature: hot (push, outlet), cold around.
//
//   struct mine {
//     explicit mine(flow::outlet out);       // start your threads
//     void push(const flow::event& e);       // called on schedule by one thread
//     ~mine();                               // join them
//   };
//   flow::outcome result = flow::drive<mine>(pipeline);

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/time_source.hpp>
#include <weir/clock/waiting.hpp>
#include <weir/flow/account.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/generator.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/sink.hpp>

namespace weir::inline WEIR_ABI::flow {

namespace detail {

/// Sinks for threads that weir did not start: each gets one of its own on its first event.
class collector {
 public:
  collector(const expectation& expected, clock::steady clock) : expected_(expected), clock_(clock) {}

  void start_at(nanoseconds origin) noexcept { origin_ = origin; }

  void receive(const event& e) { mine().receive({&e, 1}, clock_.now() - origin_); }

  [[nodiscard]] std::uint64_t received() const {
    std::lock_guard lock(mutex_);
    std::uint64_t rows = 0;
    for (const auto& s : sinks_) rows += s->received();
    return rows;
  }

  /// Requires: no thread receives any more.
  void report(record::sample& s) const {
    sink all(expected_);
    for (const auto& one : sinks_) all.merge(*one);
    all.report(s);
  }

 private:
  sink& mine() {
    thread_local std::uint64_t owner = 0;
    thread_local sink* cached = nullptr;
    if (owner != id_) [[unlikely]] {
      std::lock_guard lock(mutex_);
      cached = sinks_.emplace_back(std::make_unique<sink>(expected_)).get();
      owner = id_;
    }
    return *cached;
  }

  // Never reused, unlike an address: a thread that outlives one run must not write into the next one's sink.
  static std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const std::uint64_t id_ = next_id();
  expectation expected_;
  clock::steady clock_;
  nanoseconds origin_{};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<sink>> sinks_;
};

}  // namespace detail

/// Where events come out. Copies are the same outlet.
/// Cost: 45 ns a call, of which the clock read is 24.  Threads: any, also several at once.
class outlet {
 public:
  explicit outlet(detail::collector& into) noexcept : into_(&into) {}
  void operator()(const event& e) const { into_->receive(e); }

 private:
  detail::collector* into_;
};

/// A system that weir can load. Meaning: push() takes one event, from one thread; the outlet is called exactly
/// once for each, from any thread, before the destructor returns. If push() blocks, the schedule does not
/// move: the time is counted as release lag.
template <class S>
concept system_under_test = std::constructible_from<S, outlet> && requires(S& s, const event& e) { s.push(e); };

/// How long after the last release a system may take to hand the rest out.
inline constexpr std::chrono::seconds drain_limit{10};

/// Runs one job on a system of the user's: construct, push on schedule, drain, destroy. The calling thread is
/// the generator.
/// Errors: none thrown by a push that throws: that is the sample's failure, as is a drain that does not end.
template <system_under_test System, class... Args>
  requires std::constructible_from<System, outlet, Args...>
[[nodiscard]] outcome drive(const pipeline& plan, Args&&... args) {
  const clock::steady clock;
  const std::string sent = payload_text(plan.asked.payload_size);
  const std::string expected = sent;
  detail::collector collected({.rows = plan.asked.rows, .payload = expected}, clock);
  generator source(plan.make_schedule(), plan.paced(), plan.asked.rows, 1, sent);
  const clock::waiting_choice wait = clock::choose_waiting(os::usable_cores(), 2);

  std::optional<std::string> failure;
  const nanoseconds process_before = os::process_cpu_time();
  const nanoseconds generator_before = os::thread_cpu_time();
  nanoseconds generator_cpu{};
  try {
    auto system = std::make_unique<System>(outlet(collected), std::forward<Args>(args)...);
    struct one_by_one {
      System& to;
      event slot{};
      std::span<event> claim(std::size_t, std::size_t) noexcept { return {&slot, 1}; }
      void publish(std::size_t, std::size_t) { to.push(slot); }
      bool wait_for_space(std::size_t) noexcept { return true; }
    } in{*system};
    const os::core_pin pin(plan.cores.generator);
    const nanoseconds origin = clock.now();
    collected.start_at(origin);
    source.run(clock, origin, wait.policy, in, [](nanoseconds) {});
    const nanoseconds deadline = clock.now() + drain_limit;
    while (collected.received() < plan.asked.rows && clock.now() < deadline)
      clock.sleep_until(clock.now() + std::chrono::microseconds(200));
    if (const std::uint64_t got = collected.received(); got < plan.asked.rows)
      failure = "the drain did not end: " + std::to_string(got) + " of " + std::to_string(plan.asked.rows) +
                  " rows came out within " + std::to_string(drain_limit.count()) + " s";
    generator_cpu = os::thread_cpu_time() - generator_before;
  } catch (const std::exception& e) {
    failure = e.what();
  } catch (...) {
    failure = "an exception that is no std::exception";
  }
  outcome out{.sample = open_account(plan, source), .traces = {}};
  record::sample& s = out.sample;
  s.failure = std::move(failure);
  s.sut_cpu = os::process_cpu_time() - process_before - generator_cpu;
  s.clock = std::string(clock::steady::name);
  s.waiting = std::string(wait.policy.name()) + ": " + wait.reason;
  collected.report(s);
  return out;
}

}  // namespace weir::inline WEIR_ABI::flow
