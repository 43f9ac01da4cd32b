#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Schedules of the user's, by the name that a job file gives them. Temperature: cold.
//
//   job::schedule_makers known{{"pairs", [](rate offered) { return pairs(offered); }}};
//   job::give_schedule(pipeline, known);

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <weir/arrival/any_schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/units.hpp>
#include <weir/flow/pipeline.hpp>

namespace weir::inline WEIR_ABI::job {

/// Each makes a fresh schedule for one job.
using schedule_makers = std::map<std::string, std::function<arrival::any_schedule(rate)>, std::less<>>;

/// What a job may ask for: constant, and the user's.
[[nodiscard]] inline std::vector<std::string> arrivals(const schedule_makers& known) {
  std::vector<std::string> names{"constant"};
  for (const auto& [name, make] : known) names.push_back(name);
  return names;
}

/// Gives the pipeline the schedule that its arrival names, if that is one of the user's.
inline void give_schedule(flow::pipeline& plan, const schedule_makers& known) {
  if (const auto made = known.find(plan.asked.arrival); made != known.end())
    plan.schedule = [make = made->second, offered = plan.asked.offered] { return make(offered); };
}

}  // namespace weir::inline WEIR_ABI::job
