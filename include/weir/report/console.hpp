#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Results as text for a terminal, 100 columns wide. Pure: samples in, a string out. Temperature: cold.
//
//   std::fputs(report::pipelines_table(judged).c_str(), stdout);

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <weir/base/config.hpp>
#include <weir/judge/growth.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/sample.hpp>
#include <weir/stats/quantile.hpp>

namespace weir::inline WEIR_ABI::report {

namespace detail {

inline constexpr std::size_t console_width = 100;

/// Three significant digits: 1.23, 12.3, 123.
[[nodiscard]] inline std::string three_digits(double value) {
  const double size = std::fabs(value);
  return fmt::format("{:.{}f}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace detail

/// 420ns, 26.1us, 1.23ms, 12.3s.
[[nodiscard]] inline std::string human_time(double ns) {
  const double size = std::fabs(ns);
  if (size < 999.5) return fmt::format("{:.0f}ns", ns);
  if (size < 999.5e3) return detail::three_digits(ns / 1e3) + "us";
  if (size < 999.5e6) return detail::three_digits(ns / 1e6) + "ms";
  return detail::three_digits(ns / 1e9) + "s";
}

/// 12.0, 600k, 1.23M.
[[nodiscard]] inline std::string human_count(double count) {
  if (count < 999.5) return detail::three_digits(count);
  if (count < 999.5e3) return detail::three_digits(count / 1e3) + 'k';
  if (count < 999.5e6) return detail::three_digits(count / 1e6) + 'M';
  return detail::three_digits(count / 1e9) + 'G';
}

/// 12.0/s, 600k/s, 1.23M/s.
[[nodiscard]] inline std::string human_rate(double per_s) { return human_count(per_s) + "/s"; }

/// The time of one operation on one row type.
struct row_figure {
  std::string op;        // "copyPlainRow"
  std::string row_type;  // "row", "naive_row"
  double ns_per_op = 0;
};

namespace detail {

/// Breaks at spaces; every line after the first starts with `indent` more spaces.
[[nodiscard]] inline std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' ', 1));
    text.remove_prefix(word.size());
    if (column + word.size() > console_width) {
      out.append("\n").append(indent, ' ').append(word.substr(1));
      column = indent + word.size() - 1;
    } else {
      out.append(word);
      column += word.size();
    }
  }
  return out + '\n';
}

[[nodiscard]] inline std::string with_unit(double value, std::string_view unit) {
  if (unit == "ns") return human_time(value);
  if (unit == "ratio") return fmt::format("{:.4g}", value);
  return fmt::format("{:.0f} {}", value, unit);
}

/// Samples of one scenario under one request, in order of first appearance. An extended job has more rows and stands
/// with the others: its scenario names what was swept over.
using group = std::vector<const judge::judged_sample*>;

[[nodiscard]] inline std::vector<group> grouped(std::span<const judge::judged_sample> samples) {
  std::vector<group> groups;
  for (const auto& s : samples) {
    const auto same = std::ranges::find_if(groups, [&](const group& g) {
      record::request asked = s.sample.asked;
      asked.rows = g.front()->sample.asked.rows;
      return g.front()->sample.scenario == s.sample.scenario && g.front()->sample.asked == asked;
    });
    (same == groups.end() ? groups.emplace_back() : *same).push_back(&s);
  }
  return groups;
}

inline constexpr std::string_view pipeline_row = "{:<25} {:>7} {:>8} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {}\n";

[[nodiscard]] inline std::string pipeline_line(const group& all) {
  group counted;
  std::ranges::copy_if(all, std::back_inserter(counted), [](const auto* s) { return s->verdict.valid(); });
  const std::string verdict = fmt::format("{}/{} valid", counted.size(), all.size());
  if (counted.empty()) counted = all;

  const auto median_of = [&](auto figure) {
    std::vector<double> values;
    for (const auto* s : counted) values.push_back(static_cast<double>(figure(s->sample)));
    return stats::median(std::move(values));
  };
  const auto time_at = [&](measure::percentile p) {
    const bool clamped = std::ranges::any_of(counted, [&](const auto* s) { return s->sample.latency().at(p).clamped; });
    return (clamped ? ">=" : "") +
           human_time(median_of([&](const record::sample& s) { return s.latency().at(p).value.count(); }));
  };
  const record::sample& one = all.front()->sample;
  const bool paced = one.asked.offered.paced();
  std::string name = one.scenario;
  if (name.size() > 25) name += fmt::format("\n{:25}", "");
  const auto if_paced = [&](auto text) { return paced ? text() : std::string("-"); };
  return fmt::format(
      pipeline_row, name, paced ? human_rate(one.asked.offered.per_s()) : "unpaced",
      human_rate(median_of([](const record::sample& s) { return achieved_per_s(s); })),
      if_paced([&] { return time_at(measure::p50); }), if_paced([&] { return time_at(measure::p99); }), if_paced([&] {
        return human_time(median_of([](const record::sample& s) { return s.latency().max().count(); }));
      }),
      if_paced([&] { return fmt::format("{:.2f}", median_of(judge::latency_growth_ratio)); }), if_paced([&] {
        return human_time(
            median_of([](const record::sample& s) { return s.release_lag.at(measure::p99).value.count(); }));
      }),
      human_time(median_of([](const record::sample& s) { return cpu_ns_per_row(s); })), verdict);
}

/// One reason and every sample that gave it.
struct shared_reason {
  const judge::reason* reason = nullptr;
  std::vector<double> measured;
  std::vector<std::string_view> scenarios;
};

/// Remarks last; the commonest first.
[[nodiscard]] inline std::list<shared_reason> shared_reasons(std::span<const judge::judged_sample> samples) {
  std::list<shared_reason> shared;
  for (const auto& s : samples) {
    for (const auto& r : s.verdict.reasons) {
      auto at = std::ranges::find_if(shared, [&](const shared_reason& other) {
        return other.reason->id == r.id && other.reason->advice == r.advice && other.reason->weight == r.weight;
      });
      if (at == shared.end()) at = shared.insert(at, {.reason = &r, .measured = {}, .scenarios = {}});
      at->measured.push_back(r.measured);
      if (std::ranges::find(at->scenarios, s.sample.scenario) == at->scenarios.end()) {
        at->scenarios.push_back(s.sample.scenario);
      }
    }
  }
  // A list, because std::stable_sort in libstdc++ 12 calls a deprecated function and clang 19 says so.
  shared.sort([](const shared_reason& a, const shared_reason& b) {
    const auto remark = [](const shared_reason& r) { return r.reason->weight == judge::outcome::valid; };
    return std::pair(remark(a), b.measured.size()) < std::pair(remark(b), a.measured.size());
  });
  return shared;
}

[[nodiscard]] inline std::string reason_line(const shared_reason& shared, std::size_t samples) {
  const judge::reason& r = *shared.reason;
  const std::string where = shared.scenarios.size() == 1 ? std::string(shared.scenarios.front())
                                                         : fmt::format("{} scenarios", shared.scenarios.size());
  const std::string figures =
      r.unit.empty() ? ""
                     : fmt::format("measured {}, limit {}: ", with_unit(stats::median(shared.measured), r.unit),
                                   with_unit(r.limit, r.unit));
  return wrapped(fmt::format("{}{} in {} of {} samples ({}): {}{}", r.weight == judge::outcome::valid ? "remark: " : "",
                             r.id, shared.measured.size(), samples, where, figures, r.advice),
                 4);
}

/// How many samples say that the host was disturbed, with the first that does; empty when none.
[[nodiscard]] inline std::string notes_line(std::span<const judge::judged_sample> samples) {
  const auto noted = [](const judge::judged_sample& s) { return !s.sample.notes.empty(); };
  const auto first = std::ranges::find_if(samples, noted);
  if (first == samples.end()) return "";
  return wrapped(fmt::format("note on {} of {} samples, the first: {}", std::ranges::count_if(samples, noted),
                             samples.size(), first->sample.notes.front()),
                 4);
}

}  // namespace detail

/// One line per scenario and request, medians over its valid samples (over all of them when none is
/// valid); then every distinct reason, the commonest first, its measured value the median of those that
/// gave it; then disturbances of the host; then what to do next.
[[nodiscard]] inline std::string pipelines_table(std::span<const judge::judged_sample> samples) {
  if (samples.empty()) return "Next: nothing was measured; see whether the filter matches a pipeline.\n";
  std::string out = fmt::format(detail::pipeline_row, "scenario", "offered", "achieved", "P50", "P99", "max", "growth",
                                "lag P99", "cpu/row", "verdict");
  for (const auto& group : detail::grouped(samples)) out += detail::pipeline_line(group);
  out += '\n';

  const auto reasons = detail::shared_reasons(samples);
  for (const auto& reason : reasons) out += detail::reason_line(reason, samples.size());
  out += detail::notes_line(samples);
  const auto valid = std::ranges::count_if(samples, [](const auto& s) { return s.verdict.valid(); });
  if (static_cast<std::size_t>(valid) == samples.size()) {
    out += fmt::format("Next: all {} samples are valid; these figures may be used.\n", valid);
  } else {
    out += detail::wrapped(
        fmt::format("Next: {} of {} samples do not count; start with {} and run again (docs/verdicts.md explains it).",
                    samples.size() - static_cast<std::size_t>(valid), samples.size(), reasons.front().reason->id),
        4);
  }
  return out;
}

/// Operations by row types, in order of first appearance; each type after the first with its ratio to it.
/// What was not measured is a dash.
[[nodiscard]] inline std::string rows_table(std::span<const row_figure> figures) {
  std::vector<std::string_view> ops;
  std::vector<std::string_view> types;
  for (const auto& f : figures) {
    if (std::ranges::find(ops, f.op) == ops.end()) ops.push_back(f.op);
    if (std::ranges::find(types, f.row_type) == types.end()) types.push_back(f.row_type);
  }
  const auto ns = [&](std::string_view op, std::string_view type) {
    const auto at =
        std::ranges::find_if(figures, [&](const row_figure& f) { return f.op == op && f.row_type == type; });
    return at == figures.end() ? 0.0 : at->ns_per_op;
  };
  std::string out = fmt::format("{:<30}", "op");
  for (const auto type : types)
    out += fmt::format(" {:>14}", fmt::format("{} ns", type)) + (type == types.front() ? "" : "   ratio");
  out += '\n';
  for (const auto op : ops) {
    out += fmt::format("{:<30}", op);
    const double base = ns(op, types.front());
    for (const auto type : types) {
      const double value = ns(op, type);
      out += fmt::format(" {:>14}", value > 0 ? detail::three_digits(value) : "-");
      if (type != types.front())
        out += fmt::format(" {:>7}", value > 0 && base > 0 ? detail::three_digits(value / base) + 'x' : "-");
    }
    out += '\n';
  }
  return out;
}

}  // namespace weir::inline WEIR_ABI::report
