#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `analysis`: what a run comes to, what changed between two, what the next one needs. Temperature:
// cold.

// IWYU pragma: begin_exports
#include <weir/analysis/comparison.hpp>
#include <weir/analysis/plan.hpp>
#include <weir/analysis/summary.hpp>
// IWYU pragma: end_exports
