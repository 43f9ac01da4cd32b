#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What bench binaries and the `weir` command share: exit codes, how a share is written, names in a filter. Pure.
// Temperature: cold.
//
//   return int(report::exit_code_of(analysis::compare(base, candidate)));

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <weir/analysis/comparison.hpp>
#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::report {

/// failed: a benchmark failed, or fewer than half of its samples are valid.
enum class exit_code : int { fine = 0, regression = 1, bad_usage = 2, failed = 3, inconclusive = 4 };

/// regression when a figure changed for the worse, inconclusive when none did but of some it cannot be told.
[[nodiscard]] inline exit_code exit_code_of(const analysis::comparison_report& report) noexcept {
  exit_code worst = exit_code::fine;
  for (const analysis::comparison& c : report.rows) {
    if (c.verdict == analysis::change::changed && !c.better) return exit_code::regression;
    if (c.verdict == analysis::change::inconclusive) worst = exit_code::inconclusive;
  }
  return worst;
}

/// "1%" or "0.01"; none unless it lies between 0 and 1.
[[nodiscard]] inline std::optional<double> fraction_of(std::string_view text) noexcept {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (percent) value /= 100;
  return value > 0 && value < 1 ? std::optional(value) : std::nullopt;
}

/// A regular expression that matches the text alone, in every flavour that Google Benchmark may be built with.
[[nodiscard]] inline std::string regex_literal(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace weir::inline WEIR_ABI::report
