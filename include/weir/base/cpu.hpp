#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What the processor offers a waiting loop. Temperature: hot.
//
//   while (!ready()) weir::cpu_pause();

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI {

/// Tells the core that this is a spin loop. Cost: 1 to 140 cycles, by processor.
inline void cpu_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace weir::inline WEIR_ABI
