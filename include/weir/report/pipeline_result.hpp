#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// One JSON file per measured job of a run, under the field names of SeaTunnel's benchmark (STIP-32), so that its own
// tools read weir's results; weir's own fields follow. Temperature: cold.
//
//   report::write_pipeline_results(out, run);  // out/pipeline-results/<run_id>.json

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/judge/capacity.hpp>
#include <weir/judge/growth.hpp>
#include <weir/judge/trend.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/measure/snapshot.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/hlog.hpp>
#include <weir/record/json.hpp>
#include <weir/record/run_record.hpp>
#include <weir/record/sample.hpp>
#include <weir/report/atomic_file.hpp>

namespace weir::inline WEIR_ABI::report {

namespace detail {

/// `<name>-<digits>-<digits>`: upstream's tools refuse all else, and it must not lead out of the folder.
[[nodiscard]] inline bool is_run_id(std::string_view id) noexcept {
  const auto cut_number = [&id] {
    const auto dash = id.rfind('-');
    const bool number =
        dash != id.npos && dash + 1 < id.size() && id.find_first_not_of("0123456789", dash + 1) == id.npos;
    id = id.substr(0, number ? dash : 0);
    return number;
  };
  return cut_number() && cut_number() && !id.empty() && id.front() != '.' && id.find('/') == id.npos;
}

}  // namespace detail

/// Times named _ms are fractional, their twins named _ns exact. What is unknown is null.
[[nodiscard]] inline nlohmann::ordered_json pipeline_result(const judge::judged_sample& judged) {
  using nlohmann::ordered_json;
  const record::sample& s = judged.sample;
  const measure::snapshot latency = s.latency();
  const auto p50 = latency.at(measure::p50);
  const auto p95 = latency.at(measure::p95);
  const auto p99 = latency.at(measure::p99);
  const auto first = s.latency_first_half.at(measure::p99);
  const auto second = s.latency_second_half.at(measure::p99);
  const auto ms = [](measure::nanoseconds t) { return static_cast<double>(t.count()) / 1e6; };
  const auto null_unless = [](const auto& value) { return value ? ordered_json(*value) : ordered_json(); };
  const auto as_signed = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };

  ordered_json out;
  out["run_id"] = s.run_id;
  const bool whole_rate = s.asked.offered.per == std::chrono::seconds(1);
  out["offered_rate_rows_per_second"] =
      whole_rate ? ordered_json(s.asked.offered.events) : ordered_json(s.asked.offered.per_s());
  out["parallelism"] = s.asked.parallelism;
  out["payload_size"] = s.asked.payload_size;
  out["transform_operations"] = s.asked.transform_operations;
  out["expected_rows"] = s.asked.rows;
  out["processed_rows"] = s.processed_rows;
  out["duration_seconds"] = ms(s.last_receipt - s.first_receipt) / 1e3;
  out["throughput_rows_per_second"] = achieved_per_s(s);
  out["event_time_latency_p50_ms"] = ms(p50.value);
  out["event_time_latency_p95_ms"] = ms(p95.value);
  out["event_time_latency_p99_ms"] = ms(p99.value);
  out["event_time_latency_max_ms"] = ms(latency.max());
  out["first_half_p99_ms"] = ms(first.value);
  out["second_half_p99_ms"] = ms(second.value);
  out["latency_growth_ratio"] = judge::latency_growth_ratio(s);
  out["latency_percentiles_clamped"] = p50.clamped || p95.clamped || p99.clamped || first.clamped || second.clamped;
  out["latency_overflow_rows"] = latency.overflow();
  out["checksum"] = as_signed(s.checksum);  // upstream's is a Java long
  out["sustainable"] = judged.verdict.valid();

  out["scenario"] = s.scenario;
  out["arrival"] = s.asked.arrival;
  out["verdict"] = to_string(judged.verdict.state);
  out["reasons"] = ordered_json::array();
  for (const auto& r : judged.verdict.reasons) {
    out["reasons"].push_back({{"id", r.id},
                              {"measured", r.measured},
                              {"limit", r.limit},
                              {"unit", r.unit},
                              {"advice", r.advice},
                              {"weight", to_string(r.weight)}});
  }
  out["failure"] = null_unless(s.failure);
  out["score_rows_per_second"] = score_per_s(s);
  out["job_time_ns"] = s.job_time.count();
  out["schedule_time_ns"] = s.schedule_time.count();
  out["event_time_latency_p50_ns"] = p50.value.count();
  out["event_time_latency_p95_ns"] = p95.value.count();
  out["event_time_latency_p99_ns"] = p99.value.count();
  out["event_time_latency_p999_ns"] = latency.at(measure::p999).value.count();
  out["event_time_latency_max_ns"] = latency.max().count();
  out["first_half_p99_ns"] = first.value.count();
  out["second_half_p99_ns"] = second.value.count();
  out["negative_latency_rows"] = s.negative_latencies;
  for (const auto& [name, series] : {std::pair("release_lag", &s.release_lag), std::pair("residence", &s.residence)}) {
    out[std::string(name) + "_p50_ns"] = series->at(measure::p50).value.count();
    out[std::string(name) + "_p99_ns"] = series->at(measure::p99).value.count();
    out[std::string(name) + "_max_ns"] = series->max().count();
  }
  out["source_blocked_ns"] = s.source_blocked.count();
  const auto slope = judge::latency_slope(s);
  out["backlog_slope"] = slope ? ordered_json(slope->value) : ordered_json();
  out["backlog_slope_low"] = slope ? ordered_json(slope->low) : ordered_json();
  out["backlog_slope_high"] = slope ? ordered_json(slope->high) : ordered_json();
  out["cpu_ns_per_row"] = cpu_ns_per_row(s);
  out["cpu_includes_generator"] = s.sut_cpu_includes_generator;
  out["predicted_capacity_rows_per_second"] = null_unless(judge::predicted_capacity_per_s(s));
  out["busy_ratio"] = ordered_json::object();
  for (const auto& stage : s.stages) out["busy_ratio"][stage.name] = judge::busy_ratio(stage);
  out["exactly_once"] = s.seen == s.expected;
  out["expected_checksum"] = s.expected_checksum ? ordered_json(as_signed(*s.expected_checksum)) : ordered_json();
  out["corrupt_payload_rows"] = s.corrupt_payloads;
  out["features_fired"] = ordered_json::object();
  for (const auto& feature : s.features) out["features_fired"][feature.name] = feature.fired;
  if (!s.timeline.empty()) {
    out["timeline"] = ordered_json::array();
    for (const record::usage_point& point : s.timeline)
      out["timeline"].push_back(
          {{"at_ns", point.at.count()}, {"busy_ratio", point.busy_ratio}, {"queue_fill", point.queue_fill}});
  }
  out["clock"] = s.clock;
  out["waiting"] = s.waiting;
  out["placement"] = s.placement;
  out["notes"] = s.notes;
  out["histogram"] = record::encode(latency);
  return out;
}

namespace detail {

/// Errors: report.run_id_malformed; report.cannot_write.
inline void write_one_result(const std::filesystem::path& folder, const nlohmann::ordered_json& result) {
  const auto& id = result["run_id"].get_ref<const std::string&>();
  if (!is_run_id(id)) {
    weir::detail::raise("report.run_id_malformed", "run_id", '"' + id + "\": must be <name>-<digits>-<digits>");
  }
  write_file(folder / (id + ".json"), record::json_text(result), "--weir_out");
}

}  // namespace detail

/// Removes <dir>/pipeline-results/<run_id>.json, of sides too, but for those that are to be kept.
inline void remove_pipeline_results(const std::filesystem::path& dir,
                                    const std::set<std::filesystem::path>& kept = {}) {
  namespace fs = std::filesystem;
  const fs::path root = dir / "pipeline-results";
  std::error_code ignored;
  for (const fs::path& folder : {root, root / "base", root / "candidate"}) {
    std::vector<fs::path> stale;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      if (entry.path().extension() == ".json" && detail::is_run_id(entry.path().stem().string()) &&
          !kept.contains(entry.path()))
        stale.push_back(entry.path());
    for (const fs::path& file : stale) fs::remove(file, ignored);
  }
}

/// Writes <dir>/pipeline-results/<run_id>.json for every measured job of every sound fork, of an A/B run into a folder
/// a side, as upstream's tools want them, who read a folder and not what is below it. Removes what another run has left
/// there: the folder holds this run's files and no others.
/// Errors: weir::error as of one; report.run_id_twice.
inline void write_pipeline_results(const std::filesystem::path& dir, const record::run_record& run) {
  namespace fs = std::filesystem;
  const fs::path root = dir / "pipeline-results";
  std::set<fs::path> written;
  for (const record::benchmark& b : run.benchmarks) {
    const fs::path folder = b.variant.empty() ? root : root / b.variant;
    for (const record::fork& f : b.forks) {
      if (f.failure) continue;
      for (const record::invocation& i : f.invocations) {
        if (i.iteration < f.warmup) continue;
        const std::string& id = i.sample.run_id;
        nlohmann::ordered_json out = pipeline_result({i.sample, judge::assess(i.sample)});
        out["benchmark"] = b.name;
        out["variant"] = b.variant;
        out["host"] = f.host;
        out["build"] = f.build;
        out["fork"] = f.block + 1;
        out["iteration"] = i.iteration + 1 - f.warmup;
        if (!written.insert(folder / (id + ".json")).second)
          weir::detail::raise("report.run_id_twice", "run_id", '"' + id + "\": two jobs of the run have it");
        detail::write_one_result(folder, out);
      }
    }
  }
  remove_pipeline_results(dir, written);
}

/// Writes <dir>/environment.json, whole or not at all.
/// Errors: weir::error at --weir_out when the folder cannot be written.
inline void write_environment(const std::filesystem::path& dir, const record::environment& found) {
  write_file(dir / "environment.json", record::json_text(nlohmann::ordered_json(found)), "--weir_out");
}

}  // namespace weir::inline WEIR_ABI::report
