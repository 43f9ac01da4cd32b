#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room base: version, preconditions, errors, units, random bits, the processor and the system.

#include <weir/base/config.hpp>   // IWYU pragma: export
#include <weir/base/cpu.hpp>      // IWYU pragma: export
#include <weir/base/error.hpp>    // IWYU pragma: export
#include <weir/base/expects.hpp>  // IWYU pragma: export
#include <weir/base/os.hpp>       // IWYU pragma: export
#include <weir/base/random.hpp>   // IWYU pragma: export
#include <weir/base/units.hpp>    // IWYU pragma: export
