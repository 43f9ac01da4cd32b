#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The middle of a few values. Percentiles of many come from measure::snapshot. Temperature: cold.
//
//   const double middle = stats::median(fork_means);

#include <algorithm>
#include <cstddef>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::stats {

/// The middle value, or the mean of the two middle ones.
/// Cost: O(n).  Requires: a value, none of them NaN.
[[nodiscard]] inline double median(std::vector<double> values) noexcept {
  WEIR_EXPECTS(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace weir::inline WEIR_ABI::stats
