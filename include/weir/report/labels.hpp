#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark is called in files that other tools read: one stable name a series. Temperature: cold.
//
//   report::series_name(run, b);  // "pipelines/sourceSink/rows:1000/variant:base"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weir/base/config.hpp>
#include <weir/record/run_record.hpp>

namespace weir::inline WEIR_ABI::report {

/// A name taken apart: the suites write swept parameters into it as segments `name:value`.
struct label {
  std::string path;  // "pipelines/sourceSink"
  std::vector<std::pair<std::string, std::string>> params;
};

/// The benchmark's name with its side of an A/B run, which would otherwise make two series one.
[[nodiscard]] inline std::string sided_name(std::string_view name, std::string_view variant) {
  std::string all(name);
  if (!variant.empty()) all.append("/variant:").append(variant);
  return all;
}

[[nodiscard]] inline bool is_pipeline(const record::benchmark& b) {
  return std::ranges::any_of(b.forks, [](const record::fork& f) { return !f.invocations.empty(); });
}

/// The same with those parameters that one value was given for, written as if they had been swept: a series with
/// another rate is another series.
[[nodiscard]] inline std::string series_name(const record::run_record& run, const record::benchmark& b) {
  std::string name = b.name;
  for (const record::parameter& p : run.parameters)
    if (is_pipeline(b) && p.values.size() == 1) name.append("/").append(p.name).append(":").append(p.values.front());
  return sided_name(name, b.variant);
}

[[nodiscard]] inline label label_of(std::string_view name) {
  label parts;
  while (!name.empty()) {
    const auto segment = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(segment.size() + 1, name.size()));
    if (const auto colon = segment.find(':');
        colon != 0 && colon != segment.npos && segment.find(':', colon + 1) != colon + 1) {  // not `std::`
      parts.params.emplace_back(segment.substr(0, colon), segment.substr(colon + 1));
    } else {
      parts.path.append(parts.path.empty() ? "" : "/").append(segment);
    }
  }
  return parts;
}

namespace detail {

[[nodiscard]] inline std::string version() {
  return fmt::format("{}.{}.{}", WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR, WEIR_VERSION_PATCH);
}

/// With the replacement character for every byte that is not UTF-8: a child's output may hold any.
[[nodiscard]] inline std::string as_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

}  // namespace detail
}  // namespace weir::inline WEIR_ABI::report
