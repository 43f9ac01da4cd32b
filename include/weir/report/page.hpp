#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All tables of a run, for a terminal: after it ran, and whenever its result is read again. Pure. Temperature: cold.
//
//   std::fputs(report::console_page(run, analysis::summarize(run), report::compared_sides(run)).c_str(), stdout);

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <weir/analysis/comparison.hpp>
#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/capacity.hpp>
#include <weir/report/console.hpp>
#include <weir/report/tables.hpp>

namespace weir::inline WEIR_ABI::report {

/// The comparison of a run's own sides, at the threshold that it was run with; none when it has one side.
[[nodiscard]] inline std::optional<analysis::comparison_report> compared_sides(const record::run_record& run) {
  const bool two = std::ranges::any_of(run.benchmarks, [](const auto& b) { return !b.variant.empty(); });
  if (!two) return {};
  return analysis::compare_variants(run, {.threshold = run.threshold, .level = 0.95});
}

/// The measured samples of all sound forks, under their scenario and side.
[[nodiscard]] inline std::vector<judge::judged_sample> judged_samples(const record::run_record& run) {
  std::vector<judge::judged_sample> all;
  for (const record::benchmark& b : run.benchmarks) {
    for (const record::fork& f : b.forks) {
      if (f.failure) continue;
      for (const record::invocation& i : f.invocations) {
        if (i.iteration < f.warmup) continue;
        judge::judged_sample one{i.sample, judge::assess(i.sample)};
        if (!b.variant.empty()) one.sample.scenario += " (" + b.variant + ")";
        all.push_back(std::move(one));
      }
    }
  }
  return all;
}

namespace detail {

/// rows/<row type>/<op>.
[[nodiscard]] inline std::vector<row_figure> row_figures(const analysis::run_summary& summary) {
  std::vector<row_figure> figures;
  for (const auto& b : summary.benchmarks) {
    const std::size_t type = b.name.find('/');
    const std::size_t op = b.name.find('/', type + 1);
    if (!b.name.starts_with("rows/") || op == std::string::npos || b.estimates.empty()) continue;
    figures.push_back({.op = b.name.substr(op + 1),
                       .row_type = b.name.substr(type + 1, op - type - 1),
                       .ns_per_op = b.estimates.front().median});
  }
  return figures;
}

}  // namespace detail

/// With one fork rows stand beside each other, as there is no interval to show; with more, each has its own. Then the
/// verdicts of pipelines, capacities, and the comparison.
[[nodiscard]] inline std::string console_page(const record::run_record& run, const analysis::run_summary& summary,
                                              const std::optional<analysis::comparison_report>& compared) {
  std::string text;
  const bool single =
      !compared && std::ranges::all_of(run.benchmarks, [](const auto& b) { return b.forks.size() < 2; });
  if (single) {
    const auto rows = detail::row_figures(summary);
    if (!rows.empty()) text += rows_table(rows);
    analysis::run_summary others{.benchmarks = {}, .findings = summary.findings};
    for (const auto& b : summary.benchmarks)
      if (!b.name.starts_with("rows/") && b.samples == 0) others.benchmarks.push_back(b);
    text += summary_table(others);
  } else {
    text += summary_table(summary);
  }
  if (const auto samples = judged_samples(run); !samples.empty()) text += pipelines_table(samples);
  if (!run.capacities.empty()) text += capacity_table(run.capacities);
  if (compared) text += comparison_table(*compared);
  if (run.ended_by == "interrupted")
    text += "Incomplete: ended by an interrupt; what had been measured by then is above.\n";
  return text;
}

}  // namespace weir::inline WEIR_ABI::report
