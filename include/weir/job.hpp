#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room job: job files, what may be in them, and the engine that runs them.

#include <weir/job/answers.hpp>       // IWYU pragma: export
#include <weir/job/arrivals.hpp>      // IWYU pragma: export
#include <weir/job/json.hpp>          // IWYU pragma: export
#include <weir/job/local_engine.hpp>  // IWYU pragma: export
#include <weir/job/problem.hpp>       // IWYU pragma: export
#include <weir/job/scenario.hpp>      // IWYU pragma: export
#include <weir/job/schedules.hpp>     // IWYU pragma: export
#include <weir/job/spec.hpp>          // IWYU pragma: export
