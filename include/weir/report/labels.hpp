#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark is called in files that other tools read: one stable name a series. Temperature: cold.
//
//   report::series_name(run, b);  // "pipelines/sourceSink/rows:1000/variant:base"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weir/base/config.hpp>
#include <weir/record/run_record.hpp>

namespace weir::inline WEIR_ABI::report {

/// A name taken apart: parameters are the segments `name:value` at its end.
struct label {
  std::string path;  // "pipelines/sourceSink"
  std::vector<std::pair<std::string, std::string>> params;

  /// The value of a parameter, none when it has no such one.
  [[nodiscard]] std::optional<std::string> param(std::string_view name) const {
    const auto at = std::ranges::find(params, name, &std::pair<std::string, std::string>::first);
    return at == params.end() ? std::nullopt : std::optional(at->second);
  }
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

namespace detail {

/// Letters, digits and what is in `kept`; every other byte as in an address, %2E: no two texts become the same.
[[nodiscard]] inline std::string percent_encoded(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (alphanumeric || kept.find(c) != kept.npos)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// Percent and slash alone are encoded.
[[nodiscard]] inline std::string without_slashes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '/' ? "%2F" : c == '%' ? "%25" : std::string(1, c);
  return out;
}

/// The last segment of a name; the value of a swept parameter may hold slashes.
[[nodiscard]] inline std::string_view last_segment(std::string_view name, std::span<const record::parameter> swept) {
  for (const record::parameter& p : swept) {
    for (const std::string& value : p.values) {
      const std::size_t size = p.name.size() + 1 + value.size();
      if (name.size() > size && name[name.size() - size - 1] == '/' && name.ends_with(p.name + ':' + value))
        return name.substr(name.size() - size);
    }
  }
  return name.substr(name.rfind('/') + 1);
}

/// Takes parameters off the end of the name, but for those that the label has already.
inline void take_parameters(std::string_view name, std::span<const record::parameter> swept, label& to) {
  for (;;) {
    const std::string_view segment = last_segment(name, swept);
    const std::size_t colon = segment.find(':');
    if (segment.size() == name.size() || colon == 0 || colon == segment.npos || segment.substr(colon).starts_with("::"))
      break;
    const std::string_view key = segment.substr(0, colon);
    if (to.param(key)) break;
    to.params.emplace(to.params.begin(), key, segment.substr(colon + 1));
    name.remove_suffix(segment.size() + 1);
  }
  to.path = name;
}

}  // namespace detail

/// The same with those parameters that one value was given for, written as if they had been swept: a series with
/// another rate is another series.
[[nodiscard]] inline std::string series_name(const record::run_record& run, const record::benchmark& b) {
  std::string name = b.name;
  for (const record::parameter& p : run.parameters)
    if (p.values.size() == 1) name.append("/").append(p.name).append(":").append(detail::without_slashes(p.values[0]));
  return sided_name(name, b.variant);
}

[[nodiscard]] inline label label_of(std::string_view name) {
  label parts;
  detail::take_parameters(name, {}, parts);
  return parts;
}

/// What series_name() says, taken apart: no two benchmarks of a run have the same.
[[nodiscard]] inline label label_of(const record::run_record& run, const record::benchmark& b) {
  label parts;
  for (const record::parameter& p : run.parameters)
    if (p.values.size() == 1) parts.params.emplace_back(p.name, p.values.front());
  if (!b.variant.empty()) parts.params.emplace_back("variant", b.variant);
  detail::take_parameters(b.name, run.parameters, parts);
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
