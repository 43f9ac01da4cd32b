#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// An undecided job is worth a longer one: noise averages out, a rise does not. Temperature: cold.
//
//   if (const auto rows = judge::next_rows(sample, verdict, extensions_so_far)) run_again(*rows);

#include <algorithm>
#include <cstdint>
#include <optional>

#include <weir/base/config.hpp>
#include <weir/judge/verdict.hpp>
#include <weir/record/sample.hpp>

namespace weir::inline WEIR_ABI::judge {

inline constexpr int most_extensions = 2;

/// Rows of the job that should stand in for an inconclusive one: twice as many, and at least as many as are judged
/// at all. None when the verdict stands, or after `extensions` enough.
[[nodiscard]] inline std::optional<std::uint64_t> next_rows(const record::sample& s, const verdict& v, int extensions,
                                                            const limits& l = {}) {
  if (v.state != outcome::inconclusive || extensions >= most_extensions) return {};
  return std::max(2 * s.asked.rows, l.rows);
}

}  // namespace weir::inline WEIR_ABI::judge
