#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// What the sink must have seen, computed without the pipeline. Temperature: cold, but as long as 20 ms for
// a million rows of 64 operations: outside the timed part.
//
//   pipeline.expected = job::expected_answers(rows, payload_size, operations);

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <weir/base/config.hpp>
#include <weir/base/random.hpp>
#include <weir/flow/pipeline.hpp>
#include <weir/measure/exactly_once.hpp>

namespace weir::inline WEIR_ABI::job {

struct checksums {
  std::uint64_t sum = 0;     // of the rows' checksums
  std::uint64_t by_row = 0;  // of checksum * mix64(row): two rows with each other's checksum differ in it
};

/// Over rows 0 .. rows-1 of the reference transform, modulo 2^64.
/// Its own code, from the definition: h = row ^ K; per operation h = rotl((h ^ (payload[op mod size] + op)) * M, 17);
/// eight rows side by side, which a pipeline that goes row by row cannot do.
[[nodiscard]] constexpr checksums expected_checksums(std::uint64_t rows, std::uint64_t payload_size,
                                                     std::uint64_t operations) noexcept {
  constexpr std::size_t width = 8;
  checksums all;
  for (std::uint64_t first = 0; first < rows; first += width) {
    std::array<std::uint64_t, width> h{};
    for (std::size_t i = 0; i < width; ++i) h[i] = (first + i) ^ 0x9E3779B97F4A7C15;
    for (std::uint64_t op = 0; op < operations; ++op) {
      const std::uint64_t letter = payload_size == 0 ? 0 : 'a' + op % payload_size % 26;
      for (std::uint64_t& lane : h) lane = std::rotl((lane ^ (letter + op)) * 0xC2B2AE3D27D4EB4F, 17);
    }
    const auto used = static_cast<std::size_t>(std::min<std::uint64_t>(width, rows - first));
    for (std::size_t i = 0; i < used; ++i) {
      all.sum += h[i];
      all.by_row += h[i] * mix64(first + i);
    }
  }
  return all;
}

[[nodiscard]] inline flow::answers expected_answers(std::uint64_t rows, std::uint64_t payload_size, bool transform,
                                                    std::uint64_t operations) {
  const checksums known = transform ? expected_checksums(rows, payload_size, operations) : checksums{};
  return {.rows = measure::exactly_once::expected(rows), .checksum = known.sum, .checksum_by_row = known.by_row};
}

}  // namespace weir::inline WEIR_ABI::job
