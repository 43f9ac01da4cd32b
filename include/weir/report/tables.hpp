#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Summaries and comparisons as text for a terminal, 100 columns wide. Pure. Temperature: cold.
//
//   std::fputs(report::summary_table(analysis::summarize(run)).c_str(), stdout);

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <weir/analysis/comparison.hpp>
#include <weir/analysis/plan.hpp>
#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/report/console.hpp>
#include <weir/report/labels.hpp>

namespace weir::inline WEIR_ABI::report {

[[nodiscard]] inline bool is_pipeline(const analysis::benchmark_summary& b) noexcept { return b.samples > 0; }

namespace detail {

/// As human_time(), with digits below a nanosecond: 3.21ns.
[[nodiscard]] inline std::string fine_time(double ns) {
  return std::fabs(ns) < 999.5 ? three_digits(ns) + "ns" : human_time(ns);
}

[[nodiscard]] inline std::string shown(const analysis::metric& what, double value) {
  if (!std::isfinite(value)) return "n/a";
  if (value < 0) return '-' + shown(what, -value);
  if (what.unit.starts_with("ns")) return fine_time(value);
  if (what.unit.ends_with("/s")) return human_rate(value);
  return fmt::format("{:.4g}", value);
}

[[nodiscard]] inline const analysis::estimate* find_estimate(const analysis::benchmark_summary& b,
                                                             std::string_view id) {
  const auto at = std::ranges::find_if(b.estimates, [&](const analysis::estimate& e) { return e.what.id == id; });
  return at == b.estimates.end() ? nullptr : &*at;
}

/// n/a when there is no such figure, as a percentile of too few rows.
[[nodiscard]] inline std::string mean_of(const analysis::estimate* e) {
  return e == nullptr ? "n/a" : shown(e->what, e->mean);
}

[[nodiscard]] inline std::string percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.1f}%", fraction * 100) : "n/a";
}
[[nodiscard]] inline std::string change_percent(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:+.2f}%", (ratio - 1) * 100) : "n/a";
}
[[nodiscard]] inline std::string p_value(double p) {
  return !std::isfinite(p) ? "n/a" : p < 0.0005 ? "<0.001" : fmt::format("{:.3f}", p);
}

/// Half of the interval by the mean: 0.8%.
[[nodiscard]] inline std::string half_width(const analysis::estimate* e) {
  return e == nullptr || !e->has_interval() ? "n/a" : percent(e->relative_half_width());
}

/// Of the intervals of a summary, which all have the same: "95%".
[[nodiscard]] inline std::string level_of(std::span<const analysis::benchmark_summary> all) {
  for (const auto& b : all)
    for (const auto& e : b.estimates)
      if (e.has_interval()) return fmt::format("{:.3g}%", e.level * 100);
  return "";
}

/// On a line of its own when it is longer than its column.
[[nodiscard]] inline std::string in_column(std::string name, std::size_t width) {
  if (name.size() > width) name += fmt::format("\n{:{}}", "", width);
  return name;
}

/// One kind of finding and every benchmark that it was made of.
struct shared_finding {
  const analysis::finding* first = nullptr;
  std::vector<std::string> benchmarks;  // empty: of the whole run
};

[[nodiscard]] inline std::vector<shared_finding> shared_findings(const analysis::run_summary& s) {
  std::vector<shared_finding> all;
  for (const auto& f : s.findings) all.push_back({&f, {}});
  const std::size_t of_run = all.size();
  for (const auto& b : s.benchmarks) {
    for (const auto& f : b.findings) {
      const auto at = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(of_run), all.end(),
                                   [&](const shared_finding& other) { return other.first->id == f.id; });
      (at == all.end() ? all.emplace_back(shared_finding{&f, {}}) : *at)
          .benchmarks.push_back(sided_name(b.name, b.variant));
    }
  }
  return all;
}

[[nodiscard]] inline std::string found_in(const shared_finding& f) {
  if (f.benchmarks.empty()) return "";
  if (f.benchmarks.size() == 1) return " (" + f.benchmarks.front() + ')';
  return fmt::format(" ({} and {} more)", f.benchmarks.front(), f.benchmarks.size() - 1);
}

[[nodiscard]] inline std::string verdict_word(const analysis::comparison& c) {
  if (!c.not_comparable.empty()) return "not comparable";
  if (c.verdict == analysis::change::same) return "same";
  if (c.verdict == analysis::change::inconclusive) return "inconclusive";
  return c.better ? "better" : "worse";
}

/// "1 worse, 0 better, 5 same, 2 inconclusive".
[[nodiscard]] inline std::string verdict_counts(const analysis::comparison_report& report) {
  std::string text;
  for (const std::string_view verdict : {"worse", "better", "same", "inconclusive", "not comparable"}) {
    const auto count = std::ranges::count_if(report.rows, [&](const auto& c) { return verdict_word(c) == verdict; });
    if (count > 0 || verdict != "not comparable")
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  }
  return text;
}

}  // namespace detail

/// One line a benchmark, rows first: mean of fork means, half of its interval, CV between forks. Then every kind of
/// finding once, with the first benchmark that it was made of.
[[nodiscard]] inline std::string summary_table(const analysis::run_summary& s) {
  using namespace detail;
  std::string rows;
  std::string pipelines;
  for (const auto& b : s.benchmarks) {
    const std::string name = sided_name(b.name, b.variant);
    const analysis::estimate* primary = b.estimates.empty() ? nullptr : &b.estimates.front();
    if (is_pipeline(b)) {
      const auto mean = [&](std::string_view id) { return mean_of(find_estimate(b, id)); };
      pipelines += fmt::format("{:<30} {:>8} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}\n", in_column(name, 30),
                               mean("score"), half_width(primary), mean("throughput"), mean("p50"), mean("p99"),
                               mean("p999"), mean("cpu_per_row"), fmt::format("{}/{}", b.valid, b.samples));
    } else {
      rows += fmt::format("{:<44} {:>9} {:>7} {:>9} {:>9} {:>7} {:>7}\n", in_column(name, 44), mean_of(primary),
                          half_width(primary), primary == nullptr ? "n/a" : shown(primary->what, primary->min),
                          primary == nullptr ? "n/a" : shown(primary->what, primary->median),
                          primary == nullptr ? "n/a" : percent(primary->cv_between),
                          fmt::format("{}/{}", b.forks_ok, b.forks_ok + b.forks_failed));
    }
  }
  const std::string half = "+-" + level_of(s.benchmarks);
  std::string out;
  if (!rows.empty())
    out += fmt::format("{:<44} {:>9} {:>7} {:>9} {:>9} {:>7} {:>7}\n{}\n", "benchmark", "time/op", half, "min",
                       "median", "CV", "forks", rows);
  if (!pipelines.empty())
    out += fmt::format("{:<30} {:>8} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}\n{}\n", "pipeline", "score", half,
                       "through", "P50", "P99", "P99.9", "cpu/row", "valid", pipelines);
  for (const auto& f : shared_findings(s)) out += wrapped(f.first->id + found_in(f) + ": " + f.first->text, 4);
  return out;
}

/// Benchmark by benchmark, a line for each figure: both means, the change with its interval, p after Holm, the
/// smallest change that could have been seen, the verdict. Then warnings and the verdicts' count.
[[nodiscard]] inline std::string comparison_table(const analysis::comparison_report& report) {
  using namespace detail;
  constexpr std::string_view format = "{:<16} {:>9} {:>9} {:>9}  {:>20} {:>6} {:>8}  {}\n";
  std::string out = fmt::format(format, "", "base", "candidate", "change", "interval", "p", "sees", "verdict");
  const std::string* benchmark = nullptr;
  for (const auto& c : report.rows) {
    if (benchmark == nullptr || *benchmark != c.benchmark) out += c.benchmark + '\n';
    benchmark = &c.benchmark;
    out += fmt::format(format, in_column("  " + c.what.id, 16), shown(c.what, c.base), shown(c.what, c.candidate),
                       change_percent(c.ratio), change_percent(c.low) + " .. " + change_percent(c.high),
                       p_value(c.p_holm), percent(c.detectable), verdict_word(c));
    if (!c.not_comparable.empty()) out += wrapped("    " + c.not_comparable, 4);
  }
  out += '\n';
  for (const auto& w : report.warnings) out += wrapped(w.id + ": " + w.text, 4);
  return out + verdict_counts(report) + '\n';
}

/// One line a plan: "12 forks x 3 iterations", the half width and the time that it predicts; or why there is none.
[[nodiscard]] inline std::string plan_table(std::span<const analysis::repetition_plan> plans) {
  using namespace detail;
  constexpr std::string_view format = "{:<40} {:<42} {:>7} {:>8}\n";
  std::string out = fmt::format(format, "benchmark", "repetitions", "+-", "time");
  for (const auto& p : plans) {
    const std::string name = in_column(sided_name(p.benchmark, p.variant), 40);
    if (!p.why_not.empty()) {
      out += name + '\n' + wrapped("    no plan: " + p.why_not, 4);
      continue;
    }
    std::string repetitions;
    for (const auto& l : p.layers)
      repetitions += fmt::format("{}{:.0f} {}{}", repetitions.empty() ? "" : " x ", l.repetitions, l.name,
                                 l.repetitions == 1 ? "" : "s");
    out += fmt::format(format, name, repetitions, percent(p.relative_half_width), human_time(p.seconds * 1e9));
  }
  return out;
}

}  // namespace weir::inline WEIR_ABI::report
