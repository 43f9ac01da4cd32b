#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Comparing two amounts of work at a tenth of capacity.

#include <cstdint>
#include <optional>
#include <string>

#include <weir/analysis/comparison.hpp>

namespace truth {

/// CPU time per row of the reference transform against the same with so much more work: `forks` processes a side, in
/// turn, each of one warm-up and three counted jobs.
/// None: no fork has a valid sample.
std::optional<weir::analysis::comparison> slowdown(double percent, std::uint32_t forks);

bool called_dearer(const std::optional<weir::analysis::comparison>& c);

/// One of those processes.
int power_child(const std::string& work, const std::string& rate, const std::string& layout_seed);

}  // namespace truth
