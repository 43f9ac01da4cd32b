#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Observability: what each task is doing, sampled while the job runs. Temperature: hot (counters), cool (samples).
//
//   flow::observer eye(10ms, meters, rings);
//   eye.sample_if_due(clock.now(), clock.now() - origin);

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/channel/spsc_ring.hpp>
#include <weir/flow/event.hpp>
#include <weir/measure/busy.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::flow {

/// One task's account of itself.
/// Threads: one writer, the task; the observer reads.
struct task_meter {
  std::string stage;
  measure::busy_meter busy;
  std::atomic<std::uint64_t> rows{0};
  std::atomic<std::int64_t> timed_work_ns{0};  // work timed row by row, when observed
  std::atomic<std::uint64_t> timed_rows{0};
  nanoseconds wall{};  // of the task's thread, from its first step to its last
  nanoseconds cpu{};

  explicit task_meter(std::string stage_name) : stage(std::move(stage_name)) {}

  void count(std::uint64_t more) noexcept {
    rows.store(rows.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  void time(nanoseconds work) noexcept {
    timed_work_ns.store(timed_work_ns.load(std::memory_order_relaxed) + work.count(), std::memory_order_relaxed);
    timed_rows.store(timed_rows.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// Samples the busy ratio of every stage and the fill of the fullest channel, once a period.
/// Threads: one caller.  Cost: about 1 us a sample, nothing in between.
class observer {
 public:
  observer(nanoseconds period, std::vector<const task_meter*> meters,
           std::vector<const channel::spsc_ring<event>*> rings)
      : period_(period), meters_(std::move(meters)), rings_(std::move(rings)) {
    for (const task_meter* meter : meters_)
      if (std::find(stages_.begin(), stages_.end(), meter->stage) == stages_.end()) stages_.push_back(meter->stage);
    last_busy_.resize(stages_.size());
    timeline_.resize(capacity);
    for (auto& point : timeline_) point.busy_ratio.resize(stages_.size());
  }

  /// `clock_now` is the clock the meters were started on; `now` the time since the start of the schedule.
  void sample_if_due(nanoseconds clock_now, nanoseconds now) noexcept {
    if (now < next_) return;
    const nanoseconds elapsed = now - last_at_;
    next_ = now + period_;
    last_at_ = now;
    record::usage_point& point = timeline_[std::min(taken_, capacity - 1)];
    ++taken_;
    point.at = now;
    for (std::size_t i = 0; i < stages_.size(); ++i) point.busy_ratio[i] = busy_share(i, clock_now, elapsed);
    point.queue_fill = 0;
    for (const auto* ring : rings_)
      point.queue_fill =
          std::max(point.queue_fill, static_cast<double>(ring->size()) / static_cast<double>(ring->capacity()));
    std::uint64_t timed = 0;
    for (const task_meter* meter : meters_) timed += meter->timed_rows.load(std::memory_order_relaxed) > 0;
    alive_ += timed == meters_.size();
  }

  /// Samples that found every task timing its work: proof that the feature fired.
  /// 0 with a single one: a ratio needs two.
  [[nodiscard]] std::uint64_t fired() const noexcept { return alive_ >= 2 ? alive_ : 0; }

  [[nodiscard]] std::vector<record::usage_point> timeline() const {
    return {timeline_.begin(), timeline_.begin() + static_cast<std::ptrdiff_t>(std::min(taken_, capacity))};
  }

 private:
  // 10 s at the default period of 10 ms; from then on the last entry is overwritten.
  static constexpr std::size_t capacity = 1024;

  double busy_share(std::size_t stage, nanoseconds clock_now, nanoseconds elapsed) noexcept {
    nanoseconds busy{};
    std::int64_t tasks = 0;
    for (const task_meter* meter : meters_) {
      if (meter->stage != stages_[stage]) continue;
      busy += meter->busy.reading(clock_now).busy;
      ++tasks;
    }
    const nanoseconds since_last = busy - last_busy_[stage];
    last_busy_[stage] = busy;
    const auto available = static_cast<double>(elapsed.count() * tasks);
    return available > 0 ? std::clamp(static_cast<double>(since_last.count()) / available, 0.0, 1.0) : 0.0;
  }

  nanoseconds period_;
  std::vector<const task_meter*> meters_;
  std::vector<const channel::spsc_ring<event>*> rings_;
  std::vector<std::string> stages_;
  std::vector<nanoseconds> last_busy_;
  std::vector<record::usage_point> timeline_;
  std::size_t taken_ = 0;
  std::uint64_t alive_ = 0;
  nanoseconds next_{};
  nanoseconds last_at_{};
};

}  // namespace weir::inline WEIR_ABI::flow
