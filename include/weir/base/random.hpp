#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Reproducible bits: the same sequence on every standard library, unlike std distributions. Temperature: hot.
//
//   weir::random_bits bits(seed);
//   double u = bits.uniform();

#include <bit>
#include <cstdint>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI {

/// A bijection of 64 bits in which every input bit reaches every output bit.
/// Source: the finalizer of splitmix64, Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014, constants by D. Stafford (variant 13).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// xoshiro256** seeded through splitmix64.
/// Cost: about 1 ns.  Source: Blackman, Vigna, "Scrambled linear pseudorandom number generators", 2018.
class random_bits {
 public:
  explicit constexpr random_bits(std::uint64_t seed) noexcept {
    for (auto& word : state_) word = mix64(seed += 0x9E3779B97F4A7C15);
  }

  constexpr std::uint64_t operator()() noexcept {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform on [0, 1): 53 bits.
  constexpr double uniform() noexcept { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_[4]{};
};

}  // namespace weir::inline WEIR_ABI
