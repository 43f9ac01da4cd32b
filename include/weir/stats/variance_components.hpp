#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Which layer of a nested experiment the variance comes from: iterations within forks within builds within hosts.
// Temperature: cold.
//
//   // two forks with three iterations each
//   const std::vector<std::vector<std::size_t>> parents{{0, 0, 0, 1, 1, 1}};
//   const auto layers = stats::variance_components({9, 10, 11, 19, 20, 21}, parents);  // [0] iterations, [1] forks

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::stats {

/// One layer's own share of the variance.
struct component {
  double repetitions = 0;  // units of this layer in one of the layer above: their harmonic mean
  double variance = 0;     // T^2: unbiased, so it may come out negative
  double spread = 0;       // S^2: of the units' means around the mean of the layer above, lower layers included
  bool known = false;      // false: every unit is alone, so its share cannot be told from the layer's above

  /// A negative share is noise around a small one.
  [[nodiscard]] bool detectable() const noexcept { return known && variance > 0; }
};

/// Components from the lowest layer to the top. parents[i][j] is the place, in layer i + 1, of the unit that unit j of
/// layer i belongs to; the units of the top layer have no parents. With r repetitions in every unit this is
/// T[i]^2 = S[i]^2 - S[i-1]^2 / r[i-1]. When the repetitions differ, what a layer inherits from below is summed unit by
/// unit, so that the result stays unbiased.
/// Cost: O(values).  Requires: a value, parents that exist and that all have children.
/// Source: Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, with the authors' correction:
/// the print subtracts T[i-1]^2 / r[i-1], which counts the layers below i - 1 as part of layer i.
[[nodiscard]] inline std::vector<component> variance_components(std::vector<double> values,
                                                                std::span<const std::vector<std::size_t>> parents) {
  WEIR_EXPECTS(!values.empty());
  std::vector<component> layers;
  std::vector<double> inherited(values.size(), 0.0);  // variance of each value that stems from the layers below
  for (std::size_t i = 0; i <= parents.size(); ++i) {
    const std::vector<std::size_t> top(i == parents.size() ? values.size() : 0, 0);
    const std::vector<std::size_t>& parent = i == parents.size() ? top : parents[i];
    WEIR_EXPECTS(parent.size() == values.size());
    const std::size_t groups = *std::max_element(parent.begin(), parent.end()) + 1;

    std::vector<double> count(groups, 0.0);
    std::vector<double> mean(groups, 0.0);
    std::vector<double> inherited_sum(groups, 0.0);
    for (std::size_t j = 0; j < values.size(); ++j) {
      count[parent[j]] += 1;
      mean[parent[j]] += values[j];
      inherited_sum[parent[j]] += inherited[j];
    }
    double df = 0;
    double from_below = 0;
    double inverse_counts = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      WEIR_EXPECTS(count[g] > 0);
      mean[g] /= count[g];
      df += count[g] - 1;
      from_below += inherited_sum[g] * (1 - 1 / count[g]);
      inverse_counts += 1 / count[g];
    }
    double squares = 0;
    for (std::size_t j = 0; j < values.size(); ++j) {
      squares += (values[j] - mean[parent[j]]) * (values[j] - mean[parent[j]]);
    }

    component& layer = layers.emplace_back();
    layer.repetitions = static_cast<double>(groups) / inverse_counts;
    if (df > 0) {
      layer.known = true;
      layer.spread = squares / df;
      layer.variance = layer.spread - from_below / df;
    }
    for (std::size_t g = 0; g < groups; ++g) {
      inherited_sum[g] = (layer.variance + inherited_sum[g] / count[g]) / count[g];
    }
    values = std::move(mean);
    inherited = std::move(inherited_sum);
  }
  return layers;
}

}  // namespace weir::inline WEIR_ABI::stats
