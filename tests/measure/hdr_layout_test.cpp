// SPDX-License-Identifier: Apache-2.0
#include <weir/measure/hdr_layout.hpp>

#include <cstdint>

#include <gtest/gtest.h>

#include <weir/base/random.hpp>

namespace {

using weir::measure::hdr_layout;

struct golden {
  int digits;
  std::uint64_t value;
  std::uint32_t index;
  std::uint64_t lowest;
  std::uint64_t highest;
};

// Printed by HdrHistogram_c 0.11 with lowest value 1 and highest 2^40.
constexpr golden by_hdr_histogram_c[] = {
    {2, 0, 0, 0, 0},
    {2, 1, 1, 1, 1},
    {2, 127, 127, 127, 127},
    {2, 128, 128, 128, 128},
    {2, 255, 255, 255, 255},
    {2, 256, 256, 256, 257},
    {2, 257, 256, 256, 257},
    {2, 1'000, 506, 1'000, 1'003},
    {2, 2'047, 639, 2'040, 2'047},
    {2, 2'048, 640, 2'048, 2'063},
    {2, 10'007, 924, 9'984, 10'047},
    {2, 1'000'000, 1'780, 999'424, 1'003'519},
    {2, 123'456'789, 2'667, 123'207'680, 123'731'967},
    {2, 60'000'000'000, 3'807, 59'861'106'688, 60'129'542'143},
    {2, 1'099'511'627'775, 4'351, 1'095'216'660'480, 1'099'511'627'775},
    {3, 0, 0, 0, 0},
    {3, 1'000, 1'000, 1'000, 1'000},
    {3, 2'047, 2'047, 2'047, 2'047},
    {3, 2'048, 2'048, 2'048, 2'049},
    {3, 2'049, 2'048, 2'048, 2'049},
    {3, 4'095, 3'071, 4'094, 4'095},
    {3, 4'096, 3'072, 4'096, 4'099},
    {3, 10'007, 4'322, 10'000, 10'007},
    {3, 1'000'000, 11'169, 999'936, 1'000'447},
    {3, 123'456'789, 18'267, 123'404'288, 123'469'823},
    {3, 60'000'000'000, 27'388, 59'995'324'416, 60'028'878'847},
    {3, 1'099'511'627'775, 31'743, 1'098'974'756'864, 1'099'511'627'775},
};

TEST(HdrLayout, AgreesWithHdrHistogram) {
  for (const golden& g : by_hdr_histogram_c) {
    const hdr_layout layout(g.digits);
    EXPECT_EQ(layout.index_of(g.value), g.index) << g.digits << " digits, " << g.value;
    EXPECT_EQ(layout.lowest(g.index), g.lowest) << g.digits << " digits, " << g.value;
    EXPECT_EQ(layout.highest(g.index), g.highest) << g.digits << " digits, " << g.value;
  }
}

TEST(HdrLayout, TilesTheRangeWithoutGapOrOverlap) {
  for (int digits = 1; digits <= 4; ++digits) {
    const hdr_layout layout(digits);
    std::uint64_t next = 0;
    for (std::uint32_t i = 0; i < layout.saturated(); ++i) {
      ASSERT_EQ(layout.lowest(i), next);
      ASSERT_EQ(layout.index_of(layout.lowest(i)), i);
      ASSERT_EQ(layout.index_of(layout.highest(i)), i);
      next = layout.highest(i) + 1;
    }
    EXPECT_EQ(next, hdr_layout::limit);
  }
}

TEST(HdrLayout, KeepsItsDigits) {
  const hdr_layout layout(3);
  weir::random_bits bits(1);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t value = bits() >> (24 + bits() % 40);
    const std::uint32_t index = layout.index_of(value);
    const std::uint64_t width = layout.highest(index) - layout.lowest(index) + 1;
    ASSERT_TRUE(width == 1 || width * 1'000 <= value) << value;
  }
}

TEST(HdrLayout, HasOneBucketAboveTheLimit) {
  constexpr hdr_layout layout(3);
  static_assert(layout.saturated() == 31'744 && layout.size() == 31'745);
  static_assert(layout.lowest(layout.saturated()) == hdr_layout::limit);
  static_assert(layout.highest(layout.saturated()) == hdr_layout::limit);
  static_assert(layout.highest(layout.saturated() - 1) == hdr_layout::limit - 1);
}

}  // namespace
