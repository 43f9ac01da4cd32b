// SPDX-License-Identifier: Apache-2.0
#include <weir/codec.hpp>
#include <weir/gbench/allocations.hpp>
#include <weir/gbench/codec_suite.hpp>
#include <weir/gbench/main.hpp>

WEIR_COUNT_ALLOCATIONS()

namespace {

const bool own = weir::gbench::register_codec([](const auto&) { return weir::codec::avro(); }) &&
                 weir::gbench::register_codec([](const auto&) { return weir::codec::delimited(); }) &&
                 weir::gbench::register_codec([](const auto&) { return weir::codec::kafka(); });

}  // namespace

WEIR_MAIN()
