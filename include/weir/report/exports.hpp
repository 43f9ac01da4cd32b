#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A run in the file formats of other people's tools. docs/results.md says who reads which. What failed, what is not
// valid and what is no finite number is left out: none of these formats has a place for it. Temperature: cold.
//
//   report::write_file(out / "exports/bencher.json", record::json_text(report::bencher(run, summary)), "--weir_out");

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/run_record.hpp>
#include <weir/record/sample.hpp>
#include <weir/report/labels.hpp>
#include <weir/report/tables.hpp>
#include <weir/stats/interval.hpp>
#include <weir/stats/moments.hpp>
#include <weir/stats/quantile.hpp>

namespace weir::inline WEIR_ABI::report {

namespace detail {

using nlohmann::ordered_json;

/// One sound fork as the formats that know repetitions show it.
struct fork_figures {
  std::size_t number = 0;              // among all forks of the benchmark
  std::uint64_t operations = 0;        // of pipelines jobs
  double real_ns = 0;                  // an operation
  double cpu_ns = 0;
  std::vector<double> iteration_ns;    // an operation; of pipelines a row
  std::vector<record::counter> counters;
};

[[nodiscard]] inline fork_figures plain_figures(const record::fork& f) {
  fork_figures out;
  std::vector<double> cpu;
  std::vector<std::pair<std::string, std::vector<double>>> counters;
  for (std::size_t i = f.warmup; i < f.iterations.size(); ++i) {
    const record::iteration& one = f.iterations[i];
    if (!std::isfinite(one.real_ns)) continue;
    out.operations += one.operations;
    out.iteration_ns.push_back(one.real_ns);
    if (std::isfinite(one.cpu_ns) && one.cpu_ns > 0) cpu.push_back(one.cpu_ns);
    for (const record::counter& c : one.counters) {
      if (!std::isfinite(c.value)) continue;
      auto at = std::ranges::find(counters, c.name, &decltype(counters)::value_type::first);
      if (at == counters.end()) at = counters.insert(at, {c.name, {}});
      at->second.push_back(c.value);
    }
  }
  if (out.iteration_ns.empty()) return out;
  out.real_ns = stats::mean(out.iteration_ns);
  out.cpu_ns = cpu.empty() ? out.real_ns : stats::mean(cpu);
  for (const auto& [name, values] : counters) out.counters.push_back({name, stats::mean(values)});
  return out;
}

[[nodiscard]] inline fork_figures pipeline_figures(const record::fork& f) {
  fork_figures out;
  std::map<std::uint32_t, std::vector<double>> iterations;
  std::vector<double> job_ns;
  std::vector<double> cpu_ns;
  std::vector<double> score;
  std::vector<double> achieved;
  std::vector<double> cpu_per_row;
  measure::snapshot latency;
  for (const record::invocation& i : f.invocations) {
    const record::sample& s = i.sample;
    if (i.iteration < f.warmup || !judge::assess(s).valid()) continue;
    job_ns.push_back(static_cast<double>(s.job_time.count()));
    cpu_ns.push_back(static_cast<double>(s.sut_cpu.count()));
    score.push_back(record::score_per_s(s));
    achieved.push_back(record::achieved_per_s(s));
    cpu_per_row.push_back(record::cpu_ns_per_row(s));
    latency.merge(s.latency_first_half);
    latency.merge(s.latency_second_half);
    iterations[i.iteration].push_back(job_ns.back() / static_cast<double>(s.processed_rows));
  }
  if (job_ns.empty()) return out;
  out.operations = job_ns.size();
  out.real_ns = stats::mean(job_ns);
  out.cpu_ns = stats::mean(cpu_ns) > 0 ? stats::mean(cpu_ns) : out.real_ns;
  for (const auto& [index, values] : iterations) out.iteration_ns.push_back(stats::mean(values));
  const auto ms = [&](measure::percentile p) { return static_cast<double>(latency.at(p).value.count()) / 1e6; };
  out.counters = {{"valid_samples", static_cast<double>(job_ns.size())},
                  {"items_per_second", stats::mean(score)},
                  {"achieved_rows_per_s", stats::mean(achieved)},
                  {"latency_p50_ms", ms(measure::p50)},
                  {"latency_p99_ms", ms(measure::p99)},
                  {"latency_p999_ms", ms(measure::p999)},
                  {"cpu_ns_per_row", stats::mean(cpu_per_row)}};
  return out;
}

/// Of the sound forks that measured something.
[[nodiscard]] inline std::vector<fork_figures> figures_of(const record::benchmark& b) {
  std::vector<fork_figures> all;
  const bool pipeline = is_pipeline(b);
  for (std::size_t i = 0; i < b.forks.size(); ++i) {
    if (b.forks[i].failure) continue;
    fork_figures one = pipeline ? pipeline_figures(b.forks[i]) : plain_figures(b.forks[i]);
    one.number = i;
    if (!one.iteration_ns.empty()) all.push_back(std::move(one));
  }
  return all;
}

[[nodiscard]] inline std::string fact_or(const record::run_record& run, std::string_view name, std::string none) {
  const record::fact* f = run.environments.empty() ? nullptr : run.environments.front().find(name);
  return f == nullptr ? none : f->value.value_or(none);
}

/// Google Benchmark's context. The host has no name: weir keeps none.
[[nodiscard]] inline ordered_json google_context(const record::run_record& run) {
  ordered_json out;
  out["date"] = run.started;
  out["host_name"] = "";
  out["executable"] = run.program;
  std::uint64_t cores = 0;
  const std::string usable = fact_or(run, "cores_usable", "0");
  std::from_chars(usable.data(), usable.data() + usable.size(), cores);
  out["num_cpus"] = cores;
  std::uint64_t megahertz = 0;
  const std::string clock = fact_or(run, "cpu_mhz", "");
  std::from_chars(clock.data(), clock.data() + clock.size(), megahertz);
  out["mhz_per_cpu"] = megahertz;
  if (const std::string governor = fact_or(run, "governor", ""); !governor.empty())
    out["cpu_scaling_enabled"] = governor != "performance";
  if (const std::string aslr = fact_or(run, "aslr", ""); !aslr.empty()) out["aslr_enabled"] = aslr.starts_with("on");
  out["caches"] = ordered_json::array();
  out["load_avg"] = ordered_json::array();
  const std::string load = fact_or(run, "load_average", "");
  for (const char* at = load.data(); at != load.data() + load.size();) {
    double value = 0;
    const auto [end, error] = std::from_chars(at, load.data() + load.size(), value);
    if (error == std::errc{}) out["load_avg"].push_back(value);
    at = error == std::errc{} ? end : at + 1;
  }
  out["library_build_type"] = fact_or(run, "assertions", "").starts_with("off") ? "release" : "debug";
  out["json_schema_version"] = 1;
  out["weir_version"] = version();
  out["weir_seed"] = std::to_string(run.seed);
  out["weir_profile"] = run.budget.profile;
  return out;
}

/// A user's counter is a field beside those of the library's reporter, and may have the name of one: that one stays,
/// and the counter goes by user_NAME.
inline void add_counter(ordered_json& row, std::string name, double value) {
  constexpr std::array<std::string_view, 27> librarys{"name",
                                                      "family_index",
                                                      "per_family_instance_index",
                                                      "run_name",
                                                      "run_type",
                                                      "repetitions",
                                                      "repetition_index",
                                                      "threads",
                                                      "aggregate_name",
                                                      "aggregate_unit",
                                                      "error_occurred",
                                                      "error_message",
                                                      "skipped",
                                                      "skip_message",
                                                      "iterations",
                                                      "real_time",
                                                      "cpu_time",
                                                      "time_unit",
                                                      "cpu_coefficient",
                                                      "real_coefficient",
                                                      "big_o",
                                                      "rms",
                                                      "allocs_per_iter",
                                                      "max_bytes_used",
                                                      "total_allocated_bytes",
                                                      "net_heap_growth",
                                                      "label"};
  while (std::ranges::find(librarys, name) != librarys.end() || row.contains(name)) name.insert(0, "user_");
  row[name] = value;
}

/// A benchmark's rows: one a fork, so that a test over rows is one over forks; then aggregates over them.
class google_rows {
 public:
  google_rows(const record::benchmark& b, std::size_t family, std::size_t instance, ordered_json& out)
      : forks_(figures_of(b)), all_(b.forks.size()), out_(out) {
    const bool pipeline = is_pipeline(b);
    const std::string name = sided_name(b.name, b.variant);
    head_ = {{"name", name}, {"family_index", family}, {"per_family_instance_index", instance}, {"run_name", name}};
    threads_ = record::threads_of(b);
    unit_ = pipeline ? "ms" : "ns";
    ns_a_unit_ = pipeline ? 1e6 : 1;
  }

  void add() {
    for (const fork_figures& f : forks_) {
      ordered_json row = head_;
      row["run_type"] = "iteration";
      row["repetitions"] = all_;
      row["repetition_index"] = f.number;
      row["threads"] = threads_;
      row["iterations"] = f.operations;
      row["real_time"] = f.real_ns / ns_a_unit_;
      row["cpu_time"] = f.cpu_ns / ns_a_unit_;
      row["time_unit"] = unit_;
      for (const record::counter& c : f.counters) add_counter(row, c.name, c.value);
      out_.push_back(std::move(row));
    }
    if (forks_.size() < 2) return;
    aggregate("mean", "time", stats::mean);
    aggregate("median", "time", [](std::span<const double> v) { return stats::median({v.begin(), v.end()}); });
    aggregate("stddev", "time", [](std::span<const double> v) { return std::sqrt(stats::variance(v)); });
    aggregate("cv", "percentage",
              [](std::span<const double> v) { return std::sqrt(stats::variance(v)) / stats::mean(v); });
  }

 private:
  template <class Statistic>
  void aggregate(const std::string& name, std::string_view unit, Statistic statistic) {
    const auto over = [&](auto figure) {
      std::vector<double> values;
      for (const fork_figures& f : forks_)
        if (const auto value = figure(f)) values.push_back(*value);
      return statistic(std::span<const double>(values));
    };
    const double scale = unit == "time" ? ns_a_unit_ : 1;
    ordered_json row = head_;
    row["name"] = head_["name"].get<std::string>() + '_' + name;
    row["run_type"] = "aggregate";
    row["repetitions"] = all_;
    row["threads"] = threads_;
    row["aggregate_name"] = name;
    row["aggregate_unit"] = unit;
    row["iterations"] = forks_.size();
    row["real_time"] = over([](const fork_figures& f) { return std::optional(f.real_ns); }) / scale;
    row["cpu_time"] = over([](const fork_figures& f) { return std::optional(f.cpu_ns); }) / scale;
    row["time_unit"] = unit_;
    for (const record::counter& c : forks_.front().counters) {
      const double value = over([&](const fork_figures& f) {
        const auto at = std::ranges::find(f.counters, c.name, &record::counter::name);
        return at == f.counters.end() ? std::nullopt : std::optional(at->value);
      });
      if (std::isfinite(value)) add_counter(row, c.name, value);
    }
    out_.push_back(std::move(row));
  }

  std::vector<fork_figures> forks_;
  std::size_t all_;
  ordered_json& out_;
  ordered_json head_;
  std::uint64_t threads_ = 1;
  std::string unit_;
  double ns_a_unit_ = 1;
};

/// JMH's viewers cut names at dots, values at spaces and `=`, and lists of parameters at commas and brackets.
[[nodiscard]] inline std::string jmh_word(std::string_view text) { return percent_encoded(text, "_-:"); }
[[nodiscard]] inline std::string jmh_value(std::string_view text) { return percent_encoded(text, "_-:."); }

/// `suite.function`, at least one dot: a name of one segment goes by its program. So that `program/x` is not the same
/// as `x`, its first word then has the slash's code, which no other has.
[[nodiscard]] inline std::string jmh_name(std::string_view program, std::string_view path) {
  const auto word = [](std::string_view segment) { return segment.empty() ? "%" : jmh_word(segment); };  // no two dots
  const std::size_t first = std::min(path.find('/'), path.size());
  if (first == path.size()) return word(program) + '.' + word(path);
  const bool two = path.find('/', first + 1) == path.npos;
  std::string out = word(path.substr(0, two && path.substr(0, first) == program ? first + 1 : first));
  for (std::size_t at = first + 1; at <= path.size();) {
    const std::string_view segment = path.substr(at, path.find('/', at) - at);
    out += '.' + word(segment);
    at += segment.size() + 1;
  }
  return out;
}

/// JMH's own rule: rank p (n + 1), linear between neighbours.  Requires: sorted, not empty.
[[nodiscard]] inline double jmh_percentile(std::span<const double> sorted, double p) {
  const double rank = p / 100 * (static_cast<double>(sorted.size()) + 1);
  if (rank < 1) return sorted.front();
  if (rank >= static_cast<double>(sorted.size())) return sorted.back();
  const auto below = static_cast<std::size_t>(rank);
  return sorted[below - 1] + (rank - std::floor(rank)) * (sorted[below] - sorted[below - 1]);
}

/// Score and error are over forks, not over pooled iterations as JMH has them: weir's interval at JMH's level.
[[nodiscard]] inline ordered_json jmh_metric(std::span<const double> forks, const std::vector<std::vector<double>>& raw,
                                             std::string_view unit) {
  constexpr double level = 0.999;
  const double score = stats::mean(forks);
  double error = 0;
  if (forks.size() >= 2) error = stats::mean_interval(forks, level).high - score;
  std::vector<double> sorted;
  for (const auto& fork : raw) sorted.insert(sorted.end(), fork.begin(), fork.end());
  std::ranges::sort(sorted);
  ordered_json percentiles;
  for (const char* p : {"0.0", "50.0", "90.0", "95.0", "99.0", "99.9", "99.99", "99.999", "99.9999", "100.0"})
    percentiles[p] = jmh_percentile(sorted, std::strtod(p, nullptr));
  return {{"score", score},
          {"scoreError", error},
          {"scoreConfidence", {score - error, score + error}},
          {"scorePercentiles", std::move(percentiles)},
          {"scoreUnit", unit},
          {"rawData", raw},
          {"weir",
           {{"level", level},
            {"df", forks.size() - 1},
            {"method", forks.size() >= 2 ? "Student t over fork means" : "one fork: no interval"}}}};
}

/// One figure for a tracker.
struct tracked {
  std::string name;  // is added to the benchmark's
  std::string measure;
  std::string unit;
  bool smaller_is_better = true;
  double value = 0;
  double low = 0;
  double high = 0;
  bool interval = false;
  const analysis::estimate* from = nullptr;
};

[[nodiscard]] inline std::vector<tracked> tracked_figures(const analysis::benchmark_summary& b) {
  struct known {
    std::string_view id, name, measure, unit;
  };
  constexpr std::array all{
      known{"time", "time", "latency", "ns"},     known{"cpu", "cpu", "cpu", "ns"},
      known{"score", "score", "score", "rows/s"}, known{"throughput", "throughput", "throughput", "rows/s"},
      known{"p50", "p50", "p50", "ns"},           known{"p99", "p99", "p99", "ns"},
      known{"p999", "p999", "p999", "ns"},        known{"cpu_per_row", "cpu", "cpu", "ns"}};
  std::vector<tracked> out;
  for (const known& k : all) {
    const analysis::estimate* e = find_estimate(b, k.id);
    if (e == nullptr || !std::isfinite(e->mean)) continue;
    out.push_back({.name = std::string(k.name),
                   .measure = std::string(k.measure),
                   .unit = std::string(k.unit),
                   .smaller_is_better = e->what.better == analysis::direction::lower_is_better,
                   .value = e->mean,
                   .low = std::max(0.0, e->low),  // none of them can be negative
                   .high = e->high,
                   .interval = e->has_interval(),
                   .from = e});
    if (k.id != "time" || e->mean <= 0) continue;
    tracked rate = out.back();
    rate.name = rate.measure = "throughput";
    rate.unit = "ops/s";
    rate.smaller_is_better = false;
    rate.value = 1e9 / e->mean;
    rate.low = 1e9 / e->high;
    rate.high = 1e9 / e->low;
    rate.interval = e->has_interval() && e->low > 0;
    out.push_back(std::move(rate));
  }
  return out;
}

/// Bencher takes names of at most 1024 characters: the end of a longer one is its hash (FNV-1a of 64 bits).
[[nodiscard]] inline std::string bencher_name(std::string name) {
  constexpr std::size_t longest = 1024;
  constexpr std::size_t hash_digits = 16;
  if (name.size() <= longest) return name;
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  std::size_t kept = longest - 1 - hash_digits;
  while (kept > 0 && (static_cast<unsigned char>(name[kept]) & 0xC0) == 0x80) --kept;  // within a UTF-8 character
  return name.substr(0, kept) + fmt::format("#{:0{}x}", hash, hash_digits);
}

[[nodiscard]] inline ordered_json github_action(const record::run_record& run, const analysis::run_summary& summary,
                                                bool smaller) {
  auto out = ordered_json::array();
  for (std::size_t i = 0; i < summary.benchmarks.size(); ++i) {
    const auto& b = summary.benchmarks[i];
    for (const tracked& t : tracked_figures(b)) {
      if (t.smaller_is_better != smaller) continue;
      ordered_json row{
          {"name", series_name(run, run.benchmarks[i]) + ' ' + t.name}, {"unit", t.unit}, {"value", t.value}};
      std::string extra = fmt::format("{} of {} forks", b.forks_ok, b.forks_ok + b.forks_failed);
      if (t.interval) {
        row["range"] = fmt::format("± {:.4g}", t.value * t.from->relative_half_width());
        extra = fmt::format("{:.3g} % interval {:.6g} .. {:.6g} {} over {}; CV between forks {}", t.from->level * 100,
                            t.low, t.high, t.unit, extra, percent(t.from->cv_between));
      }
      if (b.samples > 0) extra += fmt::format("; {} of {} samples valid", b.valid, b.samples);
      row["extra"] = extra;
      out.push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace detail

/// What Google Benchmark's JSON reporter writes (schema 1), with a fork as a repetition: its tools/compare.py then
/// tests forks against forks. Times are ns an operation, of pipelines ms a job.
[[nodiscard]] inline nlohmann::ordered_json google_benchmark(const record::run_record& run) {
  nlohmann::ordered_json out{{"context", detail::google_context(run)}, {"benchmarks", nlohmann::ordered_json::array()}};
  std::map<std::string, std::pair<std::size_t, std::size_t>> families;  // index, instances so far
  for (const record::benchmark& b : run.benchmarks) {
    auto& [family, instances] = families.try_emplace(label_of(b.name).path, families.size(), 0).first->second;
    detail::google_rows(b, family, instances++, out["benchmarks"]).add();
  }
  return out;
}

/// JMH's JSON, average time: ns an operation, of pipelines ns a row. Other metrics are secondary, one value a fork.
/// Requires: summary of this run.
[[nodiscard]] inline nlohmann::ordered_json jmh(const record::run_record& run, const analysis::run_summary& summary) {
  using detail::ordered_json;
  auto out = ordered_json::array();
  for (std::size_t i = 0; i < run.benchmarks.size(); ++i) {
    const record::benchmark& b = run.benchmarks[i];
    std::vector<double> forks;
    std::vector<std::vector<double>> raw;
    for (auto& f : detail::figures_of(b)) {
      forks.push_back(stats::mean(f.iteration_ns));
      raw.push_back(std::move(f.iteration_ns));
    }
    if (forks.empty()) continue;
    const label parts = label_of(run, b);
    const std::string compiler = detail::fact_or(run, "compiler", "unknown");
    const std::string seconds = fmt::format("{} s", run.budget.iteration_seconds);
    ordered_json row{{"jmhVersion", "weir-" + detail::version()},
                     {"benchmark", detail::jmh_name(run.program, parts.path)},
                     {"mode", "avgt"},
                     {"threads", record::threads_of(b)},
                     {"forks", forks.size()},
                     {"jvm", run.program},
                     {"jvmArgs", {detail::fact_or(run, "cxx_flags", "")}},
                     {"jdkVersion", "C++20"},
                     {"vmName", compiler.substr(0, compiler.find(' '))},
                     {"vmVersion", compiler.substr(std::min(compiler.find(' ') + 1, compiler.size()))},
                     {"warmupIterations", run.budget.warmup},
                     {"warmupTime", seconds},
                     {"warmupBatchSize", 1},
                     {"measurementIterations", run.budget.iterations},
                     {"measurementTime", seconds},
                     {"measurementBatchSize", 1}};
    for (const auto& [name, value] : parts.params) row["params"][detail::jmh_word(name)] = detail::jmh_value(value);
    row["primaryMetric"] = detail::jmh_metric(forks, raw, "ns/op");
    row["secondaryMetrics"] = ordered_json::object();
    for (const analysis::estimate& e : summary.benchmarks[i].estimates) {
      if (e.what.id == "time") continue;
      std::vector<std::vector<double>> values;
      for (const double value : e.fork_values) values.push_back({value});
      row["secondaryMetrics"][detail::jmh_word(e.what.id)] =
          detail::jmh_metric(e.fork_values, values, e.what.unit.empty() ? "---" : e.what.unit);
    }
    out.push_back(std::move(row));
  }
  return out;
}

/// Bencher Metric Format. Measures: latency (ns an operation), throughput, score (rows/s), p50, p99, p999, cpu (ns).
/// Requires: summary of this run.
[[nodiscard]] inline nlohmann::ordered_json bencher(const record::run_record& run,
                                                    const analysis::run_summary& summary) {
  auto out = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < summary.benchmarks.size(); ++i) {
    for (const detail::tracked& t : detail::tracked_figures(summary.benchmarks[i])) {
      auto& measure = out[detail::bencher_name(series_name(run, run.benchmarks[i]))][t.measure];
      measure["value"] = t.value;
      if (!t.interval) continue;
      measure["lower_value"] = t.low;
      measure["upper_value"] = t.high;
    }
  }
  return out;
}

/// github-action-benchmark's `customSmallerIsBetter`: times, latencies, CPU.  Requires: summary of this run.
[[nodiscard]] inline nlohmann::ordered_json github_action_smaller(const record::run_record& run,
                                                                  const analysis::run_summary& summary) {
  return detail::github_action(run, summary, true);
}

/// github-action-benchmark's `customBiggerIsBetter`: throughput, score.  Requires: summary of this run.
[[nodiscard]] inline nlohmann::ordered_json github_action_bigger(const record::run_record& run,
                                                                 const analysis::run_summary& summary) {
  return detail::github_action(run, summary, false);
}

}  // namespace weir::inline WEIR_ABI::report
