#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Results of the same experiment on several hosts as one, in which the host is a layer. Temperature: cold.
//
//   const record::run_record all = record::merge({{"h1", first}, {"h2", second}});

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/record/run_record.hpp>

namespace weir::inline WEIR_ABI::record {

/// A result, and what to call the host that it is of: results name none.
struct hosted_run {
  std::string host;
  run_record run;
};

namespace detail {

[[nodiscard]] inline std::string shown(const std::vector<parameter>& parameters) {
  std::string text;
  for (const parameter& p : parameters) {
    text += (text.empty() ? "" : " ") + p.name + '=';
    for (const std::string& value : p.values) text += value + (&value == &p.values.back() ? "" : ",");
  }
  return text.empty() ? "no parameters" : text;
}

}  // namespace detail

/// Forks keep their order on each host; hosts follow one another. Forks that already name a host keep it.
/// Requires: runs not empty.
/// Errors: record.merge_differs at the host whose program or parameters differ from the first's,
/// record.merge_host_twice.
[[nodiscard]] inline run_record merge(std::vector<hosted_run> runs) {
  run_record all;
  std::vector<std::string> hosts;
  for (auto& [host, run] : runs) {
    const bool first = &run == &runs.front().run;
    if (!first && (run.program != all.program || run.parameters != all.parameters)) {
      weir::detail::raise("record.merge_differs", host,
                          run.program + " with " + detail::shown(run.parameters) + ", " + runs.front().host + " is " +
                              all.program + " with " + detail::shown(all.parameters) +
                              ": merge results of one program and one set of parameters");
    }
    std::uint32_t blocks = 0;
    std::uint32_t places = 0;
    std::vector<std::string> own;
    for (benchmark& b : all.benchmarks) {
      for (const fork& f : b.forks) {
        blocks = std::max(blocks, f.block + 1);
        places = std::max(places, f.place + 1);
      }
    }
    for (benchmark& b : run.benchmarks) {
      for (fork& f : b.forks) {
        if (f.host.empty()) f.host = host;
        if (std::ranges::find(own, f.host) == own.end()) own.push_back(f.host);
        f.block += blocks;
        f.place += places;
      }
    }
    for (const std::string& name : own) {
      if (std::ranges::find(hosts, name) != hosts.end())
        weir::detail::raise("record.merge_host_twice", host, '"' + name + "\": another result names that host too");
    }
    hosts.insert(hosts.end(), own.begin(), own.end());

    if (first) {
      all = std::move(run);
      continue;
    }
    if (all.budget.warmup != run.budget.warmup || all.budget.iterations != run.budget.iterations ||
        all.budget.iteration_seconds != run.budget.iteration_seconds)
      all.budget.profile = "custom";
    all.budget.forks += run.budget.forks;
    all.started = std::min(all.started, run.started);  // RFC 3339 in UTC sorts by time
    all.took = std::max(all.took, run.took);
    if (all.complete()) all.ended_by = run.ended_by;
    std::ranges::move(run.environments, std::back_inserter(all.environments));
    if (!all.base_environment) all.base_environment = std::move(run.base_environment);
    std::ranges::move(run.capacities, std::back_inserter(all.capacities));
    for (benchmark& b : run.benchmarks) {
      const auto same = std::ranges::find_if(
          all.benchmarks, [&](const benchmark& other) { return other.name == b.name && other.variant == b.variant; });
      if (same == all.benchmarks.end())
        all.benchmarks.push_back(std::move(b));
      else
        std::ranges::move(b.forks, std::back_inserter(same->forks));
    }
  }
  return all;
}

}  // namespace weir::inline WEIR_ABI::record
