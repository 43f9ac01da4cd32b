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

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
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

/// Sinks for threads that weir did not start: each has one of its own from its first event on, until it ends or
/// serves another run. So there are as many as threads at once, however many a system starts.
class collector {
 public:
  collector(const expectation& expected, clock::steady clock)
      : expected_(expected), clock_(clock), sinks_(std::make_shared<pool>(expected)) {}

  void start_at(nanoseconds origin) noexcept { origin_ = origin; }

  void receive(const event& e) {
    const nanoseconds now = clock_.now() - origin_;  // before a new thread gets its sink, which takes 0.3 ms
    mine().receive({&e, 1}, now);
  }

  [[nodiscard]] std::uint64_t received() const {
    std::uint64_t rows = 0;
    sinks_->each([&](const sink& s) { rows += s.received(); });
    return rows;
  }
  /// Sinks in which rows arrived.
  [[nodiscard]] std::size_t sinks() const {
    std::size_t n = 0;
    sinks_->each([&](const sink& one) { n += one.received() > 0; });
    return n;
  }
  /// Whether the calling thread has received an event of this run.
  [[nodiscard]] bool serves_this_thread() const noexcept { return local().of == sinks_.get(); }

  /// Requires: no thread receives any more.
  void report(record::sample& s) const {
    sink all(expected_);
    sinks_->each([&](const sink& one) { all.merge(one); });
    all.report(s);
  }

 private:
  class pool {
   public:
    /// With sinks at hand for as many threads as can run at once.
    explicit pool(const expectation& expected) : expected_(expected) {
      for (unsigned i = 0; i < os::usable_cores(); ++i)
        idle_.push_back(all_.emplace_back(std::make_unique<sink>(expected)).get());
    }

    [[nodiscard]] sink* take() {
      std::lock_guard lock(mutex_);
      if (idle_.empty()) return all_.emplace_back(std::make_unique<sink>(expected_)).get();
      sink* one = idle_.back();
      idle_.pop_back();
      return one;
    }
    void give_back(sink* one) {
      std::lock_guard lock(mutex_);
      idle_.push_back(one);
    }
    template <class Use>
    void each(Use use) const {
      std::lock_guard lock(mutex_);
      for (const auto& one : all_) use(*one);
    }

   private:
    expectation expected_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<sink>> all_;
    std::vector<sink*> idle_;
  };

  /// A thread's hold on a sink. Keeps the pool alive: a thread may outlive the run, and no later run's pool may
  /// be mistaken for this one by its address.
  struct hold {
    std::shared_ptr<pool> of{};
    sink* taken = nullptr;

    hold() = default;
    hold(const hold&) = delete;
    hold& operator=(const hold&) = delete;
    ~hold() { release(); }
    void release() {
      if (of) of->give_back(taken);
    }
    void move_to(const std::shared_ptr<pool>& next) {
      sink* one = next->take();
      release();
      of = next;
      taken = one;
    }
  };

  /// What hold says, without a destructor: reading it costs no check whether it was constructed.
  struct shortcut {
    const pool* of = nullptr;
    sink* taken = nullptr;
  };
  static shortcut& local() noexcept {
    thread_local shortcut mine;
    return mine;
  }

  sink& mine() {
    shortcut& here = local();
    if (here.of != sinks_.get()) [[unlikely]] {
      thread_local hold held;
      held.move_to(sinks_);
      here = {held.of.get(), held.taken};
    }
    return *here.taken;
  }

  expectation expected_;
  clock::steady clock_;
  nanoseconds origin_{};
  std::shared_ptr<pool> sinks_;
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

/// A system that weir can load. Meaning: its constructor takes an outlet first; push() takes one event, from one
/// thread; the outlet is called exactly once for each, from any thread, before the destructor returns. If push()
/// blocks, the schedule does not move: the time is counted as release lag.
template <class S>
concept system_under_test = std::destructible<S> && requires(S& s, const event& e) { s.push(e); };

/// A system that promises order: each thread that calls the outlet hands out later rows after earlier ones. It says
/// so by `static constexpr bool keeps_order = true;`.
template <class S>
concept ordered_system = system_under_test<S> && S::keeps_order;

/// Runs one job on a system of the user's: construct, push on schedule, drain, destroy. The calling thread is
/// the generator.
/// Errors: flow.core_not_usable before anything runs. A push that throws does not throw here: it is the sample's
/// failure. Rows that are not out within plan.drain_limit are waited for no longer: missing, or the sample's
/// failure if the system's destructor still hands them out.
template <system_under_test System, class... Args>
  requires std::constructible_from<System, outlet, Args...>
[[nodiscard]] outcome drive(const pipeline& plan, Args&&... args) {
  check(plan.cores);
  const clock::steady clock;
  const std::string sent = payload_text(plan.asked.payload_size);
  const std::string expected = sent;
  detail::collector collected({.rows = plan.asked.rows, .payload = expected}, clock);
  generator source(plan.make_schedule(), plan.paced(), plan.asked.rows, 1, sent, nullptr, 1);
  const unsigned threads_before = os::thread_count();
  unsigned threads = 1;
  std::optional<clock::waiting_choice> wait;

  const nanoseconds process_before = os::process_cpu_time();
  const nanoseconds generator_before = os::thread_cpu_time();
  nanoseconds generator_cpu{};
  std::uint64_t drained = 0;
  std::optional<std::string> failure = weir::detail::failure_of([&] {
    auto system = std::make_unique<System>(outlet(collected), std::forward<Args>(args)...);
    struct one_by_one {
      System& to;
      event slot{};
      std::span<event> claim(std::size_t, std::size_t) noexcept { return {&slot, 1}; }
      void publish(std::size_t, std::size_t) { to.push(slot); }
      bool wait_for_space(std::size_t) noexcept { return true; }
    } in{*system};
    threads += os::thread_count() - threads_before;
    wait = clock::choose_waiting(os::usable_cores(), threads);
    const os::core_pin pin(plan.cores.generator);
    const nanoseconds origin = clock.now();
    collected.start_at(origin);
    source.run(clock, origin, wait->policy, in, [](nanoseconds) {});
    const nanoseconds deadline = clock.now() + plan.drain_limit;
    while ((drained = collected.received()) < plan.asked.rows && clock.now() < deadline)
      clock.sleep_until(clock.now() + std::chrono::microseconds(200));
    generator_cpu = os::thread_cpu_time() - generator_before;
  });
  outcome out{.sample = open_account(plan, source), .traces = {}};
  record::sample& s = out.sample;
  if (!failure && drained < plan.asked.rows) {
    const std::string given_up = "the drain did not end: " + std::to_string(drained) + " of " +
                                 std::to_string(plan.asked.rows) + " rows came out within " +
                                 std::to_string(plan.drain_limit / std::chrono::milliseconds(1)) + " ms";
    if (collected.received() >= plan.asked.rows)
      failure = given_up;
    else
      s.notes.push_back(given_up);  // lost for good: the verdict counts them
  }
  s.failure = std::move(failure);
  // A system that hands events out within push() works on the generator's thread, and is not told apart from it.
  s.sut_cpu_includes_generator = collected.serves_this_thread();
  s.sut_cpu = os::process_cpu_time() - process_before;
  if (!s.sut_cpu_includes_generator) s.sut_cpu -= generator_cpu;
  s.clock = std::string(clock::steady::name);
  if (wait) note_waiting(s, *wait, threads);
  collected.report(s);
  if (!ordered_system<System>) s.reordered_rows.reset();
  return out;
}

}  // namespace weir::inline WEIR_ABI::flow
