#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room `clock`: where time comes from, and how a thread waits for it.

#include <weir/clock/manual.hpp>       // IWYU pragma: export
#include <weir/clock/steady.hpp>       // IWYU pragma: export
#include <weir/clock/time_source.hpp>  // IWYU pragma: export
#include <weir/clock/tsc.hpp>          // IWYU pragma: export
#include <weir/clock/waiting.hpp>      // IWYU pragma: export
