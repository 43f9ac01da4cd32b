#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Everything but the Google Benchmark glue, which is <weir/gbench.hpp> and the target weir::gbench.

#include <weir/analysis.hpp>     // IWYU pragma: export
#include <weir/core.hpp>         // IWYU pragma: export
#include <weir/job.hpp>          // IWYU pragma: export
#include <weir/record.hpp>       // IWYU pragma: export
#include <weir/report.hpp>       // IWYU pragma: export
#include <weir/run.hpp>          // IWYU pragma: export
