// SPDX-License-Identifier: Apache-2.0
#include <weir/judge/extension.hpp>

#include <optional>

#include <gtest/gtest.h>

#include "clean_sample.hpp"

namespace {

using weir::judge::next_rows;
using weir::judge::outcome;
using weir::judge::verdict;

const verdict undecided{.state = outcome::inconclusive, .reasons = {}};

TEST(NextRows, DoublesAnInconclusiveJobTwiceAtMost) {
  const weir::record::sample s = weir_test::clean_sample();
  EXPECT_EQ(next_rows(s, undecided, 0), 2'000'000U);
  EXPECT_EQ(next_rows(s, undecided, 1), 2'000'000U);
  EXPECT_EQ(next_rows(s, undecided, 2), std::nullopt);
}

TEST(NextRows, LeavesADecidedVerdictAlone) {
  const weir::record::sample s = weir_test::clean_sample();
  EXPECT_EQ(next_rows(s, {.state = outcome::valid, .reasons = {}}, 0), std::nullopt);
  EXPECT_EQ(next_rows(s, {.state = outcome::invalid, .reasons = {}}, 0), std::nullopt);
}

TEST(NextRows, AsksForAsManyAsAreJudgedAtAll) {
  weir::record::sample s = weir_test::clean_sample();
  s.asked.rows = 10;
  EXPECT_EQ(next_rows(s, undecided, 0), 1'000U);
}

}  // namespace
