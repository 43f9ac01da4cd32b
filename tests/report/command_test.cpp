// SPDX-License-Identifier: Apache-2.0
#include <weir/report/command.hpp>

#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

namespace {

using weir::analysis::change;
using weir::report::exit_code;
using weir::report::exit_code_of;
using weir::report::fraction_of;
using weir::report::regex_literal;

weir::analysis::comparison_report of(std::initializer_list<std::pair<change, bool>> rows) {
  weir::analysis::comparison_report report;
  for (const auto& [verdict, better] : rows) {
    report.rows.emplace_back().verdict = verdict;
    report.rows.back().better = better;
  }
  return report;
}

TEST(ExitCodeOf, TheWorstRowDecides) {
  EXPECT_EQ(exit_code_of({}), exit_code::fine);
  EXPECT_EQ(exit_code_of(of({{change::same, false}, {change::changed, true}})), exit_code::fine);
  EXPECT_EQ(exit_code_of(of({{change::same, true}, {change::inconclusive, true}})), exit_code::inconclusive);
  EXPECT_EQ(exit_code_of(of({{change::inconclusive, true}, {change::changed, false}})), exit_code::regression);
  EXPECT_EQ(exit_code_of(of({{change::changed, false}, {change::inconclusive, false}})), exit_code::regression);
}

TEST(FractionOf, TakesPercentOrAShareBetweenNoneAndAll) {
  EXPECT_EQ(fraction_of("1%"), 0.01);
  EXPECT_EQ(fraction_of("0.02"), 0.02);
  EXPECT_EQ(fraction_of("2.5%"), 0.025);
  for (const char* wrong : {"", "%", "0", "0%", "100%", "1", "-1%", "nan", "inf", "fast", "1 %", "1%%", "0.1x"})
    EXPECT_FALSE(fraction_of(wrong)) << wrong;
}

TEST(RegexLiteral, EscapesWhatAFilterWouldRead) {
  EXPECT_EQ(regex_literal("pipelines/a/rows:10"), "pipelines/a/rows:10");
  EXPECT_EQ(regex_literal("a.b(c)*[1]+?{2}^$|\\"), "a\\.b\\(c\\)\\*\\[1\\]\\+\\?\\{2\\}\\^\\$\\|\\\\");
}

}  // namespace
