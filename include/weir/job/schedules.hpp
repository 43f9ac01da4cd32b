#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Schedules by the name that a job file gives them: weir's laws, and the user's. Temperature: cold.
//
//   job::schedule_makers known{{"pairs", [](rate offered) { return pairs(offered); }}};
//   job::give_schedule(pipeline, known, spec.seed);

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/units.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/job/arrivals.hpp>
#include <weir/job/problem.hpp>

namespace weir::inline WEIR_ABI::job {

/// The user's. Each makes a fresh schedule for one job.
using schedule_makers = std::map<std::string, schedule_maker, std::less<>>;

/// What a job may ask for: weir's laws, and the user's.
[[nodiscard]] inline std::vector<std::string> arrivals(const schedule_makers& known) {
  std::vector<std::string> names(arrival_laws.begin(), arrival_laws.end());
  for (const auto& [name, make] : known) names.push_back(name);
  return names;
}

/// Gives the pipeline the schedule that its arrival names; `seed` as in read_arrival().  Requires: the job was checked.
inline void give_schedule(flow::pipeline& plan, const schedule_makers& known, std::int64_t seed) {
  problems none;
  const auto of_the_user = known.find(plan.asked.arrival);
  schedule_maker make = of_the_user != known.end()
                            ? of_the_user->second
                            : read_arrival(plan.asked.arrival, static_cast<std::int64_t>(plan.asked.rows), none, seed);
  if (make) plan.schedule = [make = std::move(make), offered = plan.asked.offered] { return make(offered); };
}

}  // namespace weir::inline WEIR_ABI::job
