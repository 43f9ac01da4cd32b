// SPDX-License-Identifier: Apache-2.0
#include <weir/base/random.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

namespace {

using weir::mix64;
using weir::random_bits;

// Computed once by an independent implementation in Python: a change here breaks every stored seed.
TEST(Mix64, KeepsItsGoldenValues) {
  static_assert(mix64(0) == 0);
  EXPECT_EQ(mix64(1), 0x5692161D100B05E5U);
  EXPECT_EQ(mix64(0x0123456789ABCDEF), 0xB2C058E4EBB5112CU);
}

TEST(Mix64, ChangesAboutHalfOfTheBitsForEveryInputBit) {
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t changed = mix64(12345) ^ mix64(12345 ^ (std::uint64_t{1} << bit));
    EXPECT_GE(std::popcount(changed), 16) << "bit " << bit;
    EXPECT_LE(std::popcount(changed), 48) << "bit " << bit;
  }
}

TEST(RandomBits, KeepTheirGoldenValues) {
  random_bits bits(42);
  for (const std::uint64_t golden :
       {0x15780B2E0C2EC716U, 0x6104D9866D113A7EU, 0xAE17533239E499A1U, 0xECB8AD4703B360A1U})
    EXPECT_EQ(bits(), golden);
}

TEST(RandomBits, RepeatForTheSameSeedAndDifferForAnother) {
  random_bits a(7), b(7), c(8);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t value = a();
    EXPECT_EQ(value, b());
    differs |= value != c();
  }
  EXPECT_TRUE(differs);
}

TEST(RandomBits, UniformStaysInTheHalfOpenUnitIntervalAndCentres) {
  static_assert(std::is_trivially_copyable_v<random_bits>);
  random_bits bits(1);
  constexpr int draws = 100'000;
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const double u = bits.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  // Five standard errors of a mean of uniforms: 5 / sqrt(12 * draws) = 0.0046.
  EXPECT_NEAR(sum / draws, 0.5, 0.0046);
}

}  // namespace
