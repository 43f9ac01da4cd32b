#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a job at low load tells about high load: a dearer stage shows here long before it shows in
// latency. Temperature: cold.
//
//   const auto rows_per_s = judge::predicted_capacity_per_s(sample);

#include <optional>

#include <weir/base/config.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::judge {

/// Share of a stage's wall time in which it worked; 0 without wall time.
[[nodiscard]] inline double busy_ratio(const record::stage_usage& stage) noexcept {
  return stage.wall.count() > 0 ? static_cast<double>(stage.busy.count()) / static_cast<double>(stage.wall.count())
                                : 0.0;
}

/// Rows a second that a stage could carry if its tasks were always busy, on a core each: tasks * rows / busy time.
/// None when it was not seen to be busy.
/// Source: the "true processing rate" of Kalavri et al., "Three steps is all you need", OSDI 2018.
[[nodiscard]] inline std::optional<double> stage_capacity_per_s(const record::stage_usage& stage) noexcept {
  if (stage.busy.count() <= 0 || stage.rows == 0) return {};
  return static_cast<double>(stage.tasks) * static_cast<double>(stage.rows) * 1e9 /
         static_cast<double>(stage.busy.count());
}

/// The stage with the least capacity; nullptr when none was seen to be busy.
[[nodiscard]] inline const record::stage_usage* limiting_stage(const record::sample& s) noexcept {
  const record::stage_usage* least = nullptr;
  for (const auto& stage : s.stages)
    if (const auto capacity = stage_capacity_per_s(stage);
        capacity && (least == nullptr || *capacity < *stage_capacity_per_s(*least)))
      least = &stage;
  return least;
}

/// Rows a second that the slowest stage could carry.
[[nodiscard]] inline std::optional<double> predicted_capacity_per_s(const record::sample& s) noexcept {
  const record::stage_usage* const stage = limiting_stage(s);
  return stage != nullptr ? stage_capacity_per_s(*stage) : std::nullopt;
}

}  // namespace weir::inline WEIR_ABI::judge
