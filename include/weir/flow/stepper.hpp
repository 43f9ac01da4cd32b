#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Runs a pipeline on one thread and virtual time: the same generator, tasks, channels and sinks, and the
// same answer every time. Every task is a server of its own, busy for as long as its stage says. Temperature: cool.
//
//   flow::outcome out = flow::step(pipeline, fixed_service{100us});            // D/D/1: every latency is 100 us
//   flow::outcome out = flow::step(pipeline, flow::tandem{first, then, last});  // three servers in a row

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/clock/manual.hpp>
#include <weir/flow/graph.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/stage.hpp>
#include <weir/measure/busy.hpp>

namespace weir::inline WEIR_ABI::flow {

namespace detail {

/// A task on virtual time: takes one event, is busy until its service ends, hands it on when there is room.
class server {
 public:
  explicit server(task& t, nanoseconds now) : task_(&t), began_(now) { task_->meter().busy.start(now); }

  /// When something happens next by itself; max() when it depends on others.
  [[nodiscard]] nanoseconds next() const noexcept { return serving_ && !held_ ? until_ : nanoseconds::max(); }
  [[nodiscard]] bool ended() const noexcept { return ended_; }

  /// Does what can be done at `now`.  Returns: whether anything was.
  bool advance(nanoseconds now, nanoseconds origin) {
    using measure::activity;
    if (ended_) return false;
    if (serving_) {
      if (now < until_) return false;
      const bool was_held = held_;
      held_ = !task_->deliver(now - origin);
      if (held_) {
        if (!was_held) enter(activity::back_pressured, now);
        return !was_held;
      }
      serving_ = false;
      enter(activity::idle, now);
      return true;
    }
    if (task_->has_input()) {
      enter(activity::busy, now);
      until_ = now + task_->work(1);
      serving_ = true;
      return true;
    }
    if (!task_->input_ended()) return false;
    task_->end_output();
    enter(activity::stopped, now);
    task_->meter().wall = now - began_;
    ended_ = true;
    return true;
  }

 private:
  void enter(measure::activity what, nanoseconds now) noexcept { task_->meter().busy.enter(what, now); }

  task* task_;
  nanoseconds began_;
  nanoseconds until_{};
  bool serving_ = false;
  bool held_ = false;  // served, but downstream is full
  bool ended_ = false;
};

}  // namespace detail

/// Runs one job on virtual time that starts at 0. Before time moves on it calls watch(from, until, graph): what the
/// graph shows, the depth of its channels above all, holds from then until then.
/// Cost: about 0.1 us a row and stage.
template <stage Stage, class Watch>
[[nodiscard]] outcome step(const pipeline& plan, const Stage& work, Watch watch) {
  const clock::manual clock;
  sink_store store;
  graph<clock::manual, Stage> g(plan, work, clock, store);
  const nanoseconds origin = clock.now();
  g.start_at(origin);
  std::vector<detail::server> servers;
  for (std::size_t i = 0; i < g.size(); ++i) servers.emplace_back(g[i], origin);

  bool source_ended = false;
  while (true) {
    bool moved = false;
    if (!source_ended) {
      moved = g.release_due() > 0;
      if (g.source().done()) {
        g.end_source();
        source_ended = true;
      }
    }
    for (auto& s : servers) moved |= s.advance(clock.now(), origin);
    if (moved) continue;

    nanoseconds next = source_ended || g.source().held() ? nanoseconds::max() : origin + g.source().next_due();
    for (const auto& s : servers) next = std::min(next, s.next());
    if (next == nanoseconds::max()) break;
    watch(clock.now(), next, g);
    clock.advance_to(next);
  }
  outcome out = g.collect();
  out.sample.job_time = clock.now() - origin;
  out.sample.waiting = "virtual time";
  return out;
}

template <stage Stage>
[[nodiscard]] outcome step(const pipeline& plan, const Stage& work) {
  return step(plan, work, [](nanoseconds, nanoseconds, const auto&) {});
}

}  // namespace weir::inline WEIR_ABI::flow
