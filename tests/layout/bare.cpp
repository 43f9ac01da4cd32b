// SPDX-License-Identifier: Apache-2.0
// <weir/core.hpp> without exceptions and RTTI: an error prints its text and aborts.
#include <weir/core.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this file is about -fno-exceptions -fno-rtti"
#endif

int main() {
  // CTest takes a signal for a failure whatever was printed, so the expected abort becomes a plain exit.
  std::signal(SIGABRT, [](int) { std::_Exit(0); });
  weir::detail::raise("layout.bare", "/field", "the same text");
}
