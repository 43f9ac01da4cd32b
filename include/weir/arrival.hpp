#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room `arrival`: when each row is due, fixed before the run.

#include <weir/arrival/any_schedule.hpp>  // IWYU pragma: export
#include <weir/arrival/constant.hpp>      // IWYU pragma: export
#include <weir/arrival/schedule.hpp>      // IWYU pragma: export
#include <weir/arrival/unpaced.hpp>       // IWYU pragma: export
