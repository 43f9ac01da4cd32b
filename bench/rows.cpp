// SPDX-License-Identifier: Apache-2.0
//
// The ten row operations on weir's row and on the naive one, in one binary, so that their ratio means something:
//
//   rows --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true

#include <weir/data/naive_row.hpp>
#include <weir/data/row.hpp>
#include <weir/gbench/main.hpp>
#include <weir/gbench/row_suite.hpp>

namespace {

const bool row = weir::gbench::register_row_suite<weir::data::row>("row");
const bool naive_row = weir::gbench::register_row_suite<weir::data::naive_row>("naive_row");

}  // namespace

WEIR_MAIN()
