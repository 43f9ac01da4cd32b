#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Comparing two amounts of work at a tenth of capacity.

#include <optional>
#include <string>

#include <weir/analysis/comparison.hpp>

#include "ledger.hpp"

namespace truth {

/// CPU time per row of the reference transform against the same with so much more work: the processes, warm-up and
/// counted jobs of --weir_profile=standard a side, in turn; half the processes in short. Once a percentage: it is kept.
/// None: no fork has a valid sample.
std::optional<weir::analysis::comparison> slowdown(double percent, effort how);

/// As a run with --weir_threshold=0.5% says it. The profile's own 2 % is where a change begins to matter: a true one of
/// 2 % lies on that line, and is called changed there every other time.
bool called_dearer(const std::optional<weir::analysis::comparison>& c);

/// The interval is too wide to tell; more processes would.
bool undecided(const std::optional<weir::analysis::comparison>& c);

/// One of those processes.
int power_child(const std::string& work, const std::string& rate, const std::string& layout_seed);

}  // namespace truth
