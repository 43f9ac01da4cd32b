#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The rate that lasts, and latency against load, as text. Pure. Temperature: cold.
//
//   std::fputs(report::capacity_table(run.capacities).c_str(), stdout);

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include <weir/base/config.hpp>
#include <weir/record/capacity.hpp>
#include <weir/report/console.hpp>

namespace weir::inline WEIR_ABI::report {

namespace detail {

[[nodiscard]] inline std::string whole_rate(std::uint64_t per_s) { return human_rate(static_cast<double>(per_s)); }

/// "sustains 594k/s, fails at 600k/s", or what is known of it and why no more is.
[[nodiscard]] inline std::string capacity_found(const record::capacity_result& c) {
  const std::string sustained = whole_rate(c.sustained_per_s);
  const std::string fails = c.failed_per_s ? ", fails at " + whole_rate(*c.failed_per_s) : "";
  if (c.ended_by == "found") return "sustains " + sustained + fails;
  if (c.ended_by == "highest_passes") return "sustains the highest rate tried, " + sustained;
  if (c.ended_by == "generator_limited" && c.sustained_per_s == 0)
    return "unknown: the generator was late at every rate tried: give it a core of its own";
  if (c.ended_by == "generator_limited") return "generator limited, at least " + sustained + fails;
  if (c.ended_by == "lowest_fails") return "the lowest rate tried fails already" + fails;
  const auto late = std::ranges::count(c.trials, "generator_limited", &record::capacity_trial::outcome);
  return "stopped before the end: " + (c.sustained_per_s > 0 ? "at least " + sustained : "no rate passed yet") + fails +
         (late > 0 ? fmt::format("; the generator was late in {} of {} jobs: give it a core of its own", late,
                                 c.trials.size())
                   : "");
}

/// "; limited by transform+sink; its stages predicted 610k/s; 13 jobs in 41 s".
[[nodiscard]] inline std::string capacity_remarks(const record::capacity_result& c) {
  std::string text;
  if (!c.limiting_stage.empty()) text += "; limited by " + c.limiting_stage;
  if (c.predicted_per_s > 0) text += "; its stages predicted " + human_rate(c.predicted_per_s);
  return text + fmt::format("; {} jobs in {:.0f} s", c.trials.size() + c.curve.size(),
                            static_cast<double>(c.took.count()) / 1e9);
}

[[nodiscard]] inline std::string whole_time(std::chrono::nanoseconds t) {
  return human_time(static_cast<double>(t.count()));
}

/// "1.23ms", or "n/a (8000)" with the rows that were too few for it.
[[nodiscard]] inline std::string percentile_value(const std::optional<record::percentile_figure>& p,
                                                  std::uint64_t rows) {
  return p ? whole_time(p->value) : fmt::format("n/a ({})", rows);
}

/// "1.10ms .. 1.52ms"; open above when the tail is too thin to bound.
[[nodiscard]] inline std::string percentile_range(const std::optional<record::percentile_figure>& p) {
  if (!p) return "n/a";
  return whole_time(p->low) + " .. " + (p->open ? ">=" : "") + whole_time(p->high);
}

/// "valid", or "invalid: release_lag".
[[nodiscard]] inline std::string verdict_with_reason(const record::load_point& p) {
  return p.reasons.empty() ? p.verdict : p.verdict + ": " + p.reasons.front();
}

}  // namespace detail

/// Of each pipeline the capacity, what limits it, and the curve.
[[nodiscard]] inline std::string capacity_table(std::span<const record::capacity_result> all) {
  std::string out;
  for (const record::capacity_result& c : all) {
    out += c.benchmark + ": " + detail::capacity_found(c) + detail::capacity_remarks(c) + '\n';
    if (c.curve.empty()) continue;
    out += fmt::format("  {:>5} {:>7} {:>8} {:>10} {:>10} {:>21} {:>12}  {}\n", "load", "offered", "achieved", "P50",
                       "P99", "95 % interval", "P99.9", "verdict");
    for (const record::load_point& p : c.curve)
      out += fmt::format("  {:>4}% {:>7} {:>8} {:>10} {:>10} {:>21} {:>12}  {}\n", p.percent,
                         detail::whole_rate(p.offered_per_s), human_rate(p.achieved_per_s),
                         detail::percentile_value(p.p50, p.rows), detail::percentile_value(p.p99, p.rows),
                         detail::percentile_range(p.p99), detail::percentile_value(p.p999, p.rows),
                         detail::verdict_with_reason(p));
    out += '\n';
  }
  return out;
}

}  // namespace weir::inline WEIR_ABI::report
