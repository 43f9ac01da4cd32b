#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A pipeline built for one run: channels, tasks, sinks and the generator. Threads or a stepper drive it.
// Temperature: cold to build, hot within.
//
//   flow::graph<clock::steady, flow::hash_work> g(pipeline, {.operations = 64}, clock::steady{}, store);
//   // generator ──> channel per lane ──> stage + sink                      (fused), or
//   // generator ──> channel per lane ──> stage ──> boundary channel ──> sink; a tandem has one before each stage

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/arrival/any_schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/time_source.hpp>
#include <weir/clock/waiting.hpp>
#include <weir/flow/account.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/generator.hpp>
#include <weir/flow/observer.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/sink.hpp>
#include <weir/flow/stage.hpp>
#include <weir/flow/task.hpp>
#include <weir/measure/trace.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::flow {

template <clock::time_source Clock, stage Stage>
class graph {
 public:
  /// Takes its sinks from `store`, which must outlive it.
  graph(const pipeline& plan, const Stage& work, Clock clock, sink_store& store)
      : plan_(plan),
        clock_(std::move(clock)),
        sent_(payload_text(plan.asked.payload_size)),
        expected_(payload_text(plan.asked.payload_size)),
        stain_(make_stain(plan)),
        source_(plan.make_schedule(), plan.paced(), plan.asked.rows, plan.asked.parallelism, sent_,
                stain_ ? &*stain_ : nullptr) {
    sinks_ = store.take(plan.asked.parallelism, {.rows = plan.asked.rows, .payload = expected_});
    for (sink* end : sinks_) add_lane(work, *end);
    if (plan_.observe_every) observer_.emplace(*plan_.observe_every, meters(), inputs_);
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  [[nodiscard]] task& operator[](std::size_t i) noexcept { return *tasks_[i]; }
  /// Events in the channel before task i, those that it works on included.
  [[nodiscard]] std::size_t depth(std::size_t i) const noexcept { return inputs_[i]->size(); }
  /// The lane that task i serves.
  [[nodiscard]] std::size_t lane_of(std::size_t i) const noexcept { return i * lanes_.size() / tasks_.size(); }
  [[nodiscard]] generator& source() noexcept { return source_; }

  /// Begins the schedule. Before the first event is published.
  void start_at(nanoseconds origin) noexcept { origin_ = origin; }

  /// Releases what is due now.  Returns: how many.
  std::uint64_t release_due() {
    const nanoseconds now = clock_.now();
    const std::uint64_t released = source_.release_due(now - origin_, inlet_);
    observe(now);
    return released;
  }

  /// The generator's body: waits until every task runs, then releases the whole schedule.
  template <class Waiting>
  void run_source(const Waiting& wait) {
    while (running_.load(std::memory_order_acquire) < tasks_.size()) os::yield();
    start_at(clock_.now());
    source_.run(clock_, origin_, wait, inlet_, [this](nanoseconds now) { observe(now); });
    end_source();
  }

  /// A task's body.
  void run_task(std::size_t i) {
    running_.fetch_add(1, std::memory_order_release);
    flow::run_task(*tasks_[i], clock_, origin_);
  }

  /// No event follows.
  void end_source() noexcept {
    for (auto& lane : lanes_) lane->close();
  }

  /// Makes every body return soon.
  void cancel() noexcept {
    for (const auto& r : lanes_) r->close();
    for (const auto& r : boundaries_) r->close();
  }

  /// Collects what was measured, once.  Requires: every body has returned.
  [[nodiscard]] outcome collect() {
    outcome out{.sample = open_account(plan_, source_), .traces = {}};
    record::sample& s = out.sample;
    s.clock = std::string(Clock::name);
    for (std::size_t lane = 1; lane < sinks_.size(); ++lane) sinks_[0]->merge(*sinks_[lane]);
    sinks_[0]->report(s);
    for (const auto& t : tasks_) add_usage(t->meter(), s.stages);
    for (const auto& stage : s.stages) s.sut_cpu += stage.cpu;
    if (observer_) s.timeline = observer_->timeline();
    if (stain_) out.traces.assign(stain_->traces().begin(), stain_->traces().end());
    for (record::feature& f : s.features) f.fired = fired(f.name);
    return out;
  }

 private:
  struct lane_inlet {
    std::vector<std::unique_ptr<ring>>* lanes;

    [[nodiscard]] std::span<event> claim(std::size_t lane, std::size_t n) const noexcept {
      return (*lanes)[lane]->claim(n);
    }
    void publish(std::size_t lane, std::size_t n) const noexcept { (*lanes)[lane]->publish(n); }
    [[nodiscard]] bool wait_for_space(std::size_t lane) const noexcept { return (*lanes)[lane]->wait_for_space(); }
  };

  static std::optional<measure::stain_sampler> make_stain(const pipeline& plan) {
    if (!plan.trace) return std::nullopt;
    const std::uint64_t most = plan.asked.rows / plan.trace->one_in + 1;
    return std::make_optional<measure::stain_sampler>(plan.trace->one_in,
                                                      static_cast<std::uint32_t>(plan.trace->per_second),
                                                      static_cast<std::size_t>(std::min<std::uint64_t>(most, 4096)));
  }

  void add_lane(const Stage& work, sink& end) {
    ring& in = *lanes_.emplace_back(std::make_unique<ring>(plan_.channel_capacity));
    if constexpr (detail::is_tandem<Stage>) {
      add_tandem(work, in, end);
    } else if (!plan_.boundary_capacity) {
      add_task(std::is_same_v<Stage, no_work> ? "sink" : "transform+sink", in, work, to_sink(clock_, end));
    } else {
      ring& boundary = add_boundary(*plan_.boundary_capacity);
      add_task("transform", in, work, to_ring(boundary));
      add_task("sink", boundary, no_work{}, to_sink(clock_, end));
    }
  }

  template <std::size_t At = 0, class... Stages>
  void add_tandem(const tandem<Stages...>& row, ring& in, sink& end) {
    const std::string name = "stage" + std::to_string(At + 1);
    if constexpr (At + 1 == sizeof...(Stages)) {
      add_task(name + "+sink", in, std::get<At>(row.stages), to_sink(clock_, end));
    } else {
      ring& next = add_boundary(plan_.boundary_capacity.value_or(plan_.channel_capacity));
      add_task(name, in, std::get<At>(row.stages), to_ring(next));
      add_tandem<At + 1>(row, next, end);
    }
  }

  ring& add_boundary(std::size_t capacity) { return *boundaries_.emplace_back(std::make_unique<ring>(capacity)); }

  template <class Work, class Output>
  void add_task(std::string name, ring& in, Work work, Output out) {
    inputs_.push_back(&in);
    tasks_.push_back(std::make_unique<stage_task<Clock, Work, Output>>(
        std::move(name), in, std::move(work), std::move(out), clock_, origin_, plan_.observe_every.has_value()));
  }

  [[nodiscard]] std::vector<const task_meter*> meters() const {
    std::vector<const task_meter*> all;
    for (const auto& t : tasks_) all.push_back(&t->meter());
    return all;
  }

  void observe(nanoseconds clock_now) noexcept {
    if (observer_) observer_->sample_if_due(clock_now, clock_now - origin_);
  }

  /// How often a feature was seen to work: rows through the second channel, samples of tasks that time their
  /// work, traces from source to sink.
  [[nodiscard]] std::uint64_t fired(std::string_view feature) const {
    if (feature == "async_boundary") {
      std::uint64_t rows = 0;
      for (const auto& t : tasks_)
        if (t->meter().stage == "transform") rows += t->meter().rows.load(std::memory_order_relaxed);
      return rows;
    }
    if (feature == "observability") return observer_ ? observer_->fired() : 0;
    if (feature == "trace" && stain_)
      return static_cast<std::uint64_t>(
          std::count_if(stain_->traces().begin(), stain_->traces().end(), [](const auto& t) { return whole(t); }));
    return 0;
  }

  /// True when the row was stamped at every one of the six stages, the sink last.
  static bool whole(const measure::trace& t) noexcept {
    unsigned seen = 0;
    for (const measure::trace_entry& e : t.entries()) seen |= 1U << static_cast<unsigned>(e.stage);
    return seen == 0b111'1110 && t.entries().back().stage == measure::trace_stage::sink_write_done;
  }

  static void add_usage(const task_meter& meter, std::vector<record::stage_usage>& stages) {
    auto found = std::find_if(stages.begin(), stages.end(), [&](const auto& s) { return s.name == meter.stage; });
    if (found == stages.end()) found = stages.insert(found, {.name = meter.stage});
    const measure::busy_split split = meter.busy.reading({});
    found->tasks += 1;
    found->rows += meter.rows.load(std::memory_order_relaxed);
    found->busy += split.busy;
    found->idle += split.idle;
    found->back_pressured += split.back_pressured;
    found->wall += meter.wall;
    found->cpu += meter.cpu;
    found->timed_work += nanoseconds(meter.timed_work_ns.load(std::memory_order_relaxed));
  }

  pipeline plan_;
  Clock clock_;
  nanoseconds origin_{};
  std::string sent_;
  std::string expected_;
  std::optional<measure::stain_sampler> stain_;
  generator source_;
  std::vector<std::unique_ptr<ring>> lanes_;
  std::vector<std::unique_ptr<ring>> boundaries_;
  lane_inlet inlet_{&lanes_};
  std::vector<sink*> sinks_;
  std::vector<std::unique_ptr<task>> tasks_;
  std::vector<const ring*> inputs_;  // of each task; every channel is the input of one
  std::optional<observer> observer_;
  std::atomic<std::size_t> running_{0};
};

}  // namespace weir::inline WEIR_ABI::flow
