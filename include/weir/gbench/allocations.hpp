#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// How often the calling thread has allocated, C libraries included. Temperature: hot.
//
//   WEIR_COUNT_ALLOCATIONS()  // once in a program, at namespace scope
//
// It replaces malloc and its kin by glibc's own with a count before them; elsewhere, and under sanitizers, which have
// their own malloc, nothing is counted and the counter `allocs_per_op` is not shown.

#include <cstddef>
#include <cstdint>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::gbench {

/// Allocations of the calling thread so far, or no function when nothing counts them.
inline std::uint64_t (*allocations)() noexcept = nullptr;

}  // namespace weir::inline WEIR_ABI::gbench

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WEIR_HAS_OWN_MALLOC 1
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef WEIR_HAS_OWN_MALLOC
#endif
#endif
#endif

#ifdef WEIR_HAS_OWN_MALLOC
#define WEIR_COUNT_ALLOCATIONS()                                                                       \
  extern "C" {                                                                                         \
  void* __libc_malloc(std::size_t);                                                                    \
  void* __libc_calloc(std::size_t, std::size_t);                                                       \
  void* __libc_realloc(void*, std::size_t);                                                            \
  static thread_local std::uint64_t weir_allocations = 0;                                              \
  void* malloc(std::size_t size) { return ++weir_allocations, __libc_malloc(size); }                   \
  void* calloc(std::size_t n, std::size_t size) { return ++weir_allocations, __libc_calloc(n, size); } \
  void* realloc(void* old, std::size_t size) { return ++weir_allocations, __libc_realloc(old, size); } \
  }                                                                                                    \
  static const bool weir_counts_allocations =                                                          \
      (::weir::gbench::allocations = []() noexcept { return weir_allocations; }, true);
#else
#define WEIR_COUNT_ALLOCATIONS() static_assert(true);
#endif
