#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Preconditions: a caller's bug, as opposed to wrong input (base/error.hpp). Temperature: hot.
//
//   WEIR_EXPECTS(index < size());

#include <weir/base/config.hpp>

#if WEIR_CHECKS
#include <cstdio>
#include <cstdlib>

namespace weir::inline WEIR_ABI::detail {

[[noreturn]] inline void broken_precondition(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "[weir.expects] %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace weir::inline WEIR_ABI::detail

#define WEIR_EXPECTS(condition) \
  ((condition) ? void(0) : ::weir::detail::broken_precondition(#condition, __FILE__, __LINE__))
#else
// Unevaluated, but compiled: a condition that stops compiling is found in every build.
#define WEIR_EXPECTS(condition) void(sizeof((condition) ? 1 : 0))
#endif
