#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A run as one Markdown page, for the summary of a CI job: what to think of it first, then tables, then what went
// wrong, then where it ran. Temperature: cold.
//
//   report::write_file(out / "summary.md", report::summary_page(run, analysis::summarize(run)), "--weir_out");

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <weir/analysis/comparison.hpp>
#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/record/capacity.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/capacity.hpp>
#include <weir/report/labels.hpp>
#include <weir/report/tables.hpp>

namespace weir::inline WEIR_ABI::report {

namespace detail {

/// Text of a user's or a child's for a place where Markdown and HTML are read: none of it is. Entities, because
/// they never count as structure, not even `|` in a table; control characters become spaces. `_` between letters or
/// digits is no emphasis and stays, so that names remain readable in the file.
[[nodiscard]] inline std::string escaped(const std::string& raw) {
  const std::string text = as_utf8(raw);
  const auto in_word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool meant = std::string_view("&<>|`*[]~\\#@$\"").find(c) != std::string_view::npos ||
                       (c == '_' && !(i > 0 && in_word(i - 1) && in_word(i + 1)));
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      out += ' ';
    else if (meant)
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += c;
  }
  return out;
}

/// The same for lines, within <pre>.
[[nodiscard]] inline std::string preformatted(const std::vector<std::string>& lines) {
  std::string out = "<pre>\n";
  for (const std::string& line : lines) out += escaped(line) + '\n';
  return out + "</pre>\n";
}

/// GitHub shows a megabyte of summary; result.json has all of them.
inline constexpr std::size_t failures_shown = 20;

[[nodiscard]] inline std::string failure_text(const record::fork_failure& f) {
  std::string what = f.kind;
  if (f.kind == "exit") what = fmt::format("exit code {}", f.code);
  if (f.kind == "signal") what = fmt::format("signal {}", f.code);
  return f.text.empty() ? what : what + ": " + f.text;
}

class summary_text {
 public:
  summary_text(const record::run_record& run, const analysis::run_summary& summary,
               const analysis::comparison_report* comparison)
      : run_(run), summary_(summary), comparison_(comparison) {}

  [[nodiscard]] std::string made() && {
    write("# {}: {}\n\n", escaped(run_.program), verdict());
    if (!run_.complete())
      write("**Incomplete: {}. What follows is from the forks that ended before.**\n\n",
            run_.ended_by.empty() ? "the run has not ended" : "the run was interrupted");
    write("Budget {}: {} forks of {} + {} iterations of {} s; seed {}; {}{}.\n\n", escaped(run_.budget.profile),
          run_.budget.forks, run_.budget.warmup, run_.budget.iterations, run_.budget.iteration_seconds, run_.seed,
          escaped(run_.started), run_.complete() ? "; ended by " + escaped(run_.ended_by) : "");
    if (comparison_ != nullptr) compared();
    rows();
    pipelines();
    capacities();
    findings();
    failures();
    environments();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  [[nodiscard]] std::string verdict() const {
    std::size_t failed = 0;
    std::size_t forks = 0;
    std::size_t samples = 0;
    std::size_t valid = 0;
    for (const auto& b : summary_.benchmarks) {
      failed += b.forks_failed;
      forks += b.forks_ok + b.forks_failed;
      samples += b.samples;
      valid += b.valid;
    }
    std::string text = run_.complete() ? "" : "incomplete; ";
    if (comparison_ != nullptr) text += verdict_counts(*comparison_) + "; ";
    if (failed > 0) text += fmt::format("{} of {} forks failed; ", failed, forks);
    if (valid < samples) text += fmt::format("{} of {} samples do not count; ", samples - valid, samples);
    if (summary_.benchmarks.empty() && !run_.capacities.empty())
      return text + fmt::format("capacity of {} pipelines", run_.capacities.size());
    if (summary_.benchmarks.empty()) return text + "nothing was measured";
    if (failed == 0 && valid == samples) text += fmt::format("{} benchmarks, all sound; ", summary_.benchmarks.size());
    return text.substr(0, text.size() - 2);
  }

  [[nodiscard]] static std::string interval(const analysis::estimate* e) {
    if (e == nullptr || !e->has_interval()) return "n/a";
    return shown(e->what, e->low) + " .. " + shown(e->what, e->high);
  }
  [[nodiscard]] static std::string name_of(const analysis::benchmark_summary& b) {
    return escaped(sided_name(b.name, b.variant));
  }
  [[nodiscard]] std::string interval_title() const {
    const std::string level = level_of(summary_.benchmarks);
    return level.empty() ? "interval" : level + " interval";
  }

  /// "812k / 11.2k / 3.40k of 2.00M".
  [[nodiscard]] static std::string effective_rows(const analysis::benchmark_summary& b) {
    std::string text;
    double rows = analysis::unknown;
    for (const std::string_view id : {"p50", "p99", "p999"}) {
      const analysis::estimate* e = find_estimate(b, id);
      if (e != nullptr) rows = e->rows;
      text += (text.empty() ? "" : " / ") +
              (e == nullptr || !std::isfinite(e->effective_rows) ? "n/a" : human_count(e->effective_rows));
    }
    return std::isfinite(rows) ? text + " of " + human_count(rows) : "n/a";
  }

  void rows() {
    if (std::ranges::all_of(summary_.benchmarks, [](const auto& b) { return is_pipeline(b); })) return;
    write(
        "| benchmark | time/op | {} | min | median | CV between forks | CV within | forks |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|\n",
        interval_title());
    for (const auto& b : summary_.benchmarks) {
      if (is_pipeline(b)) continue;
      const analysis::estimate* time = b.estimates.empty() ? nullptr : &b.estimates.front();
      const auto if_any = [&](auto figure) { return time == nullptr ? std::string("n/a") : figure(*time); };
      write("| {} | {} | {} | {} | {} | {} | {} | {} of {} |\n", name_of(b), mean_of(time), interval(time),
            if_any([](const auto& e) { return shown(e.what, e.min); }),
            if_any([](const auto& e) { return shown(e.what, e.median); }),
            if_any([](const auto& e) { return percent(e.cv_between); }),
            if_any([](const auto& e) { return percent(e.cv_within); }), b.forks_ok, b.forks_ok + b.forks_failed);
    }
    text_ += '\n';
  }

  void pipelines() {
    if (std::ranges::none_of(summary_.benchmarks, [](const auto& b) { return is_pipeline(b); })) return;
    write(
        "| pipeline | score | {} | throughput | P50 | P99 | {} | P99.9 | effective rows | CPU/row | valid | "
        "reasons |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
        interval_title(), interval_title());
    for (const auto& b : summary_.benchmarks) {
      if (!is_pipeline(b)) continue;
      const auto mean = [&](std::string_view id) { return mean_of(find_estimate(b, id)); };
      std::string reasons;
      for (const auto& [id, count] : b.reasons)
        reasons += fmt::format("{}{} in {}", reasons.empty() ? "" : ", ", id, count);
      write("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} of {} | {} |\n", name_of(b), mean("score"),
            interval(find_estimate(b, "score")), mean("throughput"), mean("p50"), mean("p99"),
            interval(find_estimate(b, "p99")), mean("p999"), effective_rows(b), mean("cpu_per_row"), b.valid, b.samples,
            escaped(reasons));
    }
    text_ +=
        "\nIntervals are over forks. Effective rows: a fork's P50 / P99 / P99.9 tell as much as those of so many "
        "independent rows; rows that share a queue are not.\n\n";
  }

  void capacities() {
    for (const record::capacity_result& c : run_.capacities) {
      write("## Capacity: {}\n\n**{}**{}.\n\n", escaped(c.benchmark), escaped(capacity_found(c)),
            escaped(capacity_remarks(c)));
      if (c.curve.empty()) continue;
      text_ +=
          "| load | offered | achieved | P50 | 95% interval | P99 | 95% interval | P99.9 | 95% interval | verdict |\n"
          "|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
      for (const record::load_point& p : c.curve)
        write("| {}% | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", p.percent, whole_rate(p.offered_per_s),
              human_rate(p.achieved_per_s), percentile_value(p.p50, p.rows), percentile_range(p.p50),
              percentile_value(p.p99, p.rows), percentile_range(p.p99), percentile_value(p.p999, p.rows),
              percentile_range(p.p999), escaped(verdict_with_reason(p)));
      text_ += '\n';
    }
  }

  void compared() {
    write(
        "## Comparison\n\n"
        "| benchmark | figure | base | candidate | change | interval | p | smallest change seen | verdict |\n"
        "|---|---|--:|--:|--:|--:|--:|--:|---|\n");
    for (const auto& c : comparison_->rows) {
      const std::string verdict = verdict_word(c);
      const std::string_view mark = verdict == "worse" || verdict == "better" ? "**" : "";
      write("| {} | {} | {} | {} | {} | {} .. {} | {} | {} | {}{}{}{} |\n", escaped(c.benchmark), escaped(c.what.id),
            shown(c.what, c.base), shown(c.what, c.candidate), change_percent(c.ratio), change_percent(c.low),
            change_percent(c.high), p_value(c.p_holm), percent(c.detectable), mark, verdict, mark,
            c.not_comparable.empty() ? "" : ": " + escaped(c.not_comparable));
    }
    text_ += '\n';
    for (const auto& w : comparison_->warnings) write("- {}: {}\n", escaped(w.id), escaped(w.text));
    text_ += "\n## Results\n\n";
  }

  void findings() {
    const auto all = shared_findings(summary_);
    if (all.empty()) return;
    text_ += "## Warnings\n\n";
    for (const auto& f : all) write("- {}{}: {}\n", escaped(f.first->id), escaped(found_in(f)), escaped(f.first->text));
    text_ += '\n';
  }

  void failures() {
    std::size_t failed = 0;
    for (const auto& b : run_.benchmarks) {
      for (const record::fork& f : b.forks) {
        const auto& failure = f.failure;
        if (!failure || ++failed > failures_shown) continue;
        if (failed == 1) text_ += "## Failed forks\n\n";
        write("<details><summary>{}, fork {}: {}</summary>\n\n{}\n</details>\n\n",
              escaped(sided_name(b.name, b.variant)), f.block + 1, escaped(failure_text(*failure)),
              failure->last_lines.empty() ? "It said nothing.\n" : preformatted(failure->last_lines));
      }
    }
    if (failed > failures_shown) write("{} more are in result.json.\n\n", failed - failures_shown);
  }

  void environments() {
    for (std::size_t i = 0; i < run_.environments.size(); ++i) {
      if (run_.environments.size() > 1) write("## Environment {}\n\n", i + 1);
      if (run_.environments.size() == 1) text_ += "## Environment\n\n";
      text_ += "| fact | value |\n|---|---|\n";
      for (const record::fact& f : run_.environments[i].facts) fact(f);
      text_ += '\n';
    }
    if (!run_.base_environment || run_.environments.empty()) return;
    text_ += "## What the base's binary says otherwise\n\n| fact | value |\n|---|---|\n";
    for (const record::fact& f : run_.base_environment->facts) {
      const record::fact* ours = run_.environments.front().find(f.name);
      if (ours == nullptr || *ours != f) fact(f);
    }
    text_ += '\n';
  }

  void fact(const record::fact& f) {
    write("| {} | {} |\n", escaped(f.name), escaped(f.value ? *f.value : "unknown: " + f.reason));
  }

  const record::run_record& run_;
  const analysis::run_summary& summary_;
  const analysis::comparison_report* comparison_;
  std::string text_;
};

}  // namespace detail

/// `comparison` may be null. A figure that there were too few samples for is n/a.
[[nodiscard]] inline std::string summary_page(const record::run_record& run, const analysis::run_summary& summary,
                                              const analysis::comparison_report* comparison = nullptr) {
  return detail::summary_text(run, summary, comparison).made();
}

}  // namespace weir::inline WEIR_ABI::report
