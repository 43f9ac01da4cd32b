// SPDX-License-Identifier: Apache-2.0
#include <weir/measure/exactly_once.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::measure::exactly_once;

constexpr std::uint64_t rows = 1'000;

std::vector<std::uint64_t> all_rows() {
  std::vector<std::uint64_t> sequence(rows);
  std::iota(sequence.begin(), sequence.end(), std::uint64_t{0});
  return sequence;
}

exactly_once::digest digest_of(const std::vector<std::uint64_t>& sequence) {
  exactly_once seen;
  for (const std::uint64_t n : sequence) seen.add(n);
  return seen.value();
}

TEST(ExactlyOnce, AcceptsEveryRowOnceInAnyOrder) {
  const auto sequence = all_rows();
  EXPECT_EQ(digest_of(sequence), exactly_once::expected(rows));
  EXPECT_EQ(digest_of({sequence.rbegin(), sequence.rend()}), exactly_once::expected(rows));
}

TEST(ExactlyOnce, AddsUpOverLanes) {
  std::vector<exactly_once> lanes(4);
  for (const std::uint64_t n : all_rows()) lanes[n % 4].add(n);
  exactly_once::digest sum;
  for (const auto& lane : lanes) sum += lane.value();
  EXPECT_EQ(sum, exactly_once::expected(rows));
}

TEST(ExactlyOnce, NoticesADroppedRow) {
  for (const std::size_t victim : {std::size_t{0}, std::size_t{1}, std::size_t{999}}) {
    auto sequence = all_rows();
    sequence.erase(sequence.begin() + static_cast<std::ptrdiff_t>(victim));
    EXPECT_NE(digest_of(sequence), exactly_once::expected(rows));
  }
}

TEST(ExactlyOnce, NoticesADuplicatedRow) {
  for (const std::uint64_t twin : {0U, 1U, 999U}) {
    auto sequence = all_rows();
    sequence.push_back(twin);
    EXPECT_NE(digest_of(sequence), exactly_once::expected(rows));
  }
}

TEST(ExactlyOnce, NoticesADroppedAndADuplicatedRowTogether) {
  for (std::size_t dropped = 0; dropped < rows; dropped += 37) {
    for (std::uint64_t twin = 0; twin < rows; twin += 41) {
      if (twin == dropped) continue;
      auto sequence = all_rows();
      sequence[dropped] = twin;
      const auto seen = digest_of(sequence);
      ASSERT_EQ(seen.count, rows);
      ASSERT_NE(seen.sum, exactly_once::expected(rows).sum);
      ASSERT_NE(seen.xored, exactly_once::expected(rows).xored);
    }
  }
}

TEST(ExactlyOnce, NoticesWrongNumbersThatCancel) {
  // Rows 0, 3, 5, 6 arrive as 1, 2, 4, 7: same count, same sum, same xor before mixing.
  auto sequence = all_rows();
  sequence[0] = 1;
  sequence[3] = 2;
  sequence[5] = 4;
  sequence[6] = 7;
  ASSERT_EQ(std::accumulate(sequence.begin(), sequence.end(), std::uint64_t{0}), rows * (rows - 1) / 2);
  const auto seen = digest_of(sequence);
  EXPECT_NE(seen.sum, exactly_once::expected(rows).sum);
  EXPECT_NE(seen.xored, exactly_once::expected(rows).xored);
}

TEST(ExactlyOnce, HasGoldenValues) {
  static_assert(exactly_once::expected(0) == exactly_once::digest{});
  // From a separate program in another language over the same published constants.
  EXPECT_EQ(exactly_once::expected(1'000'000),
            (exactly_once::digest{1'000'000, 0x4CD89FEF2CA7761F, 0xF8C702499663074D}));
}

}  // namespace
