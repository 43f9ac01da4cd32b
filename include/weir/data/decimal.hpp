#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// A decimal number: unscaled * 10^-scale, up to 38 digits. Temperature: hot.
//
//   static_assert(weir::data::decimal{.unscaled = 12'345'678, .scale = 4}.to_int64() == 1234);

#include <algorithm>
#include <cstdint>

#include <weir/base/config.hpp>

namespace weir::inline WEIR_ABI::data {

__extension__ using int128 = __int128;

struct decimal {
  int128 unscaled = 0;
  std::int32_t scale = 0;

  /// The whole part, fraction cut off; its low 64 bits when it has more.  Cost: 1 ns when unscaled fits 64 bits.
  [[nodiscard]] constexpr std::int64_t to_int64() const noexcept {
    constexpr std::int32_t digits = 18;  // 10^18 is the largest power of ten in 64 bits
    if (scale >= 0 && scale <= digits && static_cast<std::int64_t>(unscaled) == unscaled) [[likely]] {
      return static_cast<std::int64_t>(unscaled) / power_of_ten(scale);
    }
    int128 whole = unscaled;
    std::int32_t left = scale;
    while (left > 0 && whole != 0) {
      const std::int32_t step = std::min(left, digits);
      whole /= power_of_ten(step);
      left -= step;
    }
    auto low = static_cast<std::uint64_t>(whole);
    while (left < 0 && low != 0) {  // ends after four turns: each brings 18 factors of two
      const std::int32_t step = left < -digits ? digits : -left;
      low *= static_cast<std::uint64_t>(power_of_ten(step));
      left += step;
    }
    return static_cast<std::int64_t>(low);
  }

  friend constexpr bool operator==(const decimal&, const decimal&) = default;

 private:
  [[nodiscard]] static constexpr std::int64_t power_of_ten(std::int32_t exponent) noexcept {
    constexpr std::int64_t powers[] = {1,
                                       10,
                                       100,
                                       1'000,
                                       10'000,
                                       100'000,
                                       1'000'000,
                                       10'000'000,
                                       100'000'000,
                                       1'000'000'000,
                                       10'000'000'000,
                                       100'000'000'000,
                                       1'000'000'000'000,
                                       10'000'000'000'000,
                                       100'000'000'000'000,
                                       1'000'000'000'000'000,
                                       10'000'000'000'000'000,
                                       100'000'000'000'000'000,
                                       1'000'000'000'000'000'000};
    return powers[exponent];
  }
};

}  // namespace weir::inline WEIR_ABI::data
