// SPDX-License-Identifier: Apache-2.0
//
// What it costs to hand a message over: weir's channels, and what the system calls below them cost bare.
//
//   channels --benchmark_filter='pingpong/(0|4096|4096000)$'
//   BENCH_CSV=c.csv channels --weir_param=mode=dora --weir_param=channel=shm

#include <weir/gbench/channel_suite.hpp>
#include <weir/gbench/main.hpp>

namespace {
const bool registered = weir::gbench::register_channels();
}

WEIR_MAIN()
