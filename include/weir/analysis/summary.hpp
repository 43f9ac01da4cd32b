#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a run comes to: every metric of every benchmark over its forks, where its variance comes from, and what is
// doubtful about it. Pure: the same record gives the same summary. Temperature: cold.
//
//   const analysis::run_summary all = analysis::summarize(run);
//   const analysis::estimate& time = all.benchmarks[0].estimates[0];  // mean, low, high over forks

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/judge/percentile.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/run_record.hpp>
#include <weir/stats/interval.hpp>
#include <weir/stats/modality.hpp>
#include <weir/stats/moments.hpp>
#include <weir/stats/quantile.hpp>
#include <weir/stats/steady_state.hpp>
#include <weir/stats/variance_components.hpp>

namespace weir::inline WEIR_ABI::analysis {

enum class direction { lower_is_better, higher_is_better, neither };

/// ids: "time" and "cpu" (ns/op), then counters by name; of pipelines "score" and "throughput" (rows/s), "p50", "p99",
/// "p999" (ns; only of forks with the rows that judge::rows_needed() asks for) and "cpu_per_row" (ns/row). A counter
/// has no unit: its name says whether it is a rate (_per_second), a time (_ns) or neither good nor bad.
struct metric {
  std::string id;
  std::string unit;
  direction better = direction::lower_is_better;

  friend bool operator==(const metric&, const metric&) = default;
};

/// What is not known, and what one value alone has no figure for.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// One metric of one benchmark, over its forks.
struct estimate {
  metric what;
  std::vector<double> fork_values;  // of the sound forks that have one, in order of place
  std::string over = "fork";        // what the interval is over: "build" or "host" if there are several of them
  double mean = unknown;            // of the means of these
  double low = unknown;             // Student t interval; only with has_interval()
  double high = unknown;
  double level = 0;
  double df = 0;
  double median = unknown;  // of fork_values, as are min and max
  double min = unknown;
  double max = unknown;
  double cv_between = unknown;  // standard deviation of the forks / mean
  double cv_within = unknown;   // of the iterations around their fork / mean
  double rows = unknown;        // of a percentile: that a fork's is of, in the mean of forks
  double effective_rows = unknown;  // and how many independent ones would tell as much: judge::percentile_interval()

  [[nodiscard]] bool has_interval() const noexcept { return df > 0; }
  /// Half of the interval / mean.
  [[nodiscard]] double relative_half_width() const noexcept { return (high - low) / 2 / std::fabs(mean); }
};

/// One layer's share of the primary metric's variance. Unknown or negative shares are not detectable.
struct layer {
  std::string name;             // "host", "build", "fork", "iteration", "invocation"
  double repetitions = 0;       // in one unit of the layer above (harmonic mean); of the top layer: all
  double variance = 0;          // of the metric, its unit squared
  bool detectable = false;
  double cost_seconds = 0;      // of one unit without the layers below; 0: nothing of its own, or not known
};

/// unknown: fewer than 8 iterations.
using fork_class = stats::course;

/// A warning. docs/statistics.md lists the ids.
struct finding {
  std::string id;
  std::string text;

  friend bool operator==(const finding&, const finding&) = default;
};

struct benchmark_summary {
  std::string name;
  std::string variant;
  std::size_t forks_ok = 0;
  std::size_t forks_failed = 0;
  std::size_t samples = 0;  // of pipelines: measured invocations of sound forks
  std::size_t valid = 0;
  std::size_t inconclusive = 0;
  std::vector<std::pair<std::string, std::size_t>> reasons;  // why the others are not valid, most frequent first
  std::vector<estimate> estimates;                           // the first is the primary one; empty: nothing to go by
  std::vector<layer> layers;                                 // of the primary metric, top first
  std::vector<fork_class> classes;                           // of the sound forks, in order of place
  std::vector<finding> findings;
  measure::snapshot pooled_latency;  // over all forks: for a picture, not for inference
};

struct run_summary {
  std::vector<benchmark_summary> benchmarks;
  std::vector<finding> findings;
};

namespace detail {

[[nodiscard]] inline std::string shown(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

/// One metric in one fork.
struct reading {
  const record::fork* fork = nullptr;
  double value = 0;
  std::vector<double> iterations{};                // the measured ones
  std::vector<std::vector<double>> invocations{};  // by iteration; of a pipeline's score
  double rows = unknown;                         // of a percentile
  double effective_rows = unknown;
};

struct metric_readings {
  metric what;
  std::vector<reading> forks;
};

/// All that is read off a benchmark, before any inference.
struct readings {
  std::size_t forks = 0;                   // failed ones too
  std::vector<const record::fork*> sound;  // in order of place
  std::vector<metric_readings> metrics;    // those without any value left out
  bool pipeline = false;
  bool several_hosts = false;
  bool several_builds = false;
  std::vector<stats::steady_state> courses;  // of the sound forks, warm-up included
  std::size_t samples = 0;
  std::size_t valid = 0;
  std::size_t inconclusive = 0;
  std::map<std::string, std::size_t> reasons;
  std::size_t clamped = 0;  // fork-level percentiles that are only lower bounds
  measure::snapshot latency;

  /// The layer at the top, whose units are independent.
  [[nodiscard]] const char* over() const noexcept { return several_hosts ? "host" : several_builds ? "build" : "fork"; }
};

class reader {
 public:
  explicit reader(const record::benchmark& b) {
    out_.forks = b.forks.size();
    for (const record::fork& f : b.forks) {
      if (!f.failure) out_.sound.push_back(&f);
      out_.pipeline |= !f.invocations.empty();
    }
    std::ranges::sort(out_.sound, {}, [](const record::fork* f) { return std::pair(f->place, f); });
    for (const record::fork* f : out_.sound) {
      out_.several_hosts |= f->host != out_.sound.front()->host;
      out_.several_builds |= f->build != out_.sound.front()->build;
    }
  }

  [[nodiscard]] readings made() && {
    if (out_.pipeline) {
      pipeline();
    } else {
      plain();
    }
    std::erase_if(out_.metrics, [](const metric_readings& m) { return m.forks.empty(); });
    return std::move(out_);
  }

 private:
  static void keep(std::vector<double>& values, double value) {
    if (std::isfinite(value)) values.push_back(value);
  }

  static void keep(metric_readings& m, reading r) {
    if (r.iterations.empty()) return;
    r.value = stats::mean(r.iterations);
    m.forks.push_back(std::move(r));
  }

  void plain() {
    out_.metrics = {{{"time", "ns/op"}, {}}, {{"cpu", "ns/op"}, {}}};
    std::vector<std::string> counters;
    for (const record::fork* f : out_.sound) {
      for (const record::iteration& i : f->iterations) {
        for (const record::counter& c : i.counters) {
          if (std::find(counters.begin(), counters.end(), c.name) == counters.end()) counters.push_back(c.name);
        }
      }
    }
    for (const std::string& name : counters) {
      const direction better = name.ends_with("_per_second") ? direction::higher_is_better
                               : name.ends_with("_ns")       ? direction::lower_is_better
                                                             : direction::neither;
      out_.metrics.push_back({{name, "", better}, {}});
    }
    for (const record::fork* f : out_.sound) {
      std::vector<double> course;  // the cost of every iteration
      std::vector<reading> found(out_.metrics.size(), reading{.fork = f});
      for (std::size_t i = 0; i < f->iterations.size(); ++i) {
        const record::iteration& it = f->iterations[i];
        keep(course, it.real_ns);
        if (i < f->warmup) continue;
        keep(found[0].iterations, it.real_ns);
        keep(found[1].iterations, it.cpu_ns);
        for (const record::counter& c : it.counters) {
          const auto at = std::find(counters.begin(), counters.end(), c.name) - counters.begin();
          keep(found[static_cast<std::size_t>(at) + 2].iterations, c.value);
        }
      }
      out_.courses.push_back(stats::find_steady_state(course));
      for (std::size_t m = 0; m < found.size(); ++m) keep(out_.metrics[m], std::move(found[m]));
    }
  }

  /// Judges an invocation of a sound fork and counts it, if it is no warm-up.
  [[nodiscard]] bool valid(const record::invocation& i, bool measured) {
    const judge::verdict verdict = judge::assess(i.sample);
    if (!measured) return verdict.valid();
    ++out_.samples;
    out_.valid += verdict.valid();
    out_.inconclusive += verdict.state == judge::outcome::inconclusive;
    for (const judge::reason& r : verdict.reasons) {
      if (r.weight != judge::outcome::valid) ++out_.reasons[r.id];
    }
    return verdict.valid();
  }

  void pipeline() {
    constexpr auto more = direction::higher_is_better;
    out_.metrics = {{{"score", "rows/s", more}, {}},
                    {{"throughput", "rows/s", more}, {}},
                    {{"p50", "ns"}, {}},
                    {{"p99", "ns"}, {}},
                    {{"p999", "ns"}, {}},
                    {{"cpu_per_row", "ns/row"}, {}}};
    for (const record::fork* f : out_.sound) {
      std::map<std::uint32_t, std::vector<const record::sample*>> iterations;
      for (const record::invocation& i : f->invocations) {
        if (valid(i, i.iteration >= f->warmup)) iterations[i.iteration].push_back(&i.sample);
      }
      std::vector<double> course;  // the cost of every iteration
      std::array<reading, 6> found;
      found.fill({.fork = f});
      measure::snapshot latency;
      std::array<double, percentiles.size()> effective{};
      for (const auto& [index, samples] : iterations) {
        const auto each = [&](double (*figure)(const record::sample&) noexcept) {
          std::vector<double> values;
          for (const record::sample* s : samples) values.push_back(figure(*s));
          return values;
        };
        const std::vector<double> scores = each(record::score_per_s);
        keep(course, 1 / stats::mean(scores));
        if (index < f->warmup) continue;
        found[0].iterations.push_back(stats::mean(scores));
        found[0].invocations.push_back(scores);
        found[1].iterations.push_back(stats::mean(each(record::achieved_per_s)));
        measure::snapshot of_iteration;
        for (const record::sample* s : samples) {
          if (!s->asked.offered.paced()) continue;  // its rows have no due time
          of_iteration.merge(s->latency_first_half);
          of_iteration.merge(s->latency_second_half);
          for (std::size_t p = 0; p < percentiles.size(); ++p)
            if (const auto known = judge::percentile_interval(*s, percentiles[p]))
              effective[p] += known->effective_samples;
        }
        for (std::size_t p = 0; p < percentiles.size() && !of_iteration.empty(); ++p) {
          found[2 + p].iterations.push_back(static_cast<double>(of_iteration.at(percentiles[p]).value.count()));
        }
        latency.merge(of_iteration);
        found[5].iterations.push_back(stats::mean(each(record::cpu_ns_per_row)));
      }
      out_.courses.push_back(stats::find_steady_state(course));
      keep(out_.metrics[0], std::move(found[0]));
      keep(out_.metrics[1], std::move(found[1]));
      // Of the merged histogram: a mean of percentiles is no percentile.
      for (std::size_t p = 0; p < percentiles.size(); ++p) {
        if (latency.count() < judge::rows_needed(percentiles[p])) continue;
        const measure::quantile q = latency.at(percentiles[p]);
        if (q.clamped) {
          ++out_.clamped;
          continue;
        }
        found[2 + p].value = static_cast<double>(q.value.count());
        found[2 + p].rows = static_cast<double>(latency.count());
        if (effective[p] > 0) found[2 + p].effective_rows = effective[p];
        out_.metrics[2 + p].forks.push_back(std::move(found[2 + p]));
      }
      keep(out_.metrics[5], std::move(found[5]));
      out_.latency.merge(latency);
    }
  }

  static constexpr std::array percentiles{measure::p50, measure::p99, measure::p999};

  readings out_;
};

[[nodiscard]] inline readings read(const record::benchmark& b) { return reader(b).made(); }

/// Numbers the distinct keys of units in the order in which they come.
template <class Key>
class numbering {
 public:
  std::size_t operator()(const Key& key) { return numbers_.try_emplace(key, numbers_.size()).first->second; }

 private:
  std::map<Key, std::size_t> numbers_;
};

/// The units at the top: forks, or the means of builds, or the means of hosts over their builds.
[[nodiscard]] inline std::vector<double> top_values(const std::vector<reading>& forks, const std::string& over) {
  std::map<std::string, std::map<std::string, std::vector<double>>> hosts;
  std::vector<double> values;
  for (const reading& r : forks) {
    if (over == "fork")
      values.push_back(r.value);
    else
      hosts[r.fork->host][r.fork->build].push_back(r.value);
  }
  for (const auto& [host, builds] : hosts) {
    std::vector<double> of_builds;
    for (const auto& [build, of_forks] : builds) of_builds.push_back(stats::mean(of_forks));
    if (over == "host")
      values.push_back(stats::mean(of_builds));
    else
      values.insert(values.end(), of_builds.begin(), of_builds.end());
  }
  return values;
}

[[nodiscard]] inline estimate estimated(const metric_readings& m, const std::string& over, double level) {
  estimate e{.what = m.what, .fork_values = {}, .over = over, .level = level};
  double squares = 0;
  double within = 0;
  std::vector<double> rows;
  std::vector<double> effective;
  for (const reading& r : m.forks) {
    e.fork_values.push_back(r.value);
    if (std::isfinite(r.rows)) rows.push_back(r.rows);
    if (std::isfinite(r.effective_rows)) effective.push_back(r.effective_rows);
    squares += stats::squares_around_mean(r.iterations);
    within += static_cast<double>(r.iterations.size() - 1);
  }
  const std::vector<double> top = top_values(m.forks, over);
  e.mean = stats::mean(top);
  if (top.size() >= 2) {
    const stats::interval i = stats::mean_interval(top, level);
    e.low = i.low;
    e.high = i.high;
    e.df = i.df;
  }
  e.median = stats::median(e.fork_values);
  const auto [least, most] = std::minmax_element(e.fork_values.begin(), e.fork_values.end());
  e.min = *least;
  e.max = *most;
  if (e.fork_values.size() >= 2) e.cv_between = std::sqrt(stats::variance(e.fork_values)) / std::fabs(e.mean);
  if (!rows.empty()) e.rows = stats::mean(rows);
  if (!effective.empty()) e.effective_rows = stats::mean(effective);
  if (within > 0) e.cv_within = std::sqrt(squares / within) / std::fabs(e.mean);
  return e;
}

/// Mean seconds of one measured iteration (plain) or invocation (pipeline), and what a fork costs beside them.
struct costs {
  double unit = 0;
  double fork = 0;
};

[[nodiscard]] inline costs costs_of(const readings& all, double threads) {
  double units = 0;
  double measured = 0;
  double took = 0;
  for (const record::fork* f : all.sound) {
    took += std::chrono::duration<double>(f->took).count();
    for (std::size_t i = f->warmup; i < f->iterations.size() && !all.pipeline; ++i) {
      units += 1;
      measured += static_cast<double>(f->iterations[i].operations) * f->iterations[i].real_ns * 1e-9 / threads;
    }
    for (const record::invocation& i : f->invocations) {
      if (i.iteration < f->warmup) continue;
      units += 1;
      measured += std::chrono::duration<double>(i.sample.job_time).count();
    }
  }
  if (units == 0) return {};
  return {measured / units, std::max(0.0, (took - measured) / static_cast<double>(all.sound.size()))};
}

[[nodiscard]] inline std::vector<layer> layers_of(const readings& all, double threads) {
  const std::vector<reading>& forks = all.metrics.front().forks;
  std::vector<double> values;
  std::vector<std::vector<std::size_t>> parents;
  std::vector<std::string> names;
  if (all.pipeline) {
    std::vector<std::size_t>& iteration_of = parents.emplace_back();
    std::size_t iteration = 0;
    for (const reading& r : forks) {
      for (const std::vector<double>& invocations : r.invocations) {
        values.insert(values.end(), invocations.begin(), invocations.end());
        iteration_of.insert(iteration_of.end(), invocations.size(), iteration++);
      }
    }
    names.push_back("invocation");
  }
  std::vector<std::size_t>& fork_of = parents.emplace_back();
  for (std::size_t f = 0; f < forks.size(); ++f) {
    if (!all.pipeline) values.insert(values.end(), forks[f].iterations.begin(), forks[f].iterations.end());
    fork_of.insert(fork_of.end(), forks[f].iterations.size(), f);
  }
  names.insert(names.end(), {"iteration", "fork"});
  numbering<std::pair<std::string, std::string>> builds;
  numbering<std::string> hosts;
  if (all.several_builds) {
    std::vector<std::size_t> build_of;
    for (const reading& r : forks) build_of.push_back(builds({r.fork->host, r.fork->build}));
    parents.push_back(std::move(build_of));
    names.push_back("build");
  }
  if (all.several_hosts) {
    std::vector<std::size_t> host_of;
    for (const reading& r : forks) {
      // One entry a unit below: a build when builds are a layer, else a fork.
      if (!all.several_builds || builds({r.fork->host, r.fork->build}) == host_of.size())
        host_of.push_back(hosts(r.fork->host));
    }
    parents.push_back(std::move(host_of));
    names.push_back("host");
  }

  const std::vector<stats::component> components = stats::variance_components(std::move(values), parents);
  const costs cost = costs_of(all, threads);
  std::vector<layer> layers;
  for (std::size_t i = components.size(); i-- > 0;) {
    layers.push_back({.name = names[i],
                      .repetitions = components[i].repetitions,
                      .variance = components[i].variance,
                      .detectable = components[i].detectable(),
                      .cost_seconds = i == 0               ? cost.unit
                                      : names[i] == "fork" ? cost.fork
                                                           : 0});
  }
  return layers;
}

[[nodiscard]] inline std::string count_of(std::size_t count, std::size_t all, std::string_view what) {
  return std::to_string(count) + " of " + std::to_string(all) + ' ' + std::string(what);
}

/// What is doubtful about a benchmark.
class doubts {
 public:
  doubts(const record::benchmark& b, const readings& all, const benchmark_summary& s) : b_(b), all_(all), s_(s) {}

  [[nodiscard]] std::vector<finding> found() && {
    forks();
    host();
    samples();
    if (s_.estimates.empty()) return std::move(found_);
    groups();
    courses();
    clock();
    return std::move(found_);
  }

 private:
  void add(std::string id, std::string text) { found_.push_back({std::move(id), std::move(text)}); }

  void forks() {
    if (s_.forks_failed > 0) {
      std::map<std::string, std::size_t> kinds;
      for (const record::fork& f : b_.forks) {
        if (f.failure) ++kinds[f.failure->kind + (f.failure->code != 0 ? ' ' + std::to_string(f.failure->code) : "")];
      }
      std::string text = count_of(s_.forks_ok, b_.forks.size(), "forks sound");
      for (const auto& [kind, count] : kinds) text += "; " + std::to_string(count) + " failed: " + kind;
      add("failed_forks", std::move(text));
    }
    // Coverage by tests/property/statistics_test.cpp, 3 x 10 and 5 x 5.
    const std::size_t counted = s_.estimates.empty() ? s_.forks_ok : s_.estimates.front().fork_values.size();
    if (counted < 10) {
      add("few_forks",
          std::to_string(counted) +
              " sound: one process is one sample of memory layout; use 10 forks or more. Should forks have "
              "two modes, which so few may hide, the 95 % interval of 3 forks holds the mean in 83 % of "
              "runs, that of 5 in 92 %");
    }
  }

  void host() {
    const auto disturbed = [](const record::fork* f) { return !f->notes.empty(); };
    const auto first = std::find_if(all_.sound.begin(), all_.sound.end(), disturbed);
    if (first == all_.sound.end()) return;
    const auto count = static_cast<std::size_t>(std::count_if(first, all_.sound.end(), disturbed));
    add("disturbed", count_of(count, s_.forks_ok, "forks shared their cores, the first: ") + (*first)->notes.front());
  }

  void samples() {
    if (!all_.pipeline) return;
    const std::size_t without = s_.forks_ok - (s_.estimates.empty() ? 0 : s_.estimates.front().fork_values.size());
    if (without > 0) {
      add("no_valid_sample", count_of(without, s_.forks_ok, "forks have no valid sample and do not count") +
                                 (s_.reasons.empty() ? "" : ": mostly " + s_.reasons.front().first));
    }
    if (all_.clamped > 0) {
      add("percentile_clamped", std::to_string(all_.clamped) +
                                    " percentiles of forks lie beyond what the histogram resolves and are left out");
    }
  }

  void groups() {
    const estimate& primary = s_.estimates.front();
    const auto two = stats::find_two_modes(primary.fork_values);
    // Groups 1 % apart matter less than what a comparison calls a change.
    if (!two || two->high - two->low < 0.01 * std::fabs(primary.mean)) return;
    add("multimodal", "forks fall into two groups: " + std::to_string(two->low_count) + " near " + shown(two->low) +
                          ", " + std::to_string(two->high_count) + " near " + shown(two->high) + ' ' +
                          primary.what.unit + ": the mean describes neither");
  }

  void courses() {
    std::size_t unsteady = 0;
    std::size_t late = 0;
    std::size_t from = 0;
    for (std::size_t f = 0; f < all_.sound.size(); ++f) {
      const stats::steady_state& s = all_.courses[f];
      unsteady += s.course == stats::course::no_steady_state;
      late += s.from > all_.sound[f]->warmup;
      from = std::max(from, s.from);
    }
    if (unsteady > 0) {
      add("unsteady", count_of(unsteady, s_.forks_ok, "forks reach no steady state: use more iterations"));
    }
    if (late > 0) {
      add("unsteady", count_of(late, s_.forks_ok, "forks change speed after their warm-up: use ") +
                          std::to_string(from) + " warm-up iterations");
    }
  }

  /// Reading the clock twice takes about 50 ns, 1 % of 5 us.
  void clock() {
    double shortest = std::numeric_limits<double>::infinity();
    for (const record::fork* f : all_.sound) {
      for (std::size_t i = f->warmup; i < f->iterations.size(); ++i) {
        const auto operations = static_cast<double>(f->iterations[i].operations);
        shortest =
            std::min(shortest, operations * f->iterations[i].real_ns / static_cast<double>(record::threads_of(b_)));
      }
    }
    if (shortest < 5'000) {
      add("coarse_clock", "an iteration of " + shown(shortest) + " ns is too short for the clock: use more operations");
    }
  }

  const record::benchmark& b_;
  const readings& all_;
  const benchmark_summary& s_;
  std::vector<finding> found_;
};

[[nodiscard]] inline std::vector<finding> doubts_of(const record::run_record& run) {
  std::vector<finding> found;
  const auto add = [&](std::string id, std::string text) {
    const finding f{std::move(id), std::move(text)};
    if (std::find(found.begin(), found.end(), f) == found.end()) found.push_back(f);
  };
  if (!run.complete()) {
    add("incomplete", run.ended_by.empty() ? "the run did not end: this is what it had written"
                                           : "the run was interrupted: this is what it had measured");
  }
  for (const record::environment& e : run.environments) {
    const auto value = [&](std::string_view name) {
      const record::fact* f = e.find(name);
      return f == nullptr ? std::string() : f->value.value_or("");
    };
    if (value("optimized") == "no") add("debug_build", "built without optimization: measure a release build");
    if (value("aslr").starts_with("off")) {
      add("aslr_off", "address space randomization is off: every fork has the same layout, so more forks show no more");
    }
    if (const std::string governor = value("governor"); !governor.empty() && governor != "performance") {
      add("cpu_scaling", "governor " + governor + ": the clock rate follows the load; use performance");
    }
    if (value("turbo") == "on") add("cpu_scaling", "turbo is on: the clock rate follows heat and neighbours");
  }
  return found;
}

}  // namespace detail

/// One benchmark over its sound forks. Of pipelines only valid samples count; warm-up iterations never do.
/// Requires: 0 < level < 1.  Errors: weir::error when histograms of different resolution meet.
[[nodiscard]] inline benchmark_summary summarize(const record::benchmark& b, double level = 0.95) {
  detail::readings all = detail::read(b);
  benchmark_summary s;
  s.name = b.name;
  s.variant = b.variant;
  s.forks_ok = all.sound.size();
  s.forks_failed = b.forks.size() - all.sound.size();
  s.samples = all.samples;
  s.valid = all.valid;
  s.inconclusive = all.inconclusive;
  s.reasons.assign(all.reasons.begin(), all.reasons.end());
  std::ranges::sort(s.reasons, std::greater<>(), [](const auto& r) { return std::pair(r.second, r.first); });
  for (const detail::metric_readings& m : all.metrics) s.estimates.push_back(detail::estimated(m, all.over(), level));
  if (!all.metrics.empty()) s.layers = detail::layers_of(all, static_cast<double>(record::threads_of(b)));
  for (const stats::steady_state& c : all.courses) s.classes.push_back(c.course);
  s.findings = detail::doubts(b, all, s).found();
  s.pooled_latency = std::move(all.latency);
  return s;
}

/// Every benchmark of a run, and what is doubtful about the run as a whole.
[[nodiscard]] inline run_summary summarize(const record::run_record& run, double level = 0.95) {
  run_summary all;
  for (const record::benchmark& b : run.benchmarks) all.benchmarks.push_back(summarize(b, level));
  all.findings = detail::doubts_of(run);
  return all;
}

}  // namespace weir::inline WEIR_ABI::analysis
