#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Runs a pipeline on an engine's threads. Temperature: cold around, hot inside.
//
//   flow::outcome out = flow::run(engine, pipeline, flow::hash_work{64}, clock::steady{});

#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/time_source.hpp>
#include <weir/clock/waiting.hpp>
#include <weir/flow/account.hpp>
#include <weir/flow/engine.hpp>
#include <weir/flow/graph.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/flow/stage.hpp>

namespace weir::inline WEIR_ABI::flow {

/// Runs one job from submit to join.
/// Errors: flow.not_enough_slots, flow.core_not_usable before anything runs. A stage that throws does not
/// throw here: it is the sample's failure.
template <stage Stage, clock::time_source Clock>
[[nodiscard]] outcome run(engine& on, const pipeline& plan, const Stage& work, Clock clock, sink_store& store) {
  check(plan.cores);
  graph<Clock, Stage> g(plan, work, clock, store);
  const auto threads = static_cast<unsigned>(g.size() + 1);
  const clock::waiting_choice wait = clock::choose_waiting(os::usable_cores(), threads);

  job_request request{.driver = {[&] { g.run_source(wait.policy); }, plan.cores.generator},
                      .cancel = [&] { g.cancel(); }};
  for (std::size_t i = 0; i < g.size(); ++i) {
    assignment& part = request.tasks.emplace_back([&g, i] { g.run_task(i); });
    if (!plan.cores.lanes.empty()) part.core = plan.cores.lanes[g.lane_of(i) % plan.cores.lanes.size()];
  }
  std::optional<std::string> failure = on.submit(std::move(request)).wait();

  outcome out = g.collect();
  out.sample.failure = std::move(failure);
  note_waiting(out.sample, wait, threads);
  return out;
}

/// As above, with sinks of its own.
template <stage Stage, clock::time_source Clock>
[[nodiscard]] outcome run(engine& on, const pipeline& plan, const Stage& work, Clock clock) {
  sink_store store;
  return run(on, plan, work, std::move(clock), store);
}

}  // namespace weir::inline WEIR_ABI::flow
