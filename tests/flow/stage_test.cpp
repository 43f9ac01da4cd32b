// SPDX-License-Identifier: Apache-2.0
#include <weir/flow/stage.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "plans.hpp"

namespace {

using weir::flow::event;
using weir::flow::hash_chain;
using weir::flow::hash_work;
using weir::flow::no_work;
using weir::flow::payload_text;

static_assert(weir::flow::stage<no_work> && weir::flow::stage<hash_work>);
static_assert(!weir::flow::timed_stage<hash_work>);
static_assert(weir::flow::timed_stage<weir_test::fixed_service>);
static_assert(noexcept(std::declval<hash_work&>()(std::declval<event&>())));
static_assert(hash_chain(0, "", 0) == 0x9E3779B97F4A7C15);

/// The definition, step by step: v = payload[op mod size] + op; h ^= v; h *= K; rotate left by 17.
std::uint64_t by_the_book(std::uint64_t row, std::string_view payload, std::uint64_t operations) {
  std::uint64_t h = row ^ 0x9E3779B97F4A7C15ULL;
  for (std::uint64_t op = 0; op < operations; ++op) {
    const std::uint64_t v = (payload.empty() ? 0 : static_cast<unsigned char>(payload[op % payload.size()])) + op;
    h ^= v;
    h *= 0xC2B2AE3D27D4EB4FULL;
    h = (h << 17) | (h >> 47);
  }
  return h;
}

TEST(HashChain, IsTheChainByTheBook) {
  for (const std::size_t size : {0U, 1U, 25U, 26U, 27U, 64U, 256U}) {
    const std::string payload = payload_text(size);
    for (const std::uint64_t operations : {0U, 1U, 2U, 26U, 27U, 64U, 300U}) {
      for (const std::uint64_t row : {0ULL, 1ULL, 999'999ULL, ~0ULL})
        EXPECT_EQ(hash_chain(row, payload, operations), by_the_book(row, payload, operations))
            << row << ' ' << size << ' ' << operations;
    }
  }
}

// Computed with Python's integers, masked to 64 bits.
TEST(HashChain, HasItsGoldenValues) {
  EXPECT_EQ(hash_chain(0, "abc", 1), 0x34C0C895C7986BB8U);
  EXPECT_EQ(hash_chain(1, payload_text(256), 64), 0xBBB3717039F3C8BFU);
  EXPECT_EQ(hash_chain(7, "", 3), 0x5CE6BA7BDF293751U);
}

TEST(HashChain, ReadsBytesAsUnsigned) { EXPECT_EQ(hash_chain(3, "\xFF\x80", 2), by_the_book(3, "\xFF\x80", 2)); }

TEST(HashChain, DependsOnRowPayloadAndOperations) {
  const std::uint64_t h = hash_chain(5, "abc", 8);
  EXPECT_NE(h, hash_chain(6, "abc", 8));
  EXPECT_NE(h, hash_chain(5, "abd", 8));
  EXPECT_NE(h, hash_chain(5, "abc", 9));
}

TEST(HashWork, SetsTheChecksumAndNothingElse) {
  const std::string payload = payload_text(100);
  event e{.sequence = 42, .payload = payload};
  hash_work{.operations = 64}(e);
  EXPECT_EQ(e.checksum, by_the_book(42, payload, 64));
  EXPECT_EQ(e.sequence, 42U);
  EXPECT_EQ(e.payload.data(), payload.data());
}

TEST(NoWork, LeavesTheEventAsItIs) {
  event e{.sequence = 42, .payload = "abc"};
  no_work{}(e);
  EXPECT_EQ(e.checksum, 0U);
}

TEST(Tandem, WorksInTheOrderOfItsStages) {
  const auto append = [](std::uint64_t digit) { return [digit](event& e) { e.checksum = e.checksum * 10 + digit; }; };
  weir::flow::tandem row{append(1), append(2), append(3)};
  static_assert(weir::flow::stage<decltype(row)>);
  event e{};
  row(e);
  EXPECT_EQ(e.checksum, 123U);
}

TEST(PayloadText, GoesThroughTheAlphabetAgainAndAgain) {
  EXPECT_EQ(payload_text(0), "");
  EXPECT_EQ(payload_text(1), "a");
  EXPECT_EQ(payload_text(28), "abcdefghijklmnopqrstuvwxyzab");
}

}  // namespace
