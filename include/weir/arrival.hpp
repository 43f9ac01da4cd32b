#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room `arrival`: when each row is due, fixed before the run.

// IWYU pragma: begin_exports
#include <weir/arrival/any_schedule.hpp>
#include <weir/arrival/burst.hpp>
#include <weir/arrival/constant.hpp>
#include <weir/arrival/exponential.hpp>
#include <weir/arrival/poisson.hpp>
#include <weir/arrival/ramp.hpp>
#include <weir/arrival/schedule.hpp>
#include <weir/arrival/steps.hpp>
#include <weir/arrival/trace.hpp>
#include <weir/arrival/unpaced.hpp>
// IWYU pragma: end_exports
