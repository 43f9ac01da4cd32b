#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The exponential law, the same sequence on every machine. Temperature: hot.
//
//   arrival::exponential draw(seed);
//   nanoseconds gap = draw(std::chrono::microseconds(100));  // 100 us on average

#include <chrono>
#include <cstdint>

#include <weir/arrival/schedule.hpp>
#include <weir/base/config.hpp>
#include <weir/base/random.hpp>
#include <weir/base/units.hpp>

namespace weir::inline WEIR_ABI::arrival {

/// Draws from the exponential law by comparing integers, so the law is exact, and no libm, compiler flag or
/// fused multiplication can change a bit: log() may differ in its last place from one library to the next, and
/// std::exponential_distribution does in all of them.
///
/// A fraction x is kept when the run of uniform draws that descends from it, x > u1 > u2 > ..., is of odd
/// length, which has probability e^-x; each x that is not kept adds 1 to the result.
/// Cost: 4.3 uniform draws, 12 ns, as much as log1p().  Source: von Neumann, "Various techniques used in connection
/// with random digits", 1951.
class exponential {
 public:
  /// The unit of next(): draws have this many binary places.
  static constexpr int places = 58;

  explicit constexpr exponential(std::uint64_t seed) noexcept : bits_(seed) {}

  /// A draw of mean 1, times 2^58.  It ends at 64: above lies 1 draw in 10^28.
  constexpr std::uint64_t next() noexcept {
    for (std::uint64_t whole = 0;; ++whole) {
      const std::uint64_t fraction = bits_();
      bool odd = true;
      for (std::uint64_t last = fraction, u = bits_(); u < last; u = bits_()) {
        last = u;
        odd = !odd;
      }
      if (whole == 63 || odd) return whole << places | fraction >> (64 - places);
    }
  }

  /// A draw of the given mean, cut to whole ns.  Requires: mean >= 0, 64 of them fit into 292 years.
  constexpr nanoseconds operator()(nanoseconds mean) noexcept {
    return nanoseconds(
        static_cast<std::int64_t>(static_cast<uint128>(next()) * static_cast<std::uint64_t>(mean.count()) >> places));
  }

 private:
  random_bits bits_;
};

}  // namespace weir::inline WEIR_ABI::arrival
