#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What every kind of run writes into its sample: what was asked, and how the generator kept to it.
// Temperature: cold.
//
//   record::sample s = flow::open_account(pipeline, generator);

#include <string>

#include <weir/base/config.hpp>
#include <weir/base/os.hpp>
#include <weir/clock/waiting.hpp>
#include <weir/flow/generator.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::flow {

[[nodiscard]] inline record::sample open_account(const pipeline& plan, const generator& source) {
  record::sample s;
  s.run_id = plan.run_id;
  s.scenario = plan.scenario;
  s.asked = plan.asked;
  s.expected = plan.expected.rows;
  s.expected_checksum = plan.expected.checksum;
  s.expected_checksum_by_row = plan.expected.checksum_by_row;
  for (const std::string& name : plan.features) s.features.push_back({name, 0});
  s.schedule_time = source.schedule_time();
  s.release_lag = source.lag().snapshot();
  s.source_blocked = source.blocked();
  s.placement = describe(plan.cores);
  return s;
}

/// How the generator waited and why, and a note where the host has too few cores to do better.
inline void note_waiting(record::sample& s, const clock::waiting_choice& wait, unsigned threads) {
  s.waiting = std::string(wait.policy.name()) + ": " + wait.reason;
  if (os::usable_cores() <= threads)
    s.notes.push_back("too few cores to spin: " + wait.reason + "; the generator yields instead");
}

}  // namespace weir::inline WEIR_ABI::flow
