#include <weir/data/decimal.hpp>

#include <limits>

#include <gtest/gtest.h>

namespace {

using weir::data::decimal;
using weir::data::int128;

constexpr int128 ten_to_the(int exponent) {
  int128 power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

TEST(Decimal, CutsTheFractionTowardsZero) {
  EXPECT_EQ((decimal{19'999, 4}.to_int64()), 1);
  EXPECT_EQ((decimal{-19'999, 4}.to_int64()), -1);
  EXPECT_EQ((decimal{7, 0}.to_int64()), 7);
  EXPECT_EQ((decimal{7, 5}.to_int64()), 0);
}

TEST(Decimal, TakesTwentyDigitsWhichSixtyFourBitsDoNot) {
  // decimal(20,4) at its largest: 9999999999999999.9999
  EXPECT_EQ((decimal{ten_to_the(20) - 1, 4}.to_int64()), 9'999'999'999'999'999);
  EXPECT_EQ((decimal{-(ten_to_the(20) - 1), 4}.to_int64()), -9'999'999'999'999'999);
}

TEST(Decimal, TakesScalesBeyondOnePowerOfTen) {
  EXPECT_EQ((decimal{ten_to_the(37), 37}.to_int64()), 1);
  EXPECT_EQ((decimal{ten_to_the(37), 36}.to_int64()), 10);
  EXPECT_EQ((decimal{ten_to_the(37), 2'000'000'000}.to_int64()), 0);
  EXPECT_EQ((decimal{3, -3}.to_int64()), 3000);
  EXPECT_EQ((decimal{0, -2'000'000'000}.to_int64()), 0);
}

TEST(Decimal, GivesTheLow64BitsOfALargerWholePart) {
  EXPECT_EQ((decimal{(int128{5} << 64) + 42, 0}.to_int64()), 42);
  // 10^20 mod 2^64
  EXPECT_EQ((decimal{1, -20}.to_int64()), 7'766'279'631'452'241'920);
}

TEST(Decimal, EqualsByDigitsAndScale) {
  EXPECT_EQ((decimal{10, 1}), (decimal{10, 1}));
  EXPECT_NE((decimal{10, 1}), (decimal{100, 2}));
}

}  // namespace
