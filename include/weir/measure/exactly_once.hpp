#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// Was every row seen exactly once? An order-blind fingerprint of sequence numbers. Temperature: hot.
//
//   weir::measure::exactly_once seen;
//   for (const auto& row : rows) seen.add(row.sequence);
//   const bool complete = seen.value() == weir::measure::exactly_once::expected(rows.size());

#include <cstdint>

#include <weir/base/config.hpp>
#include <weir/base/random.hpp>

namespace weir::inline WEIR_ABI::measure {

/// Counts, sums and xors the mixed numbers. A plain count misses one row lost while another comes twice;
/// a plain sum misses two wrong numbers that cancel; mixing makes every such accident differ in 64 bits.
/// Order is not seen.  Threads: one writer; merge() several after they stopped.
class exactly_once {
 public:
  struct digest {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;     // of mix64(sequence), modulo 2^64
    std::uint64_t xored = 0;

    constexpr digest& operator+=(const digest& other) noexcept {
      count += other.count;
      sum += other.sum;
      xored ^= other.xored;
      return *this;
    }
    friend constexpr bool operator==(const digest&, const digest&) = default;
  };

  constexpr void add(std::uint64_t sequence) noexcept {
    const std::uint64_t mixed = mix64(sequence);
    ++seen_.count;
    seen_.sum += mixed;
    seen_.xored ^= mixed;
  }

  constexpr void merge(const exactly_once& other) noexcept { seen_ += other.seen_; }

  [[nodiscard]] constexpr digest value() const noexcept { return seen_; }

  /// What rows 0 .. rows - 1 give, each once.  Cost: O(rows), about 1 ns each.
  [[nodiscard]] static constexpr digest expected(std::uint64_t rows) noexcept {
    exactly_once all;
    for (std::uint64_t n = 0; n < rows; ++n) all.add(n);
    return all.value();
  }

 private:
  digest seen_;
};

}  // namespace weir::inline WEIR_ABI::measure
