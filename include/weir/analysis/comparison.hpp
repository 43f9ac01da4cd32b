#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Did the candidate change anything? Two results, or the two sides of an interleaved run. Temperature: cold.
//
//   for (const analysis::comparison& c : analysis::compare(base, candidate).rows)
//     if (c.verdict == analysis::change::changed) print(c.benchmark, c.what.id, c.ratio, c.low, c.high);

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/base/expects.hpp>
#include <weir/record/run_record.hpp>
#include <weir/stats/comparison.hpp>
#include <weir/stats/interval.hpp>
#include <weir/stats/moments.hpp>

namespace weir::inline WEIR_ABI::analysis {

enum class change { changed, same, inconclusive };

/// One metric of one benchmark on both sides.
struct comparison {
  std::string benchmark;
  metric what;
  double base = unknown;  // mean, as in estimate
  double candidate = unknown;
  double ratio = unknown;  // candidate / base: of geometric means of forks
  double low = unknown;    // Student t interval of the ratio
  double high = unknown;
  double p = unknown;       // of such a difference or a larger one by chance, either way
  double p_holm = unknown;  // made larger for the number of comparisons in the report
  bool paired = false;      // by the block in which both sides ran
  change verdict = change::inconclusive;
  double detectable = unknown;  // smallest true difference, relative, that would be called changed 4 times in 5
  bool better = false;          // the candidate's figure is the better one, by however little
  std::string not_comparable;   // why there is no ratio; "" when there is one
};

struct comparison_report {
  std::vector<comparison> rows;
  std::vector<finding> warnings;
};

/// How sure, and how large, a change must be.
struct comparison_options {
  double threshold = 0.02;  // smallest relative difference that matters
  double level = 0.95;
};

/// changed: the Holm-adjusted p is below 1 - level, so that a report holds any false one with at most that chance, and
/// the ratio is at least 1 + threshold or at most 1 / (1 + threshold). same: the interval of the ratio lies within
/// these two. Anything else is inconclusive: more forks would tell. A report calls no row the same whose sides lost
/// samples unequally.
[[nodiscard]] inline change verdict_of(const comparison& c, const comparison_options& o) noexcept {
  const double bound = 1 + o.threshold;
  if (c.p_holm < 1 - o.level && (c.ratio >= bound || c.ratio <= 1 / bound)) return change::changed;
  return c.low >= 1 / bound && c.high <= bound ? change::same : change::inconclusive;
}

namespace detail {

/// A metric on one side.
struct side {
  const readings* all = nullptr;
  const metric_readings* of = nullptr;  // none: without a value
};

/// Of other benchmarks time and CPU time, and what they say of latencies and of their parts by these names. One that
/// keeps to a schedule (counter offered_per_s) takes as long as that, and one that drops (counter dropped) is the
/// faster the more it drops: their time says nothing.
[[nodiscard]] inline bool compared(const metric& m, const readings& of) {
  constexpr std::array<std::string_view, 6> pipelines{"score", "throughput", "p50", "p99", "p999", "cpu_per_row"};
  constexpr std::array<std::string_view, 4> others{"cpu", "p50_ns", "p99_ns", "messages_per_second"};
  if (of.pipeline) return std::ranges::find(pipelines, m.id) != pipelines.end();
  const auto untimed = [](const metric_readings& one) {
    return one.what.id == "offered_per_s" ||
           (one.what.id == "dropped" && std::ranges::any_of(one.forks, [](const reading& r) { return r.value > 0; }));
  };
  if (m.id == "time") return std::ranges::none_of(of.metrics, untimed);
  return std::ranges::find(others, m.id) != others.end() || m.id.ends_with("_avg_ns") ||
         m.id.ends_with("_messages_per_second");
}

[[nodiscard]] inline std::vector<double> logs(std::vector<double> values) {
  for (double& value : values) value = std::log(value);
  return values;
}

/// Both sides' logarithms, pair by pair: a block of an interleaved run, or a host with all its blocks.
struct pairs {
  std::vector<double> base;
  std::vector<double> candidate;
};

[[nodiscard]] inline pairs paired(const side& base, const side& candidate) {
  using key = std::pair<std::string, std::uint32_t>;  // host, block
  std::map<key, std::array<std::vector<double>, 2>> blocks;
  for (const reading& r : base.of->forks) blocks[{r.fork->host, r.fork->block}][0].push_back(std::log(r.value));
  for (const reading& r : candidate.of->forks) blocks[{r.fork->host, r.fork->block}][1].push_back(std::log(r.value));
  std::map<key, std::array<std::vector<double>, 2>> units;
  for (const auto& [at, logs] : blocks) {
    if (logs[0].empty() || logs[1].empty()) continue;
    auto& unit = units[{at.first, base.all->several_hosts ? 0 : at.second}];
    for (std::size_t s = 0; s < 2; ++s) unit[s].push_back(stats::mean(logs[s]));
  }
  pairs all;
  for (const auto& [at, logs] : units) {
    all.base.push_back(stats::mean(logs[0]));
    all.candidate.push_back(stats::mean(logs[1]));
  }
  return all;
}

/// The comparisons of one report: pairs of sides go in, judged rows come out.
class comparing {
 public:
  explicit comparing(const comparison_options& o) : options_(o) {
    WEIR_EXPECTS(o.threshold >= 0 && o.level > 0 && o.level < 1);
  }

  void add(const std::string& name, const readings& base, const readings& candidate, bool interleaved) {
    const std::size_t before = report_.rows.size();
    const std::size_t differences_before = differences_.size();
    few_ += std::min(base.sound.size(), candidate.sound.size()) < 5;
    if (std::string_view(base.over()) != candidate.over()) {
      warn("layers_differ", name + ": base over several " + base.over() + "s, candidate over several " +
                                candidate.over() + "s: their intervals do not hold the same variance");
    }
    const auto both = [&](const metric& m) { return compared(m, base) && compared(m, candidate); };
    for (const metric_readings& b : base.metrics) {
      if (!both(b.what)) continue;
      const auto c = std::ranges::find(candidate.metrics, b.what, &metric_readings::what);
      add_row(name, b.what, {&base, &b}, {&candidate, c == candidate.metrics.end() ? nullptr : &*c}, interleaved);
    }
    for (const metric_readings& c : candidate.metrics) {
      if (!both(c.what)) continue;
      if (std::ranges::find(base.metrics, c.what, &metric_readings::what) != base.metrics.end()) continue;
      add_row(name, c.what, {&base, nullptr}, {&candidate, &c}, interleaved);
    }
    if (const std::string text = unequal_survival(base, candidate); !text.empty()) {
      warn("unequal_survival", name + ": " + text + ": what is left may be the lucky part of a side");
      for (std::size_t i = differences_before; i < differences_.size(); ++i) differences_[i].unequal_survival = true;
    }
    if (report_.rows.size() == before) {
      const metric primary =
          base.pipeline ? metric{"score", "rows/s", direction::higher_is_better} : metric{"time", "ns/op"};
      add_row(name, primary, {&base, nullptr}, {&candidate, nullptr}, interleaved);
    }
  }

  void warn(std::string id, std::string text) { report_.warnings.push_back({std::move(id), std::move(text)}); }

  [[nodiscard]] comparison_report made() && {
    std::vector<double> p;
    for (const difference& d : differences_) p.push_back(report_.rows[d.row].p);
    const std::vector<double> adjusted = stats::holm(p);
    const double alpha = (1 - options_.level) / static_cast<double>(p.size());
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      const difference& d = differences_[i];
      comparison& c = report_.rows[d.row];
      c.p_holm = adjusted[i];
      c.verdict = verdict_of(c, options_);
      const bool worse = c.verdict == change::changed && !c.better;
      if (d.unequal_survival && !worse) c.verdict = change::inconclusive;
      c.detectable = std::expm1(stats::detectable_difference(d.of_logs, alpha, 0.8, std::log1p(options_.threshold)));
    }
    if (few_ > 0) {
      warn("few_forks", std::to_string(few_) + (few_ == 1 ? " benchmark has" : " benchmarks have") +
                            " fewer than 5 sound forks on a side");
    }
    return std::move(report_);
  }

 private:
  struct difference {
    std::size_t row;
    stats::estimate of_logs;
    bool unequal_survival = false;
  };

  /// A sample that is not valid is mostly a slow one, and a fork that failed may have been; both are left out: the side
  /// that loses more of them is flattered.
  [[nodiscard]] static std::string unequal_survival(const readings& base, const readings& candidate) {
    constexpr double most_apart = 0.1;  // of all samples
    const auto share = [](std::size_t some, std::size_t all) {
      return all == 0 ? 1.0 : static_cast<double>(some) / static_cast<double>(all);
    };
    const auto left = [&](const readings& side) {
      return share(side.sound.size(), side.forks) * share(side.valid, side.samples);
    };
    const auto shown = [](const readings& side) {
      const std::string forks = count_of(side.sound.size(), side.forks, "forks sound");
      return side.samples == 0 ? forks : forks + ", " + count_of(side.valid, side.samples, "samples valid");
    };
    if (std::fabs(left(base) - left(candidate)) > most_apart)
      return "base " + shown(base) + "; candidate " + shown(candidate);
    if (base.clamped == candidate.clamped) return "";
    return "percentiles beyond the histogram left out: base " + std::to_string(base.clamped) + ", candidate " +
           std::to_string(candidate.clamped);
  }

  [[nodiscard]] static std::string missing(const side& s, std::string_view name) {
    std::string text(name);
    if (s.all->sound.empty()) return text + " has no sound fork";
    if (s.of == nullptr) return text + (s.all->pipeline ? " has no valid sample with it" : " has no value of it");
    return std::ranges::all_of(s.of->forks, [](const reading& r) { return r.value > 0; })
               ? ""
               : text + " has forks in which it is not above 0";
  }

  void add_row(const std::string& name, const metric& what, const side& base, const side& candidate, bool interleaved) {
    comparison& row = report_.rows.emplace_back();
    row.benchmark = name;
    row.what = what;
    if (base.of != nullptr) row.base = stats::mean(top_values(base.of->forks, base.all->over()));
    if (candidate.of != nullptr) row.candidate = stats::mean(top_values(candidate.of->forks, candidate.all->over()));
    row.not_comparable = missing(base, "base");
    if (row.not_comparable.empty()) row.not_comparable = missing(candidate, "candidate");
    if (!row.not_comparable.empty()) return;

    // The two sides have builds of their own, which make no pairs.
    row.paired = interleaved && !base.all->several_builds && !candidate.all->several_builds;
    pairs logs_of = row.paired ? paired(base, candidate)
                               : pairs{logs(top_values(base.of->forks, base.all->over())),
                                       logs(top_values(candidate.of->forks, candidate.all->over()))};
    if (std::min(logs_of.base.size(), logs_of.candidate.size()) < 2) {
      row.not_comparable = row.paired ? "fewer than two blocks with both sides: nothing to judge the difference by"
                                      : "fewer than two " + std::string(base.all->over()) +
                                            "s on a side: nothing to judge the difference by";
      return;
    }
    const stats::estimate d = row.paired ? stats::paired_difference(logs_of.base, logs_of.candidate)
                                         : stats::welch_difference(logs_of.base, logs_of.candidate);
    const stats::interval i = stats::interval_of(d, options_.level);
    row.ratio = std::exp(d.value);
    row.low = std::exp(i.low);
    row.high = std::exp(i.high);
    row.p = stats::p_value(d);
    row.better = what.better == direction::higher_is_better ? row.ratio > 1 : row.ratio < 1;
    differences_.push_back({report_.rows.size() - 1, d});
  }

  comparison_options options_;
  comparison_report report_;
  std::vector<difference> differences_;
  std::size_t few_ = 0;
};

[[nodiscard]] inline std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ",") + text;
  return all;
}

/// Errors: analysis.parameters_differ.
inline void require_equal_parameters(const record::run_record& base, const record::run_record& candidate) {
  std::map<std::string, std::array<std::string, 2>> values;
  for (const record::parameter& p : base.parameters) values[p.name][0] = joined(p.values);
  for (const record::parameter& p : candidate.parameters) values[p.name][1] = joined(p.values);
  for (const auto& [name, both] : values) {
    if (both[0] == both[1]) continue;
    const auto shown_value = [](const std::string& value) { return value.empty() ? "not given" : value; };
    weir::detail::raise(
        "analysis.parameters_differ", name,
        "base " + shown_value(both[0]) + ", candidate " + shown_value(both[1]) + ": run both with the same parameters");
  }
}

/// Every value of a fact, over all hosts of a run.
[[nodiscard]] inline std::string values_of(std::span<const record::environment> hosts, std::string_view name) {
  std::set<std::string> values;
  for (const record::environment& e : hosts) {
    if (const record::fact* f = e.find(name); f != nullptr && f->value) values.insert(*f->value);
  }
  std::string all;
  for (const std::string& value : values) all += (all.empty() ? "" : " and ") + value;
  return all;
}

/// Warns of each of these facts that both sides know and that differs.
inline void warn_if_differ(std::span<const record::environment> base, std::span<const record::environment> candidate,
                           std::string_view id, std::initializer_list<const char*> names, std::string_view meaning,
                           comparing& to) {
  for (const char* name : names) {
    const std::string b = values_of(base, name);
    const std::string c = values_of(candidate, name);
    if (b.empty() || c.empty() || b == c) continue;
    to.warn(std::string(id), std::string(name) + ": base " + b + ", candidate " + c + ": " + std::string(meaning));
  }
}

inline void warn_if_builds_differ(std::span<const record::environment> base,
                                  std::span<const record::environment> candidate, comparing& to) {
  warn_if_differ(base, candidate, "builds_differ", {"compiler", "cxx_flags", "optimized", "assertions", "checks"},
                 "a difference may be the build's, not the source's", to);
}

inline void warn_of_differences(const record::run_record& base, const record::run_record& candidate, comparing& to) {
  warn_if_differ(base.environments, candidate.environments, "hosts_differ",
                 {"cpu_model", "kernel", "cores_usable", "governor"},
                 "a difference may be the host's, not the program's", to);
  warn_if_builds_differ(base.environments, candidate.environments, to);
  for (const auto* run : {&base, &candidate}) {
    if (!run->complete()) to.warn("incomplete", std::string(run == &base ? "base" : "candidate") + " did not end");
  }
}

[[nodiscard]] inline std::string shown_name(const record::benchmark& b) {
  return b.variant.empty() ? b.name : b.name + " (" + b.variant + ")";
}

}  // namespace detail

/// Two results, benchmark by benchmark of the same name and variant: Welch's t on logarithms of the forks' values (of
/// builds or hosts, where there are several). Time and cpu; of pipelines score, throughput, P50, P99, P99.9 and cpu per
/// row. Budgets may differ.
/// Errors: analysis.parameters_differ, analysis.no_common_benchmark.
/// Requires: threshold >= 0, 0 < level < 1.
[[nodiscard]] inline comparison_report compare(const record::run_record& base, const record::run_record& candidate,
                                               const comparison_options& options = {}) {
  detail::require_equal_parameters(base, candidate);
  using key = std::pair<std::string_view, std::string_view>;
  std::map<key, const record::benchmark*> candidates;
  for (const record::benchmark& c : candidate.benchmarks) candidates.emplace(key(c.name, c.variant), &c);

  detail::comparing all(options);
  std::size_t common = 0;
  for (const record::benchmark& b : base.benchmarks) {
    const auto c = candidates.extract(key(b.name, b.variant));
    if (c.empty()) {
      all.warn("only_in_base", detail::shown_name(b));
      continue;
    }
    ++common;
    all.add(detail::shown_name(b), detail::read(b), detail::read(*c.mapped()), false);
  }
  if (common == 0) {
    const auto first = [](const record::run_record& run) {
      return run.benchmarks.empty()
                 ? std::string("has none")
                 : "has " + detail::shown_name(run.benchmarks.front()) + (run.benchmarks.size() > 1 ? ", ..." : "");
    };
    weir::detail::raise(
        "analysis.no_common_benchmark", "benchmarks",
        "base " + first(base) + ", candidate " + first(candidate) + ": compare results of the same benchmarks");
  }
  for (const record::benchmark& c : candidate.benchmarks) {
    if (candidates.contains(key(c.name, c.variant))) all.warn("only_in_candidate", detail::shown_name(c));
  }
  detail::warn_of_differences(base, candidate, all);
  return std::move(all).made();
}

/// The two sides of an interleaved run, benchmark by benchmark: a paired t test on logarithms, a pair being a block in
/// which both sides are sound (or a host, where there are several). What slows a whole block down cancels.
/// Errors: analysis.no_variants.  Requires: threshold >= 0, 0 < level < 1.
[[nodiscard]] inline comparison_report compare_variants(const record::run_record& run,
                                                        const comparison_options& options = {}) {
  std::map<std::string_view, const record::benchmark*> candidates;
  for (const record::benchmark& b : run.benchmarks) {
    if (b.variant == "candidate") candidates.emplace(b.name, &b);
  }
  detail::comparing all(options);
  std::size_t common = 0;
  for (const record::benchmark& b : run.benchmarks) {
    if (b.variant != "base") continue;
    const auto c = candidates.find(b.name);
    if (c == candidates.end()) {
      all.warn("only_in_base", b.name);
      continue;
    }
    ++common;
    all.add(b.name, detail::read(b), detail::read(*c->second), true);
  }
  if (common == 0) {
    weir::detail::raise("analysis.no_variants", "benchmarks",
                        "none has a base and a candidate: run with --weir_against or --weir_aa");
  }
  if (run.base_environment) detail::warn_if_builds_differ(std::span(&*run.base_environment, 1), run.environments, all);
  return std::move(all).made();
}

}  // namespace weir::inline WEIR_ABI::analysis
