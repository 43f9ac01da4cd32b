#include <weir/data/block_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace weir::data::detail;

std::uint32_t kept(std::size_t bytes) {
  std::uint32_t n = 0;
  for (auto* b = blocks_of_thread.lists[bytes / block_step - 1].head; b != nullptr; b = b->next) ++n;
  return n;
}

TEST(BlockPool, GivesAlignedBlocksOfEverySize) {
  for (std::size_t bytes = block_step; bytes <= 2 * pooled_bytes; bytes += block_step) {
    void* block = take_block(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % block_step, 0U);
    std::memset(block, 1, bytes);
    give_block(block, bytes);
  }
}

TEST(BlockPool, KeepsNoMoreThanItsCapOnAThreadThatOnlyFrees) {
  constexpr std::size_t bytes = 320;
  std::vector<void*> blocks(3 * blocks_kept);
  for (void*& block : blocks) block = take_block(bytes);
  std::thread([&] {
    for (void* block : blocks) give_block(block, bytes);
    EXPECT_LE(kept(bytes), blocks_kept);
    std::vector<void*> again(2 * blocks_kept);
    for (void*& block : again) block = take_block(bytes);
    EXPECT_EQ(kept(bytes), 0U);
    for (void* block : again) give_block(block, bytes);
    EXPECT_LE(kept(bytes), blocks_kept);
  }).join();
}

// Runs last on its thread: after the thread's own lists have been closed.
struct late_giver {
  void* block = nullptr;
  ~late_giver() {
    if (block == nullptr) return;
    give_block(block, 128);
    EXPECT_EQ(kept(128), 0U);
  }
};

TEST(BlockPool, TakesBlocksBackAfterTheThreadsListsAreGone) {
  std::thread([] {
    static thread_local late_giver late;  // made before the lists open, so it ends after they close
    late.block = take_block(128);
    give_block(take_block(128), 128);
  }).join();
}

}  // namespace
