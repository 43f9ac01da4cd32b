#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Rows of the channel suite as text: dora's CSV, and a table for people. Temperature: cold.
//
//   append_csv("c.csv", channel_csv_row(row));

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/error.hpp>
#include <weir/stats/quantile.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// One row: a channel, a mode, a size. Units: ns, but for the rates.
struct channel_row {
  std::string channel;  // with what it was swept over
  std::string ends, placement, wait;
  std::string mode;  // pingpong, latency or throughput
  std::uint64_t bytes = 0;
  std::uint64_t n = 0;
  std::uint64_t dropped = 0;
  double average = 0;
  std::array<std::optional<double>, 4> p50_p95_p99_p999{};  // none: too few messages to tell
  double min = 0, max = 0;
  double msg_per_s = 0;
  double cpu_ns = 0;     // a message
  double memcpy_ns = 0;  // of as many bytes, in the same run
  std::string note;      // bimodal, say
};

namespace detail {

template <class... Values>
[[nodiscard]] std::string formatted(const char* format, Values... values) {
  std::array<char, 256> text{};
  const int n = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), std::min(static_cast<std::size_t>(std::max(n, 0)), text.size() - 1)};
}

}  // namespace detail

/// dora's label: whole KB or MB, cut. 4,096,000 bytes are 3MB.
[[nodiscard]] inline std::string size_label(std::uint64_t bytes) {
  if (bytes >= 1024 * 1024) return std::to_string(bytes / 1024 / 1024) + "MB";
  if (bytes >= 1024) return std::to_string(bytes / 1024) + "KB";
  return std::to_string(bytes) + "B";
}

inline constexpr std::string_view channel_csv_header =
    "channel,ends,placement,wait,mode,bytes,size_label,n,avg_or_msgps,p50,p95,p99,p999,min,max,dropped,cpu_ns,memcpy_"
    "ns,note";

/// mode,bytes,size_label,n,avg_or_msgps,p50,p95,p99,p999,min,max: exactly dora's. Of throughput all but the rate are 0;
/// a percentile that is not known is empty, which dora itself never writes.
[[nodiscard]] inline std::string channel_csv_row(const channel_row& r) {
  const bool rate = r.mode == "throughput";
  std::string text = r.mode + "," + std::to_string(r.bytes) + "," + size_label(r.bytes) + "," + std::to_string(r.n) +
                     "," + detail::formatted("%.0f", rate ? r.msg_per_s : r.average);
  for (const auto& p : r.p50_p95_p99_p999) text += "," + (rate ? "0" : p ? detail::formatted("%.0f", *p) : "");
  return text + (rate ? ",0,0" : detail::formatted(",%.0f,%.0f", r.min, r.max));
}

/// The same with what dora's row leaves out: a line below channel_csv_header.
[[nodiscard]] inline std::string channel_full_csv_row(const channel_row& r) {
  return r.channel + "," + r.ends + "," + r.placement + "," + r.wait + "," + channel_csv_row(r) +
         detail::formatted(",%llu,%.1f,%.1f,", static_cast<unsigned long long>(r.dropped), r.cpu_ns, r.memcpy_ns) +
         r.note;
}

/// What channel_full_csv_row() made of a row; none when it is no such line.
[[nodiscard]] inline std::optional<channel_row> channel_row_of(std::string_view line) {
  constexpr std::size_t columns = 19;
  std::vector<std::string> cells;
  while (cells.size() + 1 < columns) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    cells.emplace_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  cells.emplace_back(line);
  const auto number = [&](std::size_t i) { return std::strtod(cells[i].c_str(), nullptr); };
  channel_row r;
  r.channel = cells[0];
  r.ends = cells[1];
  r.placement = cells[2];
  r.wait = cells[3];
  r.mode = cells[4];
  r.bytes = static_cast<std::uint64_t>(number(5));
  r.n = static_cast<std::uint64_t>(number(7));
  (r.mode == "throughput" ? r.msg_per_s : r.average) = number(8);
  for (std::size_t i = 0; i < r.p50_p95_p99_p999.size(); ++i)
    if (!cells[9 + i].empty()) r.p50_p95_p99_p999[i] = number(9 + i);
  r.min = number(13);
  r.max = number(14);
  r.dropped = static_cast<std::uint64_t>(number(15));
  r.cpu_ns = number(16);
  r.memcpy_ns = number(17);
  r.note = cells[18];
  return r;
}

/// Rows of the same benchmark become one, each figure the median of theirs. A note of any of them stays.
[[nodiscard]] inline std::vector<channel_row> channel_medians(const std::vector<channel_row>& rows) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string, std::uint64_t>,
           std::vector<const channel_row*>>
      groups;
  for (const channel_row& r : rows) groups[{r.channel, r.ends, r.placement, r.wait, r.mode, r.bytes}].push_back(&r);
  std::vector<channel_row> all;
  for (const auto& [key, group] : groups) {
    channel_row& m = all.emplace_back(*group.front());
    const auto median = [&](auto figure) {
      std::vector<double> values;
      for (const channel_row* r : group) values.push_back(figure(*r));
      return stats::median(std::move(values));
    };
    m.n = static_cast<std::uint64_t>(median([](const channel_row& r) { return static_cast<double>(r.n); }));
    m.dropped = static_cast<std::uint64_t>(median([](const channel_row& r) { return static_cast<double>(r.dropped); }));
    for (double channel_row::* const f : {&channel_row::average, &channel_row::min, &channel_row::max,
                                          &channel_row::msg_per_s, &channel_row::cpu_ns, &channel_row::memcpy_ns})
      m.*f = median([&](const channel_row& r) { return r.*f; });
    for (std::size_t i = 0; i < m.p50_p95_p99_p999.size(); ++i) {
      const bool known =
          std::all_of(group.begin(), group.end(), [&](const channel_row* r) { return r->p50_p95_p99_p999[i]; });
      m.p50_p95_p99_p999[i] =
          known ? std::optional(median([&](const channel_row& r) { return *r.p50_p95_p99_p999[i]; })) : std::nullopt;
    }
    for (const channel_row* r : group)
      if (m.note.empty()) m.note = r->note;
  }
  return all;
}

/// Refuses a file whose rows would have other columns than those that are to follow.
/// Errors: channels.other_columns.
inline void check_csv(const std::filesystem::path& file, std::string_view header) {
  std::ifstream in(file);
  std::string first;
  if (std::getline(in, first) && first != header)
    weir::detail::raise("channels.other_columns", "--weir_out",
                        file.string() + " begins with another header line: move it away, or give another folder");
}

/// Appends a line, and a header before the first.
/// Errors: channels.cannot_write.
inline void append_csv(const std::filesystem::path& file, const std::string& line, std::string_view header = {}) {
  std::error_code ignored;
  const bool fresh = !std::filesystem::exists(file, ignored) || std::filesystem::file_size(file, ignored) == 0;
  std::ofstream out(file, std::ios::app);
  if (fresh && !header.empty()) out << header << '\n';
  out << line << '\n' << std::flush;
  if (!out)
    weir::detail::raise("channels.cannot_write", "BENCH_CSV, --weir_csv or --weir_out",
                        file.string() + ": give a file that can be written");
}

/// Sizes down; first what is a latency, then throughput. Of rows measured several times the medians.
[[nodiscard]] inline std::string channel_table(const std::vector<channel_row>& measured) {
  const std::vector<channel_row> rows = channel_medians(measured);
  std::vector<std::string> channels;
  for (const channel_row& r : rows)
    if (std::find(channels.begin(), channels.end(), r.channel) == channels.end()) channels.push_back(r.channel);
  std::string text;
  for (const std::string& channel : channels) {
    for (const std::string_view mode : {"pingpong", "latency", "throughput"}) {
      bool titled = false;
      for (const channel_row& r : rows) {
        if (r.channel != channel || r.mode != mode) continue;
        const bool rate = mode == "throughput";
        if (!std::exchange(titled, true)) {
          text += "\n" + channel + ", " + (mode == "pingpong" ? "round trip / 2" : std::string(mode)) + ", " + r.ends +
                  ", " + r.placement + ", " + r.wait + "\n";
          text += rate ? "      size           msg/s      GB/s  cpu ns/msg    memcpy ns           n\n"
                       : "      size    p50 us    p95 us    p99 us  p99.9 us    min us    max us    avg us  memcpy us"
                         "           n\n";
        }
        text += detail::formatted("%10s", size_label(r.bytes).c_str());
        const auto us = [&](double ns) { text += detail::formatted(" %9.3f", ns / 1e3); };
        if (rate) {
          text += detail::formatted(" %15.0f %9.3f %11.1f %12.1f", r.msg_per_s,
                                    r.msg_per_s * static_cast<double>(r.bytes) / 1e9, r.cpu_ns, r.memcpy_ns);
        } else {
          for (const auto& p : r.p50_p95_p99_p999) {
            if (p)
              us(*p);
            else
              text += "       n/a";
          }
          us(r.min);
          us(r.max);
          us(r.average);
          text += detail::formatted(" %10.3f", r.memcpy_ns / 1e3);
        }
        text += detail::formatted(" %11llu", static_cast<unsigned long long>(r.n));
        if (r.dropped != 0) text += "  dropped " + std::to_string(r.dropped);
        text += (r.note.empty() ? "" : "  " + r.note) + "\n";
      }
    }
  }
  return text;
}

}  // namespace weir::inline WEIR_ABI::gbench
