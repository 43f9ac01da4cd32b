#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Memory for rows: blocks in steps of one cache line, kept in lists of the freeing thread. Temperature: hot.
//
//   void* block = detail::take_block(192);
//   detail::give_block(block, 192);            // on any thread
//
// A block belongs to whoever holds it: it may be taken on one thread and given back on another, whose list it
// then joins. Lists are capped, so a thread that only frees returns the surplus to the heap.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>

namespace weir::inline WEIR_ABI::data::detail {

/// Step of block sizes, and their alignment: a copy moves whole lines.
inline constexpr std::size_t block_step = 64;
/// Largest block that is pooled, and copied rather than shared (data/pack.hpp). Copying 1 KiB costs about as
/// much as the two atomic counts that sharing takes.
inline constexpr std::size_t pooled_bytes = 1024;

[[nodiscard]] constexpr std::size_t round_to_block(std::size_t bytes) noexcept {
  return (bytes + block_step - 1) / block_step * block_step;
}

struct free_block {
  free_block* next;
};

struct free_list {
  free_block* head = nullptr;
  std::uint32_t room = 0;  // blocks that may still join; 0 before first use and after the thread's end
};

/// Blocks kept by a size and thread: at most 256 of each of 16 sizes, 2.1 MiB a thread.
inline constexpr std::uint32_t blocks_kept = 256;
inline constexpr std::size_t block_sizes = pooled_bytes / block_step;

// Trivially destructible and constant-initialised: usable before main, after a thread's destructors have run
// (rows of static storage die that late), and without a guard on each access.
struct thread_blocks {
  free_list lists[block_sizes]{};
  bool opened = false;
};
inline constinit thread_local thread_blocks blocks_of_thread{};

inline void close_blocks() noexcept {
  for (free_list& list : blocks_of_thread.lists) {
    while (list.head != nullptr)
      ::operator delete(std::exchange(list.head, list.head->next), std::align_val_t(block_step));
    list.room = 0;
  }
}

/// Opens this thread's lists at its first give. False when they were opened before: full, or closed for good.
[[nodiscard]] inline bool open_blocks() noexcept {
  if (blocks_of_thread.opened) return false;
  blocks_of_thread.opened = true;
#if defined(__SANITIZE_ADDRESS__)
  return false;  // every block a real allocation, so that the sanitizer sees each use after free
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
  return false;
#endif
#endif
  struct closer {
    ~closer() { close_blocks(); }
  };
  static thread_local closer at_exit;
  (void)at_exit;
  for (free_list& list : blocks_of_thread.lists) list.room = blocks_kept;
  return true;
}

/// A block of `bytes`, a multiple of block_step.  Cost: 1 ns from the list, a heap allocation otherwise.
/// Errors: out of memory ends the program.
[[nodiscard]] inline void* take_block(std::size_t bytes) noexcept {
  WEIR_EXPECTS(bytes > 0 && bytes % block_step == 0);
  if (bytes <= pooled_bytes) {
    free_list& list = blocks_of_thread.lists[bytes / block_step - 1];
    if (list.head != nullptr) [[likely]] {
      ++list.room;
      return std::exchange(list.head, list.head->next);
    }
  }
  return ::operator new(bytes, std::align_val_t(block_step));
}

inline void give_block(void* block, std::size_t bytes) noexcept {
  if (bytes <= pooled_bytes) {
    free_list& list = blocks_of_thread.lists[bytes / block_step - 1];
    if (list.room != 0 || open_blocks()) [[likely]] {
      --list.room;
      list.head = ::new (block) free_block{list.head};
      return;
    }
  }
  ::operator delete(block, std::align_val_t(block_step));
}

}  // namespace weir::inline WEIR_ABI::data::detail
