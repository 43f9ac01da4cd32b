// SPDX-License-Identifier: Apache-2.0
//
// Serialize and deserialize, formats x schemas: weir's own codecs and those on common libraries (bench/codecs/).
//
//   codecs --benchmark_filter='metrics/.*'
//   codecs --weir_param=params=metrics/JSON,single-key/Avro

#include <cstdio>

#include <weir/gbench/allocations.hpp>
#include <weir/gbench/codec_suite.hpp>
#include <weir/gbench/main.hpp>

#include "codecs/all.hpp"

WEIR_COUNT_ALLOCATIONS()

namespace {

const bool registered = [] {
  reference::for_each_codec([](auto make) { weir::gbench::register_codec(make); });
  reference::for_each_missing_codec([](const char* format, const char* why) {
    weir::gbench::register_missing_codec(format, why);
    std::fprintf(stderr, "skipped: %s: %s\n", format, why);
  });
  return true;
}();

}  // namespace

WEIR_MAIN()
