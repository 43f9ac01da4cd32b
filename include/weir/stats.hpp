#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `stats`: mathematics on a few values. Temperature: cold.

// IWYU pragma: begin_exports
#include <weir/stats/autocorrelation.hpp>
#include <weir/stats/comparison.hpp>
#include <weir/stats/interval.hpp>
#include <weir/stats/modality.hpp>
#include <weir/stats/moments.hpp>
#include <weir/stats/quantile.hpp>
#include <weir/stats/queueing.hpp>
#include <weir/stats/steady_state.hpp>
#include <weir/stats/student_t.hpp>
#include <weir/stats/variance_components.hpp>
// IWYU pragma: end_exports
