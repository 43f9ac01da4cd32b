#pragma once
// SPDX-License-Identifier: Apache-2.0
//
// The order of an experiment: seeded, shuffled, balanced, so that neither the host's drift nor a neighbour in time
// favours anyone. Temperature: cold.
//
//   for (const run::slot& s : run::plan(units, 2, blocks, seed)) start(s.unit, s.variant);

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <weir/base/config.hpp>
#include <weir/base/expects.hpp>
#include <weir/base/random.hpp>
#include <weir/base/units.hpp>

namespace weir::inline WEIR_ABI::run {

/// One fork: of which benchmark, on which side of the comparison, in which block.
struct slot {
  std::uint32_t unit = 0;
  std::uint32_t variant = 0;
  std::uint32_t block = 0;

  friend bool operator==(const slot&, const slot&) = default;
};

namespace detail {

/// Fisher, Yates, "Statistical tables", 1938, example 12; in Durstenfeld's form.
template <class T>
void shuffle(std::span<T> items, random_bits& bits) noexcept {
  for (std::size_t left = items.size(); left > 1; --left) {
    const auto drawn = static_cast<std::size_t>((static_cast<uint128>(bits()) * left) >> 64);
    std::swap(items[left - 1], items[drawn]);
  }
}

/// Orders of n things in which each stands in each place equally often, and follows each other one equally often: n
/// of them for an even n, otherwise 2n.
/// Source: Williams, "Experimental designs balanced for the estimation of residual effects of treatments", 1949.
[[nodiscard]] inline std::vector<std::vector<std::uint32_t>> balanced_orders(std::uint32_t n) {
  std::vector<std::vector<std::uint32_t>> orders;
  for (std::uint32_t shift = 0; shift < n; ++shift) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < n; ++i) order.push_back(((i % 2 == 1 ? (i + 1) / 2 : n - i / 2) + shift) % n);
    orders.push_back(order);
    if (n > 1 && n % 2 == 1) orders.emplace_back(order.rbegin(), order.rend());
  }
  return orders;
}

}  // namespace detail

/// Every (unit, variant) once a block. Units stand in a new random order in each block. The variants of a unit stand
/// next to each other, so that they meet the same state of the host, and over every 2 blocks (for v variants: v or,
/// when v is odd, 2v) each order of them comes once: AB BA, BA AB, ...
/// More blocks of the same seed extend the order without changing it.
/// Requires: variants > 0.
[[nodiscard]] inline std::vector<slot> plan(std::uint32_t units, std::uint32_t variants, std::uint32_t blocks,
                                            std::uint64_t seed) {
  WEIR_EXPECTS(variants > 0);
  random_bits bits(seed);
  const auto orders = detail::balanced_orders(variants);
  std::vector<std::uint32_t> cycle(orders.size());
  std::iota(cycle.begin(), cycle.end(), 0U);
  std::vector<std::vector<std::uint32_t>> cycles(units, cycle);  // a unit's orders in the blocks to come
  std::vector<std::uint32_t> shuffled(units);
  std::iota(shuffled.begin(), shuffled.end(), 0U);

  std::vector<slot> all;
  all.reserve(std::size_t{units} * variants * blocks);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::size_t turn = block % orders.size();
    if (turn == 0)
      for (auto& of_unit : cycles) detail::shuffle(std::span(of_unit), bits);
    detail::shuffle(std::span(shuffled), bits);
    for (const std::uint32_t unit : shuffled)
      for (const std::uint32_t variant : orders[cycles[unit][turn]]) all.push_back({unit, variant, block});
  }
  return all;
}

/// The layout seed of the fork at a place in the order. The two sides of a pair get different layouts: one layout
/// means different things to different code, and what it does belongs into the interval.
[[nodiscard]] constexpr std::uint64_t layout_seed(std::uint64_t seed, std::uint64_t place) noexcept {
  return mix64(mix64(seed) + place);
}

}  // namespace weir::inline WEIR_ABI::run
