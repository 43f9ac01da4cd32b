#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Every single measurement as a line of text, under the column names of the `pa` tool (Laaber et al., "Dynamically
// reconfiguring software microbenchmarks", FSE 2020); weir's own columns follow. Temperature: cold.
//
//   report::write_file(out / "raw.csv", report::raw_csv(run), "--weir_out");

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <weir/base/config.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/environment.hpp>
#include <weir/record/run_record.hpp>
#include <weir/record/sample.hpp>
#include <weir/report/labels.hpp>

namespace weir::inline WEIR_ABI::report {

namespace detail {

/// In quotes when it holds the separator, a quote or the end of a line; quotes are doubled (RFC 4180).
[[nodiscard]] inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(";\"\r\n") == text.npos) return as_utf8(text);
  std::string quoted = "\"";
  for (const char c : as_utf8(text)) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

/// What all lines of one benchmark share, and what they are sorted by.
struct csv_benchmark {
  std::string name;
  std::string params;
  const record::benchmark* what = nullptr;
};

class raw_csv_text {
 public:
  explicit raw_csv_text(const record::run_record& run) : run_(run) {
    const record::fact* commit = run.environments.empty() ? nullptr : run.environments.front().find("commit");
    if (commit != nullptr) commit_ = commit->value.value_or("");
  }

  [[nodiscard]] std::string made() && {
    std::vector<csv_benchmark> sorted;
    for (const record::benchmark& b : run_.benchmarks) {
      label parts = label_of(run_, b);
      std::string params;
      for (const auto& [name, value] : parts.params)
        if (name != "variant") params += (params.empty() ? "" : ",") + name + '=' + value;  // values hold no comma
      sorted.push_back({std::move(parts.path), std::move(params), &b});
    }
    std::ranges::sort(sorted, {}, [](const csv_benchmark& b) { return std::tie(b.name, b.params, b.what->variant); });
    for (const csv_benchmark& b : sorted) add(b);
    return std::move(text_);
  }

 private:
  void add(const csv_benchmark& b) {
    // Each side of an A/B run is a build of its own, and this is the column that builds are told apart by.
    const std::string head = fmt::format("{};{};{};{};", csv_field(run_.program),
                                         csv_field(b.what->variant.empty() ? commit_ : b.what->variant),
                                         csv_field(b.name), csv_field(b.params));
    std::map<std::pair<std::string, std::string>, int> forks;  // of each host and build
    for (const record::fork& f : b.what->forks) {
      const auto fork_head = fmt::format("{}{};{};{};", head, csv_field(f.host.empty() ? "1" : f.host), trial(f.build),
                                         ++forks[{f.host, f.build}]);
      if (f.invocations.empty()) {
        for (std::size_t i = 0; i < f.iterations.size(); ++i)
          line(fork_head, f, i, f.iterations[i].real_ns, f.iterations[i].operations, !f.failure);
      } else {
        for (const record::invocation& v : f.invocations)
          line(fork_head, f, v.iteration,
               static_cast<double>(v.sample.job_time.count()) / static_cast<double>(v.sample.processed_rows),
               v.sample.processed_rows, !f.failure && judge::assess(v.sample).valid());
      }
    }
  }

  /// `pa` wants a number: builds are counted from 1 in order of appearance.
  [[nodiscard]] std::size_t trial(const std::string& build) {
    auto at = std::ranges::find(builds_, build);
    if (at == builds_.end()) at = builds_.insert(at, build);
    return static_cast<std::size_t>(at - builds_.begin()) + 1;
  }

  /// A job that moved no row has no time a row.
  void line(std::string_view head, const record::fork& f, std::size_t iteration, double ns, std::uint64_t operations,
            bool valid) {
    if (!std::isfinite(ns)) return;
    fmt::format_to(std::back_inserter(text_), "{}{};avgt;ns/op;1;{};{};{};{};{};{}\n", head, iteration + 1, ns,
                   operations, f.started.count(), f.place, iteration < f.warmup ? "warmup" : "measured", valid);
  }

  const record::run_record& run_;
  std::string commit_;
  std::vector<std::string> builds_;
  std::string text_ =
      "project;commit;benchmark;params;instance;trial;fork;iteration;mode;unit;value_count;value;"
      "operations;started_ns;order;phase;valid\n";
};

}  // namespace detail

/// One line an iteration, of pipelines one a job; sorted by benchmark and parameters. Failed forks, warm-up and
/// invalid jobs are there too: the last two columns tell them.
/// Units: ns an operation, of pipelines ns a row.
[[nodiscard]] inline std::string raw_csv(const record::run_record& run) { return detail::raw_csv_text(run).made(); }

}  // namespace weir::inline WEIR_ABI::report
