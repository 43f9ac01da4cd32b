#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// All rooms that need only the standard library, threads and Linux: no JSON, no formatted reports.
// For libraries and for builds without exceptions; a first program takes <weir/weir.hpp>.

#include <weir/arrival.hpp>        // IWYU pragma: export
#include <weir/base.hpp>           // IWYU pragma: export
#include <weir/channel.hpp>        // IWYU pragma: export
#include <weir/clock.hpp>          // IWYU pragma: export
#include <weir/codec.hpp>          // IWYU pragma: export
#include <weir/data.hpp>           // IWYU pragma: export
#include <weir/flow.hpp>           // IWYU pragma: export
#include <weir/judge.hpp>          // IWYU pragma: export
#include <weir/measure.hpp>        // IWYU pragma: export
#include <weir/record/sample.hpp>  // IWYU pragma: export
#include <weir/stats.hpp>          // IWYU pragma: export
