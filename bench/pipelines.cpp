// SPDX-License-Identifier: Apache-2.0
//
// The six complete pipelines on weir's engine, at 600,000 rows/s unless --weir_param says otherwise.

#include <weir/gbench/main.hpp>
#include <weir/gbench/pipeline_suite.hpp>

namespace {

const bool pipelines = weir::gbench::register_pipelines();

}  // namespace

WEIR_MAIN()
