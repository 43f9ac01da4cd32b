#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All of the room `run`: forks, the order and the end of an experiment, and what surrounds a measurement.

#include <weir/run/capacity.hpp>    // IWYU pragma: export
#include <weir/run/experiment.hpp>  // IWYU pragma: export
#include <weir/run/fork.hpp>        // IWYU pragma: export
#include <weir/run/plan.hpp>        // IWYU pragma: export
#include <weir/run/probe.hpp>  // IWYU pragma: export
