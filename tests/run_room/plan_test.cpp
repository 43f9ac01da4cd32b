// SPDX-License-Identifier: Apache-2.0
#include <weir/run/plan.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using weir::run::layout_seed;
using weir::run::plan;
using weir::run::slot;

/// The variants of each unit in each block, in their order.
std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> orders_of(const std::vector<slot>& all) {
  std::map<std::uint32_t, std::vector<std::vector<std::uint32_t>>> orders;
  for (const slot& s : all) {
    auto& blocks = orders[s.unit];
    blocks.resize(std::max<std::size_t>(blocks.size(), s.block + 1));
    blocks[s.block].push_back(s.variant);
  }
  return orders;
}

TEST(Plan, HasEachSlotOnceAndBlockAfterBlock) {
  for (const std::uint32_t variants : {1U, 2U, 3U, 5U}) {
    const auto all = plan(7, variants, 6, 11);
    std::set<std::vector<std::uint32_t>> seen;
    for (const slot& s : all) seen.insert({s.unit, s.variant, s.block});
    EXPECT_EQ(all.size(), 7U * variants * 6U);
    EXPECT_EQ(seen.size(), all.size());
    EXPECT_TRUE(std::ranges::is_sorted(all, {}, &slot::block));
    EXPECT_LT(std::ranges::max(all, {}, &slot::unit).unit, 7U);
    EXPECT_LT(std::ranges::max(all, {}, &slot::variant).variant, variants);
  }
}

TEST(Plan, KeepsTheVariantsOfAUnitTogether) {
  const auto all = plan(9, 3, 4, 5);
  for (std::size_t i = 0; i < all.size(); i += 3) {
    EXPECT_EQ(all[i].unit, all[i + 1].unit);
    EXPECT_EQ(all[i].unit, all[i + 2].unit);
  }
}

TEST(Plan, BothSidesOfAPairAreFirstEquallyOften) {
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (const auto& [unit, blocks] : orders_of(plan(4, 2, 10, seed)))
      for (std::size_t b = 0; b < blocks.size(); b += 2)
        EXPECT_NE(blocks[b], blocks[b + 1]) << "seed " << seed << ", unit " << unit << ", block " << b;
}

TEST(Plan, EachVariantStandsInEachPlaceAndAfterEachOtherEquallyOften) {
  for (std::uint32_t variants = 2; variants <= 6; ++variants) {
    const std::uint32_t cycle = variants % 2 == 0 ? variants : 2 * variants;
    for (const auto& [unit, blocks] : orders_of(plan(3, variants, 2 * cycle, 1))) {
      std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> places;
      std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> followers;
      for (const auto& order : blocks)
        for (std::size_t i = 0; i < order.size(); ++i) {
          ++places[{i, order[i]}];
          if (i > 0) ++followers[{order[i - 1], order[i]}];
        }
      EXPECT_EQ(places.size(), variants * variants);
      EXPECT_EQ(followers.size(), variants * (variants - 1));
      for (const auto& [key, count] : places) EXPECT_EQ(count, 2 * cycle / variants);
      for (const auto& [key, count] : followers) EXPECT_EQ(count, 2 * cycle / variants);
    }
  }
}

TEST(Plan, EveryUnitComesFirstInItsBlockAboutEquallyOften) {
  std::map<std::uint32_t, int> first;
  const auto all = plan(5, 1, 5'000, 3);
  for (std::size_t i = 0; i < all.size(); i += 5) ++first[all[i].unit];
  for (const auto& [unit, count] : first) {
    EXPECT_GT(count, 880) << unit;  // 1000 with a standard deviation of 28
    EXPECT_LT(count, 1'120) << unit;
  }
}

TEST(Plan, MoreBlocksExtendTheOrder) {
  const auto few = plan(6, 2, 5, 99);
  const auto many = plan(6, 2, 12, 99);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Plan, AnotherSeedIsAnotherOrder) { EXPECT_NE(plan(6, 2, 5, 1), plan(6, 2, 5, 2)); }

TEST(Plan, NothingToDoIsNoSlot) {
  EXPECT_TRUE(plan(0, 2, 3, 1).empty());
  EXPECT_TRUE(plan(3, 2, 0, 1).empty());
}

/// A stored order must stay reproducible: a change here is a decision.
TEST(Plan, GoldenOrderOfSeed1) {
  std::string order;
  for (const slot& s : plan(3, 2, 4, 1)) order += std::to_string(s.unit) + "AB"[s.variant] + ' ';
  EXPECT_EQ(order,
            "0A 0B 2A 2B 1A 1B "
            "2B 2A 1B 1A 0B 0A "
            "2A 2B 1A 1B 0B 0A "
            "2B 2A 1B 1A 0A 0B ");
}

TEST(LayoutSeed, DiffersFromPlaceToPlaceAndFromSeedToSeed) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (std::uint64_t place = 0; place < 100; ++place) seen.insert(layout_seed(seed, place));
  EXPECT_EQ(seen.size(), 10'000U);
  static_assert(layout_seed(1, 2) == layout_seed(1, 2));
}

}  // namespace
