#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Version, checks and the constants that layout depends on. Temperature: hot (no code at all).
//
//   #include <weir/base/config.hpp>
//   static_assert(WEIR_VERSION_MINOR == 1);

#include <cstddef>

#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0

// WEIR_CHECKS=1 turns WEIR_EXPECTS on. CMake sets it on the target, so every translation unit of a
// program agrees; it is part of the inline namespace's name, so objects that disagree do not link.
#ifndef WEIR_CHECKS
#define WEIR_CHECKS 0
#endif
#if WEIR_CHECKS
#define WEIR_ABI v0_1_checked
#else
#define WEIR_ABI v0_1
#endif

namespace weir::inline WEIR_ABI {

/// Distance that keeps two writers from sharing a line. Units: bytes.
/// Fixed rather than std::hardware_destructive_interference_size, which changes with -mtune and
/// would make the layout of a shared type depend on a flag. Override once, for a whole program.
#ifndef WEIR_CACHE_LINE
#define WEIR_CACHE_LINE 64
#endif
inline constexpr std::size_t cache_line = WEIR_CACHE_LINE;

}  // namespace weir::inline WEIR_ABI

// Customization points, all of them:
//   WEIR_CHECKS, WEIR_CACHE_LINE     here, before the first include
//   concept clock::time_source       clock/time_source.hpp: a clock of your own
//   concept clock::waiting           clock/waiting.hpp: how a thread waits for a deadline
//   concept arrival::schedule        arrival/schedule.hpp: when rows are due, row by row; block_schedule: by the block
//   concept data::row_like           data/row_like.hpp: a row type of your own in the row suite
//   concept flow::stage              flow/stage.hpp: work done on an event
//   concept flow::system_under_test  flow/system.hpp: your queue, pool or function as a pipeline
