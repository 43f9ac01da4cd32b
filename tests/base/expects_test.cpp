// SPDX-License-Identifier: Apache-2.0
#include <weir/base/expects.hpp>

#include <gtest/gtest.h>

namespace {

#if WEIR_CHECKS

TEST(ExpectsDeathTest, AbortsWithFileLineAndCondition) {
  EXPECT_DEATH(WEIR_EXPECTS(1 + 1 == 3), R"(\[weir\.expects\] .*expects_test\.cpp:[0-9]+: 1 \+ 1 == 3)");
}

TEST(Expects, EvaluatesItsConditionOnceAndGoesOn) {
  int calls = 0;
  WEIR_EXPECTS(++calls == 1);
  EXPECT_EQ(calls, 1);
}

TEST(Expects, WorksInConstantExpressions) {
  static_assert([] {
    WEIR_EXPECTS(true);
    return true;
  }());
}

#else

TEST(Expects, EvaluatesNothingWhenSwitchedOff) {
  int calls = 0;
  WEIR_EXPECTS(++calls == 99);
  EXPECT_EQ(calls, 0);
}

#endif

}  // namespace
