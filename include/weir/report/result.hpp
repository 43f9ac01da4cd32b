#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// result.json: everything that a run measured, and what was made of it for tools that only want that. It is read back
// exactly. docs/results.md lists its fields. Temperature: cold.
//
//   report::write_result("out", run, summary);
//   const record::run_record again = report::read_result("out");

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weir/analysis/comparison.hpp>
#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/record/json.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/atomic_file.hpp>
#include <weir/report/tables.hpp>

namespace weir::inline WEIR_ABI::report {

namespace detail {

using nlohmann::ordered_json;

[[nodiscard]] inline std::string_view to_string(analysis::fork_class c) noexcept {
  constexpr std::array<std::string_view, 5> names{"unknown", "flat", "warm_up", "slowdown", "no_steady_state"};
  return names[static_cast<std::size_t>(c)];
}

[[nodiscard]] inline ordered_json json_of(const std::vector<analysis::finding>& findings) {
  auto out = ordered_json::array();
  for (const auto& f : findings) out.push_back({{"id", f.id}, {"text", f.text}});
  return out;
}

[[nodiscard]] inline ordered_json json_of(const analysis::estimate& e) {
  return {{"id", e.what.id},
          {"unit", e.what.unit},
          {"better", e.what.better == analysis::direction::lower_is_better    ? "lower"
                     : e.what.better == analysis::direction::higher_is_better ? "higher"
                                                                              : "neither"},
          {"over", e.over},
          {"mean", e.mean},
          {"low", e.low},
          {"high", e.high},
          {"level", e.level},
          {"df", e.df},
          {"median", e.median},
          {"min", e.min},
          {"max", e.max},
          {"cv_between", e.cv_between},
          {"cv_within", e.cv_within},
          {"rows", e.rows},
          {"effective_rows", e.effective_rows},
          {"fork_values", e.fork_values}};
}

[[nodiscard]] inline ordered_json json_of(const analysis::benchmark_summary& b) {
  ordered_json out{{"name", b.name},
                   {"variant", b.variant},
                   {"forks_ok", b.forks_ok},
                   {"forks_failed", b.forks_failed},
                   {"samples", b.samples},
                   {"valid", b.valid},
                   {"inconclusive", b.inconclusive},
                   {"reasons", ordered_json::object()},
                   {"estimates", ordered_json::array()},
                   {"layers", ordered_json::array()},
                   {"classes", ordered_json::array()},
                   {"findings", json_of(b.findings)}};
  for (const auto& [id, count] : b.reasons) out["reasons"][id] = count;
  for (const auto& e : b.estimates) out["estimates"].push_back(json_of(e));
  for (const auto& l : b.layers)
    out["layers"].push_back({{"name", l.name},
                             {"repetitions", l.repetitions},
                             {"variance", l.variance},
                             {"detectable", l.detectable},
                             {"cost_seconds", l.cost_seconds}});
  for (const auto c : b.classes) out["classes"].push_back(to_string(c));
  return out;
}

[[nodiscard]] inline ordered_json json_of(const analysis::comparison& c) {
  return {{"benchmark", c.benchmark},
          {"id", c.what.id},
          {"unit", c.what.unit},
          {"base", c.base},
          {"candidate", c.candidate},
          {"ratio", c.ratio},
          {"low", c.low},
          {"high", c.high},
          {"p", c.p},
          {"p_holm", c.p_holm},
          {"paired", c.paired},
          {"detectable", c.detectable},
          {"verdict", verdict_word(c)},
          {"not_comparable", c.not_comparable}};
}

/// Reads the whole file.
/// Errors: report.no_result.
[[nodiscard]] inline std::string text_of(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) {
    weir::detail::raise("report.no_result", path.string(),
                        std::error_code(errno, std::generic_category()).message() +
                            ": give a folder that --weir_out=DIR has written, or the result.json in it");
  }
  std::string text(1 << 16, '\0');
  std::size_t size = 0;
  for (std::size_t n; (n = std::fread(text.data() + size, 1, text.size() - size, file)) > 0;) {
    size += n;
    if (size == text.size()) text.resize(2 * size);
  }
  std::fclose(file);
  text.resize(size);
  return text;
}

/// The run in a document of result.json.
/// Errors: report.foreign_file, report.other_schema, record.json_malformed with the place in the document.
[[nodiscard]] inline record::run_record run_of(const ordered_json& document) {
  const auto schema = document.is_object() ? document.find("schema_version") : document.end();
  if (!document.is_object() || schema == document.end() || !document.contains("run") || !document.contains("tool")) {
    weir::detail::raise("report.foreign_file", "document",
                        "no schema_version, tool and run in it: this is JSON, but not a result.json of weir's");
  }
  if (*schema != record::schema_version) {
    const bool newer = schema->is_number() && *schema > record::schema_version;
    weir::detail::raise(
        "report.other_schema", "/schema_version",
        fmt::format("{}: weir {} reads {}; this file is {}: use the weir that wrote it ({})", schema->dump(), version(),
                    record::schema_version, newer ? "newer" : "older", (*document.find("tool")).dump()));
  }
  // Not from_json(), so that a fault is named by its place in the whole document.
  record::run_record run;
  record::detail::json_reader reader;
  reader.read(document["run"], ordered_json::json_pointer("/run"), run);
  reader.raise_faults();
  return run;
}

}  // namespace detail

/// What analysis made of a run, as JSON.
[[nodiscard]] inline nlohmann::ordered_json summary_json(const analysis::run_summary& summary,
                                                         const analysis::comparison_report* comparison = nullptr) {
  using detail::ordered_json;
  ordered_json out{{"findings", detail::json_of(summary.findings)}, {"benchmarks", ordered_json::array()}};
  for (const auto& b : summary.benchmarks) out["benchmarks"].push_back(detail::json_of(b));
  if (comparison != nullptr) {
    ordered_json rows = ordered_json::array();
    for (const auto& c : comparison->rows) rows.push_back(detail::json_of(c));
    out["comparison"] = {{"rows", std::move(rows)}, {"warnings", detail::json_of(comparison->warnings)}};
  }
  return out;
}

/// Writes <folder>/result.json, whole or not at all: on a full disk the file that was there stays.
/// Errors: report.cannot_write at --weir_out.
inline void write_result(const std::filesystem::path& folder, const record::run_record& run,
                         const analysis::run_summary& summary,
                         const analysis::comparison_report* comparison = nullptr) {
  nlohmann::ordered_json out;
  out["schema_version"] = record::schema_version;
  out["tool"] = "weir " + detail::version();
  out["complete"] = run.complete();
  out["run"] = run;
  out["summary"] = summary_json(summary, comparison);
  // On one line: 300,000 iterations are 53 MB so, and 117 MB when indented.
  write_file(folder / "result.json", out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n',
             "--weir_out");
}

/// Reads a result.json, or the one in a folder.
/// Errors: weir::error at the file and the place in it. report.no_result: not there; record.json_malformed: truncated,
/// or a field missing, unknown or wrong; report.foreign_file: other JSON; report.other_schema: older or newer.
[[nodiscard]] inline record::run_record read_result(const std::filesystem::path& file_or_folder) {
  std::error_code ignored;
  const auto path =
      std::filesystem::is_directory(file_or_folder, ignored) ? file_or_folder / "result.json" : file_or_folder;
  const std::string text = detail::text_of(path);
  try {
    return detail::run_of(record::parse_json(text));
  } catch (const error& e) {
    const std::string_view what = e.what();
    weir::detail::raise(e.id(), path.string() + ' ' + e.where(),
                        what.substr(error::message(e.id(), e.where(), "").size()));
  }
}

}  // namespace weir::inline WEIR_ABI::report
