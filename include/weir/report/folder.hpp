#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The result folder: every file that a run leaves. docs/results.md describes them. Temperature: cold.
//
//   report::write_all("out", run);

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <weir/analysis/comparison.hpp>
#include <weir/analysis/summary.hpp>
#include <weir/base/config.hpp>
#include <weir/record/json.hpp>
#include <weir/record/run_record.hpp>
#include <weir/report/atomic_file.hpp>
#include <weir/report/exports.hpp>
#include <weir/report/markdown.hpp>
#include <weir/report/page.hpp>
#include <weir/report/pipeline_result.hpp>
#include <weir/report/raw_csv.hpp>
#include <weir/report/result.hpp>

namespace weir::inline WEIR_ABI::report {

/// Writes result.json, summary.md, raw.csv, environment.json, exports/ and pipeline-results/, each file whole or not at
/// all.
/// `comparison` may be null.  Requires: summary of this run.
/// Errors: report.cannot_write at --weir_out; of pipelines report.run_id_malformed, report.run_id_twice.
inline void write_all(const std::filesystem::path& folder, const record::run_record& run,
                      const analysis::run_summary& summary, const analysis::comparison_report* comparison) {
  write_result(folder, run, summary, comparison);
  const auto write = [&](const char* name, std::string_view text) { write_file(folder / name, text, "--weir_out"); };
  write("summary.md", summary_page(run, summary, comparison));
  write("raw.csv", raw_csv(run));
  // Of one host an object, as ever; of several, which only merged results have, an array of them.
  if (run.environments.size() == 1)
    write_environment(folder, run.environments.front());
  else if (!run.environments.empty())
    write("environment.json", record::json_text(nlohmann::ordered_json(run.environments)));
  write("exports/google-benchmark.json", record::json_text(google_benchmark(run)));
  write("exports/jmh.json", record::json_text(jmh(run, summary)));
  write("exports/bencher.json", record::json_text(bencher(run, summary)));
  write("exports/github-action-smaller.json", record::json_text(github_action_smaller(run, summary)));
  write("exports/github-action-bigger.json", record::json_text(github_action_bigger(run, summary)));
  write_pipeline_results(folder, run);
}

/// The same with what analysis makes of the run: sides of an A/B run are compared.
inline void write_all(const std::filesystem::path& folder, const record::run_record& run) {
  const auto sides = compared_sides(run);
  write_all(folder, run, analysis::summarize(run), sides ? &*sides : nullptr);
}

}  // namespace weir::inline WEIR_ABI::report
