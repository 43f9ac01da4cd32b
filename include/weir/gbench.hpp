#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Room gbench: suites as Google Benchmark fixtures, and the main of a bench binary.

#include <weir/gbench/allocations.hpp>     // IWYU pragma: export
#include <weir/gbench/child.hpp>           // IWYU pragma: export
#include <weir/gbench/codec_suite.hpp>     // IWYU pragma: export
#include <weir/gbench/harness.hpp>         // IWYU pragma: export
#include <weir/gbench/library.hpp>         // IWYU pragma: export
#include <weir/gbench/main.hpp>            // IWYU pragma: export
#include <weir/gbench/pipeline_suite.hpp>  // IWYU pragma: export
#include <weir/gbench/progress.hpp>        // IWYU pragma: export
#include <weir/gbench/reporters.hpp>       // IWYU pragma: export
#include <weir/gbench/row_suite.hpp>       // IWYU pragma: export
#include <weir/gbench/session.hpp>         // IWYU pragma: export
#include <weir/gbench/settings.hpp>        // IWYU pragma: export
