#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The six pipelines, by name, and what each adds. Temperature: cold.
//
//   const job::scenario* s = job::find_scenario("sourceTransformSinkWithTrace");

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::job {

struct scenario {
  std::string_view name;  // of the benchmark
  std::string_view id;    // in run ids
  bool transform = false;
  bool async_boundary = false;
  bool observability = false;
  bool trace = false;

  /// The features that a run of this scenario must show to have fired.
  [[nodiscard]] std::vector<std::string> features() const {
    std::vector<std::string> names;
    if (async_boundary) names.emplace_back("async_boundary");
    if (observability) names.emplace_back("observability");
    if (trace) names.emplace_back("trace");
    return names;
  }
};

/// Observability needs the boundary, so WithAsyncBoundary is its control arm: the difference between the two
/// is the price of the metrics, not of the extra channel.
inline constexpr std::array<scenario, 6> scenarios{{
    {"sourceSink", "source-sink"},
    {"sourceTransformSink", "source-transform-sink", true},
    {"sourceTransformSinkWithAsyncBoundary", "source-transform-sink-async-boundary", true, true},
    {"sourceTransformSinkWithObservability", "source-transform-sink-observability", true, true, true},
    {"sourceTransformSinkWithTrace", "source-transform-sink-trace", true, false, false, true},
    {"sourceTransformSinkWithObservabilityAndTrace", "source-transform-sink-observability-trace", true, true, true,
     true},
}};

/// nullptr when there is none of that name.
[[nodiscard]] inline const scenario* find_scenario(std::string_view name) noexcept {
  const auto found =
      std::find_if(scenarios.begin(), scenarios.end(), [&](const scenario& s) { return s.name == name; });
  return found == scenarios.end() ? nullptr : &*found;
}

}  // namespace weir::inline WEIR_ABI::job
