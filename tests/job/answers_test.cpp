// SPDX-License-Identifier: Apache-2.0
#include <weir/job/answers.hpp>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>
#include <weir/flow/event.hpp>
#include <weir/flow/stage.hpp>
#include <weir/measure/exactly_once.hpp>

namespace {

using weir::job::expected_answers;
using weir::job::expected_checksums;

static_assert(expected_checksums(0, 256, 64).sum == 0);
static_assert(expected_checksums(1, 256, 0).sum == 0x9E3779B97F4A7C15);

TEST(ExpectedChecksums, AreTheSumsOverTheHashChainsOfAllRows) {
  for (const std::uint64_t rows : {1U, 7U, 8U, 9U, 63U, 100U}) {
    for (const std::uint64_t size : {0U, 1U, 26U, 27U, 256U}) {
      const std::string payload = weir::flow::payload_text(size);
      for (const std::uint64_t operations : {0U, 1U, 64U, 300U}) {
        std::uint64_t sum = 0;
        std::uint64_t by_row = 0;
        for (std::uint64_t row = 0; row < rows; ++row) {
          const std::uint64_t checksum = weir::flow::hash_chain(row, payload, operations);
          sum += checksum;
          by_row += checksum * weir::mix64(row);
        }
        const auto known = expected_checksums(rows, size, operations);
        EXPECT_EQ(known.sum, sum) << rows << " rows, payload " << size << ", operations " << operations;
        EXPECT_EQ(known.by_row, by_row) << rows << " rows, payload " << size << ", operations " << operations;
      }
    }
  }
}

// The sum by the definition, with code of its own.
TEST(ExpectedChecksums, AreTheSumByTheBook) {
  std::uint64_t sum = 0;
  for (std::uint64_t row = 0; row < 1'000; ++row) {
    std::uint64_t h = row ^ 0x9E3779B97F4A7C15ULL;
    for (std::uint64_t op = 0; op < 64; ++op) {
      h ^= 'a' + op % 40 % 26 + op;
      h *= 0xC2B2AE3D27D4EB4FULL;
      h = (h << 17) | (h >> 47);
    }
    sum += h;
  }
  EXPECT_EQ(expected_checksums(1'000, 40, 64).sum, sum);
}

TEST(ExpectedAnswers, WithoutATransformTheChecksumIsZero) {
  const auto none = expected_answers(1'000, 256, false, 64);
  EXPECT_EQ(none.checksum, 0U);
  EXPECT_EQ(none.checksum_by_row, 0U);
  EXPECT_EQ(none.rows, weir::measure::exactly_once::expected(1'000));
  const auto hashed = expected_answers(1'000, 256, true, 64);
  EXPECT_EQ(hashed.checksum, expected_checksums(1'000, 256, 64).sum);
  EXPECT_EQ(hashed.checksum_by_row, expected_checksums(1'000, 256, 64).by_row);
}

}  // namespace
