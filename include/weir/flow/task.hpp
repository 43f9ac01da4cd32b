#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One thread's share of a job: take events from a channel, work on them, hand them on. Written as small
// steps, so that a thread and the stepper run the same code. Temperature: hot, one virtual call a batch.
//
//   while (t.has_input() || t.wait_for_input()) { t.work(64); t.deliver(now); }

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/channel/spsc_ring.hpp>
#include <weir/clock/time_source.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/observer.hpp>
#include <weir/flow/sink.hpp>
#include <weir/flow/stage.hpp>
#include <weir/measure/busy.hpp>

namespace weir::inline WEIR_ABI::flow {

using ring = channel::spsc_ring<event>;

/// Events that share one receipt time. 64 rows of 110 ns each: the stamp is late by at most 7 us, and only
/// when rows queue; at 600,000 rows/s a batch holds one to four.
inline constexpr std::size_t receipt_batch = 64;

/// The steps of a task. Meaning: work() takes what has_input() promised, deliver() hands on all that work()
/// took, now or over several calls.
class task {
 public:
  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  virtual ~task() = default;

  [[nodiscard]] virtual task_meter& meter() noexcept = 0;
  [[nodiscard]] virtual bool has_input() noexcept = 0;
  /// False when there will be no more.
  [[nodiscard]] virtual bool wait_for_input() noexcept = 0;
  [[nodiscard]] virtual bool input_ended() noexcept = 0;
  /// Takes and works on at most `limit` events.  Returns: the virtual time it takes; 0 for a stage that does not say.
  virtual nanoseconds work(std::size_t limit) = 0;
  /// Hands on; false while there is no room for the rest.
  [[nodiscard]] virtual bool deliver(nanoseconds now) noexcept = 0;
  /// False when what is downstream takes no more.
  [[nodiscard]] virtual bool wait_for_room() noexcept = 0;
  /// No event follows.
  virtual void end_output() noexcept = 0;
};

/// Runs a task to its end on the calling thread.
template <clock::time_source Clock>
void run_task(task& t, const Clock& clock, const nanoseconds& origin) {
  using measure::activity;
  task_meter& meter = t.meter();
  const nanoseconds cpu_before = os::thread_cpu_time();
  const nanoseconds began = clock.now();
  meter.busy.start(began);
  while (true) {
    if (!t.has_input()) {
      meter.busy.enter(activity::idle, clock.now());
      if (!t.wait_for_input()) break;
    }
    meter.busy.enter(activity::busy, clock.now());
    t.work(receipt_batch);
    bool delivered = t.deliver(clock.now() - origin);
    while (!delivered) {
      meter.busy.enter(activity::back_pressured, clock.now());
      const bool room = t.wait_for_room();
      meter.busy.enter(activity::busy, clock.now());
      if (!room) break;
      delivered = t.deliver(clock.now() - origin);
    }
    if (!delivered) break;
  }
  t.end_output();
  const nanoseconds ended = clock.now();
  meter.busy.stop(ended);
  meter.wall = ended - began;
  meter.cpu = os::thread_cpu_time() - cpu_before;
}

/// Hands events to a sink on the same thread.
template <clock::time_source Clock>
class to_sink {
 public:
  to_sink(Clock clock, sink& end) : clock_(std::move(clock)), sink_(&end) {}

  std::size_t deliver(std::span<event> batch, nanoseconds now, task_meter* observed) noexcept {
    if (observed == nullptr) {
      sink_->receive(batch, now);
      return batch.size();
    }
    for (const event& e : batch) {
      const nanoseconds before = clock_.now();
      sink_->receive({&e, 1}, now);
      observed->time(clock_.now() - before);
    }
    return batch.size();
  }
  [[nodiscard]] bool wait() noexcept { return true; }
  void end() noexcept {}

 private:
  Clock clock_;
  sink* sink_;
};

/// Hands events to the next task through a channel of its own.
class to_ring {
 public:
  explicit to_ring(ring& next) noexcept : next_(&next) {}

  std::size_t deliver(std::span<event> batch, nanoseconds, task_meter*) noexcept { return next_->try_push(batch); }
  [[nodiscard]] bool wait() noexcept { return next_->wait_for_space(); }
  void end() noexcept { next_->close(); }

 private:
  ring* next_;
};

/// A stage between a channel and an output.
template <clock::time_source Clock, stage Stage, class Output>
class stage_task final : public task {
 public:
  /// `observed`: time every row, as the observability feature asks. `origin`: the start of the schedule, set
  /// before the first event is published.
  stage_task(std::string name, ring& input, Stage body, Output output, Clock clock, const nanoseconds& origin,
             bool observed)
      : meter_(std::move(name)),
        input_(&input),
        stage_(std::move(body)),
        output_(std::move(output)),
        clock_(std::move(clock)),
        origin_(&origin),
        observed_(observed ? &meter_ : nullptr) {}

  [[nodiscard]] task_meter& meter() noexcept override { return meter_; }
  [[nodiscard]] bool has_input() noexcept override { return !input_->peek(1).empty(); }
  [[nodiscard]] bool wait_for_input() noexcept override { return input_->wait_for_data(); }
  [[nodiscard]] bool input_ended() noexcept override { return input_->closed() && !has_input(); }

  nanoseconds work(std::size_t limit) override {
    batch_ = input_->peek(limit);
    nanoseconds service{};
    for (event& e : batch_) {
      if (e.trace == nullptr) [[likely]]
        process(e);
      else
        process_traced(e);
      if constexpr (timed_stage<Stage>) service += stage_.service_time(e);
    }
    meter_.count(batch_.size());
    return service;
  }

  [[nodiscard]] bool deliver(nanoseconds now) noexcept override {
    const std::size_t n = output_.deliver(batch_, now, observed_);
    input_->release(n);
    batch_ = batch_.subspan(n);
    return batch_.empty();
  }

  [[nodiscard]] bool wait_for_room() noexcept override { return output_.wait(); }
  void end_output() noexcept override { output_.end(); }

 private:
  void process(event& e) {
    if (observed_ == nullptr) {
      stage_(e);
      return;
    }
    const nanoseconds before = clock_.now();
    stage_(e);
    meter_.time(clock_.now() - before);
  }

  void process_traced(event& e) {
    using measure::trace_stage;
    constexpr bool transforms = !std::is_same_v<Stage, no_work>;
    stamp(e, trace_stage::queue_out);
    if (transforms) stamp(e, trace_stage::transform_in);
    process(e);
    if (transforms) stamp(e, trace_stage::transform_out);
    if (std::is_same_v<Output, to_ring>) stamp(e, trace_stage::queue_in);
  }

  void stamp(event& e, measure::trace_stage at) noexcept {
    e.trace->append(at, e.trace->task(), clock_.now() - *origin_);
  }

  task_meter meter_;
  ring* input_;
  Stage stage_;
  Output output_;
  Clock clock_;
  const nanoseconds* origin_;
  task_meter* observed_;
  std::span<event> batch_;
};

}  // namespace weir::inline WEIR_ABI::flow
